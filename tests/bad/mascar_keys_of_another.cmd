// run: run vecadd --size tiny --machine gtx480 --set sm.sched.mascar.release_percent=50 --set sm.sched.mascar.constants=refuse --set sm.sched.mascar.mshr_percent=50
// exit: 2
// stderr: gtx480: error: sm.sched.mascar.mshr_percent is 50, which does nothing while sm.sched is lrr; set sm.sched to mascar, or leave sm.sched.mascar.mshr_percent at 90
// stderr: gtx480: error: sm.sched.mascar.release_percent is 50, which does nothing while sm.sched is lrr; set sm.sched to mascar, or leave sm.sched.mascar.release_percent at 100
// stderr: gtx480: error: sm.sched.mascar.constants is refuse, which does nothing while sm.sched is lrr; set sm.sched to mascar, or leave sm.sched.mascar.constants at pass
