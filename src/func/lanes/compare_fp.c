/* compare_fp.c: setp and set on f32, f64, f16, bf16 and packed sources, and testp. lanes_compare asks here
 * when the source is a float.
 *
 * The fourteen comparisons are seven ordered ones and their complements: `equ` is "not
 * ordered-and-different", `ltu` "not ge", and so on. A loop makes one word of ones or zeros per lane, which
 * vectorises; the words are then gathered into predicate bits. With packed sources p is the low half's answer
 * and q the high half's; otherwise q is the complement's. A bool operator joins each with the source
 * predicate. */
#include "func/lanes/float.h"

#ifdef LANES_AVX2
#include <immintrin.h>
#endif

/* --- predicate bits from a row of masks */
static u32 bits_of_mask(const u32 *mask) {
    u32 bits = 0;
#ifdef LANES_AVX2
    for (int v = 0; v < 4; v++) {
        __m256 m = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(mask + 8 * v)));
        bits |= (u32)_mm256_movemask_ps(m) << (8 * v);
    }
#else
    for (int i = 0; i < SLAB_LANES; i++) bits |= mask[i] & 1u << i;
#endif
    return bits;
}

/* --- the seven orders, per source format; a lane of the packed formats is two elements, compared by `lo` and
 * `hi` forms */
typedef u32 compare_fn(const void *av, const void *bv);
#define COMPARE_FN(name, T, load, cond)                                                                                          \
    static u32 name(const void *av, const void *bv) {                                                                            \
        const T *a = av, *b = bv;                                                                                                \
        u32 mask[SLAB_LANES];                                                                                                    \
        LANES(i, SLAB_LANES) {                                                                                                   \
            __typeof__(load(a[i])) x = load(a[i]), y = load(b[i]);                                                               \
            mask[i] = (cond) ? ~0u : 0u;                                                                                         \
        }                                                                                                                        \
        return bits_of_mask(mask);                                                                                               \
    }
enum order { ORDER_EQ, ORDER_NE, ORDER_LT, ORDER_LE, ORDER_GT, ORDER_GE, ORDER_NUM, ORDER_COUNT };
#define COMPARE_FORMAT(fmt, T, load)                                                                                             \
    COMPARE_FN(fmt##_eq, T, load, x == y)                                                                                        \
    COMPARE_FN(fmt##_ne, T, load, (x < y) | (x > y))                                                                             \
    COMPARE_FN(fmt##_lt, T, load, x < y)                                                                                         \
    COMPARE_FN(fmt##_le, T, load, x <= y)                                                                                        \
    COMPARE_FN(fmt##_gt, T, load, x > y)                                                                                         \
    COMPARE_FN(fmt##_ge, T, load, x >= y)                                                                                        \
    COMPARE_FN(fmt##_num, T, load, (x == x) & (y == y))

#define LOAD_F32(w)        f32_of(w)
#define LOAD_F32_FTZ(w)    f32_of(f32_flush(w))
#define LOAD_F64(w)        f64_of(w)
#define LOAD_F16(w)        f32_of_f16((w) & 0xffffu)
#define LOAD_F16_HI(w)     f32_of_f16((w) >> 16)
#define LOAD_F16_FTZ(w)    f32_of_f16(f16_flush((w) & 0xffffu))
#define LOAD_F16_HI_FTZ(w) f32_of_f16(f16_flush((w) >> 16))
#define LOAD_BF16(w)       f32_of((w) << 16)
#define LOAD_BF16_HI(w)    f32_of((w) & 0xffff0000u)
/* F(format, row type, how a word becomes a comparable value) */
#define COMPARE_FORMATS(F)                                                                                                       \
    F(f32, u32, LOAD_F32)                                                                                                        \
    F(f32_ftz, u32, LOAD_F32_FTZ)                                                                                                \
    F(f64, u64, LOAD_F64)                                                                                                        \
    F(f16, u32, LOAD_F16)                                                                                                        \
    F(f16_hi, u32, LOAD_F16_HI)                                                                                                  \
    F(f16_ftz, u32, LOAD_F16_FTZ)                                                                                                \
    F(f16_hi_ftz, u32, LOAD_F16_HI_FTZ)                                                                                          \
    F(bf16, u32, LOAD_BF16)                                                                                                      \
    F(bf16_hi, u32, LOAD_BF16_HI)
COMPARE_FORMATS(COMPARE_FORMAT)

#define FORMAT_ID(fmt, T, load) FORMAT_##fmt,
enum format { COMPARE_FORMATS(FORMAT_ID) FORMAT_COUNT };
#define FORMAT_ROW(fmt, T, load) {fmt##_eq, fmt##_ne, fmt##_lt, fmt##_le, fmt##_gt, fmt##_ge, fmt##_num},
static compare_fn *const compares[FORMAT_COUNT][ORDER_COUNT] = {COMPARE_FORMATS(FORMAT_ROW)};

/* --- aux: what the lane functions are told */
enum {
    AUX_NEGATE = 1u << 0,
    AUX_AND = 1u << 1,
    AUX_OR = 1u << 2,
    AUX_XOR = 1u << 3,
    AUX_FLOAT_RESULT = 1u << 4,
    AUX_BF16_RESULT = 1u << 5,
    AUX_RESULT16 = 1u << 6, /* the result has 16 bits */
    AUX_SIGNED = 1u << 7,   /* and is signed */
    AUX_ORDER = 8,          /* fields of 4 bits: enum order, enum format of the low and of the high element */
    AUX_FORMAT = 12,
    AUX_HIGH = 16
};

static u32 compare(u32 aux, u32 format, const void *a, const void *b) {
    u32 bits = compares[format][aux >> AUX_ORDER & 15](a, b);
    return aux & AUX_NEGATE ? ~bits : bits;
}
static u32 join(u32 aux, u32 bits, const void *c) {
    if (aux & AUX_AND) return bits & *(const u32 *)c;
    if (aux & AUX_OR) return bits | *(const u32 *)c;
    if (aux & AUX_XOR) return bits ^ *(const u32 *)c;
    return bits;
}

LANE_FN(setp_scalar) {
    u32 bits = compare(aux, aux >> AUX_FORMAT & 15, av, bv);
    *q = join(aux, ~bits, cv);
    *(u32 *)dv = join(aux, bits, cv);
}
LANE_FN(setp_packed) {
    u32 lo = compare(aux, aux >> AUX_FORMAT & 15, av, bv), hi = compare(aux, aux >> AUX_HIGH & 15, av, bv);
    *q = join(aux, hi, cv);
    *(u32 *)dv = join(aux, lo, cv);
}

/* The common comparisons without a bool operator skip the look-up */
#define SETP_DIRECT(name)                                                                                                        \
    LANE_FN(setp_##name) {                                                                                                       \
        (void)cv;                                                                                                                \
        u32 bits = name(av, bv) ^ (0u - (aux & AUX_NEGATE));                                                                     \
        *q = ~bits;                                                                                                              \
        *(u32 *)dv = bits;                                                                                                       \
    }
#define SETP_DIRECT_FORMAT(fmt)                                                                                                  \
    SETP_DIRECT(fmt##_eq)                                                                                                        \
    SETP_DIRECT(fmt##_ne)                                                                                                        \
    SETP_DIRECT(fmt##_lt)                                                                                                        \
    SETP_DIRECT(fmt##_le)                                                                                                        \
    SETP_DIRECT(fmt##_gt)                                                                                                        \
    SETP_DIRECT(fmt##_ge)                                                                                                        \
    SETP_DIRECT(fmt##_num)                                                                                                       \
    static lane_fn *const setp_##fmt[ORDER_COUNT] = {setp_##fmt##_eq, setp_##fmt##_ne, setp_##fmt##_lt, setp_##fmt##_le,         \
                                                     setp_##fmt##_gt, setp_##fmt##_ge, setp_##fmt##_num};
SETP_DIRECT_FORMAT(f32)
SETP_DIRECT_FORMAT(f64)

/* --- set: true is all ones in an integer result, 1.0 in a float one */
static u32 set_true(u32 aux, u32 bits_wide) {
    if (aux & AUX_BF16_RESULT) return 0x3f80u;
    if (aux & AUX_FLOAT_RESULT) return bits_wide == 32 ? 0x3f800000u : 0x3c00u;
    return bits_wide == 32 ? ~0u : 0xffffu;
}
LANE_FN(set_scalar) {
    (void)q;
    u32 *d = dv, bits = join(aux, compare(aux, aux >> AUX_FORMAT & 15, av, bv), cv);
    u32 value = set_true(aux, aux & AUX_RESULT16 ? 16 : 32);
    LANES(i, SLAB_LANES) { d[i] = bits >> i & 1u ? value : 0; }
}
LANE_FN(set_packed) {
    (void)q;
    u32 *d = dv, value = set_true(aux, 16);
    u32 lo = join(aux, compare(aux, aux >> AUX_FORMAT & 15, av, bv), cv),
        hi = join(aux, compare(aux, aux >> AUX_HIGH & 15, av, bv), cv);
    LANES(i, SLAB_LANES) { d[i] = (lo >> i & 1u ? value : 0) | (hi >> i & 1u ? value << 16 : 0); }
}
/* a result narrower than its 64-bit register */
LANE_FN(set_wide) {
    u32 narrow[SLAB_LANES];
    set_scalar(narrow, av, bv, cv, q, aux);
    u64 *d = dv;
    const bool sign = aux & AUX_SIGNED;
    LANES(i, SLAB_LANES) { d[i] = sign ? (u64)(i64)(i32)narrow[i] : narrow[i]; }
}

/* --- testp */
#define TESTP_FN(name, T, cond)                                                                                                  \
    LANE_FN(testp_##name) {                                                                                                      \
        const T *a = av;                                                                                                         \
        u32 mask[SLAB_LANES];                                                                                                    \
        (void)bv, (void)cv, (void)q, (void)aux;                                                                                  \
        LANES(i, SLAB_LANES) {                                                                                                   \
            T x = a[i] << 1; /* without the sign */                                                                              \
            mask[i] = (cond) ? ~0u : 0u;                                                                                         \
        }                                                                                                                        \
        *(u32 *)dv = bits_of_mask(mask);                                                                                         \
    }
#define TESTP_FORMAT(fmt, T, inf, least)                                                                                         \
    TESTP_FN(fmt##_finite, T, x < inf)                                                                                           \
    TESTP_FN(fmt##_infinite, T, x == inf)                                                                                        \
    TESTP_FN(fmt##_number, T, x <= inf)                                                                                          \
    TESTP_FN(fmt##_notanumber, T, x > inf)                                                                                       \
    TESTP_FN(fmt##_normal, T, ((x == 0) | (x >= least)) & (x < inf))                                                             \
    TESTP_FN(fmt##_subnormal, T, (x != 0) & (x < least))
TESTP_FORMAT(f32, u32, 0xff000000u, 0x01000000u)
TESTP_FORMAT(f64, u64, 0xffe0000000000000ull, 0x0020000000000000ull)

/* --- choice */
static const struct {
    u8 mod, order, negate;
} comparisons[] = {
    {MOD_eq, ORDER_EQ, 0},  {MOD_ne, ORDER_NE, 0},  {MOD_lt, ORDER_LT, 0},   {MOD_le, ORDER_LE, 0},   {MOD_gt, ORDER_GT, 0},
    {MOD_ge, ORDER_GE, 0},  {MOD_equ, ORDER_NE, 1}, {MOD_neu, ORDER_EQ, 1},  {MOD_ltu, ORDER_GE, 1},  {MOD_leu, ORDER_GT, 1},
    {MOD_gtu, ORDER_LE, 1}, {MOD_geu, ORDER_LT, 1}, {MOD_num, ORDER_NUM, 0}, {MOD_nan, ORDER_NUM, 1},
};

static int compare_find(const struct opkey *k) {
    for (u32 i = 0; i < ARRAY_LEN(comparisons); i++)
        if (key_has(k, (enum mod)comparisons[i].mod)) return (int)i;
    return NONE;
}

/* The formats of the low and the high element of a source type; NONE when it is not a float */
static int format_of(enum type t, bool ftz, int *high) {
    *high = NONE;
    switch (t) {
    case TYPE_f32: return ftz ? FORMAT_f32_ftz : FORMAT_f32;
    case TYPE_f64: return FORMAT_f64;
    case TYPE_f16x2: *high = ftz ? FORMAT_f16_hi_ftz : FORMAT_f16_hi; return ftz ? FORMAT_f16_ftz : FORMAT_f16;
    case TYPE_f16: return ftz ? FORMAT_f16_ftz : FORMAT_f16;
    case TYPE_bf16x2: *high = FORMAT_bf16_hi; return FORMAT_bf16;
    case TYPE_bf16: return FORMAT_bf16;
    default: return NONE;
    }
}

static struct lane_pick pick_testp(const struct opkey *k) {
#define TESTP_CASE(kind)                                                                                                         \
    if (key_has(k, MOD_##kind)) return (struct lane_pick){k->type[0] == TYPE_f64 ? testp_f64_##kind : testp_f32_##kind, 0};
    TESTP_CASE(finite)
    TESTP_CASE(infinite)
    TESTP_CASE(number)
    TESTP_CASE(notanumber)
    TESTP_CASE(normal)
    TESTP_CASE(subnormal)
    return (struct lane_pick){0};
}

static u32 result_aux(enum type t) {
    u32 aux = type_table[t].family == FAMILY_F || t == TYPE_f16x2 ? AUX_FLOAT_RESULT : 0;
    if (t == TYPE_bf16 || t == TYPE_bf16x2) aux |= AUX_BF16_RESULT;
    if (type_table[t].bits == 16) aux |= AUX_RESULT16;
    if (type_table[t].family == FAMILY_S) aux |= AUX_SIGNED;
    return aux;
}

struct lane_pick LANES_NAME(lanes_compare_fp)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    if (k->op == OP_testp) return pick_testp(k);
    if (k->op != OP_setp && k->op != OP_set) return (struct lane_pick){0};
    int high, format = format_of((enum type)k->type[k->op == OP_set], key_has(k, MOD_ftz), &high), cmp = compare_find(k);
    if (format == NONE || cmp == NONE) return (struct lane_pick){0};

    u32 order = comparisons[cmp].order;
    u32 aux = (u32)comparisons[cmp].negate | order << AUX_ORDER | (u32)format << AUX_FORMAT |
              (high == NONE ? 0 : (u32)high << AUX_HIGH);
    u32 with = key_has(k, MOD_and) ? AUX_AND : key_has(k, MOD_or) ? AUX_OR : key_has(k, MOD_xor) ? AUX_XOR : 0;
    aux |= with;
    if (k->op == OP_set) {
        aux |= result_aux((enum type)k->type[0]);
        return (struct lane_pick){high != NONE ? set_packed : q->reg_bits == 64 ? set_wide : set_scalar, aux};
    }
    if (high != NONE) return (struct lane_pick){setp_packed, aux};
    if (!with && format == FORMAT_f32) return (struct lane_pick){setp_f32[order], aux};
    if (!with && format == FORMAT_f64) return (struct lane_pick){setp_f64[order], aux};
    return (struct lane_pick){setp_scalar, aux};
}
