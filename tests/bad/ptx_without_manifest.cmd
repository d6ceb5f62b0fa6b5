// run: run scale.ptx
// exit: 2
// stderr: heddle run: error: a PTX file needs --manifest FILE, which says what to launch ("heddle check scale.ptx" only reads it)
