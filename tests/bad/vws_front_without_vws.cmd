// run: run vecadd --size tiny --machine small --set vws.front=warps
// exit: 2
// stderr: small: error: vws.front is warps, which does nothing while sm.diverge is pdom; set sm.diverge to vws, or leave vws.front at slices
