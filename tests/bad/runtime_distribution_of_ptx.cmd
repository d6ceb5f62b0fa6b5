// run: run vecadd --size tiny --machine small --set runtime.distribution=dynamic
// exit: 2
// stderr: small: error: runtime.distribution is dynamic, which does nothing while isa.programs is ptx; set isa.programs to riscv, or leave runtime.distribution at static
