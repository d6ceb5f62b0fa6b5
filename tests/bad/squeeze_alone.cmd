// run: run vecadd --size tiny --machine gtx480 --set sm.squeeze=thesis
// exit: 2
// stderr: gtx480: error: sm.squeeze is thesis; it does nothing unless sm.warp_scale is hybrid
