// run: run vecadd --size tiny --machine small --set sm.diverge=dwf --set dwf.policy=minority --set dwf.majority=heap
// exit: 2
// stderr: small: error: dwf.majority is heap and dwf.policy is minority; the heap has the pc of most threads on top: dwf.majority = exact or scan go with minority
