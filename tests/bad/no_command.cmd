// run: 
// exit: ?
// stderr: ?
