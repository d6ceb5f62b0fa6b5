; C[tid] = A[tid] + B[tid]: while one warp waits for its loads, others issue (SIMT).
.fill A 1024 1 1
.fill B 1024 2 2
.fill C 1024
        MOV R1 <- TID
        LD R2 <- [R1+A]
        LD R3 <- [R1+B]
        ADD R4 <- R2, R3
        ST [R1+C] <- R4
