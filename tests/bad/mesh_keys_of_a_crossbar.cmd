// run: run vecadd --size tiny --machine small --set noc.mesh.buffer=2
// exit: 2
// stderr: small: error: noc.mesh.buffer is 2, which does nothing while noc.kind is crossbar; set noc.kind to mesh, or leave noc.mesh.buffer at 8
