// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set sm.pipe=one
// exit: 2
// stderr: small: error: sm.diverge = vws does not go with sm.pipe = one: slices have units of their own, and one pipe takes one instruction; use sm.pipe = units
