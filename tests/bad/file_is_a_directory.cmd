// run: check .
// exit: ?
// stderr: ?
