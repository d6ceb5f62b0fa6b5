// run: run vecadd --size tiny --machine vortex2021 --set sm.tlb.entries=16
// exit: 2
// stderr: vortex2021: error: sm.tlb.entries is 16, which does nothing while sm.pipeline is vortex; set sm.pipeline to common, or leave sm.tlb.entries at 0
