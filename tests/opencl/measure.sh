# What is measured under heddle exec and under the driver alone: times against cycles, warm caches over untimed launches, instructions, traces, limits, JSON.
. "$(dirname "$0")"/../cli/common
export XDG_CACHE_HOME=$work/cache
unset OCL_ICD_VENDORS
cat > "$work/steps.c" <<'C'
/* Launches read, other, read, other ... and prints the profiled nanoseconds of each */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    const char *text = "kernel void reads(global int *x, global int *y) {\n"
                       "    y[get_global_id(0)] = x[get_global_id(0)];\n"
                       "}\n"
                       "kernel void other(global int *x, global int *y) { x[get_global_id(0)] += 1; }\n"
                       "kernel void endless(global volatile int *x, global int *y) { while (x[0] < 1000000) x[1] += 1; }\n";
    cl_platform_id p;
    cl_device_id d;
    size_t n = 4096;
    clGetPlatformIDs(1, &p, 0);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d, 0);
    cl_context c = clCreateContext(0, 1, &d, 0, 0, 0);
    cl_command_queue q = clCreateCommandQueue(c, d, CL_QUEUE_PROFILING_ENABLE, 0);
    cl_program g = clCreateProgramWithSource(c, 1, &text, 0, 0);
    clBuildProgram(g, 0, 0, 0, 0, 0);
    cl_mem x = clCreateBuffer(c, 0, n * 4, 0, 0), y = clCreateBuffer(c, 0, n * 4, 0, 0);
    for (int i = 1; i < argc; i++) {
        cl_event e;
        cl_ulong t[2] = {0, 0};
        cl_kernel k = clCreateKernel(g, argv[i], 0);
        clSetKernelArg(k, 0, sizeof x, &x);
        clSetKernelArg(k, 1, sizeof y, &y);
        clEnqueueNDRangeKernel(q, k, 1, 0, &n, 0, 0, 0, &e);
        clFinish(q);
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof t[0], &t[0], 0);
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof t[1], &t[1], 0);
        printf("%s %llu\n", argv[i], (unsigned long long)(t[1] - t[0]));
    }
    return 0; /* nothing is released: many programs do not */
}
C
cc -DCL_TARGET_OPENCL_VERSION=120 "$work/steps.c" -o "$work/steps" -lOpenCL
get() { "$B/json_get" "$work/$1" "$2"; }

# a kernel's profiled time is its cycles at the machine's clock, rounded up to nanoseconds
expect 0 "$B/heddle" exec --quiet --set gpu.core_mhz=700 --json "$work/t.json" -- "$work/steps" reads other reads
for i in 0 1 2; do
    ns=$(sed -n "$((i + 1))s/.* //p" "$work/out") cycles=$(get t.json launches.$i.cycles)
    [ "$ns" -eq $(((cycles * 1000 + 699) / 700)) ] || complain "launch $i: $ns ns for $cycles cycles at 700 MHz"
done

# a launch without timing leaves the chip as it is: with it between them or not, the second finds the same
# caches
expect 0 "$B/heddle" exec --quiet --kernel reads --json "$work/mixed.json" -- "$work/steps" reads other reads
expect 0 "$B/heddle" exec --quiet --kernel reads --json "$work/plain.json" -- "$work/steps" reads reads
[ "$(get mixed.json launches.1.functional)" = true ] || complain "launch 1 was timed"
[ "$(get mixed.json launches.2.cycles)" -lt "$(get mixed.json launches.0.cycles)" ] || complain "the caches were cold again"
[ "$(get mixed.json launches.2.cycles)" = "$(get plain.json launches.1.cycles)" ] || complain "an untimed launch changed the time of a later one"

# instructions and their lines
expect 0 "$B/heddle" exec --by-pc=order --json "$work/pc.json" -- "$work/steps" reads reads
out_has "in program order"
out_has "program.cl:2"
[ "$(get pc.json kernels.0.by_pc.0.issues)" = 256 ] || complain "two launches of 128 warps do not issue 256 times"
grep -q checksum "$work/out" && complain "a checksum of nothing"

# traces, complete though the program releases nothing
expect 0 "$B/heddle" exec --quiet --konata "$work/k.log" --perfetto "$work/p.json" --trace-cycles 0..2000 --trace-sm 0 -- "$work/steps" reads
grep -q "^Kanata" "$work/k.log" || complain "no Konata trace"
"$B/json_get" "$work/p.json" displayTimeUnit > "$work/unit" && grep -q ns "$work/unit" || complain "the Perfetto trace is no whole JSON"
expect 2 "$B/heddle" exec --konata - -- "$work/steps" reads
err_has "needs a file"
expect 2 "$B/heddle" exec --functional --by-pc -- "$work/steps" reads
err_has "needs timing"

# an endless kernel ends, with time and without, and what comes after it is as ever
for how in "" --functional "--max-cycles 5000"; do
    # shellcheck disable=SC2086
    expect 3 "$B/heddle" exec --quiet $how --max-instructions 200000 -- "$work/steps" endless other
    err_has "the limit of 200000 warp instructions is reached"
    err_has "program.cl:5"
    out_has "other"
done

# the driver alone: the same JSON, at the end of the process
export OCL_ICD_VENDORS=$B/libheddle-opencl.so
expect 0 env HEDDLE_JSON="$work/bare.json" "$work/steps" reads other reads
for key in machine mode cycles warp_instructions config_hash launches.2.cycles kernels.1.name; do
    [ "$(get bare.json $key)" = "$(get t.json $key)" ] || complain "$key: $(get bare.json $key) with the driver alone, $(get t.json $key) under exec"
done
expect 0 env HEDDLE_JSON="$work/no/such/folder/x.json" "$work/steps" reads
err_has "cannot write"
expect 0 env HEDDLE_JSON="$work/f.json" HEDDLE_FUNCTIONAL=1 "$work/steps" reads
[ "$(get f.json mode)" = functional ] || complain "mode is not functional"
finish
