// run: vectors nowhere
// exit: ?
// stderr: ?
