// run: run vecadd --size tiny --machine small --set interweave.lanes=xor
// exit: 2
// stderr: small: error: interweave.lanes is xor, which does nothing while sm.diverge is pdom; set sm.diverge to interweave, or leave interweave.lanes at identity
