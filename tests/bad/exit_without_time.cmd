// run: run vecadd --size tiny --functional --exit-cycles 100
// exit: 2
// stderr: heddle run: error: --exit-cycles needs timing; leave out --functional
