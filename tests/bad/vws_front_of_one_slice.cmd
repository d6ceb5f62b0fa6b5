// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set vws.slice=32 --set vws.front=warps
// exit: 2
// stderr: small: error: vws.front is warps, which does nothing while vws.slice is 32, as sm.warp_size: a warp of one slice has no gangs; set vws.slice to a part of the warp, or leave vws.front at slices
