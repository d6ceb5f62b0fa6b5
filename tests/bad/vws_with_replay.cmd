// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set sm.hazard=replay
// exit: 2
// stderr: small: error: sm.diverge = vws does not go with sm.hazard = replay: an instruction is issued again from its warp's buffer, and a formed front may have parted by then; use sm.hazard = stall
