// run: run vecadd --size tiny --machine small --set noc.kind=mesh --set noc.ideal=true
// exit: 2
// stderr: small: error: noc.ideal is true, which does nothing while noc.kind is mesh; set noc.kind to crossbar, or leave noc.ideal at false
