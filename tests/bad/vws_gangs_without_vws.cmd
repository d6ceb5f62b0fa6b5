// run: run vecadd --size tiny --machine small --set vws.gangs=4
// exit: 2
// stderr: small: error: vws.gangs is 4, which does nothing while sm.diverge is pdom; set sm.diverge to vws, or leave vws.gangs at 0
