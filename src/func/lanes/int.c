/* lanes_int: integer arithmetic on 32 lanes: add sub mul mad mul24 mad24 sad div rem abs neg min max, the
 * carry chain, dot products.
 *
 * Not here: the same opcodes on floating types (lanes_fp, lanes_half), bits and shifts (lanes_logic).
 *
 * What PTX leaves open follows silicon: a division by zero gives all ones, as does its remainder; the carry a
 * subtraction leaves is that of a + ~b + 1, the inverse of a borrow, so subc continues it and a mixed addc
 * sees the same bit the machine would. */
#include "func/lanes/rows.h"

/* --- add, sub */
ROW2(add_16, u16, u16, u16, a + b)
ROW2(add_32, u32, u32, u32, a + b)
ROW2(add_64, u64, u64, u64, a + b)
ROW2(sub_16, u16, u16, u16, a - b)
ROW2(sub_32, u32, u32, u32, a - b)
ROW2(sub_64, u64, u64, u64, a - b)
/* two 16-bit sums in one word: the top bits are added apart, so that no carry crosses the halves */
ROW2(add_x2, u32, u32, u32, ((a ^ b) & 0x80008000u) ^ ((a & 0x7FFF7FFFu) + (b & 0x7FFF7FFFu)))

/* a + b and a - b clamped to s32. They overflow when the result's sign differs from what both inputs allow;
 * then a's sign says which end. */
static inline u32 end_of_s32(u32 sign_from) { return (sign_from >> 31) + 0x7FFFFFFFu; }
static inline u32 add_sat(u32 a, u32 b) {
    u32 r = a + b;
    return (i32)((a ^ r) & (b ^ r)) < 0 ? end_of_s32(a) : r;
}
static inline u32 sub_sat(u32 a, u32 b) {
    u32 r = a - b;
    return (i32)((a ^ b) & (a ^ r)) < 0 ? end_of_s32(a) : r;
}
ROW2(add_sat_s32, u32, u32, u32, add_sat(a, b))
ROW2(sub_sat_s32, u32, u32, u32, sub_sat(a, b))

/* --- mul, mad. Products are taken in a type that holds them; 16-bit values are widened before C would
 * promote them to int. */
static inline u64 mul_hi_u64(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static inline u64 mul_hi_s64(i64 a, i64 b) { return (u64)((__int128)a * b >> 64); }
static inline u32 mul_hi_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static inline u32 mul_hi_s32(i32 a, i32 b) { return (u32)((u64)((i64)a * b) >> 32); }

ROW2(mul_lo_16, u16, u16, u16, ((u32)a * b))
ROW2(mul_lo_32, u32, u32, u32, (a * b))
ROW2(mul_lo_64, u64, u64, u64, (a * b))
ROW2(mul_hi_u16, u16, u16, u16, ((u32)a * b >> 16))
ROW2(mul_hi_s16, s16, s16, s16, ((u32)(a * b) >> 16))
ROW2(mul_hi_row_u32, u32, u32, u32, mul_hi_u32(a, b))
ROW2(mul_hi_row_s32, s32, s32, s32, mul_hi_s32(a, b))
ROW2(mul_hi_row_u64, u64, u64, u64, mul_hi_u64(a, b))
ROW2(mul_hi_row_s64, s64, s64, s64, mul_hi_s64(a, b))
ROW2(mul_wide_u16, u32, u16, u16, ((u32)a * b))
ROW2(mul_wide_s16, s32, s16, s16, (a * b))
ROW2(mul_wide_u32, u64, u32, u32, ((u64)a * b))
ROW2(mul_wide_s32, s64, s32, s32, ((i64)a * b))

ROW3(mad_lo_16, u16, u16, u16, u16, ((u32)a * b + c))
ROW3(mad_lo_32, u32, u32, u32, u32, (a * b + c))
ROW3(mad_lo_64, u64, u64, u64, u64, (a * b + c))
ROW3(mad_hi_u16, u16, u16, u16, u16, (((u32)a * b >> 16) + c))
ROW3(mad_hi_s16, s16, s16, s16, u16, (((u32)(a * b) >> 16) + c))
ROW3(mad_hi_u32, u32, u32, u32, u32, mul_hi_u32(a, b) + c)
ROW3(mad_hi_s32, s32, s32, s32, u32, mul_hi_s32(a, b) + c)
ROW3(mad_hi_u64, u64, u64, u64, u64, mul_hi_u64(a, b) + c)
ROW3(mad_hi_s64, s64, s64, s64, u64, mul_hi_s64(a, b) + c)
ROW3(mad_hi_sat_s32, s32, s32, s32, u32, add_sat(mul_hi_s32(a, b), c))
ROW3(mad_wide_u16, u32, u16, u16, u32, ((u32)a * b + c))
ROW3(mad_wide_s16, s32, s16, s16, u32, ((u32)(a * b) + c))
ROW3(mad_wide_u32, u64, u32, u32, u64, ((u64)a * b + c))
ROW3(mad_wide_s32, s64, s32, s32, u64, ((u64)((i64)a * b) + c))

/* --- clmad: the product of two polynomials over GF(2), whose sum with c is an exclusive or */
static inline u64 clmul_lo(u64 a, u64 b) {
    u64 p = 0;
    for (u32 i = 0; i < 64; i++) p ^= (a << i) & (0 - (b >> i & 1));
    return p;
}
static inline u64 clmul_hi(u64 a, u64 b) {
    u64 p = 0;
    for (u32 i = 1; i < 64; i++) p ^= (a >> (64 - i)) & (0 - (b >> i & 1));
    return p;
}
ROW3(clmad_lo_u64, u64, u64, u64, u64, clmul_lo(a, b) ^ c)
ROW3(clmad_hi_u64, u64, u64, u64, u64, clmul_hi(a, b) ^ c)

/* --- mul24, mad24: 24-bit by 24-bit to 48 bits, of which .lo takes the low 32 and .hi the high 32 */
static inline i64 mul24_s32(u32 a, u32 b) { return (i64)((i32)(a << 8) >> 8) * ((i32)(b << 8) >> 8); }
static inline u64 mul24_u32(u32 a, u32 b) { return (u64)(a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
ROW2(mul24_lo_u32, u32, u32, u32, mul24_u32(a, b))
ROW2(mul24_lo_s32, u32, u32, u32, mul24_s32(a, b))
ROW2(mul24_hi_u32, u32, u32, u32, mul24_u32(a, b) >> 16)
ROW2(mul24_hi_s32, u32, u32, u32, mul24_s32(a, b) >> 16)
ROW3(mad24_lo_u32, u32, u32, u32, u32, mul24_u32(a, b) + c)
ROW3(mad24_lo_s32, u32, u32, u32, u32, (u32)mul24_s32(a, b) + c)
ROW3(mad24_hi_u32, u32, u32, u32, u32, (mul24_u32(a, b) >> 16) + c)
ROW3(mad24_hi_s32, u32, u32, u32, u32, (u32)(mul24_s32(a, b) >> 16) + c)
ROW3(mad24_hi_sat_s32, u32, u32, u32, u32, add_sat((u32)(mul24_s32(a, b) >> 16), c))

/* --- sad, abs, neg, min, max, div, rem: the same words for every type; U is the unsigned type of the width,
 * so nothing overflows */
#define ABS_DIFF(U, a, b) ((a) < (b) ? (U)(b) - (U)(a) : (U)(a) - (U)(b))
#define DIV(U, a, b)      ((b) == 0 ? (U)UINT64_MAX : (U)((a) / (b)))
#define REM(U, a, b)      ((b) == 0 ? (U)UINT64_MAX : (U)((a) % (b)))
/* C leaves the most negative number over -1 open; the machine wraps */
#define DIV_S(U, a, b) ((b) == -1 ? (U)0 - (U)(a) : DIV(U, a, b))
#define REM_S(U, a, b) ((b) == -1 ? (U)0 : REM(U, a, b))

#define UNSIGNED_ROWS(t, U)                                                                                                      \
    ROW2(div_##t, t, t, t, DIV(U, a, b))                                                                                         \
    ROW2(rem_##t, t, t, t, REM(U, a, b))                                                                                         \
    BOTH_SIGNS_ROWS(t, U)
#define SIGNED_ROWS(t, U)                                                                                                        \
    ROW2(div_##t, t, t, t, DIV_S(U, a, b))                                                                                       \
    ROW2(rem_##t, t, t, t, REM_S(U, a, b))                                                                                       \
    ROW1(abs_##t, t, t, a < 0 ? (U)0 - (U)a : (U)a)                                                                              \
    ROW1(neg_##t, t, t, (U)0 - (U)a)                                                                                             \
    BOTH_SIGNS_ROWS(t, U)
#define BOTH_SIGNS_ROWS(t, U)                                                                                                    \
    ROW3(sad_##t, t, t, t, t, (U)c + ABS_DIFF(U, a, b))                                                                          \
    ROW2(min_##t, t, t, t, MIN(a, b))                                                                                            \
    ROW2(max_##t, t, t, t, MAX(a, b))                                                                                            \
    ROW3(min3_##t, t, t, t, t, MIN(MIN(a, b), c))                                                                                \
    ROW3(max3_##t, t, t, t, t, MAX(MAX(a, b), c))
UNSIGNED_ROWS(u16, u16)
UNSIGNED_ROWS(u32, u32)
UNSIGNED_ROWS(u64, u64)
SIGNED_ROWS(s16, u16)
SIGNED_ROWS(s32, u32)
SIGNED_ROWS(s64, u64)

/* .relu: a negative result becomes zero */
#define RELU(x) MAX(x, 0)
ROW2(min_relu_s32, s32, s32, s32, RELU(MIN(a, b)))
ROW2(max_relu_s32, s32, s32, s32, RELU(MAX(a, b)))

/* min and max of both halves of a word; T is i16 or u16 */
#define HALF(T, x, i)   (T)((x) >> 16 * (i))
#define PAIR(lo, hi)    ((u32)(u16)(lo) | (u32)(u16)(hi) << 16)
#define MIN_X2(T, a, b) PAIR(MIN(HALF(T, a, 0), HALF(T, b, 0)), MIN(HALF(T, a, 1), HALF(T, b, 1)))
#define MAX_X2(T, a, b) PAIR(MAX(HALF(T, a, 0), HALF(T, b, 0)), MAX(HALF(T, a, 1), HALF(T, b, 1)))
ROW2(min_u16x2, u32, u32, u32, MIN_X2(u16, a, b))
ROW2(max_u16x2, u32, u32, u32, MAX_X2(u16, a, b))
ROW2(min_s16x2, u32, u32, u32, MIN_X2(i16, a, b))
ROW2(max_s16x2, u32, u32, u32, MAX_X2(i16, a, b))
ROW2(min_relu_s16x2, u32, u32, u32, MAX_X2(i16, MIN_X2(i16, a, b), 0u))
ROW2(max_relu_s16x2, u32, u32, u32, MAX_X2(i16, MAX_X2(i16, a, b), 0u))

/* --- the carry chain: d = x + y + carry in. Subtraction is x + ~y + carry, starting from a carry of one. */
enum carry_aux { CARRY_IN = 1, CARRY_OUT = 2 };

/* Carries are gathered in the row's own width, U, to keep one vector shape. */
#define CARRY_ROW(name, U, T, first, x, y)                                                                                       \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        U *d = dv, in = aux & CARRY_IN ? *q : (first), out = 0;                                                                  \
        const U *ra = av, *rb = bv, *rc = cv;                                                                                    \
        (void)rc;                                                                                                                \
        EACH_LANE(l) {                                                                                                           \
            T a = (T)ra[l], b = (T)rb[l];                                                                                        \
            U bit = LANE_BIT_##U[l], left = (x), right = (y), sum = left + right + (in & bit ? 1u : 0u);                         \
            U carry = (left & right) | ((left | right) & ~sum); /* its top bit */                                                \
            out |= bit & ((U)0 - (carry >> (sizeof(U) * 8 - 1)));                                                                \
            d[l] = sum;                                                                                                          \
        }                                                                                                                        \
        if (aux & CARRY_OUT) *q = (u32)out;                                                                                      \
    }
CARRY_ROW(addc_32, u32, u32, 0, a, b)
CARRY_ROW(addc_64, u64, u64, 0, a, b)
CARRY_ROW(subc_32, u32, u32, ~0u, a, ~b)
CARRY_ROW(subc_64, u64, u64, ~0u, a, ~b)
CARRY_ROW(madc_lo_32, u32, u32, 0, (a * b), rc[l])
CARRY_ROW(madc_lo_64, u64, u64, 0, (a * b), rc[l])
CARRY_ROW(madc_hi_u32, u32, u32, 0, mul_hi_u32(a, b), rc[l])
CARRY_ROW(madc_hi_s32, u32, i32, 0, mul_hi_s32(a, b), rc[l])
CARRY_ROW(madc_hi_u64, u64, u64, 0, mul_hi_u64(a, b), rc[l])
CARRY_ROW(madc_hi_s64, u64, i64, 0, mul_hi_s64(a, b), rc[l])

/* --- dot products: four bytes by four bytes; two halves of a by two bytes of b (aux = 16 for .hi: the upper
 * two) */
#define BYTE_u(x, i)    (i32)((x) >> 8 * (i) & 0xFF)
#define BYTE_s(x, i)    ((i32)((x) << (24 - 8 * (i))) >> 24)
#define HALF_u(x, i)    (i32)((x) >> 16 * (i) & 0xFFFF)
#define HALF_s(x, i)    ((i32)((x) << (16 - 16 * (i))) >> 16)
#define DP4A(sa, sb, i) (u32)(BYTE_##sa(a, i) * BYTE_##sb(b, i))
#define DP2A(sa, sb, i) (u32)(HALF_##sa(a, i) * BYTE_##sb(b >> aux, i))
#define DOT_ROWS(sa, sb)                                                                                                         \
    ROW3(dp4a_##sa##sb, u32, u32, u32, u32, c + DP4A(sa, sb, 0) + DP4A(sa, sb, 1) + DP4A(sa, sb, 2) + DP4A(sa, sb, 3))           \
    ROW3(dp2a_##sa##sb, u32, u32, u32, u32, c + DP2A(sa, sb, 0) + DP2A(sa, sb, 1))
DOT_ROWS(u, u)
DOT_ROWS(u, s)
DOT_ROWS(s, u)
DOT_ROWS(s, s)

/* --- which one */
typedef lane_fn *const fn_table[INT_TYPES];
static fn_table add_fn = BY_WIDTH(add), sub_fn = BY_WIDTH(sub), mul_lo_fn = BY_WIDTH(mul_lo), mad_lo_fn = BY_WIDTH(mad_lo);
static fn_table mul_hi_fn = {mul_hi_u16, mul_hi_s16, mul_hi_row_u32, mul_hi_row_s32, mul_hi_row_u64, mul_hi_row_s64};
static fn_table mul_wide_fn = {mul_wide_u16, mul_wide_s16, mul_wide_u32, mul_wide_s32};
static fn_table mad_wide_fn = {mad_wide_u16, mad_wide_s16, mad_wide_u32, mad_wide_s32};
static fn_table mad_hi_fn = BY_TYPE(mad_hi), sad_fn = BY_TYPE(sad), div_fn = BY_TYPE(div), rem_fn = BY_TYPE(rem);
static fn_table min_fn = BY_TYPE(min), max_fn = BY_TYPE(max), min3_fn = BY_TYPE(min3), max3_fn = BY_TYPE(max3);
static fn_table abs_fn = {[INT_S16] = abs_s16, [INT_S32] = abs_s32, [INT_S64] = abs_s64};
static fn_table neg_fn = {[INT_S16] = neg_s16, [INT_S32] = neg_s32, [INT_S64] = neg_s64};
static fn_table addc_fn = {[INT_U32] = addc_32, addc_32, addc_64, addc_64};
static fn_table subc_fn = {[INT_U32] = subc_32, subc_32, subc_64, subc_64};
static fn_table madc_lo_fn = {[INT_U32] = madc_lo_32, madc_lo_32, madc_lo_64, madc_lo_64};
static fn_table madc_hi_fn = {[INT_U32] = madc_hi_u32, madc_hi_s32, madc_hi_u64, madc_hi_s64};
static fn_table mul24_lo_fn = {[INT_U32] = mul24_lo_u32, mul24_lo_s32}, mul24_hi_fn = {[INT_U32] = mul24_hi_u32, mul24_hi_s32};
static fn_table mad24_lo_fn = {[INT_U32] = mad24_lo_u32, mad24_lo_s32}, mad24_hi_fn = {[INT_U32] = mad24_hi_u32, mad24_hi_s32};
static fn_table clmad_lo_fn = {[INT_U64] = clmad_lo_u64}, clmad_hi_fn = {[INT_U64] = clmad_hi_u64};
static lane_fn *const dp4a_fn[4] = {dp4a_uu, dp4a_us, dp4a_su, dp4a_ss};
static lane_fn *const dp2a_fn[4] = {dp2a_uu, dp2a_us, dp2a_su, dp2a_ss};

/* The table of an opcode that comes as .lo, .hi and perhaps .wide */
static lane_fn *const *by_part(const struct opkey *k, fn_table lo, fn_table hi, lane_fn *const *wide) {
    return key_has(k, MOD_lo) ? lo : key_has(k, MOD_hi) ? hi : key_has(k, MOD_wide) ? wide : NULL;
}

static lane_fn *const *plain_table(const struct lane_query *q) {
    const struct opkey *k = q->key;
    switch (k->op) {
    case OP_add: return add_fn;
    case OP_sub: return sub_fn;
    case OP_mul: return by_part(k, mul_lo_fn, mul_hi_fn, mul_wide_fn);
    case OP_mad: return by_part(k, mad_lo_fn, mad_hi_fn, mad_wide_fn);
    case OP_mul24: return by_part(k, mul24_lo_fn, mul24_hi_fn, NULL);
    case OP_mad24: return by_part(k, mad24_lo_fn, mad24_hi_fn, NULL);
    case OP_clmad: return by_part(k, clmad_lo_fn, clmad_hi_fn, NULL);
    case OP_sad: return sad_fn;
    case OP_div: return div_fn;
    case OP_rem: return rem_fn;
    case OP_abs: return abs_fn;
    case OP_neg: return neg_fn;
    case OP_min: return q->nsrc == 3 ? min3_fn : min_fn;
    case OP_max: return q->nsrc == 3 ? max3_fn : max_fn;
    default: return NULL;
    }
}

static lane_fn *const *carry_table(const struct opkey *k) {
    switch (k->op) {
    case OP_add:
    case OP_addc: return addc_fn;
    case OP_sub:
    case OP_subc: return subc_fn;
    case OP_mad:
    case OP_madc: return by_part(k, madc_lo_fn, madc_hi_fn, NULL);
    default: return NULL;
    }
}

/* .sat and .relu exist for few types: s32, and s16x2 for .relu */
static lane_fn *sat_fn(const struct opkey *k) {
    if (k->type[0] != TYPE_s32) return NULL;
    switch (k->op) {
    case OP_add: return add_sat_s32;
    case OP_sub: return sub_sat_s32;
    case OP_mad: return key_has(k, MOD_hi) ? mad_hi_sat_s32 : NULL;
    case OP_mad24: return key_has(k, MOD_hi) ? mad24_hi_sat_s32 : NULL;
    default: return NULL;
    }
}

static lane_fn *packed_fn(const struct opkey *k) {
    bool is_signed = k->type[0] == TYPE_s16x2, relu = key_has(k, MOD_relu);
    if (relu && !is_signed) return NULL;
    switch (k->op) {
    case OP_add: return relu ? NULL : add_x2;
    case OP_min: return relu ? min_relu_s16x2 : is_signed ? min_s16x2 : min_u16x2;
    case OP_max: return relu ? max_relu_s16x2 : is_signed ? max_s16x2 : max_u16x2;
    default: return NULL;
    }
}

static struct lane_pick pick_dot(const struct lane_query *q) {
    const struct opkey *k = q->key;
    bool has_half = key_has(k, MOD_lo) || key_has(k, MOD_hi);
    if (k->ntypes != 2 || q->nsrc != 3 || has_half != (k->op == OP_dp2a)) return (struct lane_pick){0};
    int which = (k->type[0] == TYPE_s32) * 2 + (k->type[1] == TYPE_s32);
    if (k->op == OP_dp4a) return (struct lane_pick){dp4a_fn[which], 0};
    return (struct lane_pick){dp2a_fn[which], key_has(k, MOD_hi) ? 16 : 0};
}

static struct lane_pick pick_carry(const struct opkey *k, int type) {
    lane_fn *const *table = carry_table(k);
    u32 in = k->op == OP_addc || k->op == OP_subc || k->op == OP_madc ? CARRY_IN : 0;
    u32 out = key_has(k, MOD_cc) ? CARRY_OUT : 0;
    return (struct lane_pick){table ? table[type] : NULL, in | out};
}

struct lane_pick LANES_NAME(lanes_int)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    if (k->op == OP_dp4a || k->op == OP_dp2a) return pick_dot(q);
    if (k->type[0] == TYPE_u16x2 || k->type[0] == TYPE_s16x2) return (struct lane_pick){packed_fn(k), 0};
    int type = int_type_of(k->type[0]);
    if (type == NONE) return (struct lane_pick){0};
    if (key_has(k, MOD_cc) || k->op == OP_addc || k->op == OP_subc || k->op == OP_madc) return pick_carry(k, type);
    if (key_has(k, MOD_sat)) return (struct lane_pick){sat_fn(k), 0};
    if (key_has(k, MOD_relu)) {
        lane_fn *fn = k->type[0] != TYPE_s32 ? NULL : k->op == OP_min ? min_relu_s32 : k->op == OP_max ? max_relu_s32 : NULL;
        return (struct lane_pick){fn, 0};
    }
    lane_fn *const *table = plain_table(q);
    return (struct lane_pick){table ? table[type] : NULL, 0};
}
