/* What vendors' compilers take and clang does not without help: programs that were only ever tried on those count on it. */
#include "ocl.h"

/* Runs k(out) with one group of n items and reads out; every kernel here has that shape */
static void run_group(struct ocl *o, const char *text, const char *options, size_t n, int *out) {
    cl_program p = ocl_program(o, text, options);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, n * sizeof(*out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, &n, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, n * sizeof(*out), out, 0, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* __local variables in inner scopes: several in a line, one by a macro, beside braces that #if hides, in strings and in comments */
static void test_local_inside(void **state) {
    struct ocl *o = *state;
    int out[64];
    const char *text = "#ifdef __cplusplus\n"
                       "extern \"C\" {\n"
                       "#endif\n"
                       "#define SHARED(type, name) __local type name[N]\n"
                       "int plain(int x) { if (x) { int y = x; return y; } return 0; }\n"
                       "kernel void first(global int *out) { { __local int t[2]; t[0] = 1; out[0] = t[0]; } }\n"
                       "kernel void k(global int *out) {\n"
                       "    int i = get_local_id(0);\n"
                       "    if (i < 1000) {\n"
                       "        // } a brace in a comment\n"
                       "        __local int a[N], /* and a second */\n"
                       "            b[N];\n"
                       "        a[i] = plain(i);\n"
                       "        for (int pass = 0; pass < 2; pass++) {\n"
                       "            SHARED(short, c); local char d;\n"
                       "            if (i == 0) d = '}';\n"
                       "            b[i] = i * 2;\n"
                       "            c[N - 1 - i] = i * 3;\n"
                       "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "            out[i] = a[N - 1 - i] + 100 * b[i] + 10000 * c[i] + (d == '}' ? 1000000 : 0);\n"
                       "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "        }\n"
                       "    }\n"
                       "}\n";
    run_group(o, text, "-DN=64", 64, out);
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], 63 - i + 200 * i + 30000 * (63 - i) + 1000000);
}

/* A name that is taken at the top stays an error, told with the program's own lines */
static void test_local_name_taken(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    char log[4096];
    const char *text =
        "#define ONE 1\n\nkernel void k(global int *out) {\n    int t = ONE;\n    if (t) {\n        __local int t[4];\n"
        "        t[0] = 1;\n        out[0] = t[0];\n    }\n}\n";
    cl_program p = clCreateProgramWithSource(o->context, 1, &text, NULL, &rc);
    WRONG(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    assert_non_null(strstr(log, "program.cl:6:21: error: variables in the local address space"));
    OK(clReleaseProgram(p));
}

static void test_mixed_types(void **state) {
    struct ocl *o = *state;
    int out[4];
    const char *text = "kernel void k(global int *out) {\n"
                       "    int i = get_local_id(0); uint u = 5;\n"
                       "    out[i] = mul24(get_local_size(0), get_local_id(0)) + mad24(u, i, 1) + max(i, u) + min(2L, i)\n"
                       "             + mul24(-3, 2) + mul24((int2)(2, 3), (int2)(4, 5)).y;\n"
                       "}\n";
    run_group(o, text, NULL, 4, out);
    for (int i = 0; i < 4; i++) assert_int_equal(out[i], 4 * i + 5 * i + 1 + 5 + (i < 2 ? i : 2) - 6 + 15);
}

static void test_inline_ptx(void **state) {
    struct ocl *o = *state;
    int out[64];
    run_group(o,
              "kernel void k(global int *out) { uint lane; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane)); out[get_local_id(0)] = "
              "lane; }",
              NULL, 64, out);
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], i % 32);
}

OCL_TESTS(cmocka_unit_test(test_local_inside), cmocka_unit_test(test_local_name_taken), cmocka_unit_test(test_mixed_types),
          cmocka_unit_test(test_inline_ptx))
