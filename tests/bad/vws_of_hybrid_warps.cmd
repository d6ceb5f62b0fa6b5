// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set sm.warp_scale=hybrid
// exit: 2
// stderr: small: error: sm.diverge = vws does not go with sm.warp_scale = hybrid: what a gang leaves free of a unit is its other slices'; use sm.warp_scale = off
