// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set sm.sched=owl
// exit: 2
// stderr: small: error: sm.diverge = vws does not go with sm.sched = owl: it follows warps and their blocks through memory, and formed fronts come and go; use lrr, gto, gto_wait, two_level, oldest, find_first or vortex_rr
