// run: run vecadd --size tiny --machine small --set runtime.local=8
// exit: 2
// stderr: small: error: runtime.local is 8, which does nothing while isa.programs is ptx; set isa.programs to riscv, or leave runtime.local at 0
