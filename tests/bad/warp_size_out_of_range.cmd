// run: run vecadd --warp-size 65
// exit: 2
// stderr: heddle run: error: --warp-size must be an integer from 1 to 64, not "65"
