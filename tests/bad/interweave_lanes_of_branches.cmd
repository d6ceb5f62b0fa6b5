// run: run vecadd --size tiny --machine small --set sm.diverge=interweave --set interweave.with=branches --set interweave.lanes=xor
// exit: 2
// stderr: small: error: interweave.lanes is xor, which does nothing while interweave.with is branches; set interweave.with to warps or both, or leave interweave.lanes at identity
