// run: run vecadd --size tiny --machine small --set vws.memory=group
// exit: 2
// stderr: small: error: vws.memory is group, which does nothing while sm.diverge is pdom; set sm.diverge to vws, or leave vws.memory at off
