// run: check .
// exit: 2
// stderr: .: error: cannot read: Is a directory
