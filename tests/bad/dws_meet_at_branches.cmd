// run: run vecadd --size tiny --machine small --set sm.diverge=dws --set dws.split=branch --set dws.meet=bypass
// exit: 2
// stderr: small: error: dws.meet is bypass, which does nothing while dws.split is branch; set dws.split to memory or both, or leave dws.meet at limited
