// run: run vecadd --size tiny --machine small --set sm.diverge=dwf --set sm.sched=gto_wait --set sm.sched.gto_wait.counts=buffered
// exit: 2
// stderr: small: error: sm.sched.gto_wait.counts is buffered, which does nothing while sm.diverge is dwf and dwf.policy is majority: that says who issues, not sm.sched; set dwf.policy to sched, or leave sm.sched.gto_wait.counts at ready
