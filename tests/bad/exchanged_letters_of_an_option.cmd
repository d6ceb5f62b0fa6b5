// run: --verison
// exit: 2
// stderr: heddle: error: unknown option "--verison"; did you mean "--version"?
