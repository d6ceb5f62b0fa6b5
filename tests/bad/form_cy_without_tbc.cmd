// run: run vecadd --size tiny --machine small --set tbc.form_cy=2
// exit: 2
// stderr: small: error: tbc.form_cy is 2, which does nothing while sm.diverge is pdom; set sm.diverge to tbc, or leave tbc.form_cy at 1
