// run: run vecadd --size tiny --machine gtx480 --set sm.order=ghost --set order.precise=history
// exit: 2
// stderr: gtx480: error: order.precise does not go with sm.order = ghost, which has no precise state: use sm.order = rob, or leave order.precise = rob
