# heddle exec: an unmodified program from start to report, what is timed, and what is said when nothing is.
. "$(dirname "$0")"/../cli/common
export XDG_CACHE_HOME=$work/cache
cc "$top/tests/opencl/app.c" -o "$work/app" -lOpenCL > "$work/log" 2>&1 || { complain "cc app.c -lOpenCL failed"; cat "$work/log"; }

# with the loader's own variable alone
unset OCL_ICD_VENDORS
expect 0 env OCL_ICD_VENDORS="$B/libheddle-opencl.so" "$work/app"
out_has "app: passed"

# under heddle exec, with timing
expect 0 "$B/heddle" exec --json "$work/r.json" --csv "$work/r.csv" -- "$work/app"
out_has "app: passed"
out_has "app on gtx480: 2 launches of 2 kernels"
out_has "CPI stack"
out_has "limited by"
[ "$("$B/json_get" "$work/r.json" launches.1.kernel)" = sum ] || complain "launches.1.kernel is not sum"
[ "$("$B/json_get" "$work/r.json" machine)" = gtx480 ] || complain "machine is not gtx480"
[ "$("$B/json_get" "$work/r.json" launches.0.cycles)" -gt 100 ] || complain "launch 0 has no cycles"
[ "$(wc -l < "$work/r.csv")" -eq 4 ] || complain "the CSV file has not a row for each launch"

# results do not depend on the cache of compiled programs, nor on host threads
cycles=$("$B/json_get" "$work/r.json" cycles)
expect 0 "$B/heddle" exec --quiet -j 2 --json "$work/again.json" -- "$work/app"
[ "$("$B/json_get" "$work/again.json" cycles)" = "$cycles" ] || complain "cycles differ in a second run"

# a compiler that says nothing
HEDDLE_CLANG=$(type -P false) expect 1 "$B/heddle" exec -- "$work/app"
err_has "error: .*/false left neither a result nor a message in .*is there room in that folder"

# other machines and keys reach the device
expect 0 "$B/heddle" exec --quiet --machine small --set gpu.sms=3 --json "$work/small.json" -- "$work/app"
[ "$("$B/json_get" "$work/small.json" machine)" = small ] || complain "machine is not small"
expect 2 "$B/heddle" exec --set gpu.smss=3 -- "$work/app"
err_has "did you mean"
# kernels are PTX: a machine for RISC-V programs would not run them, or not as its keys say
for keys in "--machine vortex2021" "--machine vortex2021 --functional" "--machine aurud2023 --set isa.programs=ptx"; do
    # shellcheck disable=SC2086
    expect 2 "$B/heddle" exec $keys -- "$work/app"
    err_has "has sm.pipeline = vortex; kernels of OpenCL programs run as PTX: take a machine of another kind"
done
expect 2 "$B/heddle" exec --machine small --set isa.programs=riscv -- "$work/app"
err_has "machine small has isa.programs = riscv; kernels of OpenCL programs run as PTX"

# without timing, in whole or in part
expect 0 "$B/heddle" exec --functional --json "$work/f.json" -- "$work/app"
out_has "app: passed"
[ "$("$B/json_get" "$work/f.json" mode)" = functional ] || complain "mode is not functional"
for only in "--kernel sum" "--launch 1" "--launch 1..7"; do
    # shellcheck disable=SC2086
    expect 0 "$B/heddle" exec --quiet $only --json "$work/part.json" -- "$work/app"
    [ "$("$B/json_get" "$work/part.json" launches.0.functional)" = true ] || complain "$only: launch 0 was timed"
    [ "$("$B/json_get" "$work/part.json" launches.1.functional)" = false ] || complain "$only: launch 1 was not timed"
done
expect 0 "$B/heddle" exec --quiet --kernel summ -- "$work/app"
err_has "no launch was timed: --kernel summ; the kernels were add (1), sum (1)"
expect 2 "$B/heddle" exec --launch 3..1 -- "$work/app"
expect 2 "$B/heddle" exec --functional --kernel sum -- "$work/app"

# the program's own exit code and signals
expect 7 "$B/heddle" exec -- sh -c 'exit 7'
expect 139 "$B/heddle" exec -- sh -c 'kill -SEGV $$'
expect 127 "$B/heddle" exec -- "$work/no-such-program"
expect 2 "$B/heddle" exec

# nothing ran: why
expect 2 "$B/heddle" exec -- /bin/true
err_has "does not use libOpenCL.so"
printf '#!/bin/sh\nexit 0\n' > "$work/script" && chmod +x "$work/script"
expect 2 "$B/heddle" exec -- "$work/script"
err_has "never asked for our platform"
cat > "$work/why.c" <<'C'
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    const char *mode = argv[argc - 1], *text = "kernel void k(global int *x) { *x = 1; }";
    cl_platform_id p;
    cl_device_id d;
    char name[64] = "";
    size_t global = 10, local = 3;
    if (strcmp(mode, "crash") == 0) abort();
    if (strcmp(mode, "early") == 0) return 0;
    clGetPlatformIDs(1, &p, 0);
    clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, 0);
    if (strcmp(mode, "platform") == 0 && !strstr(name, "another")) return 5;
    clGetDeviceIDs(p, strcmp(mode, "type") ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU, 1, &d, 0);
    if (strcmp(mode, "type") == 0 || strcmp(mode, "look") == 0) return 0;
    cl_context c = clCreateContext(0, 1, &d, 0, 0, 0);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, 0);
    if (strcmp(mode, "context") == 0) return 0;
    if (strcmp(mode, "build") == 0) text = "kernel void k(global int *x) { *x = undeclared; }";
    cl_program g = clCreateProgramWithSource(c, 1, &text, 0, 0);
    if (clBuildProgram(g, 0, 0, 0, 0, 0)) return 0;
    cl_kernel k = clCreateKernel(g, "k", 0);
    cl_mem m = clCreateBuffer(c, 0, 4, 0, 0);
    clSetKernelArg(k, 0, sizeof m, &m);
    clEnqueueNDRangeKernel(q, k, 1, 0, &global, &local, 0, 0, 0);
    return 0;
}
C
cc -DCL_TARGET_OPENCL_VERSION=120 "$work/why.c" -o "$work/why" -lOpenCL
why() { expect "$1" "$B/heddle" exec -- "$work/why" "$2"; err_has "$3"; }
why 134 crash "it crashed before it asked the OpenCL loader"
why 2 early "never asked for our platform"
why 5 platform "it may want a platform or vendor by name"
why 2 type "another type than GPU: CPU"
why 0 look "made no context"
why 0 context "launched nothing"
why 2 build "use of undeclared identifier 'undeclared'"
why 2 refuse "refused, the last with -54 (CL_INVALID_WORK_GROUP_SIZE)"
sed 's/libOpenCL.so.1/libOpenCL.so.9/' "$work/why" > "$work/noloader" && chmod +x "$work/noloader"
expect 127 "$B/heddle" exec -- "$work/noloader" look
err_has "Is the OpenCL loader, libOpenCL.so.1, installed"

# a kernel that goes wild: the program lives, and so says the exit code
cat > "$work/wild.c" <<'C'
#include <CL/cl.h>
#include <stdio.h>
int main(void) {
    const char *text = "kernel void wild(global int *x) { x[get_global_id(0) + (1 << 26)] = 1; }";
    cl_platform_id p;
    cl_device_id d;
    size_t n = 64;
    clGetPlatformIDs(1, &p, 0);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, 0);
    cl_context c = clCreateContext(0, 1, &d, 0, 0, 0);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, 0);
    cl_program g = clCreateProgramWithSource(c, 1, &text, 0, 0);
    clBuildProgram(g, 0, 0, 0, 0, 0);
    cl_kernel k = clCreateKernel(g, "wild", 0);
    cl_mem m = clCreateBuffer(c, 0, 4, 0, 0);
    clSetKernelArg(k, 0, sizeof m, &m);
    clEnqueueNDRangeKernel(q, k, 1, 0, &n, 0, 0, 0, 0);
    printf("finish says %d\n", clFinish(q));
    return 0;
}
C
cc -DCL_TARGET_OPENCL_VERSION=120 "$work/wild.c" -o "$work/wild" -lOpenCL
expect 3 "$B/heddle" exec --quiet -- "$work/wild"
out_has "finish says -5"
err_has "kernel 'wild'"

# a program that takes the second platform by its index finds one when asked to
cat > "$work/second.c" << 'C'
#include <CL/cl.h>
#include <stdio.h>
int main(void) {
    cl_platform_id p[4] = {0};
    cl_device_id d = 0;
    cl_uint n = 0;
    cl_int rc = clGetPlatformIDs(4, p, &n);
    if (rc || n < 2) return printf("platforms %u\n", n), 1;
    rc = clGetDeviceIDs(p[1], CL_DEVICE_TYPE_GPU, 1, &d, 0);
    cl_context_properties props[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)p[1], 0};
    cl_context c = clCreateContext(props, 1, &d, 0, 0, &rc);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, 0);
    const char *text = "kernel void k(global int *x) { *x = 1; }";
    cl_program program = clCreateProgramWithSource(c, 1, &text, 0, 0);
    clBuildProgram(program, 0, 0, 0, 0, 0);
    cl_kernel k = clCreateKernel(program, "k", 0);
    cl_mem m = clCreateBuffer(c, 0, 4, 0, 0);
    size_t one = 1;
    clSetKernelArg(k, 0, sizeof m, &m);
    clEnqueueNDRangeKernel(q, k, 1, 0, &one, 0, 0, 0, 0);
    printf("platforms %u, finish says %d\n", n, clFinish(q));
    return rc;
}
C
cc -DCL_TARGET_OPENCL_VERSION=120 "$work/second.c" -o "$work/second" -lOpenCL
expect 1 "$B/heddle" exec --functional --quiet -- "$work/second"
expect 0 "$B/heddle" exec --functional --quiet --platforms 2 -- "$work/second"
out_has "platforms 2, finish says 0"
expect 2 "$B/heddle" exec --platforms 9 -- "$work/second"
finish
