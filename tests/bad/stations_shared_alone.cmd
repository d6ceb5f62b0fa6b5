// run: run vecadd --size tiny --machine gtx480 --set order.stations.shared=1
// exit: 2
// stderr: gtx480: error: order.stations.shared is true; it does nothing unless order.stations is a number of them, at least 1
