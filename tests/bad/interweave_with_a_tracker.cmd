// run: run vecadd --size tiny --machine small --set sm.diverge=interweave --set sm.hazard.tracker=naive
// exit: 2
// stderr: small: error: sm.diverge = interweave does not go with sm.hazard.tracker: prediction looks at the one instruction a warp would issue next, and two issue at once; use sm.hazard.tracker = none
