/* What vendors' compilers take and clang does not without help: programs that were only ever tried on those
 * count on it. */
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

/* __local variables in inner scopes: several in a line, one by a macro, beside braces that #if hides, in
 * strings and in comments */
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

/* A kernel calls kernels, one of which calls another; they are also launched by themselves elsewhere */
static void test_kernel_calls_kernel(void **state) {
    struct ocl *o = *state;
    int out[32];
    const char *text = "struct pair { int a, b; };\n"
                       "kernel void put(global int *to, const int value) { __local int t[32]; t[get_local_id(0)] = value;\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE); *to += t[31 - get_local_id(0)]; }\n"
                       "kernel void twice(global int *to, struct pair p) { put(to, p.a); put(to, p.b); }\n"
                       "kernel void k(global int *out) {\n"
                       "    int i = get_local_id(0); struct pair p = {i, 100 * i};\n"
                       "    out[i] = 0; twice(out + i, p); put(out + i, 10000);\n"
                       "}\n";
    run_group(o, text, NULL, 32, out);
    for (int i = 0; i < 32; i++) assert_int_equal(out[i], 101 * (31 - i) + 10000);
    cl_program p = ocl_program(o, text, NULL);
    cl_kernel k = ocl_kernel(p, "put");
    cl_mem m = ocl_buffer(o, 4, NULL);
    size_t n = 32;
    int value = 7;
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clSetKernelArg(k, 1, sizeof(value), &value));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, &n, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    assert_int_equal(value, 7); /* all lanes store the same */
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* Memory before and behind a buffer can be read, as on any device; HEDDLE_STRICT has it otherwise
 * (exec.sh) */
static void test_around_a_buffer(void **state) {
    struct ocl *o = *state;
    int data[4] = {1, 2, 3, 4}, back = -1;
    size_t n = 1;
    cl_program p = ocl_program(o, "kernel void k(global int *out, global int *x, int i) { *out = 0 * x[i] + x[0]; }", NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(data), data), mo = ocl_buffer(o, 4, NULL);
    OK(clSetKernelArg(k, 0, sizeof(mo), &mo));
    OK(clSetKernelArg(k, 1, sizeof(m), &m));
    for (int i = -1; i < 6; i += 6) {
        OK(clSetKernelArg(k, 2, sizeof(i), &i));
        OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        OK(clFinish(o->queue));
        OK(clEnqueueReadBuffer(o->queue, mo, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
        assert_int_equal(back, 1);
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(mo));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* A kernel with many live values and a group that its registers are too many for: it runs. 64 sums live at
 * once across a barrier. */
static void test_many_registers(void **state) {
    struct ocl *o = *state;
    static int out[1024];
    size_t most;
    const char *text = "kernel void k(global int *out) {\n"
                       "    volatile local int seed[64]; int i = get_local_id(0);\n"
                       "    if (i < 64) seed[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    int v[64];\n"
                       "    _Pragma(\"unroll\") for (int j = 0; j < 64; j++) v[j] = seed[j];\n"
                       "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "    int s = 0;\n"
                       "    _Pragma(\"unroll\") for (int j = 0; j < 64; j++) s = s * 3 + v[63 - j] * i;\n"
                       "    out[i] = s;\n"
                       "}\n";
    cl_program p = ocl_program(o, text, NULL);
    cl_kernel k = ocl_kernel(p, "k");
    OK(clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL));
    assert_int_equal(most, 1024); /* what a launch accepts, here without some of its registers */
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    run_group(o, text, NULL, 1024, out);
    for (unsigned i = 0; i < 1024; i++) {
        unsigned s = 0;
        for (unsigned j = 0; j < 64; j++) s = s * 3 + (63 - j) * i;
        assert_int_equal(out[i], (int)s);
    }
}

/* What programs made for one vendor's devices ask */
/* The macros that the specification names, with the language's version as the options choose it */
static void test_macros(void **state) {
    struct ocl *o = *state;
    static const struct {
        const char *options;
        cl_int c_version, fast;
    } builds[] = {{"", 120, 0}, {"-cl-std=CL1.1", 110, 0}, {"-cl-std=CL3.0 -cl-fast-relaxed-math", 300, 1}};
    const char *text = "__kernel_exec(1, int) void k(global int *x) {\n"
                       "    x[0] = __OPENCL_VERSION__, x[1] = __OPENCL_C_VERSION__, x[2] = __ENDIAN_LITTLE__;\n"
                       "    x[3] = __IMAGE_SUPPORT__, x[4] = CL_VERSION_1_0, x[5] = CL_VERSION_1_1, x[6] = CL_VERSION_1_2;\n"
                       "#ifdef __FAST_RELAXED_MATH__\n"
                       "    x[7] = __FAST_RELAXED_MATH__;\n"
                       "#else\n"
                       "    x[7] = 0;\n"
                       "#endif\n"
                       "    x[8] = __LINE__; x[9] = sizeof(__FILE__) > 1;\n"
                       "#ifdef __EMBEDDED_PROFILE__\n"
                       "    x[9] = 99;\n"
                       "#endif\n"
                       "}\n";
    for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
        int out[16], want[10] = {300, builds[i].c_version, 1, 1, 100, 110, 120, builds[i].fast, 9, 1};
        run_group(o, text, builds[i].options, 16, out);
        assert_memory_equal(out, want, sizeof(want));
    }
}

/* More live values than an instruction can name registers: 300, read before the first is written */
static void test_too_many_registers(void **state) {
    struct ocl *o = *state;
    enum { VALUES = 300, ITEMS = 32 };
    static char text[VALUES * 64 + 128];
    static cl_int values[VALUES * ITEMS];
    size_t at = (size_t)snprintf(text, sizeof(text), "kernel void k(global int *p) { p += get_global_id(0) * %d;\n", VALUES);
    for (int i = 0; i < VALUES; i++) at += (size_t)snprintf(text + at, sizeof(text) - at, "int a%d = p[%d];\n", i, i);
    for (int i = 0; i < VALUES; i++) at += (size_t)snprintf(text + at, sizeof(text) - at, "p[%d] = a%d;\n", i, VALUES - 1 - i);
    snprintf(text + at, sizeof(text) - at, "}\n");
    for (int i = 0; i < VALUES * ITEMS; i++) values[i] = i;
    cl_program p = ocl_program(o, text, NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(values), values);
    size_t n = ITEMS;
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
    for (int i = 0; i < VALUES * ITEMS; i++) assert_int_equal(values[i], i / VALUES * VALUES + VALUES - 1 - i % VALUES);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void test_device_queries(void **state) {
    struct ocl *o = *state;
    cl_uint major = 0, warp = 0, registers = 0;
    OK(clGetDeviceInfo(o->device, 0x4000, sizeof(major), &major, NULL));
    OK(clGetDeviceInfo(o->device, 0x4003, sizeof(warp), &warp, NULL));
    OK(clGetDeviceInfo(o->device, 0x4002, sizeof(registers), &registers, NULL));
    assert_int_equal(major, 7);
    assert_int_equal(warp, 32);
    assert_int_equal(registers, 32768);
    WRONG(CL_INVALID_VALUE, clGetDeviceInfo(o->device, 0x4000, 1, &major, NULL));
}

static void test_cpp_kernel(void **state) {
    struct ocl *o = *state;
    int out[4];
    run_group(
        o,
        "template <typename T> struct box { T v; T twice() const { return v + v; } };\n"
        "kernel void k(global int *out) { box<int> b; b.v = (int)get_local_id(0) + 1; out[get_local_id(0)] = b.twice(); }\n",
        "-x clc++", 4, out);
    for (int i = 0; i < 4; i++) assert_int_equal(out[i], 2 * i + 2);
}

/* Behind a local array in what is left of its unit: there on devices, and touched by programs that ask for
 * too little */
static void test_local_rest(void **state) {
    struct ocl *o = *state;
    size_t n = 32;
    int out[32];
    cl_program p = ocl_program(o,
                               "kernel void k(global int *out, local int *l) { int i = get_local_id(0); l[i] = i * 3;\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE); out[i] = l[31 - i]; }\n",
                               NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clSetKernelArg(k, 1, 4, NULL)); /* of 128 */
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, &n, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < 32; i++) assert_int_equal(out[i], (31 - i) * 3);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

OCL_TESTS(cmocka_unit_test(test_local_rest), cmocka_unit_test(test_cpp_kernel), cmocka_unit_test(test_local_inside),
          cmocka_unit_test(test_local_name_taken), cmocka_unit_test(test_mixed_types), cmocka_unit_test(test_inline_ptx),
          cmocka_unit_test(test_kernel_calls_kernel), cmocka_unit_test(test_around_a_buffer),
          cmocka_unit_test(test_many_registers), cmocka_unit_test(test_too_many_registers), cmocka_unit_test(test_macros),
          cmocka_unit_test(test_device_queries))
