// run: run vecadd --size tiny --machine small --set dws.meet=bypass
// exit: 2
// stderr: small: error: dws.meet is bypass, which does nothing while sm.diverge is pdom; set sm.diverge to dws, or leave dws.meet at limited
