// run: run vecadd --size tiny --machine gtx480 --set sm.squeeze=fewest
// exit: 2
// stderr: gtx480: error: sm.squeeze is fewest; it does nothing unless sm.warp_scale is hybrid
