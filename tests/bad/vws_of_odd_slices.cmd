// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set vws.slice=5
// exit: 2
// stderr: small: error: vws.slice is 5 and sm.warp_size is 32; a warp is divided into at most 16 slices of that many lanes each
