// run: run vecadd --size tiny --machine small --set runtime.map=lanes
// exit: 2
// stderr: small: error: runtime.map is lanes, which does nothing while isa.programs is ptx; set isa.programs to riscv, or leave runtime.map at group
