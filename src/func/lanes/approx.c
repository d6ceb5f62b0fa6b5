/* approx.c: the operations PTX defines up to an error: rcp sqrt rsqrt sin cos lg2 ex2 tanh with .approx,
 * div.approx and div.full.
 *
 * Each is computed in double by a short polynomial or one division, far inside PTX's bounds, and rounded
 * once: the result is nearly always the nearest value. Silicon's own tables are not modelled, except where
 * they show beyond the stated error: sin and cos first scale by a single-precision 1/2pi, truncating, so that
 * large arguments lose their phase as they do there; div.approx multiplies by a reciprocal that is 0 for
 * divisors beyond 2^126; ex2 on f16 truncates; the f64 forms with .ftz use and give the upper 32 bits only.
 * No fused multiply-add and no library call: both builds give the same bits. */
#include "func/lanes/float.h"

/* --- kernels in double */
#define SHIFTER 0x1.8p52 /* adding it leaves the nearest integer in the low fraction bits */

/* 2^x for |x| < 1000; the polynomial is the series of 2^r, |r| <= 1/2 */
INLINE double exp2_kernel(double x) {
    double shifted = x + SHIFTER, r = x - (shifted - SHIFTER);
    double p = 7.0549116208011233e-09;
    p = p * r + 1.0178086009239699e-07;
    p = p * r + 1.3215486790144309e-06;
    p = p * r + 1.5252733804059841e-05;
    p = p * r + 1.5403530393381610e-04;
    p = p * r + 1.3333558146428443e-03;
    p = p * r + 9.6181291076284772e-03;
    p = p * r + 5.5504108664821580e-02;
    p = p * r + 2.4022650695910071e-01;
    p = p * r + 6.9314718055994531e-01;
    p = p * r + 1.0;
    return p * f64_of((f64_bits(shifted) + 1023) << 52);
}
INLINE double clamp(double x, double lo, double hi) {
    x = x > lo ? x : lo;
    return x < hi ? x : hi;
}
INLINE double exp2_f64(double x) { return x == x ? exp2_kernel(clamp(x, -300, 300)) : x; }

/* log2 of a positive finite x: atanh series in s = (m - 1) / (m + 1), m within sqrt(1/2) .. sqrt(2) */
INLINE double log2_f64(double x) {
    u64 bits = f64_bits(x), exp = (bits + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull)) >> 52;
    double m = f64_of(bits - ((exp - 1023) << 52)), e = f64_of(exp | 0x4330000000000000ull) - (0x1p52 + 1023);
    double s = (m - 1) / (m + 1), t = s * s;
    double p = 2.8853900817779268 / 15;
    p = p * t + 2.8853900817779268 / 13;
    p = p * t + 2.8853900817779268 / 11;
    p = p * t + 2.8853900817779268 / 9;
    p = p * t + 2.8853900817779268 / 7;
    p = p * t + 2.8853900817779268 / 5;
    p = p * t + 2.8853900817779268 / 3;
    p = p * t + 2.8853900817779268;
    return e + s * p;
}

/* sin of 2 pi (turns + quarter / 4) */
INLINE double sin_turns(double turns, u64 quarter) {
    double shifted = turns * 4 + SHIFTER, r = (turns * 4 - (shifted - SHIFTER)) * 1.5707963267948966, t = r * r;
    double s = -2.5052108385441720e-08;
    s = s * t + 2.7557319223985893e-06;
    s = s * t - 1.9841269841269841e-04;
    s = s * t + 8.3333333333333332e-03;
    s = s * t - 1.6666666666666666e-01;
    s = s * t * r + r;
    double c = 2.0876756987868100e-09;
    c = c * t - 2.7557319223985888e-07;
    c = c * t + 2.4801587301587302e-05;
    c = c * t - 1.3888888888888889e-03;
    c = c * t + 4.1666666666666664e-02;
    c = c * t - 0.5;
    c = c * t + 1.0;
    u64 k = f64_bits(shifted) + quarter;
    return f64_of(f64_bits(k & 1 ? c : s) ^ (k & 2) << 62);
}
/* x / 2pi as the multiplier gives it: single-precision constant, truncated to 24 bits, reduced to within half
 * a turn */
INLINE double turns_of(float x) {
    double t = (double)x * (double)0x1.45f306p-3f;
    u64 bits = f64_bits(t);
    double cut = f64_of(bits & ~0x1fffffffull);
    double far = cut < 0 ? -cut : cut;
    double whole = far < 0x1p50 ? (cut + SHIFTER) - SHIFTER : cut;
    return cut - whole;
}

INLINE double tanh_f64(double x) {
    double mag = x < 0 ? -x : x, t = x * x;
    double p = -1382.0 / 155925;
    p = p * t + 62.0 / 2835;
    p = p * t - 17.0 / 315;
    p = p * t + 2.0 / 15;
    p = p * t - 1.0 / 3;
    double small = x + x * t * p;
    double e = exp2_kernel(clamp(mag * -2.8853900817779268, -300, 0));
    double big = (1 - e) / (1 + e);
    return mag < 0.25 ? small : x == x ? (x < 0 ? -big : big) : x;
}

/* --- f32 */
INLINE float in(u32 x, bool ftz) { return f32_of(ftz ? f32_flush(x) : x); }
INLINE u32 out(float r, bool ftz) {
    u32 bits = ftz ? f32_flush(f32_bits(r)) : f32_bits(r);
    return r == r ? bits : F32_NAN;
}
INLINE float lg2_f32(float x) {
    float r = (float)log2_f64((double)(x > 0 && x < __builtin_inff() ? x : 1.0f));
    r = x > 0 ? (x < __builtin_inff() ? r : x) : r;
    return x == 0 ? -__builtin_inff() : x > 0 ? r : __builtin_nanf("");
}
INLINE float sin_f32(float x, u64 quarter) {
    bool finite = x - x == 0;
    float r = (float)sin_turns(turns_of(finite ? x : 0), quarter);
    return finite ? r : __builtin_nanf("");
}
INLINE float div_approx(float x, float y) {
    float mag = y < 0 ? -y : y, r = x / y;
    float zero = f32_of((f32_bits(x) ^ f32_bits(y)) & F32_SIGN); /* x * 0 */
    float beyond = x - x == 0 ? zero : __builtin_nanf("");
    return mag > 0x1p126f && mag < __builtin_inff() ? beyond : r;
}
#define X in(a[i], ftz)
#define Y in(b[i], ftz)
#define F32_FORM(name, FTZ, expr)                                                                                                \
    LANE_FN(name) {                                                                                                              \
        enum { ftz = FTZ };                                                                                                      \
        u32 *d = dv;                                                                                                             \
        const u32 *a = av, *b = bv;                                                                                              \
        (void)b, (void)cv, (void)q, (void)aux;                                                                                   \
        LANES(i, SLAB_LANES) { d[i] = out(expr, ftz); }                                                                          \
    }
#define F32_OP(op, expr)                                                                                                         \
    F32_FORM(f32_##op, 0, expr)                                                                                                  \
    F32_FORM(f32_##op##_ftz, 1, expr)
F32_OP(rcp, 1.0f / X)
F32_OP(sqrt, __builtin_sqrtf(X))
F32_OP(rsqrt, (float)(1.0 / __builtin_sqrt((double)X)))
F32_OP(sin, sin_f32(X, 0))
F32_OP(cos, sin_f32(X, 1))
F32_OP(lg2, lg2_f32(X))
F32_OP(ex2, (float)exp2_f64((double)X))
F32_OP(tanh, (float)tanh_f64((double)X))
F32_OP(div, div_approx(X, Y))
F32_OP(full, X / Y)
#undef X
#undef Y

/* --- halves: rounded straight from double */
#define F16_IN(x)   ((double)f32_of_f16((x) & 0xffffu))
#define BF16_IN(x)  ((double)f32_of_bf16((x) & 0xffffu))
#define F16_OUT(r)  half_of_f64(r, 10, -14)
#define BF16_OUT(r) half_of_f64(r, 7, -126)
INLINE u32 bf16_flush(u32 x) { return (x & 0x7f80u) ? x : x & 0x8000u; }
#define HALF_LOOP(name, T, n, expr)                                                                                              \
    LANE_FN(name) {                                                                                                              \
        T *d = dv;                                                                                                               \
        const T *a = av;                                                                                                         \
        (void)bv, (void)cv, (void)q, (void)aux;                                                                                  \
        LANES(i, n) { d[i] = (T)(expr); }                                                                                        \
    }
#define HALF_OP(name, expr)                                                                                                      \
    HALF_LOOP(name, u32, SLAB_LANES, expr)                                                                                       \
    HALF_LOOP(name##_x2, half_elem, 2 * SLAB_LANES, expr)
/* A result that is not negative, cut to what f16 holds */
INLINE double f16_cut(double r) {
    double normal = f64_of(f64_bits(r) & ~0x3ffffffffffull), small = (double)(i32)(r < 0x1p-14 ? r * 0x1p24 : 0) * 0x1p-24;
    return r < 0x1p-14 ? small : r == r ? normal : r;
}
HALF_OP(f16_ex2, F16_OUT(f16_cut(exp2_f64(F16_IN(a[i])))))
HALF_OP(bf16_ex2, bf16_flush(BF16_OUT(exp2_f64(BF16_IN(bf16_flush(a[i]))))))
HALF_OP(f16_tanh, F16_OUT(tanh_f64(F16_IN(a[i]))))
HALF_OP(bf16_tanh, BF16_OUT(tanh_f64(BF16_IN(a[i]))))

/* --- f64: with .ftz, upper word in and out; without, all of it */
INLINE u64 f64_flush(u64 x) { return x & 0x7ff0000000000000ull ? x : x & F64_SIGN; }
INLINE double f64_upper(u64 x) { return f64_of(f64_flush(x & 0xffffffff00000000ull)); }
INLINE u64 f64_round_upper(double r) {
    u64 hi = (f64_bits(r) + 0x80000000ull) & 0xffffffff00000000ull;
    return r == r ? f64_flush(hi) : 0x7fffffff00000000ull;
}
#define F64_OP(name, expr)                                                                                                       \
    LANE_FN(name) {                                                                                                              \
        u64 *d = dv;                                                                                                             \
        const u64 *a = av;                                                                                                       \
        (void)bv, (void)cv, (void)q, (void)aux;                                                                                  \
        LANES(i, SLAB_LANES) { d[i] = expr; }                                                                                    \
    }
INLINE u64 f64_rsqrt_of(u64 x) {
    double r = 1.0 / __builtin_sqrt(f64_of(x));
    return f64_isnan(x) ? x | F64_QUIET : r == r ? f64_bits(r) : F64_NAN;
}
F64_OP(f64_rcp_ftz, f64_round_upper(1.0 / f64_upper(a[i])))
F64_OP(f64_rsqrt_ftz, f64_round_upper(1.0 / __builtin_sqrt(f64_upper(a[i]))))
F64_OP(f64_rsqrt, f64_rsqrt_of(a[i]))

/* --- choice */
static lane_fn *pick_f32(const struct opkey *k) {
    bool ftz = key_has(k, MOD_ftz);
    switch (k->op) {
    case OP_rcp: return ftz ? f32_rcp_ftz : f32_rcp;
    case OP_sqrt: return ftz ? f32_sqrt_ftz : f32_sqrt;
    case OP_rsqrt: return ftz ? f32_rsqrt_ftz : f32_rsqrt;
    case OP_sin: return ftz ? f32_sin_ftz : f32_sin;
    case OP_cos: return ftz ? f32_cos_ftz : f32_cos;
    case OP_lg2: return ftz ? f32_lg2_ftz : f32_lg2;
    case OP_ex2: return ftz ? f32_ex2_ftz : f32_ex2;
    case OP_tanh: return ftz ? f32_tanh_ftz : f32_tanh;
    case OP_div: return key_has(k, MOD_full) ? (ftz ? f32_full_ftz : f32_full) : ftz ? f32_div_ftz : f32_div;
    default: return NULL;
    }
}
static lane_fn *pick_f64(const struct opkey *k) {
    if (k->op == OP_rcp) return f64_rcp_ftz; /* there is no other */
    return k->op != OP_rsqrt ? NULL : key_has(k, MOD_ftz) ? f64_rsqrt_ftz : f64_rsqrt;
}
static lane_fn *pick_half(const struct opkey *k) {
    bool ex2 = k->op == OP_ex2;
    if (!ex2 && k->op != OP_tanh) return NULL;
    switch (k->type[0]) {
    case TYPE_f16: return ex2 ? f16_ex2 : f16_tanh;
    case TYPE_f16x2: return ex2 ? f16_ex2_x2 : f16_tanh_x2;
    case TYPE_bf16: return ex2 ? bf16_ex2 : bf16_tanh;
    case TYPE_bf16x2: return ex2 ? bf16_ex2_x2 : bf16_tanh_x2;
    default: return NULL;
    }
}

struct lane_pick LANES_NAME(lanes_approx)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    if (!key_has(k, MOD_approx) && !key_has(k, MOD_full)) return (struct lane_pick){0};
    switch (k->type[0]) {
    case TYPE_f32: return (struct lane_pick){pick_f32(k), 0};
    case TYPE_f64: return (struct lane_pick){pick_f64(k), 0};
    default: return (struct lane_pick){pick_half(k), 0};
    }
}
