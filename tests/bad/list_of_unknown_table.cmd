// run: list machnes
// exit: 2
// stderr: heddle list: error: unknown list "machnes"; lists are workloads, classes, generators
