// run: run vecadd --size tiny --machine gtx480 --set sm.sched.ccws.tags=32 --set sm.sched.ccws.ways=4 --set sm.sched.ccws.own=false --set sm.sched.ccws.base=50 --set sm.sched.ccws.throttle=4
// exit: 2
// stderr: gtx480: error: sm.sched.ccws.tags is 32, which does nothing while sm.sched is lrr; set sm.sched to ccws, or leave sm.sched.ccws.tags at 16
// stderr: gtx480: error: sm.sched.ccws.ways is 4, which does nothing while sm.sched is lrr; set sm.sched to ccws, or leave sm.sched.ccws.ways at 8
// stderr: gtx480: error: sm.sched.ccws.own is false, which does nothing while sm.sched is lrr; set sm.sched to ccws, or leave sm.sched.ccws.own at true
// stderr: gtx480: error: sm.sched.ccws.base is 50, which does nothing while sm.sched is lrr; set sm.sched to ccws, or leave sm.sched.ccws.base at 100
// stderr: gtx480: error: sm.sched.ccws.throttle is 4, which does nothing while sm.sched is lrr; set sm.sched to ccws, or leave sm.sched.ccws.throttle at 8
