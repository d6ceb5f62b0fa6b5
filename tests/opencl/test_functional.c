/* Without timing. The driver reads its environment once, so these have a program of their own. */
#include "ocl.h"

__attribute__((constructor)) static void choose(void) { setenv("HEDDLE_FUNCTIONAL", "1", 1); }

/* One group of 256; every kernel here is k(out) */
static void run_group(struct ocl *o, const char *text, int out[256]) {
    size_t n = 256;
    cl_program p = ocl_program(o, text, NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, 256 * sizeof(*out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, &n, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 256 * sizeof(*out), out, 0, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* A barrier is missing between clearing and adding: by the book a race, on machines harmless, because warps
 * of a group keep step */
static void test_warps_keep_step(void **state) {
    struct ocl *o = *state;
    int out[256];
    const char *text = "kernel void k(global int *out) {\n"
                       "    local int sum[256]; int i = get_local_id(0), x = i;\n"
                       "    sum[255 - i] = 0;\n"
                       "    for (int j = 0; j < 256; j++) x = (x ^ j) * 75 + x / 3;\n"
                       "    sum[i] += x | 1;\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    out[i] = sum[i];\n"
                       "}\n";
    run_group(o, text, out);
    for (int i = 0; i < 256; i++) assert_int_not_equal(out[i], 0);
}

/* A level of a sum in place without a barrier between reading and writing: right as long as no warp runs
 * before those with lower numbers */
static void test_warps_in_order(void **state) {
    struct ocl *o = *state;
    int out[256];
    const char *text = "kernel void k(global int *out) {\n"
                       "    local int x[512]; int i = get_local_id(0);\n"
                       "    x[2 * i] = 2 * i; x[2 * i + 1] = 2 * i + 1;\n"
                       "    for (int n = 256; n >= 1; n /= 2) {\n"
                       "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "        if (i < n) { int a = x[2 * i], b = x[2 * i + 1]; x[i] = a + b; }\n"
                       "    }\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    out[i] = x[0];\n"
                       "}\n";
    run_group(o, text, out);
    assert_int_equal(out[0], 511 * 512 / 2);
}

OCL_TESTS(cmocka_unit_test(test_warps_keep_step), cmocka_unit_test(test_warps_in_order))
