// run: run vecadd --size tiny --machine small --set dwf.pool=8
// exit: 2
// stderr: small: error: dwf.pool is 8, which does nothing while sm.diverge is pdom; set sm.diverge to dwf, or leave dwf.pool at 0
