; Livermore loop 1 as one stream that the machine steers to its two sides, as the ZS-1 does (L8).
.set stream single
.fill z 20 1 1
.data y 2 3 4 5
.fill x 4
.reg X2 3
.reg X5 2
.reg A2 0
.reg A7 4
loop:   LD AEQ <- [A2+z+10]
        LD AEQ <- [A2+z+11]
        MUL X4 <- X2, AEQ
        MUL X3 <- X5, AEQ
        LD AEQ <- [A2+y]
        ADD X6 <- X3, X4
        MUL EAQ <- AEQ, X6
        ST [A2+x] <- EAQ
        ADD A2 <- A2, 1
        DECBNZ --A7, loop
