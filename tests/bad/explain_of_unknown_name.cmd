// run: explain smal
// exit: 2
// stderr: heddle explain: error: unknown name "smal"; did you mean "small"?
