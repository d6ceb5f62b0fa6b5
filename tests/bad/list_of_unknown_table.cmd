// run: list widgets
// exit: 2
// stderr: heddle list: error: unknown list "widgets"; lists are workloads, studies, machines, policies, keys, stats, classes, generators, textures, environment, limits, commands
