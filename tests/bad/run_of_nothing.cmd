// run: run
// exit: 2
// stderr: heddle run: error: an operand is missing
// stderr: usage: heddle run X [OPTIONS]
