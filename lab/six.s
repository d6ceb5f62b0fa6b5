; The lecture's exercise: six instructions, ADD takes 4 cycles, MUL 6 (L1, L2, L3, L6, L8).
.reg R1 1
.reg R2 2
.reg R3 3
.reg R4 4
.reg R5 5
.reg R6 6
.reg R7 7
.reg R8 8
.reg R9 9
.reg R10 10
.reg R11 11
        MUL R3 <- R1, R2
        ADD R5 <- R3, R4
        ADD R7 <- R2, R6
        ADD R10 <- R8, R9
        MUL R11 <- R7, R10
        ADD R5 <- R5, R11
