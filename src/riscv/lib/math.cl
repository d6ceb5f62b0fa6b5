/* OpenCL C's built-in functions for RISC-V: those that the bundled workloads use, and their relatives.
 *
 * Not here: double, arithmetic of half, printf, and what needs a sub-group; images are in
 * src/opencl/lib/images.cl. A program that calls something else is
 * refused when it is linked, with the name. exp, exp2, log, log2 and tanh are within 2 ulp; sqrt and
 * division are correctly rounded by the hardware; native_ and half_ functions are the same as the others. No
 * function loops, so lanes diverge in none for long. */
#pragma OPENCL FP_CONTRACT OFF
#define OVERLOAD __attribute__((overloadable))

/* f for all vectors of T, element by element */
#define WIDE1(R, T, f)                                                                                                           \
    R##2 OVERLOAD f(T##2 x) { return (R##2)(f(x.x), f(x.y)); }                                                                   \
    R##3 OVERLOAD f(T##3 x) { return (R##3)(f(x.x), f(x.y), f(x.z)); }                                                           \
    R##4 OVERLOAD f(T##4 x) { return (R##4)(f(x.lo), f(x.hi)); }                                                                 \
    R##8 OVERLOAD f(T##8 x) { return (R##8)(f(x.lo), f(x.hi)); }                                                                 \
    R##16 OVERLOAD f(T##16 x) { return (R##16)(f(x.lo), f(x.hi)); }
#define WIDE2(R, T, f)                                                                                                           \
    R##2 OVERLOAD f(T##2 x, T##2 y) { return (R##2)(f(x.x, y.x), f(x.y, y.y)); }                                                 \
    R##3 OVERLOAD f(T##3 x, T##3 y) { return (R##3)(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z)); }                                    \
    R##4 OVERLOAD f(T##4 x, T##4 y) { return (R##4)(f(x.lo, y.lo), f(x.hi, y.hi)); }                                             \
    R##8 OVERLOAD f(T##8 x, T##8 y) { return (R##8)(f(x.lo, y.lo), f(x.hi, y.hi)); }                                             \
    R##16 OVERLOAD f(T##16 x, T##16 y) { return (R##16)(f(x.lo, y.lo), f(x.hi, y.hi)); }
#define WIDE3(T, f)                                                                                                              \
    T##2 OVERLOAD f(T##2 x, T##2 y, T##2 z) { return (T##2)(f(x.x, y.x, z.x), f(x.y, y.y, z.y)); }                               \
    T##3 OVERLOAD f(T##3 x, T##3 y, T##3 z) { return (T##3)(f(x.x, y.x, z.x), f(x.y, y.y, z.y), f(x.z, y.z, z.z)); }             \
    T##4 OVERLOAD f(T##4 x, T##4 y, T##4 z) { return (T##4)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); }                         \
    T##8 OVERLOAD f(T##8 x, T##8 y, T##8 z) { return (T##8)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); }                         \
    T##16 OVERLOAD f(T##16 x, T##16 y, T##16 z) { return (T##16)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); }
#define SCALAR1(f, x_expression)                                                                                                 \
    float OVERLOAD f(float x) { return x_expression; }                                                                           \
    WIDE1(float, float, f)
#define SCALAR2(f, xy_expression)                                                                                                \
    float OVERLOAD f(float x, float y) { return xy_expression; }                                                                 \
    WIDE2(float, float, f)
#define SCALAR3(f, xyz_expression)                                                                                               \
    float OVERLOAD f(float x, float y, float z) { return xyz_expression; }                                                       \
    WIDE3(float, f)

/* --- bits and roundings */
SCALAR1(fabs, as_float(as_uint(x) & 0x7FFFFFFF))
SCALAR2(copysign, as_float((as_uint(x) & 0x7FFFFFFF) | (as_uint(y) & 0x80000000)))
SCALAR3(fma, __builtin_fmaf(x, y, z))
SCALAR3(mad, __builtin_fmaf(x, y, z))
SCALAR2(fmin, __builtin_fminf(x, y))
SCALAR2(fmax, __builtin_fmaxf(x, y))
SCALAR1(sqrt, __builtin_sqrtf(x))
SCALAR1(rsqrt, 1.0f / __builtin_sqrtf(x))
SCALAR1(native_sqrt, __builtin_sqrtf(x))
SCALAR1(native_rsqrt, 1.0f / __builtin_sqrtf(x))
SCALAR1(half_sqrt, __builtin_sqrtf(x))
SCALAR1(half_rsqrt, 1.0f / __builtin_sqrtf(x))
SCALAR1(native_recip, 1.0f / x)
SCALAR1(half_recip, 1.0f / x)
SCALAR2(native_divide, x / y)
SCALAR2(half_divide, x / y)

/* Whole already when large, infinite or no number */
static float whole(float x, float rounded) { return fabs(x) < 8388608.0f ? copysign(rounded, x) : x; }
static float toward_zero(float x) { return whole(x, (float)(int)x); }
SCALAR1(trunc, toward_zero(x))
static float down(float x) {
    float t = toward_zero(x);
    return t > x ? t - 1.0f : t;
}
static float up(float x) {
    float t = toward_zero(x);
    return t < x ? copysign(t + 1.0f, x) : t;
}
SCALAR1(floor, down(x))
SCALAR1(ceil, up(x))
static float to_even(float x) {
    int i;
    __asm__("fcvt.w.s %0, %1, rne" : "=r"(i) : "f"(x));
    return whole(x, (float)i);
}
SCALAR1(rint, to_even(x))
static float away(float x) {
    int i;
    __asm__("fcvt.w.s %0, %1, rmm" : "=r"(i) : "f"(x));
    return whole(x, (float)i);
}
SCALAR1(round, away(x))
SCALAR1(sign, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x != x ? 0.0f : x)

/* --- exponentials and logarithms */

/* 2 to the i, from -252 to 254, in two factors */
static float scaled(float x, int i) {
    int half_of = i >> 1;
    return x * as_float((uint)(half_of + 127) << 23) * as_float((uint)(i - half_of + 127) << 23);
}

/* e to the r for |r| up to ln 2 / 2 */
static float exp_near(float r) {
    float p = fma(r, 1.9875691500e-4f, 1.3981999507e-3f);
    p = fma(p, r, 8.3334519073e-3f);
    p = fma(p, r, 4.1665795894e-2f);
    p = fma(p, r, 1.6666665459e-1f);
    p = fma(p, r, 5.0000001201e-1f);
    return fma(p, r * r, r) + 1.0f;
}

static float exp_of(float x) {
    float k = to_even(clamp(x, -110.0f, 100.0f) * 1.44269504f), c = clamp(x, -110.0f, 100.0f);
    float r = fma(k, -1.42860677e-6f, fma(k, -0.693145752f, c));
    float y = scaled(exp_near(r), (int)k);
    return x != x ? x : y;
}
SCALAR1(exp, exp_of(x))

static float exp2_of(float x) {
    float c = clamp(x, -160.0f, 140.0f), k = to_even(c);
    float y = scaled(exp_near((c - k) * 0.693147181f), (int)k);
    return x != x ? x : y;
}
SCALAR1(exp2, exp2_of(x))
SCALAR1(native_exp, exp_of(x))
SCALAR1(half_exp, exp_of(x))
SCALAR1(native_exp2, exp2_of(x))
SCALAR1(half_exp2, exp2_of(x))

struct parts { /* x = m * 2 to the e, m from sqrt(1/2) to sqrt(2) */
    float m, e;
};
static struct parts parts_of(float x) {
    bool tiny = x < 1.17549435e-38f;
    uint bits = as_uint(tiny ? x * 8388608.0f : x);
    int e = (int)((bits - 0x3F3504F3u) >> 23 & 0xFF);
    e = e > 127 ? e - 256 : e;
    struct parts p = {as_float(bits - ((uint)e << 23)), (float)(tiny ? e - 23 : e)};
    return p;
}

/* The logarithm of m without its first term m - 1 */
static float log_rest(float f) {
    float z = f * f;
    float p = fma(f, 7.0376836292e-2f, -1.1514610310e-1f);
    p = fma(p, f, 1.1676998740e-1f);
    p = fma(p, f, -1.2420140846e-1f);
    p = fma(p, f, 1.4249322787e-1f);
    p = fma(p, f, -1.6668057665e-1f);
    p = fma(p, f, 2.0000714765e-1f);
    p = fma(p, f, -2.4999993993e-1f);
    p = fma(p, f, 3.3333331174e-1f);
    return fma(p * f, z, -0.5f * z);
}

static float log_edges(float x, float y) {
    y = x == INFINITY ? x : y;
    y = x == 0.0f ? -INFINITY : y;
    return x < 0.0f || x != x ? NAN : y;
}

static float log_of(float x) {
    struct parts p = parts_of(x);
    float f = p.m - 1.0f, rest = fma(p.e, -2.12194440e-4f, log_rest(f));
    return log_edges(x, fma(p.e, 0.693359375f, f + rest));
}
SCALAR1(log, log_of(x))

static float log2_of(float x) {
    struct parts p = parts_of(x);
    float f = p.m - 1.0f, rest = log_rest(f);
    float low = fma(rest, 0.44269504f, f * 0.44269504f) + rest;
    return log_edges(x, low + f + p.e);
}
SCALAR1(log2, log2_of(x))
SCALAR1(log10, log_of(x) * 0.434294482f)
SCALAR1(native_log, log_of(x))
SCALAR1(half_log, log_of(x))
SCALAR1(native_log2, log2_of(x))
SCALAR1(half_log2, log2_of(x))

static float tanh_of(float x) {
    float a = fabs(x), z = x * x;
    float p = fma(z, -5.70498872745e-3f, 2.06390887954e-2f);
    p = fma(p, z, -5.37397155531e-2f);
    p = fma(p, z, 1.33314422036e-1f);
    p = fma(p, z, -3.33332819422e-1f);
    float near = fma(p * z, x, x), far = 1.0f - 2.0f / (exp_of(2.0f * a) + 1.0f);
    return a < 0.625f ? near : copysign(far, x);
}
SCALAR1(tanh, tanh_of(x))

/* By the logarithm: its relative error grows with the exponent of the result, to some 60 ulp */
static float pow_of(float x, float y) {
    float a = fabs(x), z = exp2_of(y * log2_of(a)), half_y = y * 0.5f;
    bool whole_y = toward_zero(y) == y, odd = whole_y && toward_zero(half_y) != half_y;
    z = x < 0.0f ? (odd ? -z : whole_y ? z : NAN) : z;
    return y == 0.0f || x == 1.0f ? 1.0f : z;
}
SCALAR2(pow, pow_of(x, y))
SCALAR2(powr, pow_of(x, y))
SCALAR2(native_powr, pow_of(x, y))

/* Sine (0) or cosine (1): reduced by multiples of a quarter turn in three parts, good to |x| about 30000 */
static float sine_of(float x, int shift) {
    float k = to_even(x * 0.636619772f);
    float r = fma(k, -7.54978942e-8f, fma(k, -4.83751297e-4f, fma(k, -1.5703125f, x))), z = r * r;
    r = fma(k, -5.12667048e-15f, r);
    float s = fma(fma(fma(z, -1.9515295891e-4f, 8.3321608736e-3f), z, -1.6666654611e-1f) * z, r, r);
    float c = fma(fma(fma(z, 2.443315711809948e-5f, -1.388731625493765e-3f), z, 4.166664568298827e-2f), z * z, fma(z, -0.5f, 1.0f));
    int q = (int)k + shift;
    float y = q & 1 ? c : s;
    return q & 2 ? -y : y;
}
SCALAR1(sin, sine_of(x, 0))
SCALAR1(cos, sine_of(x, 1))
SCALAR1(native_sin, sine_of(x, 0))
SCALAR1(native_cos, sine_of(x, 1))
SCALAR1(half_sin, sine_of(x, 0))
SCALAR1(half_cos, sine_of(x, 1))

/* --- integers */
#define INTEGER(T, U)                                                                                                            \
    T OVERLOAD min(T x, T y) { return x < y ? x : y; }                                                                           \
    T OVERLOAD max(T x, T y) { return x > y ? x : y; }                                                                           \
    T OVERLOAD clamp(T x, T low, T high) { return x < low ? low : x > high ? high : x; }                                         \
    U OVERLOAD abs_diff(T x, T y) { return x > y ? (U)x - (U)y : (U)y - (U)x; }                                                  \
    T OVERLOAD rotate(T x, T n) {                                                                                                \
        U bits = 8 * sizeof(T), by = (U)n & (bits - 1);                                                                          \
        return (T)((U)x << by | (U)x >> ((bits - by) & (bits - 1)));                                                             \
    }                                                                                                                            \
    T OVERLOAD bitselect(T x, T y, T which) { return (x & ~which) | (y & which); }                                               \
    WIDE2(T, T, min)                                                                                                             \
    WIDE2(T, T, max)                                                                                                             \
    WIDE3(T, clamp)                                                                                                              \
    WIDE2(U, T, abs_diff)                                                                                                        \
    WIDE2(T, T, rotate)                                                                                                          \
    WIDE3(T, bitselect)
INTEGER(char, uchar)
INTEGER(uchar, uchar)
INTEGER(short, ushort)
INTEGER(ushort, ushort)
INTEGER(int, uint)
INTEGER(uint, uint)
INTEGER(long, ulong)
INTEGER(ulong, ulong)
#define ABSOLUTE(T, U)                                                                                                           \
    U OVERLOAD abs(T x) { return x < 0 ? (U)0 - (U)x : (U)x; }                                                                   \
    WIDE1(U, T, abs)
ABSOLUTE(char, uchar)
ABSOLUTE(short, ushort)
ABSOLUTE(int, uint)
ABSOLUTE(long, ulong)
#define WORD(T)                                                                                                                  \
    T OVERLOAD mul24(T x, T y) { return x * y; }                                                                                 \
    T OVERLOAD mad24(T x, T y, T z) { return x * y + z; }                                                                        \
    WIDE2(T, T, mul24)                                                                                                           \
    WIDE3(T, mad24)
WORD(int)
WORD(uint)
int OVERLOAD mul_hi(int x, int y) { return (int)((long)x * y >> 32); }
uint OVERLOAD mul_hi(uint x, uint y) { return (uint)((ulong)x * y >> 32); }
uint OVERLOAD popcount(uint x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0F0F0F0F) * 0x01010101u >> 24;
}
int OVERLOAD popcount(int x) { return (int)popcount((uint)x); }
uint OVERLOAD clz(uint x) {
    x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16;
    return popcount(~x);
}
int OVERLOAD clz(int x) { return (int)clz((uint)x); }

/* --- common and geometric functions */
SCALAR2(min, y < x ? y : x)
SCALAR2(max, x < y ? y : x)
SCALAR3(clamp, __builtin_fminf(__builtin_fmaxf(x, y), z))
SCALAR3(mix, fma(y - x, z, x))
SCALAR2(step, y < x ? 0.0f : 1.0f)
#define ONE_FOR_ALL(T)                                                                                                           \
    T OVERLOAD min(T x, float y) { return min(x, (T)y); }                                                                        \
    T OVERLOAD max(T x, float y) { return max(x, (T)y); }                                                                        \
    T OVERLOAD fmin(T x, float y) { return fmin(x, (T)y); }                                                                      \
    T OVERLOAD fmax(T x, float y) { return fmax(x, (T)y); }                                                                      \
    T OVERLOAD clamp(T x, float low, float high) { return clamp(x, (T)low, (T)high); }                                           \
    T OVERLOAD mix(T x, T y, float z) { return mix(x, y, (T)z); }
ONE_FOR_ALL(float2)
ONE_FOR_ALL(float3)
ONE_FOR_ALL(float4)
ONE_FOR_ALL(float8)
ONE_FOR_ALL(float16)
SCALAR1(degrees, 57.2957795f * x)
SCALAR1(radians, 0.0174532925f * x)
float OVERLOAD dot(float x, float y) { return x * y; }
float OVERLOAD dot(float2 x, float2 y) { return fma(x.x, y.x, x.y * y.y); }
float OVERLOAD dot(float3 x, float3 y) { return fma(x.x, y.x, fma(x.y, y.y, x.z * y.z)); }
float OVERLOAD dot(float4 x, float4 y) { return fma(x.x, y.x, fma(x.y, y.y, fma(x.z, y.z, x.w * y.w))); }
#define GEOMETRIC(T)                                                                                                             \
    float OVERLOAD length(T x) { return sqrt(dot(x, x)); }                                                                       \
    float OVERLOAD distance(T x, T y) { return length(x - y); }                                                                  \
    T OVERLOAD normalize(T x) { return x / length(x); }
GEOMETRIC(float)
GEOMETRIC(float2)
GEOMETRIC(float3)
GEOMETRIC(float4)
float3 OVERLOAD cross(float3 x, float3 y) {
    return (float3)(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x);
}

/* --- vectors in memory */
#define LOADS(T, SPACE)                                                                                                          \
    T##2 OVERLOAD vload2(size_t i, SPACE const T *p) { return (T##2)(p[2 * i], p[2 * i + 1]); }                                  \
    T##3 OVERLOAD vload3(size_t i, SPACE const T *p) { return (T##3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]); }                    \
    T##4 OVERLOAD vload4(size_t i, SPACE const T *p) { return (T##4)(vload2(2 * i, p), vload2(2 * i + 1, p)); }                  \
    T##8 OVERLOAD vload8(size_t i, SPACE const T *p) { return (T##8)(vload4(2 * i, p), vload4(2 * i + 1, p)); }                  \
    T##16 OVERLOAD vload16(size_t i, SPACE const T *p) { return (T##16)(vload8(2 * i, p), vload8(2 * i + 1, p)); }
#define STORES(T, SPACE)                                                                                                         \
    void OVERLOAD vstore2(T##2 v, size_t i, SPACE T *p) { p[2 * i] = v.x, p[2 * i + 1] = v.y; }                                  \
    void OVERLOAD vstore3(T##3 v, size_t i, SPACE T *p) { p[3 * i] = v.x, p[3 * i + 1] = v.y, p[3 * i + 2] = v.z; }              \
    void OVERLOAD vstore4(T##4 v, size_t i, SPACE T *p) { vstore2(v.lo, 2 * i, p), vstore2(v.hi, 2 * i + 1, p); }                \
    void OVERLOAD vstore8(T##8 v, size_t i, SPACE T *p) { vstore4(v.lo, 2 * i, p), vstore4(v.hi, 2 * i + 1, p); }                \
    void OVERLOAD vstore16(T##16 v, size_t i, SPACE T *p) { vstore8(v.lo, 2 * i, p), vstore8(v.hi, 2 * i + 1, p); }
#define MOVES(T)                                                                                                                 \
    LOADS(T, __global)                                                                                                           \
    LOADS(T, __local)                                                                                                            \
    LOADS(T, __constant)                                                                                                         \
    LOADS(T, __private)                                                                                                          \
    STORES(T, __global)                                                                                                          \
    STORES(T, __local)                                                                                                           \
    STORES(T, __private)
MOVES(char)
MOVES(uchar)
MOVES(short)
MOVES(ushort)
MOVES(int)
MOVES(uint)
MOVES(long)
MOVES(ulong)
MOVES(float)

/* --- halves in memory */
static float of_half(uint h) {
    uint sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3FF;
    uint tiny = as_uint((float)m * 0x1p-24f), plain = (e + 112) << 23 | m << 13, edge = m ? 0x7FFFFFFF : sign | 0x7F800000;
    return as_float(e == 31 ? edge : sign | (e ? plain : tiny));
}
static ushort to_half(float x) { /* to the nearest, to even */
    uint sign = as_uint(x) >> 16 & 0x8000, a = as_uint(x) & 0x7FFFFFFF, tiny, plain = (a + 0xFFF + (a >> 13 & 1) - (112u << 23)) >> 13;
    __asm__("fcvt.wu.s %0, %1, rne" : "=r"(tiny) : "f"(as_float(a) * 0x1p24f));
    uint h = a < 0x38800000 ? tiny : a < 0x47800000 ? plain : 0x7C00;
    return a > 0x7F800000 ? 0x7FFF : (ushort)(sign | h);
}
#define LOAD_HALF(SPACE)                                                                                                         \
    float OVERLOAD vload_half(size_t i, SPACE const half *p) { return of_half(((SPACE const ushort *)p)[i]); }
#define STORE_HALF(SPACE)                                                                                                        \
    LOAD_HALF(SPACE)                                                                                                             \
    void OVERLOAD vstore_half(float x, size_t i, SPACE half *p) { ((SPACE ushort *)p)[i] = to_half(x); }                         \
    void OVERLOAD vstore_half_rte(float x, size_t i, SPACE half *p) { ((SPACE ushort *)p)[i] = to_half(x); }
LOAD_HALF(__constant)
STORE_HALF(__global)
STORE_HALF(__local)
STORE_HALF(__private)

/* --- conversions of numbers that stop at the ends of a type; what is no number becomes 0 */
int OVERLOAD convert_int_sat(float x) {
    int i;
    __asm__("fcvt.w.s %0, %1, rtz" : "=r"(i) : "f"(x));
    return x != x ? 0 : i;
}
uint OVERLOAD convert_uint_sat(float x) {
    uint i;
    __asm__("fcvt.wu.s %0, %1, rtz" : "=r"(i) : "f"(x));
    return x != x ? 0 : i;
}
int OVERLOAD convert_int_sat_rte(float x) { return convert_int_sat(to_even(x)); }
uint OVERLOAD convert_uint_sat_rte(float x) { return convert_uint_sat(to_even(x)); }
int OVERLOAD convert_int_rte(float x) { return convert_int_sat_rte(x); }
uint OVERLOAD convert_uint_rte(float x) { return convert_uint_sat_rte(x); }
uint3 OVERLOAD convert_uint3_rte(float3 x) { return (uint3)(convert_uint_rte(x.x), convert_uint_rte(x.y), convert_uint_rte(x.z)); }
#define SATURATED(T, least, most)                                                                                                \
    T OVERLOAD convert_##T##_sat(int x) { return (T)clamp(x, least, most); }                                                     \
    T OVERLOAD convert_##T##_sat(uint x) { return (T)min(x, (uint)most); }                                                       \
    T OVERLOAD convert_##T##_sat(float x) { return convert_##T##_sat(convert_int_sat(x)); }                                      \
    T OVERLOAD convert_##T##_sat_rte(float x) { return convert_##T##_sat(convert_int_sat_rte(x)); }
SATURATED(char, -128, 127)
SATURATED(uchar, 0, 255)
SATURATED(short, -32768, 32767)
SATURATED(ushort, 0, 65535)

/* --- conversions of numbers */
#define CONVERT(T, S)                                                                                                            \
    T OVERLOAD convert_##T(S x) { return (T)x; }                                                                                 \
    WIDE1(T, S, convert_##T)
#undef WIDE1
#define WIDE1(R, T, f)                                                                                                           \
    R##2 OVERLOAD f##2(T##2 x) { return (R##2)(f(x.x), f(x.y)); }                                                                \
    R##3 OVERLOAD f##3(T##3 x) { return (R##3)(f(x.x), f(x.y), f(x.z)); }                                                        \
    R##4 OVERLOAD f##4(T##4 x) { return (R##4)(f##2(x.lo), f##2(x.hi)); }                                                        \
    R##8 OVERLOAD f##8(T##8 x) { return (R##8)(f##4(x.lo), f##4(x.hi)); }                                                        \
    R##16 OVERLOAD f##16(T##16 x) { return (R##16)(f##8(x.lo), f##8(x.hi)); }
#define CONVERT_FROM(S)                                                                                                          \
    CONVERT(char, S)                                                                                                             \
    CONVERT(uchar, S)                                                                                                            \
    CONVERT(short, S)                                                                                                            \
    CONVERT(ushort, S)                                                                                                           \
    CONVERT(int, S)                                                                                                              \
    CONVERT(uint, S)                                                                                                             \
    CONVERT(long, S)                                                                                                             \
    CONVERT(ulong, S)                                                                                                            \
    CONVERT(float, S)
CONVERT_FROM(char)
CONVERT_FROM(uchar)
CONVERT_FROM(short)
CONVERT_FROM(ushort)
CONVERT_FROM(int)
CONVERT_FROM(uint)
CONVERT_FROM(long)
CONVERT_FROM(ulong)
CONVERT_FROM(float)
