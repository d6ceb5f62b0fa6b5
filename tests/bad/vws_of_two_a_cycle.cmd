// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set sm.issue_width=2
// exit: 2
// stderr: small: error: sm.diverge = vws does not go with sm.issue_width = 2: further places of a cycle are for gangs in other slices; use sm.issue_width = 1
