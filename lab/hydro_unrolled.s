; Livermore loop 1, one steered stream, unrolled twice: half the branches, and two independent chains to interleave (L8).
.set stream single
.fill z 20 1 1
.data y 2 3 4 5
.fill x 4
.reg X2 3
.reg X5 2
.reg A2 0
.reg A7 2
loop:   LD AEQ <- [A2+z+10]
        LD AEQ <- [A2+z+11]
        LD AEQ <- [A2+z+11]
        LD AEQ <- [A2+z+12]
        LD AEQ <- [A2+y]
        LD AEQ <- [A2+y+1]
        MUL X4 <- X2, AEQ
        MUL X3 <- X5, AEQ
        MUL X8 <- X2, AEQ
        MUL X7 <- X5, AEQ
        ADD X6 <- X3, X4
        ADD X9 <- X7, X8
        MUL EAQ <- AEQ, X6
        MUL EAQ <- AEQ, X9
        ST [A2+x] <- EAQ
        ST [A2+x+1] <- EAQ
        ADD A2 <- A2, 2
        DECBNZ --A7, loop
