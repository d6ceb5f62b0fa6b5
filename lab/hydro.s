; Livermore loop 1 on two streams: x(k) = q + y(k) * (r * z(k+10) + t * z(k+11)), q = 0, four iterations (L8).
.fill z 20 1 1
.data y 2 3 4 5
.fill x 4
.reg X2 3               ; r
.reg X5 2               ; t
.reg A2 0
.reg A7 4
.access
aloop:  LD AEQ <- [A2+z+10]
        LD AEQ <- [A2+z+11]
        LD AEQ <- [A2+y]
        ST [A2+x] <- EAQ
        ADD A2 <- A2, 1
        DECBNZ --A7, aloop
.execute
xloop:  MUL X4 <- X2, AEQ
        MUL X3 <- X5, AEQ
        ADD X6 <- X3, X4
        MUL EAQ <- AEQ, X6
        BRQ xloop
