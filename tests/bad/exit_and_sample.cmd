// run: run vecadd --size tiny --sample --exit-cycles 100
// exit: 2
// stderr: heddle run: error: --sample and --exit-cycles do not go together: both choose what is timed; leave one out
