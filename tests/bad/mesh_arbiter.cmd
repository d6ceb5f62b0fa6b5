// run: run vecadd --size tiny --machine small --set noc.kind=mesh --set noc.arbiter=lowest
// exit: 2
// stderr: small: error: noc.arbiter is lowest, which does nothing while noc.kind is mesh; set noc.kind to crossbar, or leave noc.arbiter at oldest
