// run: run vecadd --size tiny --machine small --set vws.control=all
// exit: 2
// stderr: small: error: vws.control is all, which does nothing while sm.diverge is pdom; set sm.diverge to vws, or leave vws.control at group
