// run: run vecadd --size tiny --machine small --set sm.diverge=dwf --set dwf.heap=8
// exit: 2
// stderr: small: error: dwf.heap is 8, which does nothing while dwf.majority is exact; set dwf.majority to heap, or leave dwf.heap at 128
