// run: run aes --size aurud
// exit: 2
// stderr: heddle run: error: aes has no size "aurud"; it has tiny, small, paper
