// run: run vecadd --size tiny --machine small --set sm.diverge=dwf --set sm.sched=owl --set sm.sched.owl.ctas=3
// exit: 2
// stderr: small: error: sm.sched.owl.ctas is 3, which does nothing while sm.diverge is dwf and dwf.policy is majority: that says who issues, not sm.sched; set dwf.policy to sched, or leave sm.sched.owl.ctas at 2
