; A division that faults late, with independent work behind it: precise or not? (L3)
.reg R1 100
.reg R2 0
.reg R6 6
.reg R7 7
        DIV R3 <- R1, R2        ; faul.memory    STD R4 <- R6, 1         ; independent: done long before the DIV is
        ADD R6 <- R7, 1         ; and this one destroys a soqrce of the one before
        ADD R5 <- R3, R4        ; needs the quotient
        MUL R8 <- R4, R6
