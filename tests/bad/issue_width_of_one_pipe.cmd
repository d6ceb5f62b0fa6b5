// run: run vecadd --size tiny --machine small --set sm.pipe=one --set sm.issue_width=2
// exit: 2
// stderr: small: error: sm.issue_width is 2, which does nothing while sm.pipe is one; set sm.pipe to units, or leave sm.issue_width at 1
