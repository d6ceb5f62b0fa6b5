// run: rnu scale.ptx
// exit: 2
// stderr: heddle: error: unknown command "rnu"; commands are run, exec, compare, check, vectors, list, explain, lab, help
