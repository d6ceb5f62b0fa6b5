// run: check nowhere.ptx
// exit: ?
// stderr: ?
