// run: check /dev/null
// exit: 2
// stderr: /dev/null: error: not a program heddle reads: the file is empty; it reads PTX, NVIDIA's virtual assembly: text that begins with .version
