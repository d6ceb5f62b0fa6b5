// run: run vecadd --size tiny --machine small --set noc.ideal=true --set noc.arbiter=lowest
// exit: 2
// stderr: small: error: noc.arbiter is lowest, which does nothing while noc.ideal is true; set noc.ideal to false, or leave noc.arbiter at oldest
