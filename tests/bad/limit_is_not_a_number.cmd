// run: run vecadd --max-instructions many
// exit: 2
// stderr: heddle run: error: --max-instructions must be an integer from 1 to 18446744073709551615, not "many"
