// run: run vecad
// exit: 2
// stderr: heddle run: error: no bundled workload "vecad"; did you mean "vecadd"?
