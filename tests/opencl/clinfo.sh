# clinfo lists the device, and no question is answered with an error.
. "$(dirname "$0")"/../cli/common
export OCL_ICD_VENDORS=$B/libheddle-opencl.so
expect 0 clinfo
out_has "heddle gtx480"
out_has "OpenCL 1.2"
grep -iE "CL_INVALID|<.*error|not available" "$work/out" && complain "clinfo got an error"
err_empty
finish
