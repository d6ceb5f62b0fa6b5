; Strip-mining: 527 elements in registers of 64, as 8 x 64 + 15 (L7). SETVL takes the smaller of what is left and 64.
.fill A 527 1 1
.fill B 527 2 2
.fill C 527
.reg R0 527
        MOVA R1 = A
        MOVA R2 = B
        MOVA R3 = C
strip:  SETVL R4 = R0
        VLD V0 = MEM[R1]
        VLD V1 = MEM[R2]
        VADD V2 = V0 + V1
        VST MEM[R3] = V2
        ADD R1 = R1 + R4
        ADD R2 = R2 + R4
        ADD R3 = R3 + R4
        SUB R0 = R0 - R4
        BNZ R0, strip
