// run: rnu scale.ptx
// exit: 2
// stderr: heddle: error: unknown command "rnu"; "heddle help" lists the commands
