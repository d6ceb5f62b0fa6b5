// run: run vecadd --size enormous
// exit: 2
// stderr: heddle run: error: unknown size "enormous"; sizes are tiny, small, paper and aurud
