// run: run vecadd --size tiny --machine vortex2021 --set sm.l1.global=false
// exit: 2
// stderr: vortex2021: error: sm.l1.global is false, which does nothing while sm.pipeline is vortex; set sm.pipeline to common, or leave sm.l1.global at true
