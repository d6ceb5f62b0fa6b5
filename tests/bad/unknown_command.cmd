// run: frobnicate scale.ptx
// exit: 2
// stderr: heddle: error: unknown command "frobnicate"; "heddle help" lists the commands
