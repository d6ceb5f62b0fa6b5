// run: check /bin/true
// exit: ?
// stderr: ?
// an ELF file is not PTX text
