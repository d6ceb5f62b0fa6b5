// run: run nowhere.ptx --manifest scale.json
// exit: 2
// stderr: nowhere.ptx: error: cannot read: No such file or directory
