// run: run vecadd --size tiny --machine vortex2021 --set sm.bypass=false
// exit: 2
// stderr: vortex2021: error: sm.bypass is false, which does nothing while sm.pipeline is vortex; set sm.pipeline to common, or leave sm.bypass at true
