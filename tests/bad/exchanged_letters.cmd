// run: run bsf
// exit: 2
// stderr: heddle run: error: no bundled workload "bsf"; did you mean "bfs"?
