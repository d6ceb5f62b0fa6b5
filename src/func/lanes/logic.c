/* lanes_logic: bits, shifts, fields, byte permutes, selects and copies on 32 lanes.
 *
 * Not here: lop3 with a predicate result (.and, .or), mov that packs or unpacks vectors; both take more
 * operands than a lane_fn has. */
#include "func/lanes/rows.h"

#ifdef LANES_AVX2
#include <immintrin.h>
#endif

/* --- and, or, xor, not, cnot. Values under 32 bits are zero-extended, so 16-bit and, or and xor are the
 * 32-bit ones. */
ROW2(and_32, u32, u32, u32, (a & b))
ROW2(and_64, u64, u64, u64, (a & b))
ROW2(or_32, u32, u32, u32, a | b)
ROW2(or_64, u64, u64, u64, a | b)
ROW2(xor_32, u32, u32, u32, a ^ b)
ROW2(xor_64, u64, u64, u64, a ^ b)
ROW1(not_16, u16, u16, ~a)
ROW1(not_32, u32, u32, ~a)
ROW1(not_64, u64, u64, ~a)
ROW1(cnot_32, u32, u32, a == 0)
ROW1(cnot_64, u64, u64, a == 0)

/* A predicate is one word of 32 lanes' bits */
#define PRED_FN(name, expr)                                                                                                      \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        const u32 *a = av, *b = bv;                                                                                              \
        (void)b;                                                                                                                 \
        *(u32 *)dv = (expr);                                                                                                     \
    }
PRED_FN(and_pred, (*a & *b))
PRED_FN(or_pred, *a | *b)
PRED_FN(xor_pred, *a ^ *b)
PRED_FN(not_pred, ~*a)
PRED_FN(mov_pred, *a)

/* --- lop3: the function of three bits whose value at (a,b,c) is bit 4a+2b+c of the table. Common tables are
 * written out (those of two inputs are and, or, xor). Any other is evaluated as the exclusive or of products
 * of its inputs (its algebraic normal form), whose eight coefficients come in aux. */
/* clang-format off */
#define LOP3_TABLES(X)                                                                                                           \
    X(80, a & b & c) X(FE, a | b | c) X(96, a ^ b ^ c) X(E8, (a & b) | (c & (a | b)))                                            \
    X(CA, c ^ (a & (b ^ c))) X(AC, b ^ (a & (b ^ c))) X(D8, a ^ (c & (a ^ b))) X(E4, b ^ (c & (a ^ b)))                          \
    X(B8, a ^ (b & (a ^ c))) X(E2, c ^ (b & (a ^ c)))                                                                            \
    X(F8, a | (b & c)) X(EA, (a & b) | c) X(E0, a & (b | c)) X(A8, (a | b) & c)                                                  \
    X(78, a ^ (b & c)) X(6A, (a & b) ^ c)
/* clang-format on */
#define LOP3_ROW(table, expr) ROW3(lop3_##table, u32, u32, u32, u32, expr)
LOP3_TABLES(LOP3_ROW)

static void lop3_any(LANE_ARGS) {
    LANE_ARGS_USED;
    u32 *d = dv, k[8];
    const u32 *a = av, *b = bv, *c = cv;
    for (u32 i = 0; i < 8; i++) k[i] = 0u - (aux >> i & 1);
    EACH_LANE(l) {
        u32 without_a = k[0] ^ (c[l] & k[1]) ^ (b[l] & (k[2] ^ (c[l] & k[3])));
        u32 with_a = k[4] ^ (c[l] & k[5]) ^ (b[l] & (k[6] ^ (c[l] & k[7])));
        d[l] = without_a ^ (a[l] & with_a);
    }
}

/* The coefficients of a table: each is the parity of the table over the inputs it contains */
static u32 lop3_coefficients(u32 table) {
    table ^= (table & 0x55) << 1;
    table ^= (table & 0x33) << 2;
    table ^= (table & 0x0F) << 4;
    return table & 0xFF;
}

static struct lane_pick pick_lop3(u32 table) {
    switch (table & 0xFF) {
#define LOP3_CASE(id, expr)                                                                                                      \
    case 0x##id: return (struct lane_pick){lop3_##id, 0};
        LOP3_TABLES(LOP3_CASE)
    case 0xC0: return (struct lane_pick){and_32, 0};
    case 0xFC: return (struct lane_pick){or_32, 0};
    case 0x3C: return (struct lane_pick){xor_32, 0};
    default: return (struct lane_pick){lop3_any, lop3_coefficients(table)};
    }
}

/* --- shifts: an amount of the width or more empties the value (or fills it with the sign) */
ROW2(shl_16, u16, u16, u32, b < 16 ? (u32)a << (b & 15) : 0)
ROW2(shl_32, u32, u32, u32, b < 32 ? a << (b & 31) : 0)
ROW2(shl_64, u64, u64, u32, b < 64 ? a << (b & 63) : 0)
ROW2(shr_u16, u16, u16, u32, b < 16 ? a >> (b & 15) : 0)
ROW2(shr_u32, u32, u32, u32, b < 32 ? a >> (b & 31) : 0)
ROW2(shr_u64, u64, u64, u32, b < 64 ? a >> (b & 63) : 0)
ROW2(shr_s16, s16, s16, u32, a >> MIN(b, 15u))
ROW2(shr_s32, s32, s32, u32, a >> MIN(b, 31u))
ROW2(shr_s64, s64, s64, u32, a >> MIN(b, 63u))

/* shf: b above a in 64 bits, shifted by n < 32; .l gives the upper word, .r the lower. The odd double shift
 * keeps 32 - n below 32. Clamped amounts stop at 32, where .l gives a and .r gives b. */
static inline u32 funnel_left(u32 a, u32 b, u32 n) { return b << n | a >> 1 >> (31 - n); }
static inline u32 funnel_right(u32 a, u32 b, u32 n) { return b << 1 << (31 - n) | a >> n; }
ROW3(shf_l_wrap, u32, u32, u32, u32, funnel_left(a, b, c & 31))
ROW3(shf_r_wrap, u32, u32, u32, u32, funnel_right(a, b, c & 31))
ROW3(shf_l_clamp, u32, u32, u32, u32, c < 32 ? funnel_left(a, b, c & 31) : a)
ROW3(shf_r_clamp, u32, u32, u32, u32, c < 32 ? funnel_right(a, b, c & 31) : b)

/* --- counting and finding, in steps that vectorise (the host's own instructions are scalar) */
static inline u32 count_32(u32 x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0Fu;
    x += x >> 8; /* not the usual multiplication: compilers take that for a popcount and make it scalar */
    return (x + (x >> 16)) & 63;
}
static inline u32 count_64(u64 x) { return count_32((u32)x) + count_32((u32)(x >> 32)); }
/* All bits at and below the highest set one */
static inline u32 smear_32(u32 x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    return x | x >> 16;
}
static inline u64 smear_64(u64 x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return x | x >> 32;
}
static inline u32 reverse_32(u32 x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    x = (x >> 8 & 0x00FF00FFu) | (x & 0x00FF00FFu) << 8;
    return x >> 16 | x << 16;
}
/* The highest bit that differs from the sign, as position or (flip = width - 1) as the shift that brings it
 * to the top; ~0 when none */
static inline u32 find_32(u32 x, u32 flip) { return x ? (count_32(smear_32(x)) - 1) ^ flip : ~0u; }
static inline u32 find_64(u64 x, u32 flip) { return x ? (count_64(smear_64(x)) - 1) ^ flip : ~0u; }

ROW1(popc_32, u32, u32, count_32(a))
ROW1(popc_64, u32, u64, count_64(a))
ROW1(clz_32, u32, u32, 32 - count_32(smear_32(a)))
ROW1(clz_64, u32, u64, 64 - count_64(smear_64(a)))
ROW1(brev_32, u32, u32, reverse_32(a))
ROW1(brev_64, u64, u64, (u64)reverse_32((u32)a) << 32 | reverse_32((u32)(a >> 32)))
ROW1(bfind_u32, u32, u32, find_32(a, aux))
ROW1(bfind_s32, u32, s32, find_32((u32)(a ^ a >> 31), aux))
ROW1(bfind_u64, u32, u64, find_64(a, aux))
ROW1(bfind_s64, u32, s64, find_64((u64)(a ^ a >> 63), aux))

/* fns: the offset-th set bit of a, counted from position b upwards or downwards, b included; ~0 when there is
 * none. Hopper finds bit 0 with the least offset, which has no opposite. */
static inline u32 nth_set_bit(u32 mask, u32 base, i32 offset) {
    u32 left = offset < 0 ? 0u - (u32)offset : (u32)offset;
    if (offset == INT32_MIN) return 0;
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : ~0u;
    for (u32 pos = base; pos < 32; pos += offset > 0 ? 1u : ~0u)
        if (mask >> pos & 1 && --left == 0) return pos;
    return ~0u;
}
ROW3(fns_32, u32, u32, u32, s32, nth_set_bit(a, b, c))

/* --- bit fields. PTX takes position and length modulo 256; silicon does so for 32-bit fields only, and for
 * 64-bit ones takes any large position as beyond the end and any large length as the whole. */
static inline u32 low_bits_32(u32 n) { return n < 32 ? (1u << (n & 31)) - 1 : ~0u; }
static inline u64 low_bits_64(u64 n) { return n < 64 ? ((u64)1 << (n & 63)) - 1 : ~(u64)0; }
static inline u32 left_32(u32 x, u32 n) { return n < 32 ? x << (n & 31) : 0; }
static inline u64 left_64(u64 x, u64 n) { return n < 64 ? x << (n & 63) : 0; }
static inline u32 right_32(u32 x, u32 n) { return n < 32 ? x >> (n & 31) : 0; }
static inline u64 right_64(u64 x, u64 n) { return n < 64 ? x >> (n & 63) : 0; }

/* Sign-extends the low n bits of x. Bits above the register's top were filled with its sign when the field
 * was shifted down. */
static inline u32 sign_extend_32(i32 x, u32 n) {
    return n == 0 ? 0 : (u32)((i32)((u32)x << (32 - MIN(n, 32u))) >> (32 - MIN(n, 32u)));
}
static inline u64 sign_extend_64(i64 x, u64 n) {
    return n == 0 ? 0 : (u64)((i64)((u64)x << (64 - MIN(n, 64u))) >> (64 - MIN(n, 64u)));
}

ROW3(bfe_u32, u32, u32, u32, u32, right_32(a, b & 255) & low_bits_32(c & 255))
ROW3(bfe_u64, u64, u64, u32, u32, right_64(a, b) & low_bits_64(c))
ROW3(bfe_s32, s32, s32, u32, u32, sign_extend_32(a >> MIN(b & 255, 31u), c & 255))
ROW3(bfe_s64, s64, s64, u32, u32, sign_extend_64(a >> MIN(b, 63u), c))

/* bfi: the length is a fourth source row, in q */
static inline u32 insert_32(u32 value, u32 base, u32 pos, u32 len) {
    u32 mask = left_32(low_bits_32(len), pos);
    return base ^ ((base ^ left_32(value, pos)) & mask);
}
static inline u64 insert_64(u64 value, u64 base, u64 pos, u64 len) {
    u64 mask = left_64(low_bits_64(len), pos);
    return base ^ ((base ^ left_64(value, pos)) & mask);
}
ROW3(bfi_32, u32, u32, u32, u32, insert_32(a, b, c & 255, q[l] & 255))
ROW3(bfi_64, u64, u64, u64, u32, insert_64(a, b, c, q[l]))

/* bmsk: b ones from bit a upwards */
ROW2(bmsk_wrap, u32, u32, u32, low_bits_32(b & 31) << (a & 31))
ROW2(bmsk_clamp, u32, u32, u32, left_32(low_bits_32(b), a))

/* szext: the low b bits of a, extended */
ROW2(szext_wrap_u32, u32, u32, u32, (a & low_bits_32(b & 31)))
ROW2(szext_clamp_u32, u32, u32, u32, (a & low_bits_32(b)))
ROW2(szext_wrap_s32, s32, s32, u32, sign_extend_32(a, b & 31))
ROW2(szext_clamp_s32, s32, s32, u32, sign_extend_32(a, b))

/* --- prmt: each nibble of the selector picks one of the eight bytes of b above a; its top bit spreads that
 * byte's sign instead */
#ifdef LANES_AVX2
/* Both sources are shuffled by the two low bits of every nibble; the third chooses between them. */
static void prmt_select(u32 *d, const u32 *a, const u32 *b, const u32 *sel) {
    const __m256i in_word = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0C0C0C0C, 0, 0x04040404, 0x08080808, 0x0C0C0C0C);
    for (u32 l = 0; l < SLAB_LANES; l += 8) {
        __m256i va = _mm256_loadu_si256((const __m256i *)(a + l)), vb = _mm256_loadu_si256((const __m256i *)(b + l));
        __m256i n = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(sel + l)), _mm256_set1_epi32(0xFFFF));
        n = _mm256_and_si256(_mm256_or_si256(n, _mm256_slli_epi32(n, 8)), _mm256_set1_epi32(0x00FF00FF));
        n = _mm256_and_si256(_mm256_or_si256(n, _mm256_slli_epi32(n, 4)), _mm256_set1_epi32(0x0F0F0F0F));
        __m256i at = _mm256_or_si256(_mm256_and_si256(n, _mm256_set1_epi32(0x03030303)), in_word);
        /* a blend looks at the top bit of each byte: bit 2 of the nibble, then bit 3 */
        __m256i byte = _mm256_blendv_epi8(_mm256_shuffle_epi8(va, at), _mm256_shuffle_epi8(vb, at), _mm256_slli_epi32(n, 5));
        __m256i sign = _mm256_cmpgt_epi8(_mm256_setzero_si256(), byte);
        _mm256_storeu_si256((__m256i *)(d + l), _mm256_blendv_epi8(byte, sign, _mm256_slli_epi32(n, 4)));
    }
}
#else
static inline u32 prmt_byte(u64 ba, u32 nibble) {
    u32 byte = (u32)(ba >> 8 * (nibble & 7)) & 0xFF;
    return nibble & 8 ? (0u - (byte >> 7)) & 0xFF : byte;
}
static inline u32 prmt_word(u32 a, u32 b, u32 sel) {
    u64 ba = (u64)b << 32 | a;
    return prmt_byte(ba, sel) | prmt_byte(ba, sel >> 4) << 8 | prmt_byte(ba, sel >> 8) << 16 | prmt_byte(ba, sel >> 12) << 24;
}
static void prmt_select(u32 *d, const u32 *a, const u32 *b, const u32 *sel) { EACH_LANE(l) d[l] = prmt_word(a[l], b[l], sel[l]); }
#endif

static void prmt_plain(LANE_ARGS) {
    LANE_ARGS_USED;
    prmt_select(dv, av, bv, cv);
}

/* The named modes are plain selectors chosen by the two low bits of c. aux is the mode. */
enum prmt_mode { PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16, PRMT_MODES };
static void prmt_mode(LANE_ARGS) {
    LANE_ARGS_USED;
    static const u32 selectors[PRMT_MODES][4] = {
        [PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
    };
    const u32 *c = cv;
    u32 sel[SLAB_LANES];
    for (u32 l = 0; l < SLAB_LANES; l++) sel[l] = selectors[aux][c[l] & 3];
    prmt_select(dv, av, bv, sel);
}

/* --- selp, slct, mov */
#define SELP_FN(name, T, bit)                                                                                                    \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        T *d = dv, p = *(const u32 *)cv;                                                                                         \
        const T *a = av, *b = bv;                                                                                                \
        EACH_LANE(l) {                                                                                                           \
            T x = a[l], y = b[l]; /* both are loaded, or some compilers would mask the loads */                                  \
            d[l] = p & bit[l] ? x : y;                                                                                           \
        }                                                                                                                        \
    }
SELP_FN(selp_32, u32, lane_bit32)
SELP_FN(selp_64, u64, lane_bit64)

/* slct on f32 asks c >= 0 of the bits: not NaN, and either no sign or a magnitude that counts as zero. aux is
 * the largest such magnitude. */
static inline bool float_is_ge_zero(u32 c, u32 zero_max) {
    u32 magnitude = c & 0x7FFFFFFFu;
    return ((i32)c >= 0 && magnitude <= 0x7F800000u) || magnitude <= zero_max;
}
enum { LARGEST_SUBNORMAL = 0x007FFFFF };
ROW3(slct_32_s32, u32, u32, u32, s32, c >= 0 ? a : b)
ROW3(slct_64_s32, u64, u64, u64, s32, c >= 0 ? a : b)
ROW3(slct_32_f32, u32, u32, u32, u32, float_is_ge_zero(c, aux) ? a : b)
ROW3(slct_64_f32, u64, u64, u64, u32, float_is_ge_zero(c, aux) ? a : b)

ROW1(mov_32, u32, u32, a)
ROW1(mov_64, u64, u64, a)

/* --- which one */
struct by_width {
    lane_fn *b16, *b32, *b64, *pred;
};
static lane_fn *of_width(u8 type, struct by_width f) {
    switch (type_table[type].bits) {
    case 1: return type == TYPE_pred ? f.pred : NULL;
    case 16: return f.b16;
    case 32: return f.b32;
    case 64: return f.b64;
    default: return NULL;
    }
}

static lane_fn *shr_fn(u8 type) {
    if (type_table[type].family == FAMILY_S) return of_width(type, (struct by_width){shr_s16, shr_s32, shr_s64, NULL});
    return of_width(type, (struct by_width){shr_u16, shr_u32, shr_u64, NULL});
}

static bool has_mode(const struct opkey *k) { return key_has(k, MOD_wrap) || key_has(k, MOD_clamp); }

static lane_fn *shf_fn(const struct opkey *k) {
    if (!has_mode(k) || key_has(k, MOD_l) == key_has(k, MOD_r)) return NULL;
    if (key_has(k, MOD_l)) return key_has(k, MOD_wrap) ? shf_l_wrap : shf_l_clamp;
    return key_has(k, MOD_wrap) ? shf_r_wrap : shf_r_clamp;
}

static lane_fn *by_integer(u8 type, lane_fn *f_u32, lane_fn *f_s32, lane_fn *f_u64, lane_fn *f_s64) {
    switch (type) {
    case TYPE_u32: return f_u32;
    case TYPE_s32: return f_s32;
    case TYPE_u64: return f_u64;
    case TYPE_s64: return f_s64;
    default: return NULL;
    }
}

static lane_fn *bmsk_fn(const struct opkey *k) { return !has_mode(k) ? NULL : key_has(k, MOD_wrap) ? bmsk_wrap : bmsk_clamp; }

static lane_fn *szext_fn(const struct opkey *k) {
    if (!has_mode(k)) return NULL;
    bool wrap = key_has(k, MOD_wrap);
    return by_integer(k->type[0], wrap ? szext_wrap_u32 : szext_clamp_u32, wrap ? szext_wrap_s32 : szext_clamp_s32, NULL, NULL);
}

static struct lane_pick pick_prmt(const struct opkey *k) {
    static const u16 mods[PRMT_MODES] = {[PRMT_F4E] = MOD_f4e, [PRMT_B4E] = MOD_b4e, [PRMT_RC8] = MOD_rc8,
                                         [PRMT_ECL] = MOD_ecl, [PRMT_ECR] = MOD_ecr, [PRMT_RC16] = MOD_rc16};
    for (u32 mode = 0; mode < PRMT_MODES; mode++)
        if (key_has(k, mods[mode])) return (struct lane_pick){prmt_mode, mode};
    return (struct lane_pick){prmt_plain, 0};
}

static struct lane_pick pick_slct(const struct opkey *k) {
    if (k->type[1] == TYPE_s32)
        return (struct lane_pick){of_width(k->type[0], (struct by_width){slct_32_s32, slct_32_s32, slct_64_s32, NULL}), 0};
    if (k->type[1] != TYPE_f32) return (struct lane_pick){0};
    lane_fn *fn = of_width(k->type[0], (struct by_width){slct_32_f32, slct_32_f32, slct_64_f32, NULL});
    return (struct lane_pick){fn, key_has(k, MOD_ftz) ? LARGEST_SUBNORMAL : 0};
}

static struct lane_pick pick_bfind(const struct opkey *k) {
    lane_fn *fn = by_integer(k->type[0], bfind_u32, bfind_s32, bfind_u64, bfind_s64);
    return (struct lane_pick){fn, key_has(k, MOD_shiftamt) ? type_table[k->type[0]].bits - 1u : 0};
}

/* The opcodes whose function depends on the first type alone */
static lane_fn *typed_fn(const struct opkey *k) {
    u8 type = k->type[0];
    switch (k->op) {
    case OP_and: return of_width(type, (struct by_width){and_32, and_32, and_64, and_pred});
    case OP_or: return of_width(type, (struct by_width){or_32, or_32, or_64, or_pred});
    case OP_xor: return of_width(type, (struct by_width){xor_32, xor_32, xor_64, xor_pred});
    case OP_not: return of_width(type, (struct by_width){not_16, not_32, not_64, not_pred});
    case OP_cnot: return of_width(type, (struct by_width){cnot_32, cnot_32, cnot_64, NULL});
    case OP_shl: return of_width(type, (struct by_width){shl_16, shl_32, shl_64, NULL});
    case OP_shr: return shr_fn(type);
    case OP_popc: return of_width(type, (struct by_width){NULL, popc_32, popc_64, NULL});
    case OP_clz: return of_width(type, (struct by_width){NULL, clz_32, clz_64, NULL});
    case OP_brev: return of_width(type, (struct by_width){NULL, brev_32, brev_64, NULL});
    case OP_bfe: return by_integer(type, bfe_u32, bfe_s32, bfe_u64, bfe_s64);
    case OP_bfi: return of_width(type, (struct by_width){NULL, bfi_32, bfi_64, NULL});
    case OP_selp: return of_width(type, (struct by_width){selp_32, selp_32, selp_64, NULL});
    case OP_mov: return of_width(type, (struct by_width){mov_32, mov_32, mov_64, mov_pred});
    case OP_fns: return fns_32;
    default: return NULL;
    }
}

struct lane_pick LANES_NAME(lanes_logic)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    switch (k->op) {
    case OP_lop3: return key_has(k, MOD_and) || key_has(k, MOD_or) ? (struct lane_pick){0} : pick_lop3(q->imm);
    case OP_shf: return (struct lane_pick){shf_fn(k), 0};
    case OP_bfind: return pick_bfind(k);
    case OP_bmsk: return (struct lane_pick){bmsk_fn(k), 0};
    case OP_szext: return (struct lane_pick){szext_fn(k), 0};
    case OP_prmt: return pick_prmt(k);
    case OP_slct: return pick_slct(k);
    default: return (struct lane_pick){typed_fn(k), 0};
    }
}
