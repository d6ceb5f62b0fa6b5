/* fp.c: f32 and f64 arithmetic that IEEE 754 defines: add sub mul fma mad div sqrt rcp, min max, abs neg
 * copysign, in every rounding.
 *
 * f32 results that are NaN are the canonical 0x7fffffff. f64 results keep the payload of a NaN operand,
 * quieted, as silicon does; which operand wins when several are NaN is `nan` of its row. .ftz flushes
 * subnormal operands and results to a zero of their sign; .sat clamps to [0, 1] and turns NaN into 0.
 * Directed roundings run the same loop with the host's rounding mode set around it; the loops are never
 * inlined, so that the compiler cannot move arithmetic across the change of mode. Not modelled: exception
 * flags (PTX has none). */
#include "func/lanes/float.h"

#include <xmmintrin.h>

/* --- rounding mode of the host */
static u32 rounding_enter(u32 mode) {
    u32 old = _mm_getcsr();
    _mm_setcsr((old & ~0x6000u) | mode << 13);
    return old;
}
static void rounding_leave(u32 old) { _mm_setcsr(old); }

/* --- f32 */
INLINE float f32_in(u32 x, bool ftz) { return f32_of(ftz ? f32_flush(x) : x); }
INLINE u32 f32_out(float r, bool ftz, bool sat) {
    if (sat) return f32_bits(r > 0 ? (r < 1 ? (ftz && r < 0x1p-126f ? 0 : r) : 1) : 0);
    u32 bits = ftz ? f32_flush(f32_bits(r)) : f32_bits(r);
    return r == r ? bits : F32_NAN;
}

/* A result is subnormal for .ftz when it is so rounded to 24 bits and no least exponent. The host has rounded
 * it to fewer bits, perhaps up to the least normal number: how much `least` was above the exact value. A
 * quotient is never so close that nearest rounding does it, nor so close that 24 bits would. */
enum rounds_up { NOWHERE, PRODUCT, PRODUCT_SUM, QUOTIENT, RECIPROCAL };
INLINE double f32_missing(enum rounds_up how, double least, u32 a, u32 b, u32 c) {
    double x = (double)f32_in(a, true), y = (double)f32_in(b, true), z = (double)f32_in(c, true), excess; /* exact all */
    switch (how) {
    case PRODUCT: excess = x * y - least; break;
    case PRODUCT_SUM: excess = __builtin_fma(x, y, z - least); break;
    case QUOTIENT: return __builtin_fabs(x) < __builtin_fabs(least * y) ? 0x1p-150 : 0;
    case RECIPROCAL: return 1 < __builtin_fabs(least * x) ? 0x1p-150 : 0;
    default: return 0;
    }
    return least > 0 ? -excess : excess;
}
NOINLINE static void f32_flush_early(enum rounds_up how, u32 *r, const u32 *a, const u32 *b, const u32 *c) {
    bool nearest = (_mm_getcsr() >> 13 & 3) == ROUND_RN;
    for (u32 i = 0; i < SLAB_LANES; i++) {
        if ((r[i] & ~F32_SIGN) != F32_LEAST) continue;
        double missing = f32_missing(how, (double)f32_of(r[i]), a[i], b ? b[i] : 0, c ? c[i] : 0);
        if (nearest ? missing > 0x1p-151 : missing >= 0x1p-150) r[i] &= F32_SIGN;
    }
}

/* One row per operation; X Y Z are the operands of a lane. Each makes four loops (.ftz, .sat, both, neither)
 * and their directed twins. */
#define X f32_in(a[i], ftz)
#define Y f32_in(b[i], ftz)
#define Z f32_in(c[i], ftz)
#define F32_FORM(name, FTZ, SAT, expr, how)                                                                                      \
    NOINLINE LANE_FN(name) {                                                                                                     \
        enum { ftz = FTZ, sat = SAT };                                                                                           \
        u32 *d = dv;                                                                                                             \
        const u32 *a = av, *b = bv, *c = cv;                                                                                     \
        (void)b, (void)c, (void)q, (void)aux;                                                                                    \
        if (ftz && (how) != NOWHERE) {                                                                                           \
            u32 r[SLAB_LANES], suspect = 0;                                                                                      \
            LANES(i, SLAB_LANES) {                                                                                               \
                r[i] = f32_out(expr, ftz, sat);                                                                                  \
                suspect |= (r[i] & ~F32_SIGN) == F32_LEAST;                                                                      \
            }                                                                                                                    \
            if (suspect) f32_flush_early(how, r, a, b, c);                                                                       \
            memcpy(d, r, sizeof(r));                                                                                             \
        } else {                                                                                                                 \
            LANES(i, SLAB_LANES) { d[i] = f32_out(expr, ftz, sat); }                                                             \
        }                                                                                                                        \
    }                                                                                                                            \
    LANE_FN(name##_directed) {                                                                                                   \
        u32 old = rounding_enter(aux);                                                                                           \
        name(dv, av, bv, cv, q, 0);                                                                                              \
        rounding_leave(old);                                                                                                     \
    }
#define F32_OP(op, expr, how)                                                                                                    \
    F32_FORM(f32_##op, 0, 0, expr, how)                                                                                          \
    F32_FORM(f32_##op##_sat, 0, 1, expr, how)                                                                                    \
    F32_FORM(f32_##op##_ftz, 1, 0, expr, how)                                                                                    \
    F32_FORM(f32_##op##_ftz_sat, 1, 1, expr, how)
#define F32_TABLE(ROW)                                                                                                           \
    ROW(add, X + Y, NOWHERE)                                                                                                     \
    ROW(sub, X - Y, NOWHERE)                                                                                                     \
    ROW(mul, X *Y, PRODUCT)                                                                                                      \
    ROW(fma, __builtin_fmaf(X, Y, Z), PRODUCT_SUM)                                                                               \
    ROW(div, X / Y, QUOTIENT)                                                                                                    \
    ROW(rcp, 1.0f / X, RECIPROCAL)                                                                                               \
    ROW(sqrt, __builtin_sqrtf(X), NOWHERE)
F32_TABLE(F32_OP)
#undef X
#undef Y
#undef Z

/* --- f64 */
/* The first NaN of a list of operands, quieted; F64_NAN when none is. Written with masks: chains of ?: keep
 * gcc from vectorising. */
INLINE u64 f64_nan_or(u64 x, u64 other) {
    u64 mask = 0 - (u64)f64_isnan(x);
    return ((x | F64_QUIET) & mask) | (other & ~mask);
}
INLINE u64 f64_nan1(u64 x) { return f64_nan_or(x, F64_NAN); }
INLINE u64 f64_nan2(u64 x, u64 y) { return f64_nan_or(x, f64_nan1(y)); }
INLINE u64 f64_nan3(u64 x, u64 y, u64 z) { return f64_nan_or(x, f64_nan2(y, z)); }

#define X f64_of(a[i])
#define Y f64_of(b[i])
#define Z f64_of(c[i])
#define F64_OP(op, expr, nan)                                                                                                    \
    NOINLINE LANE_FN(f64_##op) {                                                                                                 \
        u64 *d = dv;                                                                                                             \
        const u64 *a = av, *b = bv, *c = cv;                                                                                     \
        (void)b, (void)c, (void)q, (void)aux;                                                                                    \
        LANES(i, SLAB_LANES) {                                                                                                   \
            double r = expr;                                                                                                     \
            d[i] = r == r ? f64_bits(r) : nan;                                                                                   \
        }                                                                                                                        \
    }                                                                                                                            \
    LANE_FN(f64_##op##_directed) {                                                                                               \
        u32 old = rounding_enter(aux);                                                                                           \
        f64_##op(dv, av, bv, cv, q, 0);                                                                                          \
        rounding_leave(old);                                                                                                     \
    }
#define F64_TABLE(ROW)                                                                                                           \
    ROW(add, X + Y, f64_nan2(b[i], a[i]))                                                                                        \
    ROW(sub, X - Y, f64_nan2(b[i], a[i]))                                                                                        \
    ROW(mul, X *Y, f64_nan2(b[i], a[i]))                                                                                         \
    ROW(fma, __builtin_fma(X, Y, Z), f64_nan3(b[i], c[i], a[i]))                                                                 \
    ROW(div, X / Y, f64_nan2(a[i], b[i]))                                                                                        \
    ROW(rcp, 1.0 / X, f64_nan1(a[i]))                                                                                            \
    ROW(sqrt, __builtin_sqrt(X), f64_nan1(a[i]))
F64_TABLE(F64_OP)
#undef X
#undef Y
#undef Z

/* --- min and max: on the bits, where -0 < +0 and order is that of signed integers once negative values are
 * reflected */
INLINE i32 f32_order(u32 x) { return (i32)(x ^ ((u32)((i32)x >> 31) >> 1)); }
INLINE i64 f64_order(u64 x) { return (i64)(x ^ ((u64)((i64)x >> 63) >> 1)); }

INLINE u32 f32_pick(u32 x, u32 y, bool want_max, bool nan) {
    u32 r = (f32_order(x) < f32_order(y)) == want_max ? y : x;
    bool xn = f32_isnan(x), yn = f32_isnan(y);
    r = xn ? y : yn ? x : r;
    return (nan ? xn | yn : xn & yn) ? F32_NAN : r;
}
INLINE u64 f64_pick(u64 x, u64 y, bool want_max) {
    u64 r = (f64_order(x) < f64_order(y)) == want_max ? y : x;
    r = f64_isnan(x) ? y : f64_isnan(y) ? x : r;
    return f64_isnan(r) ? r | F64_QUIET : r;
}

enum { PICK_FTZ = 1, PICK_NAN = 2, PICK_ABS = 4, PICK_XORSIGN = 8 };
INLINE u32 f32_pick_in(u32 x, u32 mods) {
    x = mods & PICK_FTZ ? f32_flush(x) : x;
    return mods & PICK_ABS ? x & ~F32_SIGN : x;
}
/* .xorsign gives the result the product's sign, also where a NaN operand was passed over; a NaN result keeps
 * none */
INLINE u32 f32_xorsign(u32 r, u32 a, u32 b, u32 mods) {
    return mods & PICK_XORSIGN && !f32_isnan(r) ? r | ((a ^ b) & F32_SIGN) : r;
}

#define F32_PICK2(name, want_max, mods)                                                                                          \
    LANE_FN(name) {                                                                                                              \
        u32 *d = dv;                                                                                                             \
        const u32 *a = av, *b = bv;                                                                                              \
        (void)cv, (void)q, (void)aux;                                                                                            \
        LANES(i, SLAB_LANES) {                                                                                                   \
            u32 r = f32_pick(f32_pick_in(a[i], mods), f32_pick_in(b[i], mods), want_max, ((mods) & PICK_NAN) != 0);              \
            d[i] = f32_xorsign(r, a[i], b[i], mods);                                                                             \
        }                                                                                                                        \
    }
F32_PICK2(f32_min, 0, 0)
F32_PICK2(f32_max, 1, 0)
F32_PICK2(f32_min_nan, 0, PICK_NAN)
F32_PICK2(f32_max_nan, 1, PICK_NAN)
F32_PICK2(f32_min_ftz, 0, PICK_FTZ)
F32_PICK2(f32_max_ftz, 1, PICK_FTZ)
F32_PICK2(f32_min_any, 0, aux) /* the rarer modifiers are read from aux */
F32_PICK2(f32_max_any, 1, aux)

#define F32_PICK3(name, want_max)                                                                                                \
    LANE_FN(name) {                                                                                                              \
        u32 *d = dv;                                                                                                             \
        const u32 *a = av, *b = bv, *c = cv;                                                                                     \
        (void)q;                                                                                                                 \
        LANES(i, SLAB_LANES) {                                                                                                   \
            u32 r = f32_pick(f32_pick_in(a[i], aux), f32_pick_in(b[i], aux), want_max, (aux & PICK_NAN) != 0);                   \
            d[i] = f32_pick(r, f32_pick_in(c[i], aux), want_max, (aux & PICK_NAN) != 0);                                         \
        }                                                                                                                        \
    }
F32_PICK3(f32_min3, 0)
F32_PICK3(f32_max3, 1)

/* --- one operand on the bits; copysign takes the magnitude of its second operand and leaves NaNs alone */
#define BITS_OP(name, T, expr)                                                                                                   \
    LANE_FN(name) {                                                                                                              \
        T *d = dv;                                                                                                               \
        const T *a = av, *b = bv;                                                                                                \
        (void)b, (void)cv, (void)q, (void)aux;                                                                                   \
        LANES(i, SLAB_LANES) { d[i] = expr; }                                                                                    \
    }
BITS_OP(f32_abs, u32, f32_isnan(a[i]) ? F32_NAN : a[i] & ~F32_SIGN)
BITS_OP(f32_abs_ftz, u32, f32_isnan(a[i]) ? F32_NAN : f32_flush(a[i]) & ~F32_SIGN)
BITS_OP(f32_neg, u32, f32_isnan(a[i]) ? F32_NAN : a[i] ^ F32_SIGN)
BITS_OP(f32_neg_ftz, u32, f32_isnan(a[i]) ? F32_NAN : f32_flush(a[i]) ^ F32_SIGN)
BITS_OP(f32_copysign, u32, (a[i] & F32_SIGN) | (b[i] & ~F32_SIGN))
BITS_OP(f64_abs, u64, f64_isnan(a[i]) ? a[i] | F64_QUIET : a[i] & ~F64_SIGN)
BITS_OP(f64_neg, u64, f64_isnan(a[i]) ? a[i] | F64_QUIET : a[i] ^ F64_SIGN)
BITS_OP(f64_copysign, u64, (a[i] & F64_SIGN) | (b[i] & ~F64_SIGN))
BITS_OP(f64_min, u64, f64_pick(a[i], b[i], 0))
BITS_OP(f64_max, u64, f64_pick(a[i], b[i], 1))

/* --- choice */
struct f32_forms {
    lane_fn *fn[4], *directed[4]; /* by .ftz * 2 + .sat */
};
#define F32_FORMS(op, expr, how)                                                                                                 \
    static const struct f32_forms f32_##op##_forms = {                                                                           \
        {f32_##op, f32_##op##_sat, f32_##op##_ftz, f32_##op##_ftz_sat},                                                          \
        {f32_##op##_directed, f32_##op##_sat_directed, f32_##op##_ftz_directed, f32_##op##_ftz_sat_directed},                    \
    };
F32_TABLE(F32_FORMS)

static struct lane_pick pick_f32_arith(const struct f32_forms *f, const struct opkey *k) {
    u32 form = 2u * key_has(k, MOD_ftz) + key_has(k, MOD_sat), mode = round_of(k);
    return (struct lane_pick){mode == ROUND_RN ? f->fn[form] : f->directed[form], mode};
}

static struct lane_pick pick_f32_minmax(bool want_max, const struct lane_query *q) {
    const struct opkey *k = q->key;
    u32 mods = (key_has(k, MOD_ftz) ? PICK_FTZ : 0) | (key_has(k, MOD_NaN) ? PICK_NAN : 0) |
               (key_has(k, MOD_abs) ? PICK_ABS : 0) | (key_has(k, MOD_xorsign) ? PICK_XORSIGN : 0);
    if (q->nsrc == 3) return (struct lane_pick){want_max ? f32_max3 : f32_min3, mods};
    if (mods == 0) return (struct lane_pick){want_max ? f32_max : f32_min, 0};
    if (mods == PICK_FTZ) return (struct lane_pick){want_max ? f32_max_ftz : f32_min_ftz, 0};
    if (mods == PICK_NAN) return (struct lane_pick){want_max ? f32_max_nan : f32_min_nan, 0};
    return (struct lane_pick){want_max ? f32_max_any : f32_min_any, mods};
}

static struct lane_pick pick_f32(const struct lane_query *q) {
    const struct opkey *k = q->key;
    bool ftz = key_has(k, MOD_ftz);
    switch (k->op) {
    case OP_add: return pick_f32_arith(&f32_add_forms, k);
    case OP_sub: return pick_f32_arith(&f32_sub_forms, k);
    case OP_mul: return pick_f32_arith(&f32_mul_forms, k);
    case OP_fma:
    case OP_mad: return pick_f32_arith(&f32_fma_forms, k);
    case OP_div: return pick_f32_arith(&f32_div_forms, k);
    case OP_rcp: return pick_f32_arith(&f32_rcp_forms, k);
    case OP_sqrt: return pick_f32_arith(&f32_sqrt_forms, k);
    case OP_min: return pick_f32_minmax(false, q);
    case OP_max: return pick_f32_minmax(true, q);
    case OP_abs: return (struct lane_pick){ftz ? f32_abs_ftz : f32_abs, 0};
    case OP_neg: return (struct lane_pick){ftz ? f32_neg_ftz : f32_neg, 0};
    case OP_copysign: return (struct lane_pick){f32_copysign, 0};
    default: return (struct lane_pick){0};
    }
}

#define F64_CASE(op, expr, nan)                                                                                                  \
    case OP_##op: return (struct lane_pick){mode == ROUND_RN ? f64_##op : f64_##op##_directed, mode};
static struct lane_pick pick_f64(const struct opkey *k) {
    u32 mode = round_of(k);
    switch (k->op == OP_mad ? OP_fma : k->op) {
        F64_TABLE(F64_CASE)
    case OP_min: return (struct lane_pick){f64_min, 0};
    case OP_max: return (struct lane_pick){f64_max, 0};
    case OP_abs: return (struct lane_pick){f64_abs, 0};
    case OP_neg: return (struct lane_pick){f64_neg, 0};
    case OP_copysign: return (struct lane_pick){f64_copysign, 0};
    default: return (struct lane_pick){0};
    }
}

struct lane_pick LANES_NAME(lanes_fp)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    if (key_has(k, MOD_approx) || key_has(k, MOD_full)) return (struct lane_pick){0};
    if (k->type[0] == TYPE_f32) return pick_f32(q);
    if (k->type[0] == TYPE_f64) return pick_f64(k);
    return (struct lane_pick){0};
}
