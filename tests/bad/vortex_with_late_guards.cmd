// run: run vecadd --size tiny --machine vortex2021 --set sm.branch_guard_cy=4
// exit: 2
// stderr: vortex2021: error: sm.branch_guard_cy is 4, which does nothing while sm.pipeline is vortex; set sm.pipeline to common, or leave sm.branch_guard_cy at 0
