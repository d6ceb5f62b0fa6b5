// run: run vecadd --size tiny --machine small --set sm.shared.lanes=12
// exit: 2
// stderr: small: error: sm.shared.lanes is 12; it must be a power of two, such as 8 or 16
