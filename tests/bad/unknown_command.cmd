// run: rnu scale.ptx
// exit: ?
// stderr: ?
