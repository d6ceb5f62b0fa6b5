// run: run vecadd --verbos
// exit: 2
// stderr: heddle run: error: unknown option --verbos; "heddle run --help" lists the legal ones
