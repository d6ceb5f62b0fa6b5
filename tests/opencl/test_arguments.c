/* Arguments by value: every scalar and vector type, between odd neighbours, alone, in structures, in
 * packed structures and in arrays of them, const and volatile, and through functions that are not inlined.
 * Bytes go in and the same bytes must come out. */
#include "ocl.h"

static const struct {
    const char *name;
    size_t bytes;
} element[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
               {"uint", 4}, {"long", 8},  {"ulong", 8}, {"float", 4},  {"double", 8}};
static const unsigned width[] = {1, 2, 3, 4, 8, 16};
#define ELEMENTS (sizeof(element) / sizeof(element[0]))
#define WIDTHS   (sizeof(width) / sizeof(width[0]))
#define MOST     128 /* bytes of a double16 */

/* One program of a kernel for every type: t_TYPE writes what it got five ways */
static const char head[] =
    "#define KERNEL(T, type)                                                             \\\n"
    "    struct s_##type { uchar before; T v; uchar between; T a[2]; };                   \\\n"
    "    struct __attribute__((packed)) p_##type { uchar before; T v; };                  \\\n"
    "    __attribute__((noinline)) T f_##type(uchar c, T v, T w) { return c ? v : w; }    \\\n"
    "    __attribute__((noinline)) struct s_##type g_##type(struct s_##type s, T v) { s.a[0] = v; return s; } \\\n"
    "    kernel void t_##type(uchar one, const T v, uchar two, struct s_##type s, struct p_##type p, volatile T w, global T "
    "*out) { \\\n"
    "        out[0] = v; out[1] = w; out[2] = s.v; out[3] = s.a[one]; out[4] = p.v;      \\\n"
    "        out[5] = f_##type(two, v, w); out[6] = f_##type(one, w, v); out[7] = g_##type(s, w).a[two];      \\\n"
    "    }\n";

static size_t size_of(size_t e, unsigned w) { return element[e].bytes * (w == 3 ? 4 : w); }

static void append_kernels(char *text, size_t room) {
    size_t at = (size_t)snprintf(text, room, "%s", head);
    for (size_t e = 0; e < ELEMENTS; e++)
        for (size_t w = 0; w < WIDTHS; w++) {
            char type[16];
            snprintf(type, sizeof(type), width[w] > 1 ? "%s%u" : "%s", element[e].name, width[w]);
            at += (size_t)snprintf(text + at, room - at, "KERNEL(%s, %s)\n", type, type);
        }
    assert_true(at < room);
}

static unsigned char noise(void) {
    static unsigned seed = 12345;
    seed = seed * 1103515245u + 12345u;
    return (unsigned char)(seed >> 16);
}

/* As it lies in the structure: at `at`; doubles and floats are kept out of NaNs, which need not stay the
 * bits they are */
static void fill(unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(noise() & 0xbf);
}

static void check_type(struct ocl *o, cl_program p, size_t e, unsigned w) {
    size_t n = size_of(e, w), used = element[e].bytes * w, one_item = 1;
    unsigned char v[MOST], other[MOST], s[6 * MOST] = {0}, packed[1 + MOST], out[8 * MOST], yes = 1, no = 0;
    char name[32];
    snprintf(name, sizeof(name), w > 1 ? "t_%s%u" : "t_%s", element[e].name, w);
    fill(v, n), fill(other, n), fill(s, sizeof(s)), fill(packed, sizeof(packed));
    cl_kernel k = ocl_kernel(p, name);
    cl_mem m = ocl_buffer(o, 8 * n, NULL);
    OK(clSetKernelArg(k, 0, 1, &yes));
    OK(clSetKernelArg(k, 1, n, v));
    OK(clSetKernelArg(k, 2, 1, &no));
    OK(clSetKernelArg(k, 3, 5 * n, s)); /* before, v, between, a[2] */
    OK(clSetKernelArg(k, 4, 1 + n, packed));
    OK(clSetKernelArg(k, 5, n, other));
    OK(clSetKernelArg(k, 6, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &one_item, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 8 * n, out, 0, NULL, NULL));
    const unsigned char *want[] = {v, other, s + n, s + 4 * n, packed + 1, other, other, other};
    for (unsigned i = 0; i < 8; i++)
        if (memcmp(out + i * n, want[i], used)) fail_msg("%s: value %u came out otherwise", name, i);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
}

static void test_every_type(void **state) {
    struct ocl *o = *state;
    static char text[16384];
    append_kernels(text, sizeof(text));
    cl_program p = ocl_program(o, text, NULL);
    for (size_t e = 0; e < ELEMENTS; e++)
        for (size_t w = 0; w < WIDTHS; w++) check_type(o, p, e, width[w]);
    OK(clReleaseProgram(p));
}

/* Through a kernel that calls a kernel, which is a function then */
static void test_called_kernel(void **state) {
    struct ocl *o = *state;
    size_t n = 1;
    cl_char2 v = {{-3, 7}}, out;
    cl_program p = ocl_program(o,
                               "kernel void put(char2 v, global char2 *out) { *out = v; }\n"
                               "kernel void k(char2 v, global char2 *out) { put(v.yx, out); }\n",
                               NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(v), &v));
    OK(clSetKernelArg(k, 1, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), &out, 0, NULL, NULL));
    assert_int_equal(out.s[0], 7);
    assert_int_equal(out.s[1], -3);
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* Local arguments lie where their types want them, whatever lies before: a local variable, arguments of odd
 * sizes */
static void test_local_arguments(void **state) {
    struct ocl *o = *state;
    enum { ARGS = 8 };
    static const size_t align[ARGS] = {1, 2, 4, 16, 32, 64, 128, 256};
    cl_program p =
        ocl_program(o,
                    "typedef struct { int x; } __attribute__((aligned(256))) wide;\n"
                    "kernel void k(global ulong *out, local char *a, local char2 *b, local char3 *c, local float4 *d,\n"
                    "              local short16 *e, local int16 *f, local double16 *g, local wide *h, local uchar *i) {\n"
                    "    local char before[5];\n"
                    "    before[get_local_id(0)] = (char)out[8];\n"
                    "    out[0] = (ulong)a, out[1] = (ulong)b, out[2] = (ulong)c, out[3] = (ulong)d, out[4] = (ulong)e;\n"
                    "    out[5] = (ulong)f, out[6] = (ulong)g, out[7] = (ulong)h, out[8] = (ulong)i + before[0];\n"
                    "}\n",
                    NULL);
    cl_ulong out[ARGS + 1] = {0};
    size_t n = 1;
    for (size_t odd = 1; odd < 4; odd += 2) {
        cl_kernel k = ocl_kernel(p, "k");
        cl_mem m = ocl_buffer(o, sizeof(out), NULL);
        OK(clEnqueueWriteBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), (cl_ulong[ARGS + 1]){0}, 0, NULL, NULL));
        OK(clSetKernelArg(k, 0, sizeof(m), &m));
        for (cl_uint i = 0; i <= ARGS; i++) OK(clSetKernelArg(k, i + 1, i < ARGS ? odd * align[i] : 1, NULL));
        OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        cl_ulong size = 0;
        OK(clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(size), &size, NULL));
        for (cl_uint i = 0; i < ARGS; i++) {
            assert_int_equal(out[i] % align[i], 0);
            assert_true(out[i + 1] >= out[i] + odd * align[i]);
        }
        assert_true(out[ARGS] < size && out[0] >= 5);
        OK(clReleaseMemObject(m));
        OK(clReleaseKernel(k));
    }
    OK(clReleaseProgram(p));
}

/* Variables with vectors of three: each has the room of four, initialised ones too, alone, in arrays, in
 * structures and in arrays of those; what lies behind is not touched */
static void test_triples(void **state) {
    struct ocl *o = *state;
    static const char text[] =
        "#define KERNEL(T)                                                                          \\\n"
        "    struct s_##T { char a; T##3 v; char b; };                                               \\\n"
        "    constant T##3 one_##T = (T##3)(1, 2, 3);                                                \\\n"
        "    constant T##3 two_##T[2] = {(T##3)(1, 2, 3), (T##3)(4, 5, 6)};                          \\\n"
        "    constant struct s_##T s_##T[2] = {{1, (T##3)(2, 3, 4), 5}, {6, (T##3)(7, 8, 9), 10}};   \\\n"
        "    kernel void k_##T(global int *out, int i) {                                             \\\n"
        "        const T##3 own[3] = {(T##3)(i), (T##3)(1, 2, 3), (T##3)(4, 5, 6)};                  \\\n"
        "        local T##3 l; local char m; local T##3 n[2]; local struct s_##T t;                  \\\n"
        "        m = 11; l = own[i + 1]; n[0] = two_##T[i - 1]; n[i] = two_##T[i]; t = s_##T[i - 1];  \\\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);                                                       \\\n"
        "        vstore3(convert_int3(one_##T), 0, out); vstore3(convert_int3(two_##T[i]), 1, out);  \\\n"
        "        out[6] = s_##T[i].a; vstore3(convert_int3(s_##T[i].v), 0, out + 7); out[10] = s_##T[i].b; \\\n"
        "        out[11] = m; vstore3(convert_int3(l), 4, out); vstore3(convert_int3(n[i - 1]), 5, out); \\\n"
        "        out[18] = t.a; vstore3(convert_int3(t.v), 0, out + 19); out[22] = t.b;              \\\n"
        "    }\n"
        "KERNEL(char) KERNEL(ushort) KERNEL(int) KERNEL(ulong) KERNEL(float) KERNEL(double)\n"
        "kernel void text(global char *out, int i) { constant char *s = \"%struct.s <3 x i8> <i8 1>\"; out[0] = s[i]; }\n";
    static const char *const type[] = {"char", "ushort", "int", "ulong", "float", "double"};
    static const cl_int want[23] = {1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 11, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5};
    cl_program p = ocl_program(o, text, NULL);
    cl_mem m = ocl_buffer(o, sizeof(want), NULL);
    cl_int out[23], one = 1;
    size_t n = 1;
    for (size_t t = 0; t < sizeof(type) / sizeof(type[0]); t++) {
        char name[16];
        snprintf(name, sizeof(name), "k_%s", type[t]);
        cl_kernel k = ocl_kernel(p, name);
        OK(clSetKernelArg(k, 0, sizeof(m), &m));
        OK(clSetKernelArg(k, 1, sizeof(one), &one));
        OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        for (unsigned i = 0; i < 23; i++)
            if (out[i] != want[i]) fail_msg("%s: value %u is %d, not %d", name, i, out[i], want[i]);
        OK(clReleaseKernel(k));
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseProgram(p));
}

OCL_TESTS(cmocka_unit_test(test_every_type), cmocka_unit_test(test_called_kernel), cmocka_unit_test(test_local_arguments),
          cmocka_unit_test(test_triples))
