// run: run vecadd --size tiny --machine small --set sm.diverge=dws --set dws.split=branch --set dws.memory=lazy
// exit: 2
// stderr: small: error: dws.memory is lazy, which does nothing while dws.split is branch; set dws.split to memory or both, or leave dws.memory at revive
