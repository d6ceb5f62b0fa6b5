// run: run vecadd --size tiny --machine vortex2021 --set sm.shared.lanes=16
// exit: 2
// stderr: vortex2021: error: sm.shared.lanes is 16, which does nothing while sm.pipeline is vortex; set sm.pipeline to common, or leave sm.shared.lanes at 32
