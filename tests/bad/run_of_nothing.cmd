// run: run
// exit: ?
// stderr: ?
