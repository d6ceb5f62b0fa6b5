/* riscv.c: 32 lanes of what RISC-V computes otherwise than PTX: shifts by the low five bits, comparisons
 * to 0 and 1, division with the corners of the M extension, and f32 with flags and the canonical NaN
 * 0x7fc00000.
 *
 * Roundings that the host has (to nearest even, to zero, down, up) are the host's, in a loop of their own,
 * with its flags read afterwards: it finds underflow after rounding, as RISC-V wants. Ties away from zero,
 * and fused products where the host has none, are computed in integers (soft_*), exactly, with the bits
 * that do not fit kept as one sticky bit. Not modelled: NaN boxing (there are no doubles), payloads. */
#include "func/lanes/float.h"
#include "func/rowops.h"
#include "func/rv.h"

#include <xmmintrin.h>

#define RV_FN(name) LANE_FN(rv_##name)
#define RV_INT2(name, expr)                                                                                                      \
    RV_FN(name) {                                                                                                                \
        u32 *d = dv;                                                                                                             \
        const u32 *ra = av, *rb = bv;                                                                                            \
        (void)cv, (void)q, (void)aux;                                                                                            \
        LANES(i, SLAB_LANES) {                                                                                                   \
            u32 a = ra[i], b = rb[i];                                                                                            \
            d[i] = (u32)(expr);                                                                                                  \
        }                                                                                                                        \
    }

/* --- integers */

static inline u32 div_s(u32 a, u32 b) { return !b ? ~0u : a == 0x80000000u && b == ~0u ? a : (u32)((i32)a / (i32)b); }
static inline u32 rem_s(u32 a, u32 b) { return !b ? a : a == 0x80000000u && b == ~0u ? 0 : (u32)((i32)a % (i32)b); }

RV_INT2(sll, a << (b & 31))
RV_INT2(srl, a >> (b & 31))
RV_INT2(sra, (i32)a >> (b & 31))
RV_INT2(slt, (i32)a < (i32)b)
RV_INT2(sltu, a < b)
RV_INT2(mulhsu, (u64)((i64)(i32)a *(i64)(u64)b) >> 32)
RV_INT2(div, div_s(a, b))
RV_INT2(divu, b ? a / b : ~0u)
RV_INT2(rem, rem_s(a, b))
RV_INT2(remu, b ? a % b : a)
RV_INT2(fsgnj, (a & ~F32_SIGN) | (b & F32_SIGN))
RV_INT2(fsgnjn, (a & ~F32_SIGN) | (~b & F32_SIGN))
RV_INT2(fsgnjx, a ^ (b & F32_SIGN))

/* --- numbers apart: value = sig * 2^exp */

enum { CANONICAL_NAN = 0x7FC00000, INFINITE = 0x7F800000, LARGEST = 0x7F7FFFFF };

struct parts {
    bool sign;
    i32 exp;
    u64 sig;
};

/* 0 or 1, to be put together without branches */
static inline u32 is_nan(u32 x) { return (x & 0x7FFFFFFF) > INFINITE; }
static inline u32 is_inf(u32 x) { return (x & 0x7FFFFFFF) == INFINITE; }
static inline u32 is_zero(u32 x) { return (x & 0x7FFFFFFF) == 0; }
static inline u32 is_signaling(u32 x) { return is_nan(x) & (~x >> 22 & 1); }

static struct parts parts_of(u32 x) {
    u32 e = x >> 23 & 255, f = x & 0x7FFFFF;
    return (struct parts){x >> 31, (i32)(e ? e : 1) - 150, e ? f | 0x800000 : f};
}

/* The exponent such that sig has exactly 24 bits; sig is not 0 */
static struct parts parts_full(u32 x) {
    struct parts p = parts_of(x);
    i32 up = __builtin_clzll(p.sig) - 40;
    p.sig <<= up;
    p.exp -= up;
    return p;
}

/* Whether a remainder (in halves of the last place kept: rem against half) rounds up */
static bool rounds_up(u32 mode, bool sign, bool odd, u64 rem, u64 half) {
    switch (mode) {
    case RV_RNE: return rem > half || (rem == half && odd);
    case RV_RTZ: return false;
    case RV_RDN: return sign && rem;
    case RV_RUP: return !sign && rem;
    default: return rem >= half;
    }
}

static u32 overflowed(bool sign, u32 mode, u32 *flags) {
    *flags |= RV_OF | RV_NX;
    bool largest = mode == RV_RTZ || (mode == RV_RDN && !sign) || (mode == RV_RUP && sign);
    return (u32)sign << 31 | (largest ? LARGEST : INFINITE);
}

/* sig >> n, and what falls out */
static u64 shifted(u64 sig, u32 n, u64 *rem, u64 *half) {
    if (n > 64) { /* less than half of the last place, and not nothing */
        *rem = 1, *half = 2;
        return 0;
    }
    *half = 1ull << (n - 1);
    *rem = n == 64 ? sig : sig & ((1ull << n) - 1);
    return n == 64 ? 0 : sig >> n;
}

/* p rounded; sig is not 0, its lowest bit may stand for more below */
static u32 rounded(struct parts p, u32 mode, u32 *flags) {
    i32 lz = __builtin_clzll(p.sig), e = p.exp + 63 - lz; /* of the highest bit */
    u64 sig = p.sig << lz, rem, half, keep = shifted(sig, 40, &rem, &half);
    bool tiny = e < -126;
    if (tiny) {
        bool full = rounds_up(mode, p.sign, keep & 1, rem, half) && keep == 0xFFFFFF; /* 24 bits and no least exponent */
        tiny = !(e == -127 && full);
        keep = shifted(sig, (u32)(40 + (-126 - e)), &rem, &half);
        e = -126;
    }
    keep += rounds_up(mode, p.sign, keep & 1, rem, half);
    if (keep >> 24) keep >>= 1, e++;
    if (e > 127) return overflowed(p.sign, mode, flags);
    if (rem) *flags |= RV_NX | (tiny ? RV_UF : 0);
    u32 biased = keep >> 23 ? (u32)(e + 127) : 0;
    return (u32)p.sign << 31 | biased << 23 | (u32)(keep & 0x7FFFFF);
}

/* --- sums: a product of up to 48 bits and a number */

typedef unsigned __int128 u128;
enum { FAR = 70 }; /* exponents so far apart that the smaller number is only a sticky bit */

static u128 shifted_sticky(u128 x, u32 n) { return n >= 128 ? x != 0 : n ? x >> n | ((x & (((u128)1 << n) - 1)) != 0) : x; }

static u32 soft_sum(struct parts x, struct parts y, u32 mode, u32 *flags) {
    if (!x.sig && !y.sig) return (u32)(x.sign == y.sign ? x.sign : mode == RV_RDN) << 31;
    if (!x.sig) return rounded(y, mode, flags);
    if (!y.sig) return rounded(x, mode, flags);
    if (x.exp < y.exp) {
        struct parts t = x;
        x = y, y = t;
    }
    u32 d = (u32)(x.exp - y.exp), up = MIN(d, (u32)FAR);
    u128 a = (u128)x.sig << up, b = shifted_sticky(y.sig, d - up), sum = x.sign == y.sign ? a + b : a > b ? a - b : b - a;
    bool sign = x.sign == y.sign || a >= b ? x.sign : y.sign;
    if (!sum) return (u32)(mode == RV_RDN) << 31;
    i32 exp = x.exp - (i32)up;
    u32 down = sum >> 64 ? 64 - (u32)__builtin_clzll((u64)(sum >> 64)) : 0;
    return rounded((struct parts){sign, exp + (i32)down, (u64)shifted_sticky(sum, down)}, mode, flags);
}

static u32 soft_add(u32 a, u32 b, u32 mode, u32 *flags) {
    if (is_signaling(a) || is_signaling(b)) *flags |= RV_NV;
    if (is_nan(a) || is_nan(b)) return CANONICAL_NAN;
    if (is_inf(a) && is_inf(b) && (a ^ b)) {
        *flags |= RV_NV;
        return CANONICAL_NAN;
    }
    if (is_inf(a) || is_inf(b)) return is_inf(a) ? a : b;
    return soft_sum(parts_of(a), parts_of(b), mode, flags);
}

static u32 soft_fma(u32 a, u32 b, u32 c, u32 mode, u32 *flags) {
    bool wrong = (is_inf(a) && is_zero(b)) || (is_zero(a) && is_inf(b)), sign = (a ^ b) >> 31;
    if (wrong || is_signaling(a) || is_signaling(b) || is_signaling(c)) *flags |= RV_NV;
    if (wrong || is_nan(a) || is_nan(b) || is_nan(c)) return CANONICAL_NAN;
    if (is_inf(a) || is_inf(b)) {
        u32 product = (u32)sign << 31 | INFINITE;
        if (!is_inf(c) || c == product) return product;
        *flags |= RV_NV;
        return CANONICAL_NAN;
    }
    if (is_inf(c)) return c;
    struct parts x = parts_of(a), y = parts_of(b);
    return soft_sum((struct parts){sign, x.exp + y.exp, x.sig * y.sig}, parts_of(c), mode, flags);
}

/* --- products, quotients, roots */

static u32 soft_mul(u32 a, u32 b, u32 mode, u32 *flags) {
    bool sign = (a ^ b) >> 31, wrong = (is_inf(a) && is_zero(b)) || (is_zero(a) && is_inf(b));
    if (wrong || is_signaling(a) || is_signaling(b)) *flags |= RV_NV;
    if (wrong || is_nan(a) || is_nan(b)) return CANONICAL_NAN;
    if (is_inf(a) || is_inf(b)) return (u32)sign << 31 | INFINITE;
    if (is_zero(a) || is_zero(b)) return (u32)sign << 31;
    struct parts x = parts_of(a), y = parts_of(b);
    return rounded((struct parts){sign, x.exp + y.exp, x.sig * y.sig}, mode, flags);
}

static u32 soft_div(u32 a, u32 b, u32 mode, u32 *flags) {
    bool sign = (a ^ b) >> 31, wrong = (is_inf(a) && is_inf(b)) || (is_zero(a) && is_zero(b));
    if (wrong || is_signaling(a) || is_signaling(b)) *flags |= RV_NV;
    if (wrong || is_nan(a) || is_nan(b)) return CANONICAL_NAN;
    if (is_inf(a)) return (u32)sign << 31 | INFINITE;
    if (is_inf(b) || is_zero(a)) return (u32)sign << 31;
    if (is_zero(b)) {
        *flags |= RV_DZ;
        return (u32)sign << 31 | INFINITE;
    }
    struct parts x = parts_full(a), y = parts_full(b);
    u64 n = x.sig << 40, quotient = n / y.sig;
    return rounded((struct parts){sign, x.exp - y.exp - 40, quotient | (n % y.sig != 0)}, mode, flags);
}

static u64 root_of(u64 n) { /* the largest whose square is not above n */
    u64 r = 0;
    for (u64 bit = 1ull << 31; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= n) r |= bit;
    return r;
}

static u32 soft_sqrt(u32 a, u32 mode, u32 *flags) {
    if (is_signaling(a) || (a >> 31 && !is_nan(a) && !is_zero(a))) *flags |= RV_NV;
    if (is_zero(a)) return a;
    if (is_nan(a) || a >> 31) return CANONICAL_NAN;
    if (is_inf(a)) return a;
    struct parts x = parts_full(a);
    u32 up = 38 + (u32)(x.exp & 1); /* so that the exponent is even */
    u64 n = x.sig << up, r = root_of(n);
    return rounded((struct parts){false, (x.exp - (i32)up) / 2 - 1, r << 1 | (r * r != n)}, mode, flags);
}

/* --- the host's roundings */

static const u32 host_mode[] = {[RV_RNE] = 0, [RV_RTZ] = 3, [RV_RDN] = 1, [RV_RUP] = 2};

static u32 host_enter(u32 mode) {
    u32 old = _mm_getcsr();
    _mm_setcsr((old & ~0x603Fu) | host_mode[mode] << 13);
    return old;
}

static void host_leave(u32 old, u32 *flags) {
    u32 now = _mm_getcsr();
    _mm_setcsr(old);
    *flags |=
        (now & 1 ? RV_NV : 0) | (now & 4 ? RV_DZ : 0) | (now & 8 ? RV_OF : 0) | (now & 16 ? RV_UF : 0) | (now & 32 ? RV_NX : 0);
}

INLINE u32 canonical(float r) { return r == r ? f32_bits(r) : (u32)CANONICAL_NAN; }

/* Functions with flags look at as many lanes as aux says: NAME_n is one of them, for a number of lanes that
 * the compiler knows */
#define RV_FLAGGED(name)                                                                                                         \
    RV_FN(name) {                                                                                                                \
        if (aux & RV_FEW) name##_n(dv, av, bv, cv, q, aux &RV_MODE, FEW_LANES);                                                  \
        else name##_n(dv, av, bv, cv, q, aux, SLAB_LANES);                                                                       \
    }
#define RV_FLAGGED_N(name) INLINE void name##_n(u32 *d, const u32 *a, const u32 *b, const u32 *c, u32 *q, u32 mode, const int n)

#define X                  f32_of(a[i])
#define Y                  f32_of(b[i])
#define Z                  f32_of(c[i])
/* host: on what the host rounds as RISC-V does, into r; result: of r[i]; soft: on all else. `host` computes
 * all before NaNs are looked at, so that the comparison's own flag (none: it is quiet) cannot matter. */
#define RV_ROUNDED(name, host, result, soft)                                                                                     \
    NOINLINE static void host_##name(float *r, const u32 *a, const u32 *b, const u32 *c) {                                       \
        (void)b, (void)c;                                                                                                        \
        LANES(i, SLAB_LANES) { r[i] = host; }                                                                                    \
    }                                                                                                                            \
    NOINLINE static void host_few_##name(float *r, const u32 *a, const u32 *b, const u32 *c) {                                   \
        (void)b, (void)c;                                                                                                        \
        LANES(i, FEW_LANES) { r[i] = host; }                                                                                     \
    }                                                                                                                            \
    RV_FLAGGED_N(name) {                                                                                                         \
        float r[SLAB_LANES];                                                                                                     \
        if (mode == RV_RMM) {                                                                                                    \
            for (int i = 0; i < n; i++) d[i] = soft;                                                                             \
            return;                                                                                                              \
        }                                                                                                                        \
        u32 old = host_enter(mode);                                                                                              \
        if (n == FEW_LANES) host_few_##name(r, a, b, c);                                                                         \
        else host_##name(r, a, b, c);                                                                                            \
        host_leave(old, q);                                                                                                      \
        LANES(i, n) { d[i] = result; }                                                                                           \
    }
#define RV_FLOAT(name, host, soft)                                                                                               \
    RV_ROUNDED(name, host, canonical(r[i]), soft)                                                                                \
    RV_FLAGGED(name)
RV_FLOAT(fadd, X + Y, soft_add(a[i], b[i], mode, q))
RV_FLOAT(fsub, X - Y, soft_add(a[i], b[i] ^ (is_nan(b[i]) ? 0 : F32_SIGN), mode, q))
RV_FLOAT(fmul, X *Y, soft_mul(a[i], b[i], mode, q))
RV_FLOAT(fdiv, X / Y, soft_div(a[i], b[i], mode, q))
RV_FLOAT(fsqrt, __builtin_sqrtf(X), soft_sqrt(a[i], mode, q))
RV_FLOAT(fcvt_s_w, (float)(double)(i32)a[i],
         a[i] ? rounded((struct parts){(i32)a[i] < 0, 0, (i32)a[i] < 0 ? 0 - a[i] : a[i]}, mode, q) : 0)
/* Where the host rounds down, compilers' ways from an unsigned word to a double, exact else, make -0 of 0 */
RV_ROUNDED(fcvt_s_wu, (float)(double)a[i], a[i] ? f32_bits(r[i]) : 0, a[i] ? rounded((struct parts){false, 0, a[i]}, mode, q) : 0)
RV_FLAGGED(fcvt_s_wu)

/* An infinite times zero is invalid even where the third operand is a quiet NaN, which hosts do not say */
#ifdef __FMA__
#define RV_FUSED(name, sa, sc)                                                                                                   \
    RV_ROUNDED(name##_host, __builtin_fmaf(f32_of(a[i] ^ (sa)), Y, f32_of(c[i] ^ (sc))), canonical(r[i]),                        \
               soft_fma(a[i] ^ (sa), b[i], c[i] ^ (sc), mode, q))                                                                \
    RV_FLAGGED_N(name) {                                                                                                         \
        u32 invalid = 0;                                                                                                         \
        LANES(i, n) { invalid |= (is_inf(a[i]) & is_zero(b[i])) | (is_zero(a[i]) & is_inf(b[i])); }                              \
        if (invalid) *q |= RV_NV;                                                                                                \
        name##_host_n(d, a, b, c, q, mode, n);                                                                                   \
    }                                                                                                                            \
    RV_FLAGGED(name)
#else
#define RV_FUSED(name, sa, sc)                                                                                                   \
    RV_FLAGGED_N(name) {                                                                                                         \
        for (int i = 0; i < n; i++) d[i] = soft_fma(a[i] ^ (sa), b[i], c[i] ^ (sc), mode, q);                                    \
    }                                                                                                                            \
    RV_FLAGGED(name)
#endif
RV_FUSED(fmadd, 0, 0)
RV_FUSED(fmsub, 0, F32_SIGN)
RV_FUSED(fnmsub, F32_SIGN, 0)
RV_FUSED(fnmadd, F32_SIGN, F32_SIGN)
#undef X
#undef Y
#undef Z

/* --- comparisons, choices, classes: on the bits */

static inline i32 order_of(u32 x) { return (i32)(x ^ ((u32)((i32)x >> 31) >> 1)); } /* -0 below +0 */
static inline u32 equal(u32 a, u32 b) { return (u32)(a == b) | is_zero(a | b); }

#define RV_COMPARE(name, quiet, expr)                                                                                            \
    RV_FLAGGED_N(name) {                                                                                                         \
        u32 invalid = 0;                                                                                                         \
        (void)c, (void)mode;                                                                                                     \
        LANES(i, n) {                                                                                                            \
            u32 x = a[i], y = b[i], nan = is_nan(x) | is_nan(y);                                                                 \
            invalid |= (quiet) ? is_signaling(x) | is_signaling(y) : nan;                                                        \
            d[i] = nan ? 0 : (expr);                                                                                             \
        }                                                                                                                        \
        if (invalid) *q |= RV_NV;                                                                                                \
    }                                                                                                                            \
    RV_FLAGGED(name)
RV_COMPARE(feq, true, equal(x, y))
RV_COMPARE(flt, false, (equal(x, y) ^ 1) & (u32)(order_of(x) < order_of(y)))
RV_COMPARE(fle, false, equal(x, y) | (u32)(order_of(x) < order_of(y)))

static inline u32 picked(u32 a, u32 b, bool largest) {
    u32 number = (order_of(a) < order_of(b)) == largest ? b : a;
    u32 other = (is_nan(a) & is_nan(b)) ? (u32)CANONICAL_NAN : is_nan(a) ? b : a;
    return (is_nan(a) | is_nan(b)) ? other : number;
}
#define RV_PICK(name, largest)                                                                                                   \
    RV_FLAGGED_N(name) {                                                                                                         \
        u32 invalid = 0;                                                                                                         \
        (void)c, (void)mode;                                                                                                     \
        LANES(i, n) {                                                                                                            \
            invalid |= is_signaling(a[i]) | is_signaling(b[i]);                                                                  \
            d[i] = picked(a[i], b[i], largest);                                                                                  \
        }                                                                                                                        \
        if (invalid) *q |= RV_NV;                                                                                                \
    }                                                                                                                            \
    RV_FLAGGED(name)
RV_PICK(fmin, false)
RV_PICK(fmax, true)

static u32 class_of(u32 x) {
    bool sign = x >> 31;
    if (is_nan(x)) return is_signaling(x) ? 1 << 8 : 1 << 9;
    u32 kind = is_inf(x) ? 0 : x & INFINITE ? 1 : is_zero(x) ? 3 : 2; /* counted from the outside */
    return 1u << (sign ? kind : 7 - kind);
}
RV_FLAGGED_N(fclass) {
    (void)b, (void)c, (void)q, (void)mode;
    for (int i = 0; i < n; i++) d[i] = class_of(a[i]);
}
RV_FLAGGED(fclass)

/* --- to integers: rounded first, then looked at */

static u32 to_integer(u32 x, bool is_signed, u32 mode, u32 *q) {
    u32 most = is_signed ? 0x7FFFFFFF : ~0u, least = is_signed ? 0x80000000u : 0;
    struct parts p = parts_of(x);
    bool too_large = p.exp > 8; /* 2^32 and more */
    u64 v = p.exp >= 0 && !too_large ? p.sig << p.exp : 0, rem = 0, half = 1;
    if (p.exp < 0 && p.sig) v = shifted(p.sig, (u32)-p.exp, &rem, &half);
    v += rounds_up(mode, p.sign, v & 1, rem, half);
    bool outside = is_nan(x) || too_large || (p.sign ? v > (is_signed ? 0x80000000u : 0) : v > most);
    if (outside) {
        *q |= RV_NV;
        return p.sign && !is_nan(x) ? least : most;
    }
    if (rem) *q |= RV_NX;
    return p.sign ? 0 - (u32)v : (u32)v;
}
#define RV_TO_INTEGER(name, is_signed)                                                                                           \
    RV_FLAGGED_N(name) {                                                                                                         \
        (void)b, (void)c;                                                                                                        \
        for (int i = 0; i < n; i++) d[i] = to_integer(a[i], is_signed, mode, q);                                                 \
    }                                                                                                                            \
    RV_FLAGGED(name)
RV_TO_INTEGER(fcvt_w_s, true)
RV_TO_INTEGER(fcvt_wu_s, false)

lane_fn *const LANES_NAME(rv_lanes)[RV_LANE_COUNT] = {
#define RV_LANE(id) [RV_LANE_##id] = rv_##id,
#include "func/rv_lanes.def"
#undef RV_LANE
};
