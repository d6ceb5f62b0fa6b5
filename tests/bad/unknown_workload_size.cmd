// run: run vecadd --size enormous
// exit: ?
// stderr: ?
