// run: run scale.ptx
// exit: 2
// stderr: heddle run: error: a program needs --manifest FILE, which says what to launch ("heddle check scale.ptx" only reads it)
