; A; if (tid != 0) B else C; D: the masks 1111, 1110 and 0001 of the lecture, thread 0 on the right.
.fill out 4
        SUB R1 <- TID, 0        ; A
        BEZ R1, else            ; thread 0 goes to C
        ADD R2 <- R1, 10        ; B
        J join
else:   ADD R2 <- R1, 20        ; C
join:   ST [R1+out] <- R2       ; D
