// run: run vecadd --size tiny --machine vortex2021 --set sm.diverge=mimd --set isa.vortex.diverge=ipdom
// exit: 2
// stderr: vortex2021: error: sm.diverge = mimd does not go with sm.pipeline = vortex: several instructions of a warp issue at once, and its units take one a cycle; use sm.diverge = pdom, none or its, or sm.pipeline = common
