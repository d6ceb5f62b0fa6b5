; Convolution on Kung's array W1: y_i = w_1 x_i + w_2 x_(i+1) + w_3 x_(i+2) (L8).
.set array w1
.data w 1 2 3
.data x 1 2 3 4 5
.fill y 3
