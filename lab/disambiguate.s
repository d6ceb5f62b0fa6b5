; A store whose address comes late, and a load behind it that is the same word every fourth time (L4).
.data P 100 200 300 400 500 600 700 800 900 1000 1100 1200
.fill Q 16
.reg R1 0               ; index
.reg R9 12              ; iterations
loop:   LD R2 <- [R1+P]
        AND R3 <- R1, 3
        MUL R4 <- R3, 1         ; the address of the store, late
        ADD R4 <- R4, Q
        ST [R4] <- R2
        LD R5 <- [Q]            ; the same word when R3 is 0
        ADD R6 <- R6, R5
        ADD R1 <- R1, 1
        DECBNZ --R9, loop
