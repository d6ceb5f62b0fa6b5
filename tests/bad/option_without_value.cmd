// run: run vecadd --json
// exit: ?
// stderr: ?
