// run: run vecadd --size tiny --machine small --set sm.diverge=interweave --set sm.warp_scale=hybrid
// exit: 2
// stderr: small: error: sm.diverge = interweave does not go with sm.warp_scale = hybrid: a second instruction goes in the lanes whose beats hybrid warps leave out; use sm.warp_scale = off
