; In-order against out-of-order dispatch: the first ADD stalls all that follows (L2).
.reg R1 1
.reg R2 2
.reg R6 6
.reg R7 7
.reg R8 8
        IMUL R3 <- R1, R2
        ADD R3 <- R3, R1
        ADD R1 <- R6, R7
        IMUL R5 <- R6, R8
        ADD R7 <- R3, R5
