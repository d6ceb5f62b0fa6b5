// run: check /bin/true
// exit: 2
// stderr: /bin/true: error: not a program heddle reads: this is an ELF file (a program or cubin); it reads PTX, NVIDIA's virtual assembly: text that begins with .version; RISC-V programs for Vortex: 32-bit ELF executables, .vxbin, .pocl, and flat images called .bin
// an ELF file is not PTX text
