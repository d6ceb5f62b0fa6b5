// run: run vecadd --size tiny --machine small --set sm.diverge=vws --set vws.memory=all --set sm.order=single
// exit: 2
// stderr: small: error: sm.order = single does not go with vws.memory: no thread goes on while a load of it is under way, whether it has its data or not; use vws.memory = off or sm.order = in_order
