// run: run vecadd --size tiny --machine small --set vws.gang=inelastic
// exit: 2
// stderr: small: error: vws.gang is inelastic, which does nothing while sm.diverge is pdom; set sm.diverge to vws, or leave vws.gang at elastic
