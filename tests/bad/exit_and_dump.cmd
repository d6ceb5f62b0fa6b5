// run: run vecadd --size tiny --exit-cycles 100 --dump c c.bin
// exit: 2
// stderr: heddle run: error: --dump and --exit-cycles do not go together: buffers are not final where a program is cut off
