// run: run vecadd --size tiny --machine gtx480 --set sm.sched=gto --set sm.sched.owl.ctas=3 --set sm.sched.owl.interval_cy=100
// exit: 2
// stderr: gtx480: error: sm.sched.owl.ctas is 3, which does nothing while sm.sched is gto; set sm.sched to owl, or leave sm.sched.owl.ctas at 2
// stderr: gtx480: error: sm.sched.owl.interval_cy is 100, which does nothing while sm.sched is gto; set sm.sched to owl, or leave sm.sched.owl.interval_cy at 10000
