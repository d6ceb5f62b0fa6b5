// run: run vecadd --size tiny --machine vortex2021 --set sm.diverge=interweave
// exit: 2
// stderr: vortex2021: error: sm.diverge = interweave does not go with sm.pipeline = vortex: two instructions of a cycle go to one unit, and its units take one; use sm.diverge = pdom, none or its, or sm.pipeline = common
