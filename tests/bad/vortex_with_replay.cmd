// run: run vecadd --size tiny --machine vortex2021 --set sm.hazard=replay
// exit: 2
// stderr: vortex2021: error: sm.hazard is replay; with sm.pipeline = vortex it must be stall: a word that misses waits in its bank, and nothing is issued again
