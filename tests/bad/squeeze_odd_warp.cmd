// run: run bfs --size tiny --machine small --warp-size 7 --set sm.diverge=dwf --set sm.warp_scale=hybrid --set sm.alu.width=4 --set sm.squeeze=fewest
// exit: 2
// stderr: small: error: sm.diverge = dwf does not go with sm.squeeze where sm.warp_size, 7, is no multiple of sm.alu.width, 4: a beat that is not whole has no place for a thread that moves; use sm.squeeze = off
