// run: run vecadd --size tiny --machine gtx480 --set sm.order=scoreboard --set order.window=8 --set order.stations=4 --set order.registers=8 --set order.retire_width=2
// exit: 2
// stderr: gtx480: error: order.stations is 4, which does nothing while sm.order is scoreboard; set sm.order to tomasulo, rob or loog, or leave order.stations at 0
// stderr: gtx480: error: order.registers is 8, which does nothing while sm.order is scoreboard; set sm.order to rob or loog, or leave order.registers at 0
// stderr: gtx480: error: order.retire_width is 2, which does nothing while sm.order is scoreboard; set sm.order to rob, or leave order.retire_width at 1
