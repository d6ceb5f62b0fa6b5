// run: run vecadd --size tiny --machine vortex2021 --set sm.diverge=dws
// exit: 2
// stderr: vortex2021: error: sm.diverge = dws at loads does not go with sm.pipeline = vortex: its load queue tells when a word has come, not which lanes hit; use dws.split = branch or sm.pipeline = common
