/* Built-in functions that move memory: vector loads and stores at the alignment of an element in every
 * space, half precision in every rounding, asynchronous copies and prefetches of three components; and
 * what else libclc lacks or has wrong. References are computed here. */
#include "ocl.h"

#include <math.h>

static const struct {
    const char *name;
    size_t bytes;
} element[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
               {"uint", 4}, {"long", 8},  {"ulong", 8}, {"float", 4},  {"double", 8}};
static const unsigned width[] = {2, 3, 4, 8, 16};
#define ELEMENTS (sizeof(element) / sizeof(element[0]))
#define WIDTHS   (sizeof(width) / sizeof(width[0]))

static void run_one(struct ocl *o, cl_kernel k, size_t items) {
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &items, &items, 0, NULL, NULL));
    OK(clFinish(o->queue));
}

/* --- vloadN and vstoreN: elements 1 .. 2N+1 of the input pass through a private, a local and a global
 * array and constant memory, always one element off */
static const char moves[] =
    "#define MOVE(T, N)                                                                        \\\n"
    "    kernel void m_##T##N(constant T *in, global T *out) {                                  \\\n"
    "        T mine[3 * N + 2]; local T shared[3 * N + 2];                                      \\\n"
    "        vstore##N(vload##N(0, in + 1), 0, shared + 1); vstore##N(vload##N(1, in + 1), 1, shared + 1);   \\\n"
    "        vstore##N(vload##N(1, shared + 1), 0, mine + 1); vstore##N(vload##N(0, shared + 1), 1, mine + 1); \\\n"
    "        vstore##N(vload##N(0, mine + 1), 0, out + 1); vstore##N(vload##N(1, mine + 1), 1, out + 1);     \\\n"
    "        vstore##N(vload##N(0, out + 1), 2, out + 1);                                       \\\n"
    "    }\n"
    "#define MOVES(T) MOVE(T, 2) MOVE(T, 3) MOVE(T, 4) MOVE(T, 8) MOVE(T, 16)\n"
    "MOVES(char) MOVES(uchar) MOVES(short) MOVES(ushort) MOVES(int) MOVES(uint) MOVES(long) MOVES(ulong) MOVES(float) "
    "MOVES(double)\n";

static void check_move(struct ocl *o, cl_program p, size_t e, unsigned n) {
    size_t b = element[e].bytes, bytes = (3 * n + 1) * b;
    unsigned char in[50 * 8], out[50 * 8];
    char name[32];
    snprintf(name, sizeof(name), "m_%s%u", element[e].name, n);
    for (size_t i = 0; i < sizeof(in); i++) in[i] = (unsigned char)(i * 37 % 0x7f);
    cl_kernel k = ocl_kernel(p, name);
    cl_mem from = ocl_buffer(o, bytes, in), to = ocl_buffer(o, bytes, in);
    OK(clSetKernelArg(k, 0, sizeof(from), &from));
    OK(clSetKernelArg(k, 1, sizeof(to), &to));
    run_one(o, k, 1);
    OK(clEnqueueReadBuffer(o->queue, to, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
    const unsigned char *second = in + b + n * b;
    bool same = memcmp(out, in, b) == 0 && memcmp(out + b, second, n * b) == 0 && memcmp(out + b + n * b, in + b, n * b) == 0 &&
                memcmp(out + b + 2 * n * b, second, n * b) == 0;
    if (!same) fail_msg("%s: other elements arrived", name);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(k));
}

static void test_vectors_at_elements(void **state) {
    struct ocl *o = *state;
    cl_program p = ocl_program(o, moves, NULL);
    for (size_t e = 0; e < ELEMENTS; e++)
        for (size_t w = 0; w < WIDTHS; w++) check_move(o, p, e, width[w]);
    OK(clReleaseProgram(p));
}

/* --- half precision: a reference that knows the values of all halves and nothing of roundings' bits */
static double half_value(unsigned h) {
    int exponent = h >> 10 & 31;
    double m = h & 1023, v = exponent ? ldexp(1024 + m, exponent - 25) : ldexp(m, -24);
    if (exponent == 31) v = m ? NAN : INFINITY;
    return h >> 15 ? -v : v;
}

enum { RTE, RTZ, RTP, RTN };

/* Magnitudes of one sign lie in order of their bits */
static unsigned half_of(double x, int rounding) {
    unsigned sign = signbit(x) ? 0x8000 : 0, low = 0;
    double a = fabs(x);
    if (isnan(x)) return 0x7fff;
    if (isinf(x)) return sign | 0x7c00;
    for (unsigned bit = 0x4000; bit; bit >>= 1)
        if ((low | bit) < 0x7c00 && half_value(low | bit) <= a) low |= bit;
    double l = half_value(low), u = low == 0x7bff ? 65536 : half_value(low + 1);
    bool up = rounding == RTP ? !sign : rounding == RTN ? !!sign : false;
    if (rounding == RTE) up = a - l > u - a || (a - l == u - a && (low & 1));
    if (l == a) up = false;
    return sign | (low + up);
}

#define PLACES 112 /* halves that the kernels below write for each value; place[] says which form writes where */
static const struct {
    unsigned from, n;
} place[] = {{0, 1},  {1, 1},  {2, 2},   {4, 2},   {6, 3},   {12, 3}, {16, 4}, {20, 4},
             {24, 8}, {32, 8}, {48, 16}, {64, 16}, {81, 16}, {98, 1}, {99, 1}};

static const char halves[] =
    "#define STORES(T, F)                                                                                            \\\n"
    "    kernel void s_##T##F(global T *in, global half *all) {                                                       \\\n"
    "        size_t i = get_global_id(0); global half *out = all + i * 112;                                           \\\n"
    "        T x = in[i]; T##2 x2 = (T##2)(x, -x); T##3 x3 = (T##3)(x, -x, x); T##4 x4 = (T##4)(x2, x2);              \\\n"
    "        T##8 x8 = (T##8)(x4, x4); T##16 x16 = (T##16)(x8, x8);                                                   \\\n"
    "        vstore_half##F(x, 0, out); vstore_half##F(x, 1, out);                                                    \\\n"
    "        vstore_half2##F(x2, 1, out); vstorea_half2##F(x2, 2, out);                                               \\\n"
    "        vstore_half3##F(x3, 2, out); vstorea_half3##F(x3, 3, out);                                               \\\n"
    "        vstore_half4##F(x4, 4, out); vstorea_half4##F(x4, 5, out);                                               \\\n"
    "        vstore_half8##F(x8, 3, out); vstorea_half8##F(x8, 4, out);                                               \\\n"
    "        vstore_half16##F(x16, 3, out); vstorea_half16##F(x16, 4, out); vstore_half16##F(x16, 0, out + 81);       \\\n"
    "        ushort mine[2]; local ushort shared[64];                                                                 \\\n"
    "        vstore_half##F(x, 1, (half *)mine); vstore_half##F(x, get_local_id(0), (local half *)shared);            \\\n"
    "        ((global ushort *)out)[98] = mine[1]; ((global ushort *)out)[99] = shared[get_local_id(0)];              \\\n"
    "    }\n"
    "STORES(float, ) STORES(float, _rte) STORES(float, _rtz) STORES(float, _rtp) STORES(float, _rtn)\n"
    "STORES(double, ) STORES(double, _rte) STORES(double, _rtz) STORES(double, _rtp) STORES(double, _rtn)\n"
    "kernel void l(global half *in, global float *out) {\n"
    "    size_t i = get_global_id(0); local ushort u[64]; local half *s = (local half *)u; global ushort *g = (global ushort "
    "*)in;\n"
    "    u[get_local_id(0)] = g[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    float16 a = vload_half16(i / 16, in), b = vloada_half16(i / 16, in); float8 c = vload_half8(i / 8, in);\n"
    "    float4 d = vloada_half4(i / 4, in); float3 e = vload_half3(0, in + i / 4 * 4), f = vloada_half3(i / 4, in);\n"
    "    float2 h = vload_half2(0, in + i / 2 * 2); float one = vload_half(i, in), l = vload_half(get_local_id(0), s);\n"
    "    int k = i % 16; float pa = ((private float *)&a)[k], pb = ((private float *)&b)[k];\n"
    "    bool ok = as_int(pa) == as_int(one) && as_int(pb) == as_int(one) && as_int(((private float *)&c)[i % 8]) == "
    "as_int(one)\n"
    "        && as_int(((private float *)&d)[i % 4]) == as_int(one) && as_int(i % 2 ? h.y : h.x) == as_int(one) && as_int(l) == "
    "as_int(one)\n"
    "        && (i % 4 == 3 || (as_int(((private float *)&e)[i % 4]) == as_int(one) && as_int(((private float *)&f)[i % 4]) == "
    "as_int(one)));\n"
    "    out[i] = ok ? one : -12345.0f;\n"
    "}\n";

static bool same_half(unsigned got, unsigned want) {
    bool nan = (want & 0x7fff) > 0x7c00;
    return nan ? (got & 0x7fff) > 0x7c00 : got == want;
}

#define VALUES 1024
static void check_store(struct ocl *o, cl_program p, const char *type, const char *suffix, int rounding, const double *values) {
    static float f[VALUES];
    static unsigned short out[VALUES * PLACES];
    bool wide = strcmp(type, "double") == 0;
    char name[32];
    size_t items = VALUES, group = 64;
    snprintf(name, sizeof(name), "s_%s%s", type, suffix);
    for (int i = 0; i < VALUES; i++) f[i] = (float)values[i];
    cl_kernel k = ocl_kernel(p, name);
    cl_mem in = wide ? ocl_buffer(o, sizeof(double) * VALUES, (void *)values) : ocl_buffer(o, sizeof(f), f);
    cl_mem to = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(in), &in));
    OK(clSetKernelArg(k, 1, sizeof(to), &to));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &items, &group, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < VALUES; i++) {
        double x = wide ? values[i] : f[i];
        for (unsigned form = 0; form < sizeof(place) / sizeof(place[0]); form++)
            for (unsigned c = 0; c < place[form].n; c++) { /* components are x and -x in turn */
                unsigned got = out[i * PLACES + (int)(place[form].from + c)], want = half_of(c % 2 ? -x : x, rounding);
                if (!same_half(got, want)) fail_msg("%s of %a, form %u: %04x, not %04x", name, x, form, got, want);
            }
    }
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(k));
}

static void fill_values(double *v) {
    static const double special[] = {
        0.0,    -0.0,  1.0,    INFINITY, NAN,     65504,  65519.99, 65520, 65536, 1e9,   -1e9,    5.960464477539063e-8,
        2.9e-8, 3e-8,  1e-30,  2048.5,   2049.5,  6.1e-5, 6.09e-5,  1e-40, 0.1,   -3.25, 32767.5, 2.98023223876953125e-8,
        2047.5, 1e300, -1e300, 1e-300,   -1e-300, 5e-324};
    unsigned seed = 99, n = sizeof(special) / sizeof(special[0]);
    for (unsigned i = 0; i < VALUES; i++) {
        seed = seed * 1664525u + 1013904223u;
        double x = half_value(seed >> 9 & 0x7bff);
        unsigned how = seed >> 25 & 3; /* a half, the middle of two, or near either */
        if (how) x += (half_value((seed >> 9 & 0x7bff) + 1) - x) / 2 * (how == 1 ? 1 : how == 2 ? 1 + 0x1p-12 : 1 - 0x1p-12);
        v[i] = i < n ? special[i] : isfinite(x) ? x : 1;
    }
}

static void test_store_half(void **state) {
    struct ocl *o = *state;
    static const char *const suffix[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    static const int rounding[] = {RTE, RTE, RTZ, RTP, RTN};
    static double values[VALUES];
    fill_values(values);
    cl_program p = ocl_program(o, halves, NULL);
    for (int i = 0; i < 5; i++) check_store(o, p, "float", suffix[i], rounding[i], values);
    for (int i = 0; i < 5; i++) check_store(o, p, "double", suffix[i], rounding[i], values);
    OK(clReleaseProgram(p));
}

static void test_load_half(void **state) {
    struct ocl *o = *state;
    static unsigned short in[65536];
    static float out[65536];
    size_t items = 65536, group = 64;
    for (unsigned i = 0; i < 65536; i++) in[i] = (unsigned short)i;
    cl_program p = ocl_program(o, halves, NULL);
    cl_kernel k = ocl_kernel(p, "l");
    cl_mem from = ocl_buffer(o, sizeof(in), in), to = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(from), &from));
    OK(clSetKernelArg(k, 1, sizeof(to), &to));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &items, &group, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (unsigned i = 0; i < 65536; i++) {
        double want = half_value(i);
        if (isnan(want) ? !isnan(out[i]) : out[i] != want || !signbit(out[i]) != !signbit(want))
            fail_msg("half %04x is %a", i, out[i]);
    }
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* --- copies of three components: to local memory and back, plain and strided; each component carries the
 * element's number */
static const char copies[] =
    "#define COPY(T)                                                                                \\\n"
    "    kernel void c_##T(global T##3 *in, global T##3 *out) {                                       \\\n"
    "        local T##3 a[21], b[21]; prefetch(in, 21);                                               \\\n"
    "        event_t e = async_work_group_copy(a, in, 21, 0);                                         \\\n"
    "        wait_group_events(1, &e);                                                                \\\n"
    "        e = async_work_group_strided_copy(b, in, 7, 3, 0);                                       \\\n"
    "        e = async_work_group_copy(out, a, 21, e); wait_group_events(1, &e);                      \\\n"
    "        e = async_work_group_strided_copy(out + 21, b, 7, 3, 0); wait_group_events(1, &e);       \\\n"
    "    }\n"
    "COPY(char) COPY(uchar) COPY(short) COPY(ushort) COPY(int) COPY(uint) COPY(long) COPY(ulong) COPY(float) COPY(double)\n";

static void check_copy(struct ocl *o, cl_program p, size_t e) {
    size_t b = 4 * element[e].bytes, items = 8;
    unsigned char in[42 * 32], out[42 * 32];
    char name[32];
    snprintf(name, sizeof(name), "c_%s", element[e].name);
    for (size_t i = 0; i < sizeof(in); i++) in[i] = (unsigned char)(i * 29 % 0x7f);
    cl_kernel k = ocl_kernel(p, name);
    cl_mem from = ocl_buffer(o, 21 * b, in), to = ocl_buffer(o, 42 * b, in);
    OK(clSetKernelArg(k, 0, sizeof(from), &from));
    OK(clSetKernelArg(k, 1, sizeof(to), &to));
    run_one(o, k, items);
    OK(clEnqueueReadBuffer(o->queue, to, CL_TRUE, 0, 42 * b, out, 0, NULL, NULL));
    for (size_t i = 0; i < 21; i++) {
        if (memcmp(out + i * b, in + i * b, b * 3 / 4)) fail_msg("%s: element %zu", name, i);
        bool copied = i % 3 == 0; /* element i/3 of b, which is element i of in */
        size_t source = copied ? i : 21 + i;
        if (memcmp(out + (21 + i) * b, in + source * b, b * 3 / 4)) fail_msg("%s, strided: element %zu", name, i);
    }
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(k));
}

static void test_three_components(void **state) {
    struct ocl *o = *state;
    cl_program p = ocl_program(o, copies, NULL);
    for (size_t e = 0; e < ELEMENTS; e++) check_copy(o, p, e);
    OK(clReleaseProgram(p));
}

/* --- smoothstep between scalars, and nan, in double precision */
static void test_double_functions(void **state) {
    struct ocl *o = *state;
    double out[64];
    cl_program p =
        ocl_program(o,
                    "#define S(N) { double##N x; for (int i = 0; i < N; i++) ((private double *)&x)[i] = 0.1 * i - 0.2;\\\n"
                    "    x = smoothstep(0.1, 0.9, x); for (int i = 0; i < N; i++) *out++ = ((private double *)&x)[i]; }\n"
                    "kernel void k(global double *out, ulong one) {\n"
                    "    S(2) S(3) S(4) S(8) S(16)\n"
                    "    *out++ = nan(0UL); *out++ = nan(one); *out++ = nan((ulong2)(0, 5)).x; *out++ = nan((ulong4)(0)).w;\n"
                    "    *out++ = nan((ulong16)(0)).sf; *out++ = nan(0u); *out++ = nan((uint3)(0)).z; }\n",
                    NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, sizeof(out), NULL);
    cl_ulong one = 1;
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clSetKernelArg(k, 1, sizeof(one), &one));
    run_one(o, k, 1);
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    const double *at = out;
    for (size_t w = 0; w < WIDTHS; w++)
        for (unsigned i = 0; i < width[w]; i++) {
            double t = fmin(fmax((0.1 * i - 0.2 - 0.1) / 0.8, 0), 1), want = t * t * (3 - 2 * t);
            assert_true(fabs(*at++ - want) < 1e-14);
        }
    for (int i = 0; i < 7; i++) assert_true(isnan(*at++));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* Angles of every exponent: the large ones are reduced with a table of pi's bits, which must lie aligned
 * whatever tables the program has */
static void test_angles(void **state) {
    struct ocl *o = *state;
    enum { N = 2100 };
    static double in[N], out[3 * N];
    const size_t n = N;
    cl_program p = ocl_program(o,
                               "constant char odd[3] = {1, 2, 3};\n"
                               "kernel void k(global const double *in, global double *out) { size_t i = get_global_id(0);\n"
                               "    out[3 * i] = sin(in[i]) + odd[i % 3] - (char)(i % 3 + 1); out[3 * i + 1] = cos(in[i]);\n"
                               "    out[3 * i + 2] = tan(in[i]); }\n",
                               NULL);
    cl_kernel k = ocl_kernel(p, "k");
    for (int i = 0; i < N; i++) in[i] = ldexp(i & 1 ? -1.37 : 1.73, i - 1074);
    cl_mem a = ocl_buffer(o, sizeof(in), in), b = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(a), &a));
    OK(clSetKernelArg(k, 1, sizeof(b), &b));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, b, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        const double want[] = {sin(in[i]), cos(in[i]), tan(in[i])};
        for (int f = 0; f < 3; f++)
            if (isnan(want[f]) ? !isnan(out[3 * i + f]) : !(fabs(out[3 * i + f] - want[f]) <= 1e-15 * (1 + fabs(want[f]))))
                fail_msg("function %d of %a: %a, not %a", f, in[i], out[3 * i + f], want[f]);
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

OCL_TESTS(cmocka_unit_test(test_vectors_at_elements), cmocka_unit_test(test_store_half), cmocka_unit_test(test_load_half),
          cmocka_unit_test(test_three_components), cmocka_unit_test(test_double_functions), cmocka_unit_test(test_angles))
