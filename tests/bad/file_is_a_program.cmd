// run: check /bin/true
// exit: 2
// stderr: /bin/true: error: this is not PTX text but an ELF file (a program or cubin): the byte at offset 7 is 0
// an ELF file is not PTX text
