// run: check /dev/null
// exit: ?
// stderr: ?
