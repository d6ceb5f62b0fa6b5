// run: run vecadd --size tiny --machine small --set vws.first=little
// exit: 2
// stderr: small: error: vws.first is little, which does nothing while sm.diverge is pdom; set sm.diverge to vws, or leave vws.first at big
