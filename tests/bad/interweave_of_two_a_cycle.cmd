// run: run vecadd --size tiny --machine small --set sm.diverge=interweave --set sm.issue_width=2
// exit: 2
// stderr: small: error: sm.diverge = interweave does not go with sm.issue_width = 2: the second place of a cycle is for what goes beside the first; use sm.issue_width = 1
