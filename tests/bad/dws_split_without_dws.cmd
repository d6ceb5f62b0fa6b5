// run: run vecadd --size tiny --machine small --set dws.split=memory
// exit: 2
// stderr: small: error: dws.split is memory, which does nothing while sm.diverge is pdom; set sm.diverge to dws, or leave dws.split at both
