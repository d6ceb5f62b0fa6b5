; sum = 0; for (i = 5; i != 0; i--) sum += i, as a graph (L8). Merges let values in, switches let them out or round again; NEXT makes
; each iteration a context of its own, so that tokens of two iterations never meet.
im:     MERGE => isw.L, isw.R, ssw.R
sm:     MERGE => ssw.L
isw:    SWITCH => dec.L, plus.R : drop
ssw:    SWITCH => plus.L : leave.L
dec:    SUB 1 => inext.L
plus:   ADD => snext.L
inext:  NEXT => im.L
snext:  NEXT => sm.L
leave:  EXIT => out
.token im.L 5
.token sm.L 0
