// run: run vecadd --warp-size 65
// exit: ?
// stderr: ?
