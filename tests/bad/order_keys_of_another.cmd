// run: run vecadd --size tiny --machine gtx480 --set order.window=8 --set order.ahead=4 --set order.stations=4 --set order.registers=8 --set order.buses=1 --set order.broadcast_cy=1 --set order.dispatch_width=2 --set order.retire_width=2 --set order.forwarding=false --set order.forward_cy=2 --set order.storesets=2 --set order.history.width=2 --set order.checkpoint.every=2 --set order.bimodal.entries=2
// exit: 2
// stderr: gtx480: error: order.window is 8, which does nothing while sm.order is in_order; set sm.order to an order with a window, such as rob, or leave order.window at 16
// stderr: gtx480: error: order.ahead is 4, which does nothing while sm.order is in_order; set sm.order to ghost, or leave order.ahead at 8
// stderr: gtx480: error: order.stations is 4, which does nothing while sm.order is in_order; set sm.order to tomasulo, rob or loog, or leave order.stations at 0
// stderr: gtx480: error: order.registers is 8, which does nothing while sm.order is in_order; set sm.order to rob or loog, or leave order.registers at 0
// stderr: gtx480: error: order.buses is 1, which does nothing while sm.order is in_order; set sm.order to an order with a window, such as rob, or leave order.buses at 0
// stderr: gtx480: error: order.broadcast_cy is 1, which does nothing while sm.order is in_order; set sm.order to an order with a window, such as rob, or leave order.broadcast_cy at 0
// stderr: gtx480: error: order.dispatch_width is 2, which does nothing while sm.order is in_order; set sm.order to an order with a window, such as rob, or leave order.dispatch_width at 1
// stderr: gtx480: error: order.retire_width is 2, which does nothing while sm.order is in_order; set sm.order to rob, or leave order.retire_width at 1
// stderr: gtx480: error: order.forwarding is false, which does nothing while sm.order is in_order; set sm.order to an order with a window, such as rob, or leave order.forwarding at true
// stderr: gtx480: error: order.storesets is 2, which does nothing while order.memory is conservative; set order.memory to predicted, or leave order.storesets at 64
// stderr: gtx480: error: order.forward_cy is 2, which does nothing while sm.order is in_order; set sm.order to rob, or leave order.forward_cy at 1
// stderr: gtx480: error: order.history.width is 2, which does nothing while order.precise is rob; set order.precise to history, or leave order.history.width at 1
// stderr: gtx480: error: order.checkpoint.every is 2, which does nothing while order.precise is rob; set order.precise to checkpoint, or leave order.checkpoint.every at 4
// stderr: gtx480: error: order.bimodal.entries is 2, which does nothing while order.speculate is never; set order.speculate to bimodal, or leave order.bimodal.entries at 64
