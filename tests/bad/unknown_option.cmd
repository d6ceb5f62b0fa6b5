// run: run vecadd --verbos
// exit: ?
// stderr: ?
