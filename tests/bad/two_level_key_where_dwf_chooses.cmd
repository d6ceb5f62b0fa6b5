// run: run vecadd --size tiny --machine small --set sm.diverge=dwf --set sm.sched=two_level --set sm.sched.two_level.active=4
// exit: 2
// stderr: small: error: sm.sched.two_level.active is 4, which does nothing while sm.diverge is dwf and dwf.policy is majority: that says who issues, not sm.sched; set dwf.policy to sched, or leave sm.sched.two_level.active at 8
