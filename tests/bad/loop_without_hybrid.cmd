// run: run vecadd --size tiny --machine small --set sm.warp_scale.latency=loop
// exit: 2
// stderr: small: error: sm.warp_scale.latency is loop, which does nothing while sm.warp_scale is off; set sm.warp_scale to hybrid, or leave sm.warp_scale.latency at fixed
