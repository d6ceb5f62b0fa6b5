// run: run vecadd --size tiny --machine small --set sm.warp_scale=hybrid --set sm.warp_scale.sync=lockstep
// exit: 2
// stderr: small: error: sm.warp_scale.sync is lockstep, which does nothing while sm.pipe is units; set sm.pipe to one, or leave sm.warp_scale.sync at free
