// run: run vecadd --max-instructions many
// exit: ?
// stderr: ?
