/* Programs and kernels: building, logs, options, binaries, linking, arguments, launches, faults. */
#include "ocl.h"

#include <unistd.h>

static void test_build(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_build_status status;
    char log[4096];
    const char *bad = "kernel void k(global int *x) { x[0] = undeclared_name; }",
               *text = "kernel void k(global int *x) { x[0] = VALUE; }";
    cl_program p = clCreateProgramWithSource(o->context, 1, &bad, NULL, &rc);
    OK(rc);
    OK(clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    assert_int_equal(status, CL_BUILD_NONE);
    WRONG_NEW(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(p, "k", &rc));
    WRONG(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(p, 1, &o->device, NULL, NULL, NULL));
    OK(clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    assert_non_null(strstr(log, "undeclared_name"));
    assert_non_null(strstr(log, "program.cl:1:"));
    OK(clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL));
    assert_int_equal(status, CL_BUILD_ERROR);
    OK(clReleaseProgram(p));
    WRONG(CL_INVALID_PROGRAM, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    WRONG(CL_INVALID_PROGRAM, clReleaseProgram(p));
    p = clCreateProgramWithSource(o->context, 1, &text, NULL, &rc);
    WRONG(CL_INVALID_BUILD_OPTIONS, clBuildProgram(p, 0, NULL, "-no-such-option", NULL, NULL));
    WRONG(CL_INVALID_VALUE, clBuildProgram(p, 1, NULL, NULL, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clBuildProgram(p, 0, NULL, NULL, NULL, &rc));
    OK(clBuildProgram(p, 0, NULL, "-D VALUE=\"(1 + 2)\" -cl-mad-enable -cl-fast-relaxed-math -cl-std=CL1.1", NULL, NULL));
    OK(clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_OPTIONS, sizeof(log), log, NULL));
    assert_non_null(strstr(log, "-cl-mad-enable"));
    WRONG(CL_INVALID_VALUE, clGetProgramBuildInfo(p, o->device, 1, sizeof(log), log, NULL));
    WRONG(CL_INVALID_DEVICE, clGetProgramBuildInfo(p, NULL, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
    cl_kernel k = ocl_kernel(p, "k");
    WRONG(CL_INVALID_OPERATION, clBuildProgram(p, 0, NULL, "-DVALUE=5", NULL, NULL)); /* it has a kernel */
    OK(clReleaseKernel(k));
    OK(clBuildProgram(p, 0, NULL, "-DVALUE=5", NULL, NULL));
    OK(clRetainProgram(p));
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(p));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithSource(o->context, 0, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithSource(NULL, 1, &text, NULL, &rc));
}

static void CL_CALLBACK note_built(cl_program p, void *user) {
    cl_program *seen = user;
    *seen = p;
}

/* Each kind of build calls back, whether it went well or not */
static void test_notify(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_program seen = NULL;
    const char *good = "kernel void k(global int *x) { *x = 1; }", *bad = "kernel void k(global int *x) { *x = y; }";
    cl_program p = clCreateProgramWithSource(o->context, 1, &good, NULL, &rc),
               q = clCreateProgramWithSource(o->context, 1, &bad, NULL, &rc);
    OK(clBuildProgram(p, 0, NULL, NULL, note_built, &seen));
    assert_ptr_equal(seen, p);
    clBuildProgram(q, 0, NULL, NULL, note_built, &seen);
    assert_ptr_equal(seen, q);
    OK(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, note_built, &seen));
    assert_ptr_equal(seen, p);
    clCompileProgram(q, 0, NULL, NULL, 0, NULL, NULL, note_built, &seen);
    assert_ptr_equal(seen, q);
    cl_program linked = clLinkProgram(o->context, 0, NULL, NULL, 1, &p, note_built, &seen, &rc);
    OK(rc);
    assert_ptr_equal(seen, linked);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(q));
}

static void run_one(struct ocl *o, cl_program p, const char *name, int *value) {
    cl_kernel k = ocl_kernel(p, name);
    cl_mem m = ocl_buffer(o, 4, NULL);
    size_t one = 1;
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, value, 0, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
}

static void test_binary(void **state) {
    struct ocl *o = *state;
    cl_int rc, ok;
    size_t bytes, n;
    int value = 0;
    char names[64];
    cl_program p = ocl_program(o, "kernel void a(global int *x) { *x = 31; } kernel void b(global int *x) { *x = 32; }", NULL);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof(n), &n, NULL));
    assert_int_equal(n, 2);
    OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
    assert_string_equal(names, "a;b");
    WRONG(CL_INVALID_VALUE, clGetProgramInfo(p, 1, sizeof(n), &n, NULL));
    OK(clReleaseProgram(p));
    const unsigned char *binaries = binary;
    p = clCreateProgramWithBinary(o->context, 1, &o->device, &bytes, &binaries, &ok, &rc);
    OK(rc);
    OK(ok);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    run_one(o, p, "b", &value);
    assert_int_equal(value, 32);
    OK(clReleaseProgram(p));
    const unsigned char *junk = (const unsigned char *)"no program";
    size_t junk_b = 10, none = 0;
    WRONG_NEW(CL_INVALID_BINARY, clCreateProgramWithBinary(o->context, 1, &o->device, &junk_b, &junk, &ok, &rc));
    assert_int_equal(ok, CL_INVALID_BINARY);
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(o->context, 1, &o->device, &none, &junk, &ok, &rc));
    free(binary);
}

/* Functions that no kernel reaches are no part of what is built: a program that carries a library with it
 * is as small, and as quickly built, as what it uses */
static void test_unreached(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    const char *text = "int nowhere(int x);\n"
                       "__attribute__((noinline)) int unreached(int x) { return nowhere(x); }\n"
                       "__attribute__((noinline)) int reached(int x) { return x * x - 5; }\n"
                       "kernel void k(global int *x) { *x = reached(*x); }";
    cl_program p = clCreateProgramWithSource(o->context, 1, &text, NULL, &rc);
    OK(rc);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    size_t size;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
    char *binary = calloc(size + 1, 1);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    assert_non_null(strstr(binary, "reached("));
    assert_null(strstr(binary, "unreached("));
    free(binary);
    OK(clReleaseProgram(p));
}

/* `inline` in all its forms gives a definition, in one program and in several that are linked */
static void test_inline(void **state) {
    struct ocl *o = *state;
    cl_int rc, value = 0;
    const char *functions = "inline int plain(int x) { return x + 1; }\n"
                            "extern inline int outside(int x) { return x + 20; }\n"
                            "static inline int local_one(int x) { return x + 300; }\n"
                            "inline int declared(int x);\n"
                            "int declared(int x) { return x * 5; }\n"
                            "inline __attribute__((always_inline)) int always(int x) { return x ^ 3; }\n"
                            "__inline int old(int x) { return plain(x) + always(x); }\n";
    const char *first[2] = {functions, "inline __attribute__((noinline)) int called(int x) { return x * x; }\n"
                                       "inline char2 pair(char2 x) { return x.yx; }\n"
                                       "int second(int x);\n"
                                       "inline kernel void j(global int *x) { *x = 7; }\n"
                                       "kernel void k(global int *x) { *x = plain(1) + outside(1) + local_one(1) + declared(1)\n"
                                       "    + always(1) + old(1) + called(9) + pair((char2)(1, 2)).x + second(1); }\n"},
               *other[2] = {functions, "inline char2 pair(char2 x) { return x.yx; }\n"
                                       "int second(int x) { return 1000 * (plain(x) + old(x) + pair((char2)(1, x)).x); }\n"};
    cl_program part[2] = {clCreateProgramWithSource(o->context, 2, first, NULL, &rc),
                          clCreateProgramWithSource(o->context, 2, other, NULL, &rc)};
    for (int i = 0; i < 2; i++) OK(clCompileProgram(part[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program p = clLinkProgram(o->context, 0, NULL, NULL, 2, part, NULL, NULL, &rc);
    OK(rc);
    run_one(o, p, "k", &value);
    assert_int_equal(value, 2 + 21 + 301 + 5 + 2 + 4 + 81 + 2 + 7000);
    run_one(o, p, "j", &value);
    assert_int_equal(value, 7);
    OK(clReleaseProgram(p));
    for (int i = 0; i < 2; i++) OK(clReleaseProgram(part[i]));
}

static void test_compile_link(void **state) {
    struct ocl *o = *state;
    cl_int rc, value = 0;
    const char *main_text = "#include \"lib/twice.h\"\nkernel void k(global int *x) { *x = twice(21); }";
    const char *lib_text = "int twice(int x) { return 2 * x; }", *header_text = "int twice(int x);", *name = "lib/twice.h";
    cl_program part[2] = {clCreateProgramWithSource(o->context, 1, &main_text, NULL, &rc),
                          clCreateProgramWithSource(o->context, 1, &lib_text, NULL, &rc)};
    cl_program header = clCreateProgramWithSource(o->context, 1, &header_text, NULL, &rc);
    WRONG_NEW(CL_INVALID_OPERATION, clLinkProgram(o->context, 0, NULL, NULL, 2, part, NULL, NULL, &rc)); /* not compiled yet */
    WRONG(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(part[0], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    WRONG(CL_INVALID_COMPILER_OPTIONS, clCompileProgram(part[0], 0, NULL, "-nonsense", 0, NULL, NULL, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clCompileProgram(part[0], 0, NULL, NULL, 1, NULL, &name, NULL, NULL));
    OK(clCompileProgram(part[0], 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    OK(clCompileProgram(part[1], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    WRONG_NEW(CL_INVALID_LINKER_OPTIONS, clLinkProgram(o->context, 0, NULL, "-nonsense", 2, part, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clLinkProgram(o->context, 0, NULL, NULL, 0, NULL, NULL, NULL, &rc));
    cl_program p = clLinkProgram(o->context, 0, NULL, NULL, 2, part, NULL, NULL, &rc);
    OK(rc);
    run_one(o, p, "k", &value);
    assert_int_equal(value, 42);
    OK(clReleaseProgram(p));
    p = clLinkProgram(o->context, 0, NULL, NULL, 1, part, NULL, NULL, &rc); /* twice is missing */
    assert_int_equal(rc, CL_LINK_PROGRAM_FAILURE);
    OK(clReleaseProgram(p));
    cl_program library = clLinkProgram(o->context, 0, NULL, "-create-library", 1, &part[1], NULL, NULL, &rc);
    OK(rc);
    cl_program both[2] = {part[0], library};
    p = clLinkProgram(o->context, 0, NULL, NULL, 2, both, NULL, NULL, &rc);
    OK(rc);
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(library));
    OK(clReleaseProgram(header));
    OK(clReleaseProgram(part[0]));
    OK(clReleaseProgram(part[1]));
}

static const char *const kernels =
    "kernel void args(global float *out, constant float *c, local int *l, const int n, float4 v) {\n"
    "    l[get_local_id(0)] = n;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = c[0] + l[get_local_size(0) - 1 - get_local_id(0)] + v.w;\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed_size(global int *x) { x[get_global_id(0)] = 1; }\n"
    "kernel void where(global int *x) {\n"
    "    int i = get_global_id(0) - get_global_offset(0);\n"
    "    x[2 * i] = get_global_id(0);\n"
    "    x[2 * i + 1] = get_work_dim() * 100 + get_global_offset(0);\n"
    "}\n";

/* A program calls kernels of another one, of a library, and of a library that was saved and loaded again */
static cl_program reload(struct ocl *o, cl_program p, cl_program_binary_type type) {
    size_t bytes;
    cl_int rc, ok;
    cl_program_binary_type is;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    const unsigned char *binaries = binary;
    cl_program again = clCreateProgramWithBinary(o->context, 1, &o->device, &bytes, &binaries, &ok, &rc);
    OK(rc);
    OK(ok);
    OK(clGetProgramBuildInfo(again, o->device, CL_PROGRAM_BINARY_TYPE, sizeof(is), &is, NULL));
    assert_int_equal(is, type);
    free(binary);
    return again;
}

static void test_libraries(void **state) {
    struct ocl *o = *state;
    static const char *const texts[] = {
        "kernel void add(global int *x, char2 by); void twice(global int *x);\n"
        "kernel void k(global int *x) { *x = 1; add(x, (char2)(2, 3)); twice(x); }\n",
        "kernel void add(global int *x, char2 by) { local int t; t = by.x * 10 + by.y; *x += t; }\n"
        "kernel void both(global int *x) { *x = 100; add(x, (char2)(0, 1)); add(x, (char2)(0, 2)); }\n",
        "kernel void add(global int *x, char2 by); void twice(global int *x) { *x *= 2; add(x, (char2)(0, 5)); }\n",
    };
    cl_int rc, value = 0;
    cl_program part[3];
    for (int i = 0; i < 3; i++) {
        part[i] = clCreateProgramWithSource(o->context, 1, (const char **)&texts[i], NULL, &rc);
        OK(clCompileProgram(part[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    }
    cl_program library = clLinkProgram(o->context, 0, NULL, "-create-library", 2, part + 1, NULL, NULL, &rc);
    OK(rc);
    cl_program saved = reload(o, library, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program main_saved = reload(o, part[0], CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program two[][2] = {{part[0], library}, {saved, main_saved}};
    for (int i = 0; i < 3; i++) {
        cl_program p = clLinkProgram(o->context, 0, NULL, NULL, i ? 2 : 3, i ? two[i - 1] : part, NULL, NULL, &rc);
        OK(rc);
        run_one(o, p, "k", &value);
        assert_int_equal(value, (1 + 23) * 2 + 5);
        run_one(o, p, "both", &value);
        assert_int_equal(value, 103);
        OK(clReleaseProgram(p));
    }
    OK(clReleaseProgram(library));
    OK(clReleaseProgram(saved));
    OK(clReleaseProgram(main_saved));
    for (int i = 0; i < 3; i++) OK(clReleaseProgram(part[i]));
}

/* Private arrays indexed in loops of constant count become registers, also where that takes the second try
 * (docs/compiler.md); others stay */
static void test_private_arrays(void **state) {
    struct ocl *o = *state;
    static const char *const private_ones[] = {"tile", "sort", "schedule", "stays"};
    cl_ulong bytes;
    const char *text =
        "kernel void tile(global float *a, global float *c, int n) {\n"
        "    float acc[8][8], ra[8], rb[8];\n"
        "    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) acc[i][j] = 0;\n"
        "    for (int k = 0; k < n; k++) {\n"
        "        for (int i = 0; i < 8; i++) ra[i] = a[i * n + k], rb[i] = a[k * n + i];\n"
        "        for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) acc[i][j] += ra[i] * rb[j];\n"
        "    }\n"
        "    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) c[i * 8 + j] = acc[i][j];\n"
        "}\n"
        "kernel void sort(global float *a) {\n"
        "    float v[16];\n"
        "    for (int i = 0; i < 16; i++) v[i] = a[i];\n"
        "    for (int i = 0; i < 16; i++) for (int j = 0; j < 15 - i; j++)\n"
        "        if (v[j] > v[j + 1]) { float t = v[j]; v[j] = v[j + 1]; v[j + 1] = t; }\n"
        "    for (int i = 0; i < 16; i++) a[i] = v[i];\n"
        "}\n"
        "kernel void schedule(global uint *a) {\n"
        "    uint w[80], s = 0;\n"
        "    for (int i = 0; i < 16; i++) w[i] = a[i];\n"
        "    for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1u);\n"
        "    for (int i = 0; i < 80; i++) s = rotate(s, 5u) + w[i];\n"
        "    a[0] = s;\n"
        "}\n"
        "kernel void stays(global int *a) { int v[16]; for (int i = 0; i < 16; i++) v[a[i] & 15] = i; a[0] = v[a[16] & 15]; }\n";
    cl_program p = ocl_program(o, text, NULL);
    for (int i = 0; i < 4; i++) {
        cl_kernel k = ocl_kernel(p, private_ones[i]);
        OK(clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof(bytes), &bytes, NULL));
        assert_int_equal(bytes, i == 3 ? 64 : 0);
        OK(clReleaseKernel(k));
    }
    OK(clReleaseProgram(p));
}

static void test_attributes(void **state) {
    struct ocl *o = *state;
    static const char *const types[] = {"char",  "uchar2",  "short3", "ushort4", "int8",    "uint16",
                                        "long2", "ulong16", "float4", "float",   "double3", "uint"};
    char text[4096], got[128], want[128];
    int n = 0;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        n += sprintf(text + n, "__attribute__((vec_type_hint(%s))) kernel void k%zu(global int *x) { *x = 1; }\n", types[i], i);
    sprintf(text + n, "__attribute__((work_group_size_hint(8, 2, 1))) __attribute__((vec_type_hint(float2)))\n"
                      "__attribute__((reqd_work_group_size(4, 2, 1))) kernel void all(global int *x) { *x = 1; }\n");
    cl_program p = ocl_program(o, text, NULL);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        sprintf(text, "k%zu", i);
        sprintf(want, "vec_type_hint(%s)", types[i]);
        cl_kernel k = ocl_kernel(p, text);
        OK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof(got), got, NULL));
        assert_string_equal(got, want);
        OK(clReleaseKernel(k));
    }
    cl_kernel k = ocl_kernel(p, "all");
    OK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof(got), got, NULL));
    assert_string_equal(got, "reqd_work_group_size(4,2,1) work_group_size_hint(8,2,1) vec_type_hint(float2)");
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void test_kernel_info(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n;
    char text[64];
    size_t group, reqd[3];
    cl_ulong local;
    cl_program p = ocl_program(o, kernels, NULL), up;
    cl_kernel all[3], k = ocl_kernel(p, "args");
    OK(clCreateKernelsInProgram(p, 0, NULL, &n));
    assert_int_equal(n, 3);
    WRONG(CL_INVALID_VALUE, clCreateKernelsInProgram(p, 1, all, NULL));
    OK(clCreateKernelsInProgram(p, 3, all, NULL));
    for (int i = 0; i < 3; i++) OK(clReleaseKernel(all[i]));
    OK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof(n), &n, NULL));
    assert_int_equal(n, 5);
    OK(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof(up), &up, NULL));
    assert_ptr_equal(up, p);
    WRONG(CL_INVALID_VALUE, clGetKernelInfo(k, 1, sizeof(n), &n, NULL));
    OK(clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
    assert_string_equal(text, "n");
    OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, NULL));
    assert_string_equal(text, "float*");
    OK(clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(n), &n, NULL));
    assert_int_equal(n, CL_KERNEL_ARG_ADDRESS_LOCAL);
    OK(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(n), &n, NULL));
    assert_int_equal(n, CL_KERNEL_ARG_ADDRESS_CONSTANT);
    WRONG(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(k, 5, CL_KERNEL_ARG_NAME, sizeof(text), text, NULL));
    WRONG(CL_INVALID_VALUE, clGetKernelArgInfo(k, 0, 1, sizeof(text), text, NULL));
    OK(clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group), &group, NULL));
    assert_true(group >= 32 && group <= 1024);
    OK(clSetKernelArg(k, 2, 400, NULL));
    OK(clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(local), &local, NULL));
    assert_int_equal(local, 400);
    WRONG(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof(reqd), reqd, NULL));
    cl_kernel f = ocl_kernel(p, "fixed_size"), copy;
    OK(clGetKernelWorkGroupInfo(f, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(reqd), reqd, NULL));
    assert_int_equal(reqd[0], 8);
    assert_int_equal(reqd[1], 2);
    WRONG_NEW(CL_INVALID_KERNEL_NAME, clCreateKernel(p, "no_such_kernel", &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateKernel(p, NULL, &rc));
    copy = clCloneKernel(k, &rc);
    OK(rc);
    OK(clReleaseKernel(copy));
    OK(clRetainKernel(k));
    OK(clReleaseKernel(k));
    OK(clReleaseKernel(k));
    OK(clReleaseKernel(f));
    WRONG(CL_INVALID_KERNEL, clReleaseKernel(k));
    WRONG(CL_INVALID_KERNEL, clRetainKernel(NULL));
    WRONG(CL_INVALID_KERNEL, clSetKernelArg(k, 0, 8, NULL));
    WRONG_NEW(CL_INVALID_KERNEL, clCloneKernel(k, &rc));
    OK(clReleaseProgram(p));
}

static void test_args_and_sizes(void **state) {
    struct ocl *o = *state;
    cl_int rc, n = 5;
    float c = 0.5f, v[4] = {0, 0, 0, 100}, out[64];
    size_t global = 64, local = 16, uneven = 10, zero = 0, huge = 4096;
    cl_program p = ocl_program(o, kernels, NULL);
    cl_kernel k = ocl_kernel(p, "args"), f = ocl_kernel(p, "fixed_size");
    cl_mem m = ocl_buffer(o, sizeof(out), NULL), mc = ocl_buffer(o, sizeof(c), &c),
           foreign = clCreateBuffer(o->other, 0, 64, NULL, &rc);
    WRONG(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    WRONG(CL_INVALID_ARG_INDEX, clSetKernelArg(k, 9, sizeof(m), &m));
    WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, 4, &m));
    WRONG(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof(foreign), &foreign));
    WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 3, 8, &n));
    WRONG(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 3, sizeof(n), NULL));
    WRONG(CL_INVALID_ARG_VALUE, clSetKernelArg(k, 2, 64, &n));
    WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 2, 0, NULL));
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clSetKernelArg(k, 1, sizeof(mc), &mc));
    OK(clSetKernelArg(k, 2, local * 4, NULL));
    OK(clSetKernelArg(k, 3, sizeof(n), &n));
    OK(clSetKernelArg(k, 4, sizeof(v), v));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) assert_true(out[i] == 105.5f);
    WRONG(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(o->queue, k, 0, NULL, &global, &local, 0, NULL, NULL));
    WRONG(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(o->queue, k, 4, NULL, &global, &local, 0, NULL, NULL));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &global, &uneven, 0, NULL, NULL));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &global, &zero, 0, NULL, NULL));
    WRONG(CL_INVALID_WORK_ITEM_SIZE, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &huge, &huge, 0, NULL, NULL));
    OK(clSetKernelArg(k, 2, 1 << 20, NULL));
    WRONG(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clSetKernelArg(f, 0, sizeof(m), &m));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(o->queue, f, 1, NULL, &global, &local, 0, NULL, NULL));
    size_t g2[2] = {16, 2}, l2[2] = {8, 2};
    OK(clEnqueueNDRangeKernel(o->queue, f, 2, NULL, g2, l2, 0, NULL, NULL));
    WRONG(CL_INVALID_KERNEL, clEnqueueTask(o->queue, NULL, 0, NULL, NULL));
    OK(clFinish(o->queue));
    OK(clReleaseMemObject(m));
    WRONG(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(o->queue, f, 2, NULL, g2, l2, 0, NULL, NULL)); /* its buffer is gone */
    OK(clReleaseMemObject(mc));
    OK(clReleaseMemObject(foreign));
    OK(clReleaseKernel(k));
    OK(clReleaseKernel(f));
    OK(clReleaseProgram(p));
}

static void test_offset(void **state) {
    struct ocl *o = *state;
    int out[32];
    size_t global = 16, offset = 1000;
    cl_program p = ocl_program(o, kernels, NULL);
    cl_kernel k = ocl_kernel(p, "where");
    cl_mem m = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, &offset, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < 16; i++) {
        assert_int_equal(out[2 * i], 1000 + i);
        assert_int_equal(out[2 * i + 1], 1100);
    }
    OK(clEnqueueTask(o->queue, k, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 100);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* Comparisons and logic of vectors of bytes and half words, whose masks are as wide: the scalars' answers, as
 * 0 and -1 */
static void test_masks(void **state) {
    struct ocl *o = *state;
    cl_int wrong = 0;
    const size_t n = 64;
    cl_program p = ocl_program(
        o,
        "#define OP(T, N, vector, scalar) { T##N x = a, y = b; if (any(convert_int##N(vector) != (int##N)((scalar) ? -1 : 0))) "
        "*w = 1; }\n"
        "#define SIZE(T, N) OP(T, N, !x, !a) OP(T, N, x == y, a == b) OP(T, N, x < y, a < b) OP(T, N, x != (T##N)0, a != 0)\\\n"
        "    OP(T, N, x && y, a && b) OP(T, N, x || y, a || b) OP(T, N, ~!x, a) OP(T, N, (x > y) & (y >= (T##N)0), a > b && b >= "
        "0)\n"
        "#define K(T) { T a = i % 8 - 3, b = i / 8 - 4; SIZE(T, 2) SIZE(T, 3) SIZE(T, 4) }\n"
        "kernel void k(global int *w) { int i = get_global_id(0); K(short) K(ushort) K(char) K(uchar) }\n"
        "kernel void logic(global short2 *a, global short2 *w) { int i = get_global_id(0); w[i] = !a[i]; }\n"
        "kernel void equal(global ushort2 *a, global short2 *w) { int i = get_global_id(0); w[i] = a[i] == a[i + 1]; }\n",
        NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(wrong), &wrong);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(wrong), &wrong, 0, NULL, NULL));
    assert_int_equal(wrong, 0);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* Functions that stay functions, and are called before they are defined */
static void test_defined_later(void **state) {
    struct ocl *o = *state;
    int out[2] = {0};
    const size_t n = 2;
    cl_program p = ocl_program(o,
                               "struct pair { int a, b; };\n"
                               "int later(int x);\n"
                               "struct pair twice(struct pair x, private int *y);\n"
                               "kernel void k(global int *out) { int y = 0; struct pair x = {get_global_id(0), later(5)};\n"
                               "    x = twice(x, &y); out[get_global_id(0)] = later(x.a) + x.b + y; }\n"
                               "__attribute__((noinline)) struct pair twice(struct pair x, private int *y) {\n"
                               "    *y = later(x.b); x.a *= 2; x.b *= 2; return x; }\n"
                               "__attribute__((noinline)) int later(int x) { return x + 1; }\n",
                               NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    assert_int_equal(out[0], 1 + 12 + 7);
    assert_int_equal(out[1], 3 + 12 + 7);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* What libclc's nvptx build lacks, and printf */
static void test_builtins(void **state) {
    struct ocl *o = *state;
    const char *text =
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "kernel void k(global float *out, global long *sum, int n, uint u) {\n"
        "    float4 x = (float4)(0.5f, 1, 2, 4);\n"
        "    out[0] = native_sin(x.x); out[1] = native_exp2(x).w; out[2] = native_log2(x.w); out[3] = native_powr(2.0f, 3.0f);\n"
        "    out[4] = mad_hi(1 << 30, 8, 5); out[5] = max(n, u); out[6] = min(u, n); out[7] = sqrt(9.0f) + exp(0.0f) + pow(2.0f, "
        "5.0f);\n"
        "    atom_add(sum, 1L << 40);\n"
        "}\n";
    float out[8];
    cl_long sum = 1;
    cl_int n = 3;
    cl_uint u = 7;
    cl_program p = ocl_program(o, text, "-w");
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(out), NULL), ms = ocl_buffer(o, sizeof(sum), &sum);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clSetKernelArg(k, 1, sizeof(ms), &ms));
    OK(clSetKernelArg(k, 2, sizeof(n), &n));
    OK(clSetKernelArg(k, 3, sizeof(u), &u));
    OK(clEnqueueTask(o->queue, k, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, ms, CL_TRUE, 0, sizeof(sum), &sum, 0, NULL, NULL));
    const float want[8] = {0.4794255f, 16, 2, 8, 7, 7, 3, 36};
    for (int i = 0; i < 8; i++) assert_true(out[i] > want[i] - 1e-4f && out[i] < want[i] + 1e-4f);
    assert_true(sum == 1 + ((cl_long)1 << 40));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(ms));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* What kernel k(x) prints, with one work item */
static void printed(struct ocl *o, const char *program, char *out, size_t room) {
    cl_program p = ocl_program(o, program, NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, 4, NULL);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    fflush(stdout);
    int keep = dup(1);
    FILE *f = tmpfile();
    dup2(fileno(f), 1);
    cl_int rc = clEnqueueTask(o->queue, k, 0, NULL, NULL);
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    OK(rc);
    rewind(f);
    out[fread(out, 1, room - 1, f)] = 0;
    fclose(f);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void test_printf(void **state) {
    char line[64];
    printed(
        *state,
        "kernel void k(global int *x) { printf(\"item %d of %s: %.2f\\n\", (int)get_global_id(0), \"all\", 1.5f); x[0] = 1; }",
        line, sizeof(line));
    assert_string_equal(line, "item 0 of all: 1.50\n");
}

/* Vectors of every element size and width; each line is a conversion among others, so that a wrong size is
 * seen in what follows */
static void test_printf_vectors(void **state) {
    static const struct {
        const char *call, *want;
    } cases[] = {
        {"\"%v2hhd|%d\", (char2)(-1, 2), 7", "-1,2|7"},
        {"\"%v2hhu|%d\", (uchar2)(255, 2), 7", "255,2|7"},
        {"\"%v3hhd|%d\", (char3)(-1, 2, -3), 7", "-1,2,-3|7"},
        {"\"%v4hhx|%d\", (uchar4)(255, 16, 1, 0), 7", "ff,10,1,0|7"},
        {"\"%v8hhd|%d\", (char8)(1, 2, 3, 4, 5, 6, 7, -8), 7", "1,2,3,4,5,6,7,-8|7"},
        {"\"%v16hhd|%d\", (char16)(-5), 7", "-5,-5,-5,-5,-5,-5,-5,-5,-5,-5,-5,-5,-5,-5,-5,-5|7"},
        {"\"%v2hd|%d\", (short2)(-1, 300), 7", "-1,300|7"},
        {"\"%v3hu|%d\", (ushort3)(65535, 2, 3), 7", "65535,2,3|7"},
        {"\"%v4hd|%d\", (short4)(1, -2, 3, -4), 7", "1,-2,3,-4|7"},
        {"\"%v8ho|%d\", (ushort8)(8), 7", "10,10,10,10,10,10,10,10|7"},
        {"\"%v2hld|%d\", (int2)(-100000, 5), 7", "-100000,5|7"},
        {"\"%v3d|%d\", (int3)(1, 2, -3), 7", "1,2,-3|7"},
        {"\"%#v4hlx|%d\", (uint4)(1, 2, 0xffffffff, 4), 7", "0x1,0x2,0xffffffff,0x4|7"},
        {"\"%v8hli|%d\", (int8)(9), 7", "9,9,9,9,9,9,9,9|7"},
        {"\"%v2ld|%d\", (long2)(-10000000000, 5), 7", "-10000000000,5|7"},
        {"\"%v3lu|%d\", (ulong3)(1, 2, 18446744073709551615ul), 7", "1,2,18446744073709551615|7"},
        {"\"%v4lX|%d\", (ulong4)(0xabcdef0123), 7", "ABCDEF0123,ABCDEF0123,ABCDEF0123,ABCDEF0123|7"},
        {"\"%v4f|%d\", (float4)(1, 2.5f, -3, 0), 7", "1.000000,2.500000,-3.000000,0.000000|7"},
        {"\"%v4hlf|%d\", (float4)(1, 2.5f, -3, 0), 7", "1.000000,2.500000,-3.000000,0.000000|7"},
        {"\"%6.2v3hlf|%d\", (float3)(1, 2.5f, -3), 7", "  1.00,  2.50, -3.00|7"},
        {"\"%-+8.1v2hle|%d\", (float2)(1, 2.5f), 7", "+1.0e+00,+2.5e+00|7"},
        {"\"%v2lg|%d\", (double2)(0.5, 1e100), 7", "0.5,1e+100|7"},
        {"\"%v3lf|%d\", (double3)(1, 2, 3), 7", "1.000000,2.000000,3.000000|7"},
        {"\"%v2a|%d\", (float2)(1, 0.5f), 7", "0x1p+0,0x1p-1|7"},
        {"\"%v2hlf|%d\", (float2)(INFINITY, -INFINITY), 7", "inf,-inf|7"},
        {"\"%d|%v4hld|%s|%v2hhd|%f|%%\", 1, (int4)(2), \"text\", (char2)(3), 4.5f", "1|2,2,2,2|text|3,3|4.500000|%"},
        {"\"%hhd %hd %ld %c %5.1lf\", (char)-1, (short)-2, -3l, 'x', 2.25", "-1 -2 -3 x   2.2"},
    };
    char program[16384], want[4096], got[4096];
    size_t n = (size_t)sprintf(program, "kernel void k(global int *x) {\n"), w = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        n += (size_t)sprintf(program + n, "    printf(%s); printf(\"\\n\");\n", cases[i].call);
        w += (size_t)sprintf(want + w, "%s\n", cases[i].want);
    }
    sprintf(program + n, "}\n");
    printed(*state, program, got, sizeof(got));
    assert_string_equal(got, want);
}

/* A wild access ends the command with an error; the program goes on */
static void test_fault(void **state) {
    struct ocl *o = *state;
    cl_int rc, status, back = 0, good = 3;
    size_t n = 64;
    cl_program p = ocl_program(
        o, "kernel void wild(global int *x) { x[get_global_id(0) + (1 << 24)] = 1; } kernel void fine(global int *x) { *x = 9; }",
        NULL);
    cl_kernel wild = ocl_kernel(p, "wild"), fine = ocl_kernel(p, "fine");
    cl_command_queue q = clCreateCommandQueue(o->context, o->device, 0, &rc);
    cl_mem m = ocl_buffer(o, 256, NULL);
    cl_event e;
    OK(clSetKernelArg(wild, 0, sizeof(m), &m));
    OK(clSetKernelArg(fine, 0, sizeof(m), &m));
    print_message("# a diagnosis follows\n");
    OK(clEnqueueNDRangeKernel(q, wild, 1, NULL, &n, NULL, 0, NULL, &e));
    WRONG(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &e));
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    assert_int_equal(status, CL_OUT_OF_RESOURCES);
    WRONG(CL_OUT_OF_RESOURCES, clFinish(q));
    OK(clReleaseEvent(e));
    OK(clEnqueueTask(o->queue, fine, 0, NULL, NULL)); /* another queue is as it was */
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    assert_int_equal(back, 9);
    (void)good;
    OK(clReleaseCommandQueue(q));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(wild));
    OK(clReleaseKernel(fine));
    OK(clReleaseProgram(p));
}

OCL_TESTS(cmocka_unit_test(test_build), cmocka_unit_test(test_notify), cmocka_unit_test(test_binary),
          cmocka_unit_test(test_compile_link), cmocka_unit_test(test_inline), cmocka_unit_test(test_unreached),
          cmocka_unit_test(test_libraries), cmocka_unit_test(test_attributes), cmocka_unit_test(test_private_arrays),
          cmocka_unit_test(test_kernel_info), cmocka_unit_test(test_args_and_sizes), cmocka_unit_test(test_offset),
          cmocka_unit_test(test_masks), cmocka_unit_test(test_defined_later), cmocka_unit_test(test_builtins),
          cmocka_unit_test(test_printf), cmocka_unit_test(test_printf_vectors), cmocka_unit_test(test_fault))
