// run: run vecadd --size tiny --machine small --set lwm.warps=4
// exit: 2
// stderr: small: error: lwm.warps is 4, which does nothing while sm.diverge is pdom; set sm.diverge to lwm, or leave lwm.warps at 8
