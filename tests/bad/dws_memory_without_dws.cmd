// run: run vecadd --size tiny --machine small --set dws.memory=lazy
// exit: 2
// stderr: small: error: dws.memory is lazy, which does nothing while sm.diverge is pdom; set sm.diverge to dws, or leave dws.memory at revive
