// run: run vecadd --size tiny --machine gtx480 --set sm.order=rob --set order.precise=checkpoint --set order.checkpoint.every=20
// exit: 2
// stderr: gtx480: error: order.checkpoint.every is 20; it must be at most order.window, which is 16: what is between two copies leaves together
