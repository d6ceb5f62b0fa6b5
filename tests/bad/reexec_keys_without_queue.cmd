// run: run vecadd --size tiny --machine gtx480 --set sm.lsu.reexec.order=push --set sm.lsu.reexec.first=queued --set power.refused_pj=100
// exit: 2
// stderr: gtx480: error: sm.lsu.reexec.order is push, which does nothing while sm.lsu.reexec is 0; set sm.lsu.reexec to a number of entries, such as 32, or leave sm.lsu.reexec.order at issue
// stderr: gtx480: error: sm.lsu.reexec.first is queued, which does nothing while sm.lsu.reexec is 0; set sm.lsu.reexec to a number of entries, such as 32, or leave sm.lsu.reexec.first at new
// stderr: gtx480: error: power.refused_pj is 100, which does nothing while sm.lsu.reexec is 0; set sm.lsu.reexec to a number of entries, such as 32, or leave power.refused_pj at 0
