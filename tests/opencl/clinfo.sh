# clinfo lists the device, and no question is answered with an error.
. "$(dirname "$0")"/../cli/common
export OCL_ICD_VENDORS=$B/libheddle-opencl.so
expect 0 clinfo
out_has "heddle gtx480"
out_has "OpenCL 3.0"
grep -iE "CL_INVALID|<.*error|not available" "$work/out" && complain "clinfo got an error"
err_empty
# every machine answers everything
for machine in "$top"/machines/*.ini; do
    expect 0 env HEDDLE_MACHINE="$(basename "$machine" .ini)" clinfo
    grep -iE "CL_INVALID|<.*error|not available" "$work/out" && complain "$machine: clinfo got an error"
    grep -E "(compute units|work group size|clock frequency|Local memory size|cache size|Global memory size) +0( |$)" "$work/out" && complain "$machine: nothing of something"
    err_empty
done
finish
