/* Mathematical functions where libclc's own answers are wrong (src/opencl/lib/math.cl): numbers of every
 * exponent, the ones below the normal range too, zeros of both signs, infinities and not-a-numbers;
 * saturated sums and products. References are the host's; a vector's elements are what scalars are. */
#include "ocl.h"

#include <fenv.h>
#include <math.h>

enum { N = 1024, PAIRS = 48 };

/* --- one argument */

#define PI 3.14159265358979323846264338L

static double cospi_(double x) { return fmod(fabs(x), 1) == 0.5 ? 0 : (double)cosl(PI * remainderl(x, 2)); }
static double sinpi_(double x) { return isfinite(x) && trunc(x) == x ? copysign(0, x) : (double)sinl(PI * remainderl(x, 2)); }
static double tanpi_(double x) {
    if (isfinite(x) && trunc(x) == x) return copysign(0, fmod(x, 2) == 0 ? x : -x);
    if (fmod(fabs(x), 1) == 0.5) return fmod(fabs(x), 2) == 0.5 ? copysign(INFINITY, x) : -copysign(INFINITY, x);
    return (double)tanl(PI * remainderl(x, 1));
}
static double atanpi_(double x) { return atan(x) / (double)PI; }
static double acospi_(double x) { return acos(x) / (double)PI; }

static const struct one {
    const char *name;
    double (*reference)(double);
    bool in_float, in_double;
    double ulps;
} one[] = {
    {"exp", exp, true, true, 3},        {"exp2", exp2, true, true, 3},      {"erfc", erfc, true, true, 16},
    {"cosh", cosh, true, true, 4},      {"sinh", sinh, true, true, 4},      {"cospi", cospi_, true, true, 8},
    {"sinpi", sinpi_, true, true, 8},   {"tanpi", tanpi_, true, true, 12},  {"atanpi", atanpi_, true, true, 6},
    {"acospi", acospi_, true, true, 6}, {"tgamma", tgamma, true, true, 16},
};

/* The distance that counts as one digit at `x`, in float or double */
static double digit(double x, bool is_double) {
    int e = -10000;
    if (x != 0) (void)frexp(x, &e);
    return is_double ? ldexp(1, e < -1021 ? -1074 : e - 53) : ldexp(1, e < -125 ? -149 : e - 24);
}

static bool agrees(double got, double want, double ulps, bool is_double) {
    double overflow = is_double ? INFINITY : 0x1.ffffffp+127;
    if (isnan(want)) return isnan(got);
    if (want == 0) return got == 0 && !signbit(got) == !signbit(want);
    if (fabs(want) >= overflow) return isinf(got) && (got > 0) == (want > 0);
    return fabs(got - want) <= ulps * digit(want, is_double);
}

static double input(int i, bool is_double) {
    static const double special[] = {0.0,   -0.0, INFINITY, -INFINITY, NAN,    0.5,    -0.5, 1,    -1,    1.5,    2.5,   3,
                                     -3,    4,    -104.5,   -88.25,    -103,   -127.5, -149, 9.25, 9.75,  10.03,  33.75, 171.25,
                                     100.3, -7.3, -33.7,    -170.6,    -178.3, 19.99,  3.7,  87,   0.001, -0.001, 1e-9};
    int n = (int)(sizeof(special) / sizeof(special[0]));
    if (i < n) return special[i];
    if (i == n) return -NAN;
    return ldexp(i & 1 ? 1.3125 : i & 2 ? -1.625 : -1, is_double ? (i - n) % 1016 * 2 - 1070 : (i - n) % 270 - 148);
}

static void check_one(struct ocl *o, cl_program p, const struct one *f, bool is_double) {
    static double in8[N], out8[N];
    static float in4[N], out4[N];
    char name[32];
    cl_int wrong = 0;
    const size_t n = N, bytes = is_double ? sizeof(in8) : sizeof(in4);
    snprintf(name, sizeof(name), "k_%s_%s", f->name, is_double ? "double" : "float");
    for (int i = 0; i < N; i++) in8[i] = input(i, is_double), in4[i] = (float)in8[i];
    cl_kernel k = ocl_kernel(p, name);
    cl_mem a = ocl_buffer(o, bytes, is_double ? (void *)in8 : in4), b = ocl_buffer(o, bytes, NULL), w = ocl_buffer(o, 4, &wrong);
    OK(clSetKernelArg(k, 0, sizeof(a), &a));
    OK(clSetKernelArg(k, 1, sizeof(b), &b));
    OK(clSetKernelArg(k, 2, sizeof(w), &w));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, b, CL_TRUE, 0, bytes, is_double ? (void *)out8 : out4, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, w, CL_TRUE, 0, 4, &wrong, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        double x = is_double ? in8[i] : in4[i], got = is_double ? out8[i] : out4[i], want = f->reference(x);
        if (!agrees(got, want, f->ulps, is_double)) fail_msg("%s(%a) is %a, not %a", name, x, got, want);
    }
    if (wrong) fail_msg("%s: a vector's element is not what the scalar is", name);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(w));
    OK(clReleaseKernel(k));
}

static void test_one(void **state) {
    struct ocl *o = *state;
    static char text[8192];
    size_t at =
        (size_t)snprintf(text, sizeof(text),
                         "#define K(f, T, U) kernel void k_##f##_##T(global const T *in, global T *out, global int *w) {\\\n"
                         "    size_t i = get_global_id(0); T x = in[i], r = f(x); T##3 v = f((T##3)(1, x, 2)); out[i] = r;\\\n"
                         "    if (as_##U(v.y) != as_##U(r) && !isnan(r)) *w = 1; }\n");
    for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++)
        at +=
            (size_t)snprintf(text + at, sizeof(text) - at, "K(%s, float, uint) K(%s, double, ulong)\n", one[i].name, one[i].name);
    assert_true(at < sizeof(text));
    cl_program p = ocl_program(o, text, NULL);
    for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
        if (one[i].in_float) check_one(o, p, &one[i], false);
        if (one[i].in_double) check_one(o, p, &one[i], true);
    }
    OK(clReleaseProgram(p));
}

/* --- two arguments: exact, all pairs */

static float pair_input(int i) {
    static const float special[] = {0.0f,
                                    -0.0f,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    1,
                                    -1,
                                    3,
                                    -2.5f,
                                    0x1p-149f,
                                    -0x1.8p-147f,
                                    0x1.fffffcp-127f,
                                    0x1p-126f,
                                    -0x1.000002p-126f,
                                    0x1.fffffep+127f,
                                    -0x1.fffffep+127f,
                                    0x1.234p-130f,
                                    0x1.8p-126f};
    int n = (int)(sizeof(special) / sizeof(special[0]));
    return i < n ? special[i] : (float)ldexp(i & 1 ? 1.37521 : -1.72937, (i - n) * 9 - 140);
}

static bool same(float got, float want) { return isnan(want) ? isnan(got) : memcmp(&got, &want, sizeof(got)) == 0; }

static void check_pair(float x, float y, const float *got, cl_int quo) {
    int q;
    float want[] = {fmodf(x, y), remainderf(x, y), remquof(x, y, &q)};
    for (int f = 0; f < 3; f++)
        if (!same(got[f], want[f])) fail_msg("function %d of %a, %a: %a, not %a", f, x, y, got[f], want[f]);
    if (!isnan(want[0]) && x != 0 && ((quo ^ q) & 7)) fail_msg("quotient of %a, %a: %d, not %d", x, y, quo, q);
}

static void test_two(void **state) {
    struct ocl *o = *state;
    static float in[PAIRS], out[PAIRS * PAIRS][4];
    const size_t n[2] = {PAIRS, PAIRS};
    cl_int wrong = 0;
    cl_program p = ocl_program(
        o,
        "kernel void k(global const float *in, global float4 *out, global int4 *space, local int2 *l, global int *w) {\n"
        "    float x = in[get_global_id(1)], y = in[get_global_id(0)], r[4]; size_t i = get_global_id(1) * get_global_size(0) + "
        "get_global_id(0);\n"
        "    int q; r[0] = fmod(x, y); r[1] = remainder(x, y); r[2] = remquo(x, y, &q);\n"
        "    float2 v = fmod((float2)(7, x), (float2)(4, y)), m = remquo((float2)(7, x), (float2)(4, y), l + "
        "get_local_linear_id_());\n"
        "    float4 g = remquo((float4)(x), (float4)(y), space + i);\n"
        "    if (!isnan(r[0]) && (v.x != 3 || as_uint(v.y) != as_uint(r[0]) || m.x != -1 || as_uint(m.y) != as_uint(r[2]) ||\n"
        "        as_uint(g.w) != as_uint(r[2]) || space[i].z != q || l[get_local_linear_id_()].y != q)) *w = 1;\n"
        "    out[i] = (float4)(r[0], r[1], r[2], as_float(q)); }\n",
        "-D'get_local_linear_id_()=(get_local_id(1)*get_local_size(0)+get_local_id(0))'");
    cl_kernel k = ocl_kernel(p, "k");
    for (int i = 0; i < PAIRS; i++) in[i] = pair_input(i);
    cl_mem m[3] = {ocl_buffer(o, sizeof(in), in), ocl_buffer(o, sizeof(out), NULL), ocl_buffer(o, sizeof(out), NULL)},
           w = ocl_buffer(o, 4, &wrong);
    for (unsigned i = 0; i < 3; i++) OK(clSetKernelArg(k, i, sizeof(m[i]), &m[i]));
    OK(clSetKernelArg(k, 3, 8 * 256, NULL));
    OK(clSetKernelArg(k, 4, sizeof(w), &w));
    OK(clEnqueueNDRangeKernel(o->queue, k, 2, NULL, n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m[1], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, w, CL_TRUE, 0, 4, &wrong, 0, NULL, NULL));
    assert_int_equal(wrong, 0);
    for (int i = 0; i < PAIRS * PAIRS; i++) {
        cl_int q;
        memcpy(&q, &out[i][3], sizeof(q));
        check_pair(in[i / PAIRS], in[i % PAIRS], out[i], q);
    }
    for (unsigned i = 0; i < 3; i++) OK(clReleaseMemObject(m[i]));
    OK(clReleaseMemObject(w));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* --- a number and an integer: ldexp is exact, rootn of one and minus one too */

static void check_scaled(struct ocl *o, cl_program p, bool is_double) {
    static const int by[] = {0,    1,   -1,   23,   -24,   64,   -100,  127,        -127,           149,
                             -150, 280, -300, 1100, -1074, 2100, -2200, 2147483647, -2147483647 - 1};
    enum { BY = sizeof(by) / sizeof(by[0]) };
    static double in[N], out[N][BY];
    size_t n[2] = {BY, N};
    cl_int wrong = 0;
    cl_kernel k = ocl_kernel(p, is_double ? "k_double" : "k_float");
    for (int i = 0; i < N; i++) in[i] = is_double ? input(i, true) : (float)input(i, false);
    cl_mem m[4] = {ocl_buffer(o, sizeof(in), in), ocl_buffer(o, sizeof(by), (void *)(uintptr_t)by),
                   ocl_buffer(o, sizeof(out), NULL), ocl_buffer(o, 4, &wrong)};
    for (unsigned i = 0; i < 4; i++) OK(clSetKernelArg(k, i, sizeof(m[i]), &m[i]));
    OK(clEnqueueNDRangeKernel(o->queue, k, 2, NULL, n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m[2], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m[3], CL_TRUE, 0, 4, &wrong, 0, NULL, NULL));
    assert_int_equal(wrong, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < BY; j++) {
            double want = is_double ? ldexp(in[i], by[j]) : ldexpf((float)in[i], by[j]), got = out[i][j];
            if (isnan(want) ? !isnan(got) : memcmp(&want, &got, sizeof(got)) != 0)
                fail_msg("ldexp(%a, %d) is %a, not %a", in[i], by[j], got, want);
        }
    for (unsigned i = 0; i < 4; i++) OK(clReleaseMemObject(m[i]));
    OK(clReleaseKernel(k));
}

static void test_scaled(void **state) {
    struct ocl *o = *state;
    cl_program p = ocl_program(o,
                               "#define K(T, root) kernel void k_##T(global const double *in, global const int *by, global "
                               "double *out, global int *w) {\\\n"
                               "    size_t i = get_global_id(1), j = get_global_id(0); T x = in[i]; T r = ldexp(x, by[j]);\\\n"
                               "    T##2 a = ldexp((T##2)(x, 1), by[j]); T##16 b = ldexp((T##16)(x), (int16)(by[j]));\\\n"
                               "    if (!isnan(x) && (a.x != r || b.sf != r || b.s0 != r || !(root))) *w = 1;\\\n"
                               "    out[i * get_global_size(0) + j] = r; }\n"
                               "K(float, rootn(x, 1) == x && rootn(x, -1) == 1 / x && rootn((float3)(x), (int3)(1)).z == x)\n"
                               "K(double, true)\n",
                               NULL);
    check_scaled(o, p, false);
    check_scaled(o, p, true);
    OK(clReleaseProgram(p));
}

/* --- conversions with a rounding, against the host's in that rounding */

#define WAYS     4
#define CASES(X) X(int, float) X(uint, float) X(long, float) X(ulong, float) X(double, float) X(long, double) X(ulong, double)
enum { VALUES = 64 };

static const int way[WAYS] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

static cl_ulong any_bits(int i) {
    static const cl_ulong special[] = {0,
                                       1,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0xffffffffffffffff,
                                       0x8000000000000001,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x47efffffffffffff,
                                       0xc7efffffffffffff,
                                       0x36a0000000000001,
                                       0xb6a0000000000001,
                                       0x3810000000000001};
    int n = (int)(sizeof(special) / sizeof(special[0]));
    return i < n ? special[i] : (0x9e3779b97f4a7c15u * (cl_ulong)i) >> i % 40;
}

/* Behind volatile variables, or the compiler would round it */
#define REFERENCE(from, to)                                                                                                      \
    static void refer_##from##_##to(int mode, const void *in, void *out) {                                                       \
        volatile cl_##from x = *(const cl_##from *)in;                                                                           \
        fesetround(mode);                                                                                                        \
        volatile cl_##to y = (cl_##to)x;                                                                                         \
        fesetround(FE_TONEAREST);                                                                                                \
        *(cl_##to *)out = y;                                                                                                     \
    }
CASES(REFERENCE)

static void check_conversion(struct ocl *o, cl_program p, const char *name, size_t from_b, size_t to_b,
                             void (*refer)(int, const void *, void *)) {
    unsigned char in[VALUES * 8] = {0}, out[VALUES * WAYS * 8] = {0}, want[8];
    const size_t n = VALUES;
    cl_int wrong = 0;
    for (int i = 0; i < VALUES; i++) {
        cl_ulong bits = any_bits(i);
        memcpy(in + (size_t)i * from_b, &bits, from_b);
    }
    cl_kernel k = ocl_kernel(p, name);
    cl_mem m[3] = {ocl_buffer(o, sizeof(in), in), ocl_buffer(o, sizeof(out), NULL), ocl_buffer(o, 4, &wrong)};
    for (unsigned i = 0; i < 3; i++) OK(clSetKernelArg(k, i, sizeof(m[i]), &m[i]));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m[1], CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m[2], CL_TRUE, 0, 4, &wrong, 0, NULL, NULL));
    if (wrong) fail_msg("%s: a vector's element is not what the scalar is", name);
    for (size_t i = 0; i < VALUES * WAYS; i++) {
        refer(way[i % WAYS], in + i / WAYS * from_b, want);
        if (memcmp(out + i * to_b, want, to_b)) fail_msg("%s: value %zu, rounding %zu", name, i / WAYS, i % WAYS);
    }
    for (unsigned i = 0; i < 3; i++) OK(clReleaseMemObject(m[i]));
    OK(clReleaseKernel(k));
}

static void test_conversions(void **state) {
    struct ocl *o = *state;
#define KERNEL(from, to) "K(" #from ", " #to ")\n"
    cl_program p = ocl_program(o,
                               "#define V(n, x, y, way) any(convert_##y##n##way((x##n)(v)) != (y##n)(convert_##y##way(v)))\n"
                               "#define W(x, y, way) { *out++ = convert_##y##way(v);\\\n"
                               "    if (v == v && (V(2, x, y, way) || V(3, x, y, way) || V(16, x, y, way))) *w = 1; }\n"
                               "#define K(x, y) kernel void x##_##y(global const x *in, global y *out, global int *w) {\\\n"
                               "    x v = in[get_global_id(0)]; out += 4 * get_global_id(0);\\\n"
                               "    W(x, y, _rte) W(x, y, _rtz) W(x, y, _rtp) W(x, y, _rtn) }\n" CASES(KERNEL),
                               NULL);
#define CHECK(from, to) check_conversion(o, p, #from "_" #to, sizeof(cl_##from), sizeof(cl_##to), refer_##from##_##to);
    CASES(CHECK)
    OK(clReleaseProgram(p));
}

/* --- the sign bit of a float's word, cleared, turned and set: all other bits stay, of not-a-numbers too */

#define SIGNS(name, type, words)                                                                                                 \
    static void check_##name(struct ocl *o, cl_program p) {                                                                      \
        enum { COUNT = sizeof(words) / sizeof((words)[0]) };                                                                     \
        const type top = (type)1 << (sizeof(type) * 8 - 1);                                                                      \
        type out[COUNT][3];                                                                                                      \
        const size_t n = COUNT;                                                                                                  \
        cl_kernel k = ocl_kernel(p, #name);                                                                                      \
        cl_mem in = ocl_buffer(o, sizeof(words), words), to = ocl_buffer(o, sizeof(out), NULL);                                  \
        OK(clSetKernelArg(k, 0, sizeof(in), &in));                                                                               \
        OK(clSetKernelArg(k, 1, sizeof(to), &to));                                                                               \
        OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));                                               \
        OK(clEnqueueReadBuffer(o->queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));                                      \
        for (unsigned i = 0; i < COUNT; i++) {                                                                                   \
            assert_int_equal(out[i][0], (words)[i] & ~top);                                                                      \
            assert_int_equal(out[i][1], (words)[i] ^ top);                                                                       \
            assert_int_equal(out[i][2], (words)[i] | top);                                                                       \
        }                                                                                                                        \
        OK(clReleaseMemObject(in));                                                                                              \
        OK(clReleaseMemObject(to));                                                                                              \
        OK(clReleaseKernel(k));                                                                                                  \
    }
static cl_uint words32[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x80000000, 0, 0xff800000, 0x80000001, 0x3f800000};
static cl_ulong words64[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff0123456789abc, 1ull << 63, 0,
                             0xfff0000000000000, 0x8000000000000001, 0x3ff0000000000000};
SIGNS(signs_float, cl_uint, words32)
SIGNS(signs_double, cl_ulong, words64)

static void test_signs(void **state) {
    struct ocl *o = *state;
    cl_program p = ocl_program(o,
                               "#define K(T, U, as, top) kernel void signs_##T(global const T *in, global U *out) {\\\n"
                               "    T x = in[get_global_id(0)]; out += 3 * get_global_id(0);\\\n"
                               "    out[0] = as(x) & ~top; out[1] = as(x) ^ top; out[2] = as(x) | top; }\n"
                               "K(float, uint, as_uint, 0x80000000u)\nK(double, ulong, as_ulong, 0x8000000000000000ul)\n",
                               NULL);
    check_signs_float(o, p);
    check_signs_double(o, p);
    OK(clReleaseProgram(p));
}

/* --- saturation, of every integer type: each edge with each and each */

#define EDGES 9
static const char saturating[] =
    "#define K(T) kernel void k_##T(global const long *v, global long *out) {                                        \\\n"
    "    size_t i = get_global_id(0); T x = (T)v[i % 9], y = (T)v[i / 9 % 9], z = (T)v[i / 81];                        \\\n"
    "    T##3 x3 = (T##3)(z, x, y), y3 = (T##3)(x, y, z), z3 = (T##3)(y, z, x);                                        \\\n"
    "    out[6 * i] = (long)add_sat(x, y), out[6 * i + 1] = (long)sub_sat(x, y), out[6 * i + 2] = (long)mad_sat(x, y, z); \\\n"
    "    out[6 * i + 3] = (long)add_sat(x3, y3).y, out[6 * i + 4] = (long)sub_sat(x3, y3).y;                           \\\n"
    "    out[6 * i + 5] = (long)mad_sat(x3, y3, z3).y; }\n"
    "K(char) K(uchar) K(short) K(ushort) K(int) K(uint) K(long) K(ulong)\n";

static cl_long saturate(__int128 v, __int128 least, __int128 most) { return (cl_long)(v < least ? least : v > most ? most : v); }

static void check_saturation(struct ocl *o, cl_program p, const char *type, unsigned bits, bool is_signed) {
    __int128 most = ((__int128)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    __int128 edge[EDGES] = {least, least + 1, is_signed ? -1 : 3, 0, 1, 2, most / 2 + 5, most - 1, most};
    cl_long v[EDGES], got[EDGES * EDGES * EDGES][6];
    for (int i = 0; i < EDGES; i++) v[i] = (cl_long)edge[i];
    char name[16];
    snprintf(name, sizeof(name), "k_%s", type);
    cl_kernel k = ocl_kernel(p, name);
    cl_mem in = ocl_buffer(o, sizeof(v), v), out = ocl_buffer(o, sizeof(got), NULL);
    size_t n = EDGES * EDGES * EDGES;
    OK(clSetKernelArg(k, 0, sizeof(in), &in));
    OK(clSetKernelArg(k, 1, sizeof(out), &out));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    for (size_t i = 0; i < n; i++) {
        __int128 x = edge[i % EDGES], y = edge[i / EDGES % EDGES], z = edge[i / EDGES / EDGES];
        __int128 want[3] = {x + y, x - y, x > 0 && y > (most - least) / x ? most + most : x * y + z};
        for (int j = 0; j < 6; j++)
            if (got[i][j] != saturate(want[j % 3], least, most)) fail_msg("%s: case %zu, value %d", name, i, j);
    }
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
}

static void test_saturation(void **state) {
    struct ocl *o = *state;
    static const char *const type[] = {"char", "short", "int", "long", "uchar", "ushort", "uint", "ulong"};
    cl_program p = ocl_program(o, saturating, NULL);
    for (unsigned i = 0; i < 8; i++) check_saturation(o, p, type[i], 8u << i % 4, i < 4);
    OK(clReleaseProgram(p));
}

OCL_TESTS(cmocka_unit_test(test_one), cmocka_unit_test(test_two), cmocka_unit_test(test_scaled),
          cmocka_unit_test(test_conversions), cmocka_unit_test(test_signs), cmocka_unit_test(test_saturation))
