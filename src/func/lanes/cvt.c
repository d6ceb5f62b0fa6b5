/* cvt.c: every cvt between integers, floats and packed formats, and cvt.pack.
 *
 * Integers to integers without .sat are "take the low n bits, extend by the source's sign, keep m bits", so
 * eight loops do all of them. Everything that rounds goes through one pipeline over a row of doubles, to
 * which every source but 64-bit integers converts exactly (those are rounded to odd, which a second rounding
 * to fewer bits cannot notice; to f64 itself they have their own way):
 *     decode -> flush (.ftz) -> to an integer (.rni ...) -> clamp (.sat .relu) -> encode, rounding once -> flush -> extend
 * The conversions that programs use most skip the pipeline. As on silicon, float to integer always clamps;
 * NaN gives 0, or the sign bit alone when source or result is 64 bits wide. */
#include "func/lanes/float.h"

enum fmt {
    FMT_NONE,
    FMT_u8,
    FMT_s8,
    FMT_u16,
    FMT_s16,
    FMT_u32,
    FMT_s32,
    FMT_u64,
    FMT_s64,
    FMT_f16,
    FMT_bf16,
    FMT_tf32,
    FMT_f32,
    FMT_f64,
    FMT_e4m3,
    FMT_e5m2,
    FMT_COUNT
};

/* aux of the pipeline */
enum {
    AUX_SRC = 0,
    AUX_DST = 4,
    AUX_ROUND = 8, /* fields of 4 bits; ROUND is enum round_mode */
    AUX_INTEGRAL = 1u << 12,
    AUX_FTZ = 1u << 13,
    AUX_SAT = 1u << 14,
    AUX_SATFINITE = 1u << 15,
    AUX_RELU = 1u << 16,
    AUX_SRC64 = 1u << 17, /* a source of up to 32 bits in a 64-bit register */
    AUX_REG16 = 1u << 18,
    AUX_REG64 = 1u << 19,
    AUX_PACKED_SRC = 1u << 20,
    /* both halves of one source; else a packed result has two */
};
#define FIELD(aux, at) ((aux) >> (at) & 15u)

/* --- integers to integers: aux = n | m << 8 */
#define EXTEND_FN(name, D, S, WIDE, expr)                                                                                        \
    LANE_FN(name) {                                                                                                              \
        D *d = dv;                                                                                                               \
        const S *a = av;                                                                                                         \
        const int sh = (int)(sizeof(WIDE) * 8 - (aux & 255)), width = (int)(aux >> 8);                                           \
        const WIDE keep = (WIDE)(~(WIDE)0 >> ((int)sizeof(WIDE) * 8 - width));                                                   \
        (void)bv, (void)cv, (void)q;                                                                                             \
        LANES(i, SLAB_LANES) { d[i] = (D)(expr & keep); }                                                                        \
    }
EXTEND_FN(sext_32_32, u32, u32, u32, (u32)((i32)(a[i] << sh) >> sh))
EXTEND_FN(zext_32_32, u32, u32, u32, (a[i] << sh >> sh))
EXTEND_FN(sext_64_32, u64, u32, u64, (u64)((i64)((u64)a[i] << sh) >> sh))
EXTEND_FN(zext_64_32, u64, u32, u64, ((u64)a[i] << sh >> sh))
EXTEND_FN(sext_32_64, u32, u64, u32, (u32)((i32)((u32)a[i] << sh) >> sh))
EXTEND_FN(zext_32_64, u32, u64, u32, ((u32)a[i] << sh >> sh))
EXTEND_FN(sext_64_64, u64, u64, u64, (u64)((i64)(a[i] << sh) >> sh))
EXTEND_FN(zext_64_64, u64, u64, u64, (a[i] << sh >> sh))
LANE_FN(copy_32) {
    (void)bv, (void)cv, (void)q, (void)aux;
    memmove(dv, av, SLAB_LANES * 4);
}
LANE_FN(copy_64) {
    (void)bv, (void)cv, (void)q, (void)aux;
    memmove(dv, av, SLAB_LANES * 8);
}
LANE_FN(sext_s32_s64) {
    u64 *d = dv;
    const u32 *a = av;
    (void)bv, (void)cv, (void)q, (void)aux;
    LANES(i, SLAB_LANES) { d[i] = (u64)(i64)(i32)a[i]; }
}
LANE_FN(zext_u32_u64) {
    u64 *d = dv;
    const u32 *a = av;
    (void)bv, (void)cv, (void)q, (void)aux;
    LANES(i, SLAB_LANES) { d[i] = a[i]; }
}

/* --- rows in and out of the pipeline */
static const u32 *row_narrow(const void *av, u32 aux, u32 *room) {
    if (!(aux & AUX_SRC64)) return av;
    const u64 *a = av;
    LANES(i, SLAB_LANES) { room[i] = (u32)a[i]; }
    return room;
}
/* r holds results already extended to 64 bits by their type's sign */
static void row_store(void *dv, const u64 *r, u32 aux) {
    if (aux & AUX_REG64) {
        memcpy(dv, r, SLAB_LANES * 8);
        return;
    }
    u32 *d = dv;
    const u32 keep = aux & AUX_REG16 ? 0xffffu : ~0u;
    LANES(i, SLAB_LANES) { d[i] = (u32)r[i] & keep; }
}

/* --- decode */
/* Integers too wide for a double: bits that do not fit are or-ed into the last that does */
INLINE u64 sticky_53(u64 mag) { return mag >> 53 ? (mag & ~0xfffull) | ((mag & 0xfffull) != 0) << 12 : mag; }
INLINE double f64_of_u64_odd(u64 x) { return (double)sticky_53(x); }
INLINE double f64_of_s64_odd(u64 x) { return (i64)x < 0 ? -(double)sticky_53(0 - x) : (double)sticky_53(x); }
INLINE double f64_of_e5m2(u32 x) { return (double)f32_of_f16(x << 8); }
INLINE double f64_of_e4m3(u32 x) {
    /* f16 with a bias smaller by 8 and no infinities */
    double v = (double)f32_of_f16((x & 0x80u) << 8 | (x & 0x7fu) << 7) * 256.0;
    return (x & 0x7fu) == 0x7fu ? f64_of(F64_NAN) : v;
}
typedef void decode_fn(double *x, const u32 *a);
#define DECODE_FN(fmt, expr)                                                                                                     \
    static void decode_##fmt(double *x, const u32 *a) {                                                                          \
        LANES(i, SLAB_LANES) { x[i] = (expr); }                                                                                  \
    }
DECODE_FN(u8, (double)(u8)a[i])
DECODE_FN(s8, (double)(i8)a[i])
DECODE_FN(u16, (double)(u16)a[i])
DECODE_FN(s16, (double)(i16)a[i])
DECODE_FN(u32, (double)a[i])
DECODE_FN(s32, (double)(i32)a[i])
DECODE_FN(f16, (double)f32_of_f16(a[i] & 0xffffu))
DECODE_FN(bf16, (double)f32_of_bf16(a[i] & 0xffffu))
DECODE_FN(f32, (double)f32_of(a[i]))
DECODE_FN(e4m3, f64_of_e4m3(a[i] & 0xffu))
DECODE_FN(e5m2, f64_of_e5m2(a[i] & 0xffu))
static decode_fn *const decoders[FMT_COUNT] = {
    [FMT_u8] = decode_u8,   [FMT_s8] = decode_s8,     [FMT_u16] = decode_u16,   [FMT_s16] = decode_s16,
    [FMT_u32] = decode_u32, [FMT_s32] = decode_s32,   [FMT_f16] = decode_f16,   [FMT_bf16] = decode_bf16,
    [FMT_f32] = decode_f32, [FMT_e4m3] = decode_e4m3, [FMT_e5m2] = decode_e5m2,
};

static void decode_wide(double *x, const u64 *a, u32 src) {
    switch (src) {
    case FMT_u64:
        for (int i = 0; i < SLAB_LANES; i++) x[i] = f64_of_u64_odd(a[i]);
        break;
    case FMT_s64:
        for (int i = 0; i < SLAB_LANES; i++) x[i] = f64_of_s64_odd(a[i]);
        break;
    default: memcpy(x, a, SLAB_LANES * 8);
    }
}

static void decode_row(double *x, const void *a, u32 aux) {
    u32 src = FIELD(aux, AUX_SRC), room[SLAB_LANES];
    if (src == FMT_u64 || src == FMT_s64 || src == FMT_f64) decode_wide(x, a, src);
    else decoders[src](x, row_narrow(a, aux, room));
}

/* --- between: all on doubles */
static void flush_f32(double *x) {
    LANES(i, SLAB_LANES) {
        u64 bits = f64_bits(x[i]);
        x[i] = f64_of((i64)(bits & ~F64_SIGN) < (i64)(1023 - 126) << 52 ? bits & F64_SIGN : bits);
    }
}
static void clamp_unit(double *x) { /* .sat: NaN and negative values become +0 */
    LANES(i, SLAB_LANES) { x[i] = x[i] > 0 ? (x[i] < 1 ? x[i] : 1) : 0; }
}
static void clamp_positive(double *x) { /* .relu keeps NaN */
    LANES(i, SLAB_LANES) { x[i] = x[i] <= 0 ? 0 : x[i]; }
}
static void round_integral(double *x, enum round_mode mode) {
    switch (mode) {
    case ROUND_RZ: LANES(i, SLAB_LANES) { x[i] = __builtin_trunc(x[i]);
        }
        break;
    case ROUND_RM: LANES(i, SLAB_LANES) { x[i] = __builtin_floor(x[i]);
        }
        break;
    case ROUND_RP: LANES(i, SLAB_LANES) { x[i] = __builtin_ceil(x[i]);
        }
        break;
    default: LANES(i, SLAB_LANES) { x[i] = __builtin_rint(x[i]);
        }
        break;
    }
}

/* --- encode to integers: x is integral; `nan` is what NaN becomes */
static const struct {
    double lo, hi;
} int_range[] = {
    [FMT_u8] = {0, 0xff},          [FMT_s8] = {-0x80, 0x7f},     [FMT_u16] = {0, 0xffff},
    [FMT_s16] = {-0x8000, 0x7fff}, [FMT_u32] = {0, 0xffffffffu}, [FMT_s32] = {-0x80000000ll, 0x7fffffff},
};
static void encode_int(u64 *r, const double *x, u32 dst, u64 nan) {
    const double lo = int_range[dst].lo, hi = int_range[dst].hi;
    LANES(i, SLAB_LANES) {
        double v = x[i] > lo ? x[i] : lo;
        v = v < hi ? v : hi;
        /* 2^52 + 2^51 puts any value of up to 33 bits into the low fraction bits, in two's complement */
        u64 bits = f64_bits(v + 0x1.8p52) - f64_bits(0x1.8p52);
        r[i] = x[i] == x[i] ? bits : nan;
    }
}
static void encode_s64(u64 *r, const double *x) {
    for (int i = 0; i < SLAB_LANES; i++) r[i] = !(x[i] >= -0x1p63) ? 1ull << 63 : x[i] < 0x1p63 ? (u64)(i64)x[i] : ~0ull >> 1;
}
static void encode_u64(u64 *r, const double *x) {
    for (int i = 0; i < SLAB_LANES; i++) r[i] = x[i] != x[i] ? 1ull << 63 : x[i] <= 0 ? 0 : x[i] < 0x1p64 ? (u64)x[i] : ~0ull;
}

/* --- encode to floats, rounding once in any mode */
struct target {
    int mant, emin; /* fraction bits; least normal exponent */
    u32 inf;        /* the first magnitude code past the finite ones */
    u32 nan;
    bool has_inf;
};
/* Added to the truncated magnitude: nearest even, or anything left over moves away from zero */
INLINE u64 round_up(u64 q, u64 rem, u64 half, bool negative, enum round_mode mode) {
    switch (mode) {
    case ROUND_RN: return (rem > half) | ((rem == half) & (q & 1));
    case ROUND_RM: return (rem != 0) & negative;
    case ROUND_RP: return (rem != 0) & !negative;
    default: return 0;
    }
}
INLINE u32 encode_one(double x, const struct target t, int sign_at, enum round_mode mode, bool satfinite) {
    const int exp_least = 1023 + t.emin;
    u64 bits = f64_bits(x), mag = bits & ~F64_SIGN;
    bool negative = bits >> 63;
    int exp = (int)(mag >> 52);
    int below = exp < exp_least ? exp_least - exp : 0;
    int sh = 52 - t.mant + (below < 8 + t.mant ? below : 8 + t.mant);
    u64 frac = (mag & 0xfffffffffffffull) | (u64)(exp != 0) << 52;
    u64 quot = frac >> sh, rem = frac & ((1ull << sh) - 1), half = 1ull << (sh - 1);
    u64 code = quot + round_up(quot, rem, half, negative, mode) + ((u64)(below ? 0 : exp - exp_least) << t.mant);
    bool toward_zero = mode == ROUND_RZ || (mode == ROUND_RM && !negative) || (mode == ROUND_RP && negative);
    if (code >= t.inf) code = satfinite || !t.has_inf || (toward_zero && mag != 0x7ffull << 52) ? t.inf - 1 : t.inf;
    if (mag > 0x7ffull << 52) return t.nan;
    return (u32)code | (u32)negative << sign_at;
}
/* A NaN of an f64 source keeps its sign and the top of its payload; any other source gives the canonical
 * one */
INLINE u32 nan_of_f64(double x, const struct target t, int sign_at) {
    u64 bits = f64_bits(x) | F64_QUIET;
    return t.inf | (u32)(bits >> (52 - t.mant) & ((1u << t.mant) - 1)) | (u32)(bits >> 63) << sign_at;
}
static const struct target targets[FMT_COUNT] = {
    [FMT_f16] = {10, -14, 0x7c00u, F16_NAN, true},      [FMT_bf16] = {7, -126, 0x7f80u, F16_NAN, true},
    [FMT_f32] = {23, -126, 0x7f800000u, F32_NAN, true}, [FMT_tf32] = {10, -126, 0x3fc00u, F32_NAN >> 13, true},
    [FMT_e4m3] = {3, -6, 0x7fu, 0x7fu, false},          [FMT_e5m2] = {2, -14, 0x7cu, 0x7fu, true},
};
static u32 target_sign(u32 dst) {
    return dst == FMT_f32 ? 31 : dst == FMT_tf32 ? 18 : dst == FMT_e4m3 || dst == FMT_e5m2 ? 7 : 15;
}

static void encode_float(u64 *r, const double *x, u32 aux) {
    u32 dst = FIELD(aux, AUX_DST);
    const struct target t = targets[dst];
    const int sign_at = (int)target_sign(dst);
    const enum round_mode mode = (enum round_mode)FIELD(aux, AUX_ROUND);
    const bool keep_nan = FIELD(aux, AUX_SRC) == FMT_f64;
    for (int i = 0; i < SLAB_LANES; i++)
        r[i] = keep_nan && x[i] != x[i] ? nan_of_f64(x[i], t, sign_at) : encode_one(x[i], t, sign_at, mode, aux & AUX_SATFINITE);
    if (dst == FMT_tf32) /* kept in the upper bits of an f32 */
        for (int i = 0; i < SLAB_LANES; i++) r[i] <<= 13;
    if (dst == FMT_f32 && aux & AUX_FTZ) /* subnormal is what is so rounded to 24 bits and no least exponent */
        for (int i = 0; i < SLAB_LANES; i++) {
            double mag = __builtin_fabs(x[i]);
            bool tiny = mode == ROUND_RN ? mag < 0x1.ffffffp-127 : mag <= 0x1.fffffep-127;
            r[i] = tiny ? r[i] & F32_SIGN : f32_flush((u32)r[i]);
        }
}
static void encode_f64(u64 *r, const double *x) {
    for (int i = 0; i < SLAB_LANES; i++) r[i] = x[i] == x[i] ? f64_bits(x[i]) : f64_bits(x[i]) | F64_QUIET;
}

static void encode_row(u64 *r, const double *x, u32 aux) {
    u32 dst = FIELD(aux, AUX_DST);
    bool from_f64 = FIELD(aux, AUX_SRC) == FMT_f64;
    switch (dst) {
    case FMT_u64: encode_u64(r, x); break;
    case FMT_s64: encode_s64(r, x); break;
    case FMT_f64: encode_f64(r, x); break;
    case FMT_u8: encode_int(r, x, dst, from_f64 ? 0x80 : 0); break;
    case FMT_s8: encode_int(r, x, dst, from_f64 ? ~0ull << 7 : 0); break;
    case FMT_u16: encode_int(r, x, dst, from_f64 ? 0x8000 : 0); break;
    case FMT_s16: encode_int(r, x, dst, from_f64 ? ~0ull << 15 : 0); break;
    case FMT_u32: encode_int(r, x, dst, from_f64 ? 1u << 31 : 0); break;
    case FMT_s32: encode_int(r, x, dst, from_f64 ? ~0ull << 31 : 0); break;
    default: encode_float(r, x, aux);
    }
}

/* --- the pipeline as lane functions */
/* .ftz is about f32's subnormals; silicon does not flush on the way to f16 */
static bool flushes_source(u32 aux) {
    u32 src = FIELD(aux, AUX_SRC);
    return aux & AUX_FTZ && (src == FMT_f32 || src == FMT_bf16) && FIELD(aux, AUX_DST) != FMT_f16;
}
static void convert(u64 *r, const void *a, u32 aux) {
    double x[SLAB_LANES];
    decode_row(x, a, aux);
    if (flushes_source(aux)) flush_f32(x);
    if (aux & AUX_INTEGRAL) round_integral(x, (enum round_mode)FIELD(aux, AUX_ROUND));
    if (aux & AUX_SAT) clamp_unit(x);
    if (aux & AUX_RELU) clamp_positive(x);
    encode_row(r, x, aux);
}
LANE_FN(cvt_any) {
    u64 r[SLAB_LANES];
    (void)bv, (void)cv, (void)q;
    convert(r, av, aux);
    row_store(dv, r, aux);
}
/* Two results in one register: from two sources, or from the halves of one */
LANE_FN(cvt_packed) {
    u64 lo[SLAB_LANES], hi[SLAB_LANES];
    u32 half[SLAB_LANES];
    u32 src = FIELD(aux, AUX_SRC), dst = FIELD(aux, AUX_DST);
    int up = dst == FMT_e4m3 || dst == FMT_e5m2 ? 8 : 16, from = src == FMT_e4m3 || src == FMT_e5m2 ? 8 : 16;
    (void)cv, (void)q;
    if (aux & AUX_PACKED_SRC) {
        const u32 *a = av;
        for (int i = 0; i < SLAB_LANES; i++) half[i] = a[i] >> from;
        convert(hi, half, aux);
        convert(lo, a, aux);
    } else {
        convert(hi, av, aux);
        convert(lo, bv, aux);
    }
    u32 *d = dv;
    for (int i = 0; i < SLAB_LANES; i++) d[i] = (u32)lo[i] | (u32)hi[i] << up;
}

/* --- 64-bit integers to f64: the nearest double, then one step when the mode wants the other neighbour */
INLINE u64 f64_of_magnitude(u64 mag, bool negative, enum round_mode mode) {
    double near = (double)mag;
    bool over = near >= 0x1p64 || (u64)near > mag, under = !over && (u64)near < mag;
    bool away = (mode == ROUND_RP && !negative) || (mode == ROUND_RM && negative);
    u64 bits = f64_bits(near);
    if (mode != ROUND_RN) bits = over && !away ? bits - 1 : under && away ? bits + 1 : bits;
    return bits | (u64)negative << 63;
}
LANE_FN(cvt_f64_int64) {
    const u64 *a = av;
    u64 *d = dv;
    (void)bv, (void)cv, (void)q;
    const bool is_signed = FIELD(aux, AUX_SRC) == FMT_s64;
    for (int i = 0; i < SLAB_LANES; i++) {
        bool negative = is_signed && (i64)a[i] < 0;
        u64 r = f64_of_magnitude(negative ? 0 - a[i] : a[i], negative, (enum round_mode)FIELD(aux, AUX_ROUND));
        if (aux & AUX_SAT) r = negative ? 0 : r ? f64_bits(1.0) : 0;
        d[i] = r;
    }
}

/* --- integers to integers with .sat */
static void int_limits(u32 fmt, i64 *lo, u64 *hi) {
    static const u8 width[] = {[FMT_u8] = 8,   [FMT_s8] = 8,   [FMT_u16] = 16, [FMT_s16] = 16,
                               [FMT_u32] = 32, [FMT_s32] = 32, [FMT_u64] = 64, [FMT_s64] = 64};
    bool is_signed = fmt == FMT_s8 || fmt == FMT_s16 || fmt == FMT_s32 || fmt == FMT_s64;
    *hi = ~0ull >> (64 - width[fmt] + is_signed);
    *lo = is_signed ? -(i64)*hi - 1 : 0;
}
static void load_int(u64 *x, const void *av, u32 aux) {
    u32 room[SLAB_LANES], src = FIELD(aux, AUX_SRC);
    const u32 *a = av;
    if (src == FMT_u64 || src == FMT_s64) {
        memcpy(x, av, SLAB_LANES * 8);
        return;
    }
    a = row_narrow(av, aux, room);
    for (int i = 0; i < SLAB_LANES; i++) {
        switch (src) {
        case FMT_u8: x[i] = (u8)a[i]; break;
        case FMT_s8: x[i] = (u64)(i64)(i8)a[i]; break;
        case FMT_u16: x[i] = (u16)a[i]; break;
        case FMT_s16: x[i] = (u64)(i64)(i16)a[i]; break;
        case FMT_u32: x[i] = a[i]; break;
        default: x[i] = (u64)(i64)(i32)a[i];
        }
    }
}
LANE_FN(cvt_int_sat) {
    u64 x[SLAB_LANES], hi;
    i64 lo;
    (void)bv, (void)cv, (void)q;
    load_int(x, av, aux);
    int_limits(FIELD(aux, AUX_DST), &lo, &hi);
    const bool is_unsigned = FIELD(aux, AUX_SRC) == FMT_u64;
    for (int i = 0; i < SLAB_LANES; i++) {
        if (!is_unsigned && (i64)x[i] < 0) x[i] = (i64)x[i] < lo ? (u64)lo : x[i];
        else x[i] = x[i] > hi ? hi : x[i];
    }
    row_store(dv, x, aux);
}

/* --- cvt.pack: a and b clamped to `width` bits side by side below c; aux = width | signed << 8 */
LANE_FN(cvt_pack) {
    u32 *d = dv;
    const i32 *a = av, *b = bv;
    const u32 *c = cv;
    const int width = (int)(aux & 255);
    const i32 hi = (i32)((1u << (width - (int)(aux >> 8))) - 1), lo = aux >> 8 ? -hi - 1 : 0;
    const u32 keep = (1u << width) - 1;
    (void)q;
    for (int i = 0; i < SLAB_LANES; i++) {
        u32 x = (u32)MAX(lo, MIN(hi, a[i])) & keep, y = (u32)MAX(lo, MIN(hi, b[i])) & keep;
        d[i] = x << width | y | (width < 16 ? c[i] << 2 * width : 0);
    }
}

/* --- cvt.rna.tf32: silicon adds half a unit and cuts, on the bits, leaving what was infinite or NaN as it
 * was cut; .satfinite then steps back one unit from anything that is not finite, NaN included */
LANE_FN(cvt_tf32_rna) {
    u32 *d = dv;
    const u32 *a = av;
    (void)bv, (void)cv, (void)q;
    LANES(i, SLAB_LANES) {
        u32 r = ((a[i] & 0x7f800000u) == 0x7f800000u ? a[i] : a[i] + 0x1000u) & ~0x1fffu;
        d[i] = aux & AUX_SATFINITE && (r & 0x7f800000u) == 0x7f800000u ? r - 0x2000u : r;
    }
}

/* --- the conversions worth a loop of their own: no modifier but the usual rounding */
#define DIRECT_FN(name, D, S, expr)                                                                                              \
    LANE_FN(name) {                                                                                                              \
        D *d = dv;                                                                                                               \
        const S *a = av;                                                                                                         \
        (void)bv, (void)cv, (void)q, (void)aux;                                                                                  \
        LANES(i, SLAB_LANES) { d[i] = (expr); }                                                                                  \
    }
INLINE u32 f32_of_f64_rn(u64 x) { return f32_bits((float)f64_of(x)); /* NaN keeps the top of its payload, here as on silicon */ }
INLINE u64 f64_of_f32_bits(u32 x) { return f64_bits((double)f32_of(x)); }
INLINE u32 s32_of_f32_rz(u32 x) {
    float f = f32_of(x), v = f >= -0x1p31f ? f : -0x1p31f;
    u32 r = (u32)(i32)(v < 0x1p31f ? v : 0);
    r = f >= 0x1p31f ? 0x7fffffffu : r;
    return f == f ? r : 0;
}
INLINE u32 u32_of_f32_rz(u32 x) {
    float f = f32_of(x), v = f > 0 ? f : 0;
    u32 big = (u32)(i32)(v >= 0x1p31f && v < 0x1p32f ? v - 0x1p31f : 0) ^ F32_SIGN;
    u32 r = v >= 0x1p31f ? big : (u32)(i32)(v < 0x1p31f ? v : 0);
    return v >= 0x1p32f ? ~0u : r;
}
INLINE u32 s32_of_f64_rz(u64 x) {
    double f = f64_of(x), v = f >= -0x1p31 ? f : -0x1p31; /* NaN becomes the least, too */
    return (u32)(i32)(v < 0x1.fffffffcp30 ? v : 0x1.fffffffcp30);
}
DIRECT_FN(f32_from_s32, u32, u32, f32_bits((float)(i32)a[i]))
DIRECT_FN(f32_from_u32, u32, u32, f32_bits((float)a[i]))
DIRECT_FN(f32_from_s64, u32, u64, f32_bits((float)(i64)a[i]))
DIRECT_FN(f32_from_u64, u32, u64, f32_bits((float)a[i]))
DIRECT_FN(f64_from_s32, u64, u32, f64_bits((double)(i32)a[i]))
DIRECT_FN(f64_from_u32, u64, u32, f64_bits((double)a[i]))
DIRECT_FN(f64_from_s64, u64, u64, f64_bits((double)(i64)a[i]))
DIRECT_FN(f64_from_u64, u64, u64, f64_bits((double)a[i]))
DIRECT_FN(f64_from_f32, u64, u32, f64_of_f32_bits(a[i]))
DIRECT_FN(f32_from_f64, u32, u64, f32_of_f64_rn(a[i]))
DIRECT_FN(f32_from_f16, u32, u32, (a[i] & 0x7fffu) > 0x7c00u ? F32_NAN : f32_bits(f32_of_f16(a[i] & 0xffffu)))
DIRECT_FN(f32_from_bf16, u32, u32, a[i] << 16)
DIRECT_FN(f16_from_f32, u32, u32, f16_of_f32(f32_of(a[i])))
DIRECT_FN(bf16_from_f32, u32, u32, bf16_of_f32(f32_of(a[i])))
DIRECT_FN(s32_from_f32, u32, u32, s32_of_f32_rz(a[i]))
DIRECT_FN(u32_from_f32, u32, u32, u32_of_f32_rz(a[i]))
DIRECT_FN(s32_from_f64, u32, u64, s32_of_f64_rz(a[i]))
INLINE u32 f32_canonical(float r) { return r == r ? f32_bits(r) : F32_NAN; }
DIRECT_FN(f32_rint, u32, u32, f32_canonical(__builtin_rintf(f32_of(a[i]))))
DIRECT_FN(f32_trunc, u32, u32, f32_canonical(__builtin_truncf(f32_of(a[i]))))
DIRECT_FN(f32_floor, u32, u32, f32_canonical(__builtin_floorf(f32_of(a[i]))))
DIRECT_FN(f32_ceil, u32, u32, f32_canonical(__builtin_ceilf(f32_of(a[i]))))
#define DIRECT_PAIR_FN(name, of)                                                                                                 \
    LANE_FN(name) {                                                                                                              \
        u32 *d = dv;                                                                                                             \
        const u32 *a = av, *b = bv;                                                                                              \
        (void)cv, (void)q, (void)aux;                                                                                            \
        LANES(i, SLAB_LANES) { d[i] = of(f32_of(b[i])) | of(f32_of(a[i])) << 16; }                                               \
    }
DIRECT_PAIR_FN(f16x2_from_f32, f16_of_f32)
DIRECT_PAIR_FN(bf16x2_from_f32, bf16_of_f32)

enum { ROUND_ANY = 255 }; /* exact: rounds nothing */
static const struct {
    u8 dst, src, round;
    lane_fn *fn;
} direct[] = {
    {FMT_f32, FMT_s32, ROUND_RN, f32_from_s32},  {FMT_f32, FMT_u32, ROUND_RN, f32_from_u32},
    {FMT_f32, FMT_s64, ROUND_RN, f32_from_s64},  {FMT_f32, FMT_u64, ROUND_RN, f32_from_u64},
    {FMT_f64, FMT_s32, ROUND_ANY, f64_from_s32}, {FMT_f64, FMT_u32, ROUND_ANY, f64_from_u32},
    {FMT_f64, FMT_s64, ROUND_RN, f64_from_s64},  {FMT_f64, FMT_u64, ROUND_RN, f64_from_u64},
    {FMT_f64, FMT_f32, ROUND_ANY, f64_from_f32}, {FMT_f32, FMT_f64, ROUND_RN, f32_from_f64},
    {FMT_f32, FMT_f16, ROUND_ANY, f32_from_f16}, {FMT_f32, FMT_bf16, ROUND_ANY, f32_from_bf16},
    {FMT_f16, FMT_f32, ROUND_RN, f16_from_f32},  {FMT_bf16, FMT_f32, ROUND_RN, bf16_from_f32},
    {FMT_s32, FMT_f32, ROUND_RZ, s32_from_f32},  {FMT_u32, FMT_f32, ROUND_RZ, u32_from_f32},
    {FMT_s32, FMT_f64, ROUND_RZ, s32_from_f64},
};

static lane_fn *const f32_integral[] = {
    [ROUND_RN] = f32_rint, [ROUND_RZ] = f32_trunc, [ROUND_RM] = f32_floor, [ROUND_RP] = f32_ceil};

/* --- choice */
static enum fmt fmt_of(enum type t) {
    switch (t) {
    case TYPE_u8: return FMT_u8;
    case TYPE_s8: return FMT_s8;
    case TYPE_u16: return FMT_u16;
    case TYPE_s16: return FMT_s16;
    case TYPE_u32: return FMT_u32;
    case TYPE_s32: return FMT_s32;
    case TYPE_u64: return FMT_u64;
    case TYPE_s64: return FMT_s64;
    case TYPE_f16:
    case TYPE_f16x2: return FMT_f16;
    case TYPE_bf16:
    case TYPE_bf16x2: return FMT_bf16;
    case TYPE_tf32: return FMT_tf32;
    case TYPE_f32: return FMT_f32;
    case TYPE_f64: return FMT_f64;
    case TYPE_e4m3x2: return FMT_e4m3;
    case TYPE_e5m2x2: return FMT_e5m2;
    default: return FMT_NONE;
    }
}
static bool is_packed(enum type t) { return t == TYPE_f16x2 || t == TYPE_bf16x2 || t == TYPE_e4m3x2 || t == TYPE_e5m2x2; }
static bool is_int(enum fmt f) { return f >= FMT_u8 && f <= FMT_s64; }
static bool is_signed_type(enum type t) { return type_table[t].family == FAMILY_S || t == TYPE_s2 || t == TYPE_s4; }

static struct lane_pick pick_pack(const struct opkey *k) {
    u8 t = k->type[0];
    return (struct lane_pick){cvt_pack, type_table[t].bits | (u32)is_signed_type((enum type)t) << 8};
}

/* The result is the low n bits of the source, extended by the narrower side's sign; m bits of it reach the
 * register */
static struct lane_pick pick_extend(const struct lane_query *q, enum type dt, enum type st) {
    u32 dbits = type_table[dt].bits, sbits = type_table[st].bits;
    u32 n = MIN(dbits, sbits), m = q->reg_bits;
    bool sign = is_signed_type(dbits <= sbits ? dt : st);
    if (dbits > sbits && sign && !is_signed_type(dt)) m = MIN(m, dbits); /* s8 to u16 in a wider register: ones end at bit 15 */
    bool wide_d = q->reg_bits == 64, wide_s = q->src_bits == 64;
    if (n == 32 && m == 32 && !wide_d && !wide_s) return (struct lane_pick){copy_32, 0};
    if (n == 64) return (struct lane_pick){copy_64, 0};
    if (n == 32 && m == 64 && wide_d && !wide_s) return (struct lane_pick){sign ? sext_s32_s64 : zext_u32_u64, 0};
    lane_fn *const fns[2][2][2] = {{{zext_32_32, zext_32_64}, {zext_64_32, zext_64_64}},
                                   {{sext_32_32, sext_32_64}, {sext_64_32, sext_64_64}}};
    return (struct lane_pick){fns[sign][wide_d][wide_s], n | m << 8};
}

static u32 cvt_aux(const struct lane_query *q, enum fmt dst, enum fmt src) {
    const struct opkey *k = q->key;
    u32 aux = (u32)src << AUX_SRC | (u32)dst << AUX_DST | (u32)round_of(k) << AUX_ROUND;
    if (key_has(k, MOD_rni) || key_has(k, MOD_rzi) || key_has(k, MOD_rmi) || key_has(k, MOD_rpi)) aux |= AUX_INTEGRAL;
    if (key_has(k, MOD_ftz)) aux |= AUX_FTZ;
    if (key_has(k, MOD_sat) && !is_int(dst)) aux |= AUX_SAT;
    if (key_has(k, MOD_satfinite)) aux |= AUX_SATFINITE;
    if (key_has(k, MOD_relu)) aux |= AUX_RELU;
    if (q->src_bits == 64 && type_table[k->type[1]].bits < 64) aux |= AUX_SRC64;
    return aux | (q->reg_bits == 64 ? AUX_REG64 : q->reg_bits == 16 ? AUX_REG16 : 0);
}

/* The plain conversions, with registers of the types' own widths */
static lane_fn *find_direct(const struct lane_query *q, enum fmt dst, enum fmt src, u32 aux) {
    const struct opkey *k = q->key;
    u32 dst_bits = type_table[k->type[0]].bits, src_bits = type_table[k->type[1]].bits;
    if (aux & (AUX_FTZ | AUX_SAT | AUX_SATFINITE | AUX_RELU)) return NULL;
    if (MAX(dst_bits, 32) != MAX(q->reg_bits, 32) || MAX(src_bits, 32) != MAX(q->src_bits, 32)) return NULL;
    if (k->type[0] == TYPE_f16x2 || k->type[0] == TYPE_bf16x2)
        return src != FMT_f32 || FIELD(aux, AUX_ROUND) != ROUND_RN ? NULL : dst == FMT_f16 ? f16x2_from_f32 : bf16x2_from_f32;
    if (src == FMT_f32 && dst == FMT_f32) return aux & AUX_INTEGRAL ? f32_integral[FIELD(aux, AUX_ROUND)] : NULL;
    for (u32 i = 0; i < ARRAY_LEN(direct); i++)
        if (direct[i].dst == dst && direct[i].src == src &&
            (direct[i].round == FIELD(aux, AUX_ROUND) || direct[i].round == ROUND_ANY))
            return direct[i].fn;
    return NULL;
}

struct lane_pick LANES_NAME(lanes_cvt)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    if (k->op != OP_cvt) return (struct lane_pick){0};
    if (key_has(k, MOD_pack)) return pick_pack(k);
    enum type dt = (enum type)k->type[0], st = (enum type)k->type[1];
    enum fmt dst = fmt_of(dt), src = fmt_of(st);
    if (dst == FMT_NONE || src == FMT_NONE) return (struct lane_pick){0};
    u32 aux = cvt_aux(q, dst, src);
    if (dst == FMT_tf32 && key_has(k, MOD_rna)) return (struct lane_pick){cvt_tf32_rna, aux};
    if (is_int(dst) && is_int(src)) return key_has(k, MOD_sat) ? (struct lane_pick){cvt_int_sat, aux} : pick_extend(q, dt, st);
    if (is_int(dst)) aux |= AUX_INTEGRAL; /* to a float only when asked */
    lane_fn *fn = find_direct(q, dst, src, aux);
    if (fn) return (struct lane_pick){fn, 0};
    if (is_packed(dt)) return (struct lane_pick){cvt_packed, aux | (is_packed(st) ? AUX_PACKED_SRC : 0)};
    if (dst == FMT_f64 && (src == FMT_u64 || src == FMT_s64)) return (struct lane_pick){cvt_f64_int64, aux};
    return (struct lane_pick){cvt_any, aux};
}
