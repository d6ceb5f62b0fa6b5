; The matrices of the lecture, A 6 x 6 and B 6 x 10, on an array of 60 cells (L8).
.set array matmul
.set rows 6
.set inner 6
.set cols 10
.fill A 36 0 1
.fill B 60 0 1
.fill C 60
