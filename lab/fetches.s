; Split-phase fetches: memory answers with tokens, nothing waits in a unit (L8).
.data A 30 12
first:  FETCH => add.L
second: FETCH 1 => add.R
add:    ADD => out
.token first.L 0
.token second.L 0
