// run: run vecadd --size tiny --machine small --set noc.kind=mesh --set noc.mesh.width=4 --set noc.mesh.height=1 --set noc.mesh.place=sides
// exit: 2
// stderr: small: error: noc.mesh.place is sides; the first and the last row of 4 x 1 have no room for 2 partitions: use spread
