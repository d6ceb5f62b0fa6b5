// run: check /dev/null
// exit: 2
// stderr: /dev/null: error: not a program heddle reads: the file is empty; it reads PTX, NVIDIA's virtual assembly: text that begins with .version; RISC-V programs for Vortex: 32-bit ELF executables, .vxbin, .pocl, and flat images called .bin
