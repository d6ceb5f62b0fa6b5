; {x = a + b; y = b * 7 in (x - y) * (x + y)} with a = 3, b = 4 (L8).
add:    ADD => sub.L, sum.L
times7: MUL 7 => sub.R, sum.R
sub:    SUB => product.L
sum:    ADD => product.R
product: MUL => out
.token add.L 3
.token add.R 4
.token times7.L 4
