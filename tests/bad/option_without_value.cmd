// run: run vecadd --json
// exit: 2
// stderr: heddle run: error: --json needs FILE
