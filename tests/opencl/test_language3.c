/* OpenCL 3.0: what the device announces, and that each of it works. References are computed here. */
#include "ocl.h"

#include <math.h>

#define STD "-cl-std=CL3.0"

/* Runs kernel k of the program with the buffer `data`, in and out, and a group's size; one group */
static void run_kernel(struct ocl *o, cl_program p, const char *name, const size_t local[2], void *data, size_t bytes) {
    cl_kernel k = ocl_kernel(p, name);
    cl_mem m = ocl_buffer(o, bytes, data);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 2, NULL, local, local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
}

/* --- announcements: every feature is a macro, and no other is */
static void test_features(void **state) {
    struct ocl *o = *state;
    static const char *const all[] = {"3d_image_writes",
                                      "atomic_order_acq_rel",
                                      "atomic_order_seq_cst",
                                      "atomic_scope_all_devices",
                                      "atomic_scope_device",
                                      "device_enqueue",
                                      "fp64",
                                      "generic_address_space",
                                      "images",
                                      "int64",
                                      "pipes",
                                      "program_scope_global_variables",
                                      "read_write_images",
                                      "subgroups",
                                      "work_group_collective_functions"};
    char text[8192];
    size_t bytes, at = (size_t)sprintf(text, "kernel void k(global int *x) {\n"), one[2] = {1, 1};
    cl_name_version got[32], languages[8];
    int has[16] = {0};
    for (int i = 0; i < 15; i++) at += (size_t)sprintf(text + at, "#ifdef __opencl_c_%s\n    x[%d] = 1;\n#endif\n", all[i], i);
    sprintf(text + at, "    x[15] = __OPENCL_C_VERSION__;\n}\n");
    cl_program p = ocl_program(o, text, STD);
    run_kernel(o, p, "k", one, has, sizeof(has));
    assert_int_equal(has[15], 300);
    OK(clGetDeviceInfo(o->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(got), got, &bytes));
    int told = 0;
    for (int i = 0; i < 15; i++) {
        bool found = false;
        for (size_t k = 0; k < bytes / sizeof(got[0]); k++) found |= strcmp(got[k].name + strlen("__opencl_c_"), all[i]) == 0;
        if (found != (has[i] == 1)) fail_msg("%s: announced %d, a macro %d", all[i], found, has[i]);
        told += found;
    }
    assert_int_equal(told, 11);
    assert_int_equal(bytes, 11 * sizeof(got[0]));
    OK(clGetDeviceInfo(o->device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof(languages), languages, &bytes));
    assert_int_equal(bytes, 4 * sizeof(languages[0]));
    assert_int_equal(languages[3].version, CL_MAKE_VERSION(3, 0, 0));
    OK(clReleaseProgram(p));
}

static void test_queries(void **state) {
    struct ocl *o = *state;
    static const cl_device_info bools[] = {CL_DEVICE_PIPE_SUPPORT, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                                           CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS},
                                yes[] = {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
                                         CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT};
    cl_bool b;
    cl_version v;
    cl_ulong bits;
    cl_name_version names[32];
    size_t n, count = 3, local[3] = {50, 1, 1}, back[3];
    for (int i = 0; i < 3; i++) {
        OK(clGetDeviceInfo(o->device, bools[i], sizeof(b), &b, NULL));
        assert_false(b);
    }
    for (int i = 0; i < 2; i++) {
        OK(clGetDeviceInfo(o->device, yes[i], sizeof(b), &b, NULL));
        assert_true(b);
    }
    OK(clGetDeviceInfo(o->device, CL_DEVICE_NUMERIC_VERSION, sizeof(v), &v, NULL));
    assert_int_equal(v, CL_MAKE_VERSION(3, 0, 0));
    OK(clGetPlatformInfo(o->platform, CL_PLATFORM_NUMERIC_VERSION, sizeof(v), &v, NULL));
    assert_int_equal(v, CL_MAKE_VERSION(3, 0, 0));
    OK(clGetPlatformInfo(o->platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof(names), names, &n));
    assert_string_equal(names[0].name, "cl_khr_icd");
    OK(clGetDeviceInfo(o->device, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &count));
    assert_int_equal(n, count);
    OK(clGetDeviceInfo(o->device, CL_DEVICE_ILS_WITH_VERSION, 0, NULL, &n));
    assert_int_equal(n, 0);
    OK(clGetDeviceInfo(o->device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof(bits), &bits, NULL));
    assert_true(bits & CL_DEVICE_ATOMIC_ORDER_RELAXED && bits & CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
    cl_uint formats = 1;
    OK(clGetSupportedImageFormats(o->context, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &formats));
    assert_int_equal(formats, 0);
    cl_program p = ocl_program(o, "kernel void k(global int *x) { *x = 1; }", NULL);
    cl_kernel k = ocl_kernel(p, "k");
    OK(clGetKernelSubGroupInfo(k, o->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(local), local, sizeof(n), &n,
                               NULL));
    assert_int_equal(n, 32);
    OK(clGetKernelSubGroupInfo(k, o->device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof(local), local, sizeof(n), &n, NULL));
    assert_int_equal(n, 2);
    count = 3;
    OK(clGetKernelSubGroupInfo(k, o->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(count), &count, sizeof(back), back,
                               NULL));
    assert_int_equal(back[0], 96);
    assert_int_equal(back[1] * back[2], 1);
    OK(clGetKernelSubGroupInfo(k, o->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(n), &n, NULL));
    assert_int_equal(n, 32);
    WRONG(CL_INVALID_VALUE,
          clGetKernelSubGroupInfo(k, o->device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 3, local, sizeof(n), &n, NULL));
    WRONG(CL_INVALID_KERNEL,
          clGetKernelSubGroupInfo(NULL, o->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(n), &n, NULL));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* --- the generic address space: one function for pointers to everywhere */
static void test_generic(void **state) {
    struct ocl *o = *state;
    int x[32 * 8];
    size_t local[2] = {32, 1};
    cl_program p = ocl_program(
        o,
        "int add(int *p, int v) { *p += v; return *p; }\n"
        "int kind(const void *p) { return (to_global(p) ? 1 : 0) + (to_local(p) ? 2 : 0) + (to_private(p) ? 4 : 0); }\n"
        "kernel void k(global int *x) {\n"
        "    local int shared[32]; int mine = 3, i = get_local_id(0); global int *to = x + 8 * i;\n"
        "    shared[i] = i; to[0] = 100;\n"
        "    int *any = i % 3 == 0 ? &mine : i % 3 == 1 ? (int *)&shared[i] : (int *)to;\n"
        "    to[1] = add(any, 7); to[2] = kind(any); to[3] = get_fence(any) == CLK_LOCAL_MEM_FENCE;\n"
        "    float whole, part = modf(2.75f, &whole); to[4] = (int)(whole * 100 + part * 4);\n"
        "    int4 v = vload4(0, (int *)shared + i / 4 * 4); to[5] = v.y; to[6] = mine; to[7] = shared[i];\n"
        "}\n",
        STD);
    run_kernel(o, p, "k", local, x, sizeof(x));
    for (int i = 0; i < 32; i++) {
        const int *to = x + 8 * i, start[] = {3, i, 100}, kinds[] = {4, 2, 1};
        assert_int_equal(to[1], start[i % 3] + 7);
        assert_int_equal(to[2], kinds[i % 3]);
        assert_int_equal(to[3], i % 3 == 1);
        assert_int_equal(to[4], 203);
        assert_int_equal(to[6], i % 3 == 0 ? 10 : 3);
        assert_int_equal(to[7], i % 3 == 1 ? i + 7 : i);
    }
    OK(clReleaseProgram(p));
}

/* --- atomics: every operation on every type in both memories, counted by all work items of a group */
static const char atomics[] =
    "#define TYPE(T, B)                                                                                                \\\n"
    "    kernel void a_##T(global T *x) {                                                                              \\\n"
    "        local atomic_##T shared[10]; int i = get_local_id(0);                                                     \\\n"
    "        global atomic_##T *g = (global atomic_##T *)x;                                                            \\\n"
    "        if (i < 10) atomic_init(&shared[i], (T)(i == 3 ? ~(T)0 : i == 5 ? 1000 : 0));                             \\\n"
    "        work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                  \\\n"
    "        for (int s = 0; s < 2; s++) {                                                                             \\\n"
    "            atomic_##T *a = s ? (atomic_##T *)shared : (atomic_##T *)g;                                           \\\n"
    "            atomic_fetch_add(a, (T)i); atomic_fetch_sub_explicit(a + 1, (T)1, memory_order_relaxed);              \\\n"
    "            atomic_fetch_or_explicit(a + 2, (T)1 << (i % B), memory_order_acq_rel, memory_scope_work_group);      \\\n"
    "            atomic_fetch_and(a + 3, ~((T)1 << (i % 7)));                                                          \\\n"
    "            atomic_fetch_xor_explicit(a + 4, (T)i, memory_order_release, memory_scope_device);                    \\\n"
    "            atomic_fetch_min(a + 5, (T)(i + 2)); atomic_fetch_max_explicit(a + 6, (T)i, memory_order_seq_cst);    \\\n"
    "            T seen = atomic_load_explicit(a + 7, memory_order_acquire);                                           \\\n"
    "            while (!atomic_compare_exchange_strong(a + 7, &seen, seen + 2)) {}                                    \\\n"
    "            seen = atomic_load(a + 8);                                                                            \\\n"
    "            while (!atomic_compare_exchange_weak_explicit(a + 8, &seen, seen + 3, memory_order_acq_rel,           \\\n"
    "                                                          memory_order_relaxed, memory_scope_device)) {}          \\\n"
    "            T old = atomic_exchange(a + 9, (T)(i + 1));                                                           \\\n"
    "            atomic_fetch_add(g + 20 + s, old); /* what was taken out; one is left in */                           \\\n"
    "        }                                                                                                         \\\n"
    "        work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);                      \\\n"
    "        if (i < 10) atomic_store_explicit(g + 10 + i, atomic_load(&shared[i]), memory_order_release);             \\\n"
    "    }\n"
    "TYPE(int, 32) TYPE(uint, 32) TYPE(long, 64) TYPE(ulong, 64)\n"
    "#define REAL(T)                                                                                                   \\\n"
    "    kernel void r_##T(global T *x) {                                                                              \\\n"
    "        global atomic_##T *g = (global atomic_##T *)x; T seen = atomic_load(g);                                   \\\n"
    "        while (!atomic_compare_exchange_strong(g, &seen, seen + (T)0.5)) {}                                       \\\n"
    "        atomic_exchange(g + 1, (T)2.5); atomic_store(g + 2, (T)3.5); if (!get_local_id(0)) atomic_init(g + 3, (T)4.5); \\\n"
    "    }\n"
    "REAL(float) REAL(double)\n"
    "kernel void f(global int *x) {\n"
    "    global atomic_flag *lock = (global atomic_flag *)x;\n"
    "    for (bool done = get_local_id(0) % 32 != 0; !done;) if (!atomic_flag_test_and_set(lock)) { x[1]++; done = true; "
    "atomic_flag_clear(lock); }\n"
    "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);\n"
    "}\n";

static void check_atomics(struct ocl *o, cl_program p, const char *name, bool wide) {
    long long wide_x[22] = {0};
    int x[22] = {0}, items = 96;
    size_t local[2] = {96, 1};
    wide_x[3] = x[3] = -1, wide_x[5] = x[5] = 1000;
    run_kernel(o, p, name, local, wide ? (void *)wide_x : x, wide ? sizeof(wide_x) : sizeof(x));
    long long xors = 0, sum = 0;
    for (int i = 0; i < items; i++) xors ^= i, sum += i;
    for (int s = 0; s < 2; s++) {
        long long v[11];
        for (int i = 0; i < 10; i++) v[i] = wide ? wide_x[10 * s + i] : x[10 * s + i];
        v[10] = wide ? wide_x[20 + s] : x[20 + s];
        assert_int_equal(v[0], sum);
        assert_int_equal((int)v[1], -items);
        assert_int_equal(v[2], -1);
        assert_int_equal(v[3], ~127ll);
        assert_int_equal(v[4], xors);
        assert_int_equal(v[5], 2);
        assert_int_equal(v[6], items - 1);
        assert_int_equal(v[7], 2 * items);
        assert_int_equal(v[8], 3 * items);
        assert_int_equal(v[9] + v[10], sum + items);
    }
}

static void test_atomics(void **state) {
    struct ocl *o = *state;
    size_t local[2] = {64, 1};
    float f[4] = {0};
    double d[4] = {0};
    int lock[2] = {0};
    cl_program p = ocl_program(o, atomics, STD);
    check_atomics(o, p, "a_int", false);
    check_atomics(o, p, "a_uint", false);
    check_atomics(o, p, "a_long", true);
    check_atomics(o, p, "a_ulong", true);
    run_kernel(o, p, "r_float", local, f, sizeof(f));
    run_kernel(o, p, "r_double", local, d, sizeof(d));
    static const double want[] = {32, 2.5, 3.5, 4.5};
    for (int i = 0; i < 4; i++) assert_true(f[i] == (float)want[i] && d[i] == want[i]);
    run_kernel(o, p, "f", local, lock, sizeof(lock));
    assert_int_equal(lock[0], 0);
    assert_int_equal(lock[1], 2); /* one of each warp: lanes of one cannot wait for each other on every machine */
    OK(clReleaseProgram(p));
}

/* --- collectives: 22 results of a work item, for six types and groups that fill their warps or do not */
static const char collectives[] =
    "#define SET(G, T, x, to)                                                                                              \\\n"
    "    to[0] = G##_reduce_add(x); to[1] = G##_reduce_min(x); to[2] = G##_reduce_max(x);                                   \\\n"
    "    to[3] = G##_scan_inclusive_add(x); to[4] = G##_scan_inclusive_min(x); to[5] = G##_scan_inclusive_max(x);           \\\n"
    "    to[6] = G##_scan_exclusive_add(x); to[7] = G##_scan_exclusive_min(x); to[8] = G##_scan_exclusive_max(x);           \\\n"
    "    to[9] = G##_all(x != 5); to[10] = G##_any(x == 5);\n"
    "#define KERNEL(T)                                                                                                      \\\n"
    "    kernel void c_##T(global T *all) {                                                                                 \\\n"
    "        size_t i = get_local_linear_id(); global T *to = all + i * 30; T x = to[29];                                   \\\n"
    "        SET(sub_group, T, x, to) SET(work_group, T, x, (to + 11))                                                      \\\n"
    "        to[22] = sub_group_broadcast(x, get_sub_group_size() - 1);                                                     \\\n"
    "        to[23] = work_group_broadcast(x, get_local_size(0) - 1, get_local_size(1) - 1);                                \\\n"
    "        to[24] = get_sub_group_size(); to[25] = get_sub_group_id(); to[26] = get_sub_group_local_id();                 \\\n"
    "        to[27] = get_num_sub_groups() * 100 + get_max_sub_group_size(); to[28] = get_global_linear_id();               \\\n"
    "        sub_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                        \\\n"
    "    }\n"
    "KERNEL(int) KERNEL(uint) KERNEL(long) KERNEL(ulong) KERNEL(float) KERNEL(double)\n";

/* Bytes of a type to a number and back; identities come out as they are */
static double value_of(const char *type, const void *at) {
    if (strcmp(type, "int") == 0) return *(const int *)at;
    if (strcmp(type, "uint") == 0) return *(const unsigned *)at;
    if (strcmp(type, "long") == 0) return (double)*(const long *)at;
    if (strcmp(type, "ulong") == 0) return (double)*(const unsigned long *)at;
    return strcmp(type, "float") == 0 ? *(const float *)at : *(const double *)at;
}
static void set_value(const char *type, void *at, int v) {
    if (strcmp(type, "int") == 0) *(int *)at = v;
    else if (strcmp(type, "uint") == 0) *(unsigned *)at = (unsigned)v;
    else if (strcmp(type, "long") == 0) *(long *)at = v;
    else if (strcmp(type, "ulong") == 0) *(unsigned long *)at = (unsigned long)v;
    else if (strcmp(type, "float") == 0) *(float *)at = (float)v;
    else *(double *)at = v;
}

static double identity(const char *type, bool most) {
    if (strcmp(type, "int") == 0) return most ? 2147483647.0 : -2147483648.0;
    if (strcmp(type, "uint") == 0) return most ? 4294967295.0 : 0;
    if (strcmp(type, "long") == 0) return most ? 0x1p63 : -0x1p63;
    if (strcmp(type, "ulong") == 0) return most ? 0x1p64 : 0;
    return most ? INFINITY : -INFINITY;
}

/* The eleven of SET, for item `i` of a group that has items from .. to */
static void expect_set(const char *type, const int *v, int from, int to, int i, double out[11]) {
    double sum = 0, least = identity(type, true), most = identity(type, false);
    out[9] = 1, out[10] = 0;
    for (int k = from; k < to; k++) {
        if (k == i) out[6] = sum, out[7] = least, out[8] = most;
        sum += v[k], least = fmin(least, v[k]), most = fmax(most, v[k]);
        if (k == i) out[3] = sum, out[4] = least, out[5] = most;
        if (v[k] == 5) out[9] = 0, out[10] = 1;
    }
    out[0] = sum, out[1] = least, out[2] = most;
}

static void check_collectives(struct ocl *o, cl_program p, const char *type, size_t bytes, const size_t local[2]) {
    static unsigned char data[200 * 30 * 8];
    int n = (int)(local[0] * local[1]), v[200];
    char name[32];
    snprintf(name, sizeof(name), "c_%s", type);
    for (int i = 0; i < n; i++) {
        v[i] = (i * 7 + 3) % 41 + (i / 32 == 1 ? 6 : 0);
        set_value(type, data + (size_t)(i * 30 + 29) * bytes, v[i]);
    }
    run_kernel(o, p, name, local, data, (size_t)n * 30 * bytes);
    for (int i = 0; i < n; i++) {
        int from = i / 32 * 32, to = from + 32 < n ? from + 32 : n;
        double want[29];
        expect_set(type, v, from, to, i, want);
        expect_set(type, v, 0, n, i, want + 11);
        want[22] = v[to - 1], want[23] = v[n - 1], want[24] = to - from, want[25] = i / 32, want[26] = i % 32;
        want[27] = (n + 31) / 32 * 100 + (n < 32 ? n : 32), want[28] = i;
        for (int r = 0; r < 29; r++) {
            double got = value_of(type, data + (size_t)(i * 30 + r) * bytes);
            if (got != want[r]) fail_msg("%s, group of %d, item %d, result %d: %g, not %g", type, n, i, r, got, want[r]);
        }
    }
}

static void test_collectives(void **state) {
    struct ocl *o = *state;
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"int", 4}, {"uint", 4}, {"long", 8}, {"ulong", 8}, {"float", 4}, {"double", 8}};
    static const size_t sizes[][2] = {{32, 1}, {7, 1}, {100, 1}, {8, 9}, {64, 3}};
    cl_program p = ocl_program(o, collectives, STD);
    for (size_t t = 0; t < 6; t++)
        for (size_t s = 0; s < 5; s++) check_collectives(o, p, types[t].name, types[t].bytes, sizes[s]);
    OK(clReleaseProgram(p));
}

/* --- variables of a program: initialised once, the same ones in every launch, with a global offset or
 * without */
static void test_variables(void **state) {
    struct ocl *o = *state;
    int x[4];
    size_t one = 1, offset = 5, bytes;
    cl_program p = ocl_program(o,
                               "global int count = 40; global int table[3] = {1, 2, 3}; constant int by = 2;\n"
                               "kernel void k(global int *x) {\n"
                               "    static global int calls;\n"
                               "    count += by; calls++; table[1] *= 2;\n"
                               "    x[0] = count; x[1] = calls; x[2] = table[1]; x[3] = get_global_id(0);\n"
                               "}\n",
                               STD);
    OK(clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(bytes), &bytes, NULL));
    assert_int_equal(bytes, 4 + 12 + 4);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(x), NULL);
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    for (int i = 1; i <= 4; i++) {
        OK(clEnqueueNDRangeKernel(o->queue, k, 1, i % 2 ? NULL : &offset, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(x), x, 0, NULL, NULL));
        assert_int_equal(x[0], 40 + 2 * i);
        assert_int_equal(x[1], i);
        assert_int_equal(x[2], 2 << i);
        assert_int_equal(x[3], i % 2 ? 0 : 5);
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void test_ctz(void **state) {
    struct ocl *o = *state;
    int x[8] = {0, 1, 96, -2147483647 - 1};
    size_t one[2] = {1, 1};
    cl_program p = ocl_program(o,
                               "kernel void k(global int *x) {\n"
                               "    int a = ctz(x[0]), b = ctz(x[1]), c = ctz(x[2]), d = ctz(x[3]);\n"
                               "    x[0] = a; x[1] = b; x[2] = c; x[3] = d; x[4] = ctz((char)0); x[5] = ctz((ushort)256);\n"
                               "    x[6] = ctz(1ul << 40); x[7] = ctz((uchar4)(1, 2, 0, 8)).z * 10 + ctz((long2)(0, 4)).y;\n"
                               "}\n",
                               STD);
    run_kernel(o, p, "k", one, x, sizeof(x));
    static const int want[8] = {32, 0, 5, 31, 8, 8, 40, 82};
    for (int i = 0; i < 8; i++) assert_int_equal(x[i], want[i]);
    OK(clReleaseProgram(p));
}

OCL_TESTS(cmocka_unit_test(test_features), cmocka_unit_test(test_queries), cmocka_unit_test(test_generic),
          cmocka_unit_test(test_atomics), cmocka_unit_test(test_collectives), cmocka_unit_test(test_variables),
          cmocka_unit_test(test_ctz))
