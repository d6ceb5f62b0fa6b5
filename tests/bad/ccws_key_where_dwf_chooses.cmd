// run: run vecadd --size tiny --machine small --set sm.diverge=dwf --set sm.sched=ccws --set sm.sched.ccws.base=50
// exit: 2
// stderr: small: error: sm.sched.ccws.base is 50, which does nothing while sm.diverge is dwf and dwf.policy is majority: that says who issues, not sm.sched; set dwf.policy to sched, or leave sm.sched.ccws.base at 100
