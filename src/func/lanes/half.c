/* half.c: f16, bf16 and their packed pairs: add sub mul fma, min max, abs neg. Each result is rounded once,
 * to nearest even.
 *
 * Sums and products of two halves are computed in f32, which has enough bits that rounding again is harmless;
 * an fma goes through double: exact but for the sum, which for bf16 (whose exponents reach far enough) is
 * rounded to odd first. NaN results are 0x7fff. .relu turns negative results into +0. .oob changes nothing
 * here: it is about a NaN that only tensor loads leave behind, and those do not exist. A packed row is 64
 * elements; a scalar one is 32 words with zero above the half. */
#include "func/lanes/float.h"

enum { HALF_FTZ = 1, HALF_SAT = 2, HALF_RELU = 4, HALF_NAN = 8, HALF_ABS = 16, HALF_XORSIGN = 32 };
#define HALF_SIGN 0x8000u

INLINE u32 f16_in(u32 x, u32 mods) { return mods & HALF_FTZ ? f16_flush(x) : x; }
INLINE u32 f16_out(u32 r, u32 mods) {
    r = mods & HALF_FTZ ? f16_flush(r) : r;
    if (mods & HALF_SAT)
        r = r > 0x7c00u ? 0 : r > 0x3c00u ? 0x3c00u : r; /* negative values and NaN are the codes above infinity */
    if (mods & HALF_RELU) r = r & HALF_SIGN ? 0 : r;
    return r;
}
INLINE u32 f16_add(u32 x, u32 y) { return f16_of_f32(f32_of_f16(x) + f32_of_f16(y)); }
INLINE u32 f16_sub(u32 x, u32 y) { return f16_of_f32(f32_of_f16(x) - f32_of_f16(y)); }
/* .ftz flushes what is subnormal when rounded to 11 bits and no least exponent */
#define F16_FLUSHED(x) ((x) < 0x1.ffep-15)
INLINE u32 f16_mul(u32 x, u32 y, u32 mods) {
    float p = f32_of_f16(x) * f32_of_f16(y);
    u32 r = f16_of_f32(p);
    return mods & HALF_FTZ && F16_FLUSHED(__builtin_fabsf(p)) ? r & HALF_SIGN : r;
}
INLINE u32 f16_fma(u32 x, u32 y, u32 z, u32 mods) {
    double s = (double)f32_of_f16(x) * (double)f32_of_f16(y) + (double)f32_of_f16(z);
    u32 r = half_of_f64(s, 10, -14);
    return mods & HALF_FTZ && F16_FLUSHED(__builtin_fabs(s)) ? r & HALF_SIGN : r;
}

INLINE u32 bf16_in(u32 x, u32 mods) { return (void)mods, x; } /* bf16 has no .ftz */
INLINE u32 bf16_out(u32 r, u32 mods) {
    if (mods & HALF_SAT) r = r > 0x7f80u ? 0 : r > 0x3f80u ? 0x3f80u : r;
    if (mods & HALF_RELU) r = r & HALF_SIGN ? 0 : r;
    return r;
}
INLINE u32 bf16_add(u32 x, u32 y) { return bf16_of_f32(f32_of_bf16(x) + f32_of_bf16(y)); }
INLINE u32 bf16_sub(u32 x, u32 y) { return bf16_of_f32(f32_of_bf16(x) - f32_of_bf16(y)); }
INLINE u32 bf16_mul(u32 x, u32 y, u32 mods) { return (void)mods, bf16_of_f32(f32_of_bf16(x) * f32_of_bf16(y)); }
INLINE u32 bf16_fma(u32 x, u32 y, u32 z, u32 mods) {
    (void)mods;
    return half_of_f64(f64_add_odd((double)f32_of_bf16(x) * (double)f32_of_bf16(y), (double)f32_of_bf16(z)), 7, -126);
}

/* --- min and max on the bits: -0 < +0, a NaN is passed over unless .NaN or both are */
INLINE i32 half_order(u32 x) { return (i32)(x & HALF_SIGN ? ~x & 0x7fffu : x | HALF_SIGN); }
INLINE u32 half_pick(u32 x, u32 y, u32 inf, bool want_max, u32 mods) {
    u32 sign = (x ^ y) & HALF_SIGN;
    x = mods & HALF_ABS ? x & 0x7fffu : x;
    y = mods & HALF_ABS ? y & 0x7fffu : y;
    u32 r = (half_order(x) < half_order(y)) == want_max ? y : x;
    bool xn = (x & 0x7fffu) > inf, yn = (y & 0x7fffu) > inf;
    r = xn ? y : yn ? x : r;
    r |= mods & HALF_XORSIGN ? sign : 0;
    return (mods & HALF_NAN ? xn | yn : xn & yn) ? F16_NAN : r;
}

/* --- the loops: each row becomes f16, f16x2, bf16 and bf16x2 forms with no modifier, and one form that reads
 * them from aux */
#define X(fmt) fmt##_in(a[i], mods)
#define Y(fmt) fmt##_in(b[i], mods)
#define Z(fmt) fmt##_in(c[i], mods)
#define HALF_LOOP(name, T, n, MODS, expr)                                                                                        \
    LANE_FN(name) {                                                                                                              \
        T *d = dv;                                                                                                               \
        const T *a = av, *b = bv, *c = cv;                                                                                       \
        const u32 mods = MODS;                                                                                                   \
        (void)b, (void)c, (void)q, (void)aux, (void)mods;                                                                        \
        LANES(i, n) { d[i] = (T)(expr); }                                                                                        \
    }
#define HALF_FORMS(op, fmt, expr)                                                                                                \
    HALF_LOOP(fmt##_##op##_plain, u32, SLAB_LANES, 0, expr)                                                                      \
    HALF_LOOP(fmt##_##op##_mods, u32, SLAB_LANES, aux, expr)                                                                     \
    HALF_LOOP(fmt##x2_##op##_plain, half_elem, 2 * SLAB_LANES, 0, expr)                                                          \
    HALF_LOOP(fmt##x2_##op##_mods, half_elem, 2 * SLAB_LANES, aux, expr)                                                         \
    static lane_fn *const fmt##_##op##_forms[4] = {fmt##_##op##_plain, fmt##_##op##_mods, fmt##x2_##op##_plain,                  \
                                                   fmt##x2_##op##_mods};

#define HALF_TABLE(fmt, inf)                                                                                                     \
    HALF_FORMS(add, fmt, fmt##_out(fmt##_add(X(fmt), Y(fmt)), mods))                                                             \
    HALF_FORMS(sub, fmt, fmt##_out(fmt##_sub(X(fmt), Y(fmt)), mods))                                                             \
    HALF_FORMS(mul, fmt, fmt##_out(fmt##_mul(X(fmt), Y(fmt), mods), mods))                                                       \
    HALF_FORMS(fma, fmt, fmt##_out(fmt##_fma(X(fmt), Y(fmt), Z(fmt), mods), mods))                                               \
    HALF_FORMS(min, fmt, half_pick(X(fmt), Y(fmt), inf, false, mods))                                                            \
    HALF_FORMS(max, fmt, half_pick(X(fmt), Y(fmt), inf, true, mods))                                                             \
    HALF_FORMS(min3, fmt, half_pick(half_pick(X(fmt), Y(fmt), inf, false, mods), Z(fmt), inf, false, mods))                      \
    HALF_FORMS(max3, fmt, half_pick(half_pick(X(fmt), Y(fmt), inf, true, mods), Z(fmt), inf, true, mods))                        \
    HALF_FORMS(abs, fmt, (X(fmt) & 0x7fffu) > inf ? F16_NAN : X(fmt) & 0x7fffu)                                                  \
    HALF_FORMS(neg, fmt, (X(fmt) & 0x7fffu) > inf ? F16_NAN : X(fmt) ^ HALF_SIGN)
HALF_TABLE(f16, 0x7c00u)
HALF_TABLE(bf16, 0x7f80u)

static lane_fn *const *half_forms(const struct lane_query *q, bool bf) {
#define FORMS(op) (bf ? bf16_##op##_forms : f16_##op##_forms)
    switch (q->key->op) {
    case OP_add: return FORMS(add);
    case OP_sub: return FORMS(sub);
    case OP_mul: return FORMS(mul);
    case OP_fma: return FORMS(fma);
    case OP_min: return q->nsrc == 3 ? FORMS(min3) : FORMS(min);
    case OP_max: return q->nsrc == 3 ? FORMS(max3) : FORMS(max);
    case OP_abs: return FORMS(abs);
    case OP_neg: return FORMS(neg);
    default: return NULL;
    }
#undef FORMS
}

static u32 half_mods(const struct opkey *k) {
    return (key_has(k, MOD_ftz) ? HALF_FTZ : 0) | (key_has(k, MOD_sat) ? HALF_SAT : 0) | (key_has(k, MOD_relu) ? HALF_RELU : 0) |
           (key_has(k, MOD_NaN) ? HALF_NAN : 0) | (key_has(k, MOD_abs) ? HALF_ABS : 0) |
           (key_has(k, MOD_xorsign) ? HALF_XORSIGN : 0);
}

struct lane_pick LANES_NAME(lanes_half)(const struct lane_query *q) {
    u8 t = q->key->type[0];
    bool x2 = t == TYPE_f16x2 || t == TYPE_bf16x2, bf = t == TYPE_bf16 || t == TYPE_bf16x2;
    if (!x2 && t != TYPE_f16 && t != TYPE_bf16) return (struct lane_pick){0};
    lane_fn *const *forms = half_forms(q, bf);
    if (!forms) return (struct lane_pick){0};
    u32 mods = half_mods(q->key);
    return (struct lane_pick){forms[2 * x2 + (mods != 0)], mods};
}
