// run: explain florence
// exit: 2
// stderr: heddle explain: error: unknown name "florence"; it is no key, section, machine, policy, statistic, workload, study or word of a report
