// run: run vecadd --size tiny --machine vortex2021 --set sm.pipe=one
// exit: 2
// stderr: vortex2021: error: sm.pipe is one, which does nothing while sm.pipeline is vortex; set sm.pipeline to common, or leave sm.pipe at units
