// run: run vecadd --size tiny --machine small --set dws.table=8
// exit: 2
// stderr: small: error: dws.table is 8, which does nothing while sm.diverge is pdom; set sm.diverge to dws, or leave dws.table at 16
