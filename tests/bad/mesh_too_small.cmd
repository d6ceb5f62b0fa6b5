// run: run vecadd --size tiny --machine gtx480 --set noc.kind=mesh --set noc.mesh.width=4 --set noc.mesh.height=4
// exit: 2
// stderr: gtx480: error: noc.mesh.width (4) x noc.mesh.height (4) is 16 nodes; gpu.sms (15) and l2.partitions (6) need 21
