// run: run vecadd --size tiny --machine small --set sm.diverge=interweave --set interweave.with=branches --set sm.order=single
// exit: 2
// stderr: small: error: sm.order = single does not go with interweave.with = branches: no two parts of a warp have an instruction under way; use sm.order = in_order
