// run: vectors nowhere
// exit: 2
// stderr: nowhere/index.tsv: error: cannot read: No such file or directory
