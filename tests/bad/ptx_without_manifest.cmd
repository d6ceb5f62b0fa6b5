// run: run scale.ptx
// exit: ?
// stderr: ?
