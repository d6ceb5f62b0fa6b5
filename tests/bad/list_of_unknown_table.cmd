// run: list machnes
// exit: ?
// stderr: ?
