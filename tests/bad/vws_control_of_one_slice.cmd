// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set vws.slice=32 --set vws.control=all
// exit: 2
// stderr: small: error: vws.control is all, which does nothing while vws.slice is 32, as sm.warp_size: a warp of one slice has no gangs; set vws.slice to a part of the warp, or leave vws.control at group
