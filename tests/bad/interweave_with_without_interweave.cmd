// run: run vecadd --size tiny --machine small --set interweave.with=warps
// exit: 2
// stderr: small: error: interweave.with is warps, which does nothing while sm.diverge is pdom; set sm.diverge to interweave, or leave interweave.with at both
