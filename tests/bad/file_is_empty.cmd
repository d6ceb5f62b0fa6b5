// run: check /dev/null
// exit: 2
// stderr: /dev/null:1:1: error: missing .version; a module starts with it
