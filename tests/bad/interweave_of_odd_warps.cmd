// run: run vecadd --size tiny --machine small --set sm.diverge=interweave --set interweave.lanes=xor --set sm.warp_size=24
// exit: 2
// stderr: small: error: interweave.lanes is xor and sm.warp_size is 24; lanes are permuted in warps of a power of two, such as 32
