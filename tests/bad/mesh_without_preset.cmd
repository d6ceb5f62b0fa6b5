// run: run vecadd --size tiny --machine small --set noc.kind=mesh --set noc.mesh.place=gpgpusim
// exit: 2
// stderr: small: error: noc.mesh.place is gpgpusim, which is known for 8 partitions in squares of 4, 6 or 8; here are 2 in 2 x 2: use spread or sides
