// run: run vecadd --size tiny --machine small --set sm.diverge=dws --set sm.lsu.reexec=4
// exit: 2
// stderr: small: error: sm.diverge = dws at loads does not go with sm.lsu.reexec: a load leaves the pipe before all its accesses were looked up; use dws.split = branch or sm.lsu.reexec = 0
