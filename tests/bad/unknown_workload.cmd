// run: run vecad
// exit: ?
// stderr: ?
