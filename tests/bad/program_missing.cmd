// run: run nowhere.ptx
// exit: 2
// stderr: nowhere.ptx: error: cannot read: No such file or directory
