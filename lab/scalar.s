; C[i] = (A[i] + B[i]) / 2 for 50 elements, scalar (L7): 304 instructions.
.fill A 50 2 2
.fill B 50 4 4
.fill C 50
        MOVI R0 = 50
        MOVA R1 = A
        MOVA R2 = B
        MOVA R3 = C
X:      LD R4 = MEM[R1++]
        LD R5 = MEM[R2++]
        ADD R6 = R4 + R5
        SHFR R7 = R6 >> 1
        ST MEM[R3++] = R7
        DECBNZ --R0, X
