// run: list widgets
// exit: 2
// stderr: heddle list: error: unknown list "widgets"; lists are workloads, classes, generators, machines, keys
