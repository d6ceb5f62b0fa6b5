; C[i] = (A[i] + B[i]) / 2 for 50 elements, vectorised (L7): 7 instructions.
.fill A 50 2 2
.fill B 50 4 4
.fill C 50
        MOVI VLEN = 50
        MOVI VSTR = 1
        VLD V0 = A
        VLD V1 = B
        VADD V2 = V0 + V1
        VSHFR V3 = V2 >> 1
        VST C = V3
