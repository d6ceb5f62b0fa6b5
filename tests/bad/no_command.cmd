// run: 
// exit: 2
// stderr: heddle runs GPU programs on a simulated GPU.
// stderr:
// stderr: usage: heddle COMMAND [OPTIONS]
// stderr:
// stderr: commands
// stderr:   run        run a manifest, a program or a bundled workload
// stderr:   exec       run an OpenCL program, unmodified, on the simulated GPU
// stderr:   compare    run programs on several configurations and print cycles and speedups
// stderr:   check      read programs and report kernels and errors without running them
// stderr:   vectors    compare recorded instruction results with ours
// stderr:   list       list workloads, machines, policies, keys, statistics, classes, generators, texture keys, variables, limits
// stderr:   explain    tell what a name means: a key, a group of keys, a machine, a policy, a statistic, a workload
// stderr:   lab        run small programs on classic machines, cycle by cycle: scoreboard, Tomasulo, reorder buffer, vector, VLIW, dataflow and others
// stderr:   help       tell what a command does and which options it has
// stderr:
// stderr: "heddle help COMMAND" tells more about one; "heddle --version" prints the version.
// stderr:
// stderr: example
// stderr:   heddle run vecadd
// stderr:
// stderr: exit codes
// stderr:   0 all well; 1 results differ from the expected ones; 2 a mistake in what was given;
// stderr:   3 the simulated program did something illegal
