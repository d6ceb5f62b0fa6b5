// run: run vecadd --verbos
// exit: 2
// stderr: heddle run: error: unknown option --verbos; did you mean --verbose?
