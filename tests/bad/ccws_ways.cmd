// run: run vecadd --size tiny --machine gtx480 --set sm.sched=ccws --set sm.sched.ccws.tags=4
// exit: 2
// stderr: gtx480: error: sm.sched.ccws.ways is 8; it must divide sm.sched.ccws.tags, which is 4
