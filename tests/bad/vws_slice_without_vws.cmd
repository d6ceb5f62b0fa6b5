// run: run vecadd --size tiny --machine small --set vws.slice=8
// exit: 2
// stderr: small: error: vws.slice is 8, which does nothing while sm.diverge is pdom; set sm.diverge to vws, or leave vws.slice at 4
