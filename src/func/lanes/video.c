/* lanes_video: the video instructions on 32 lanes: scalar on a byte, half or word of each source, and SIMD on
 * two halves or four bytes.
 *
 * Today's machines emulate most of these with several instructions, so do not expect them hot: clarity first.
 * Where Hopper's emulation departs from what PTX says about intermediate results (wider than 32 bits, then
 * saturated, then combined with c), we follow Hopper; the places say so. */
#include "func/lanes/rows.h"

typedef __int128 i128; /* holds any product, shifted or negated */

/* --- scalar: vadd vsub vabsdiff vmin vmax vshl vshr vset vmad
 *
 * aux, from bit 0: selectors of d, a, b (3 bits each), signedness of d, a, b, saturate, secondary operation
 * (2 bits), shift mode, comparison (3 bits). vmad uses the bits above for its own. */
enum {
    VID_D_SEL = 0,
    VID_A_SEL = 3,
    VID_B_SEL = 6,
    VID_D_SIGNED = 1 << 9,
    VID_A_SIGNED = 1 << 10,
    VID_B_SIGNED = 1 << 11,
    VID_SAT = 1 << 12,
    VID_OP2 = 13, /* enum secondary */
    VID_WRAP = 1 << 15,
    VID_CMP = 16, /* enum video_cmp */
    VID_MINUS_AB = 1 << 19,
    VID_MINUS_C = 1 << 20,
    VID_PLUS_ONE = 1 << 21,
    VID_SHIFT = 22, /* 0, 7 or 15: 4 bits */
};
enum secondary { OP2_NONE, OP2_ADD, OP2_MIN, OP2_MAX };
enum video_cmp { VCMP_EQ, VCMP_NE, VCMP_LT, VCMP_LE, VCMP_GT, VCMP_GE };

static const u8 sel_shift[] = {
    [SEL_NONE] = 0, [SEL_B0] = 0, [SEL_B1] = 8, [SEL_B2] = 16, [SEL_B3] = 24, [SEL_H0] = 0, [SEL_H1] = 16};
static const u8 sel_bits[] = {
    [SEL_NONE] = 32, [SEL_B0] = 8, [SEL_B1] = 8, [SEL_B2] = 8, [SEL_B3] = 8, [SEL_H0] = 16, [SEL_H1] = 16};

/* The low `bits` of x as a number */
static inline i64 extend(u32 x, u32 bits, bool is_signed) {
    u32 top = x << (32 - bits);
    return is_signed ? (i32)top >> (32 - bits) : (i64)(top >> (32 - bits));
}
static inline i64 part(u32 x, u32 sel, bool is_signed) { return extend(x >> sel_shift[sel], sel_bits[sel], is_signed); }

static inline i128 clamp(i128 x, u32 bits, bool is_signed) {
    i64 most = ((i64)1 << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

static inline u32 merge(u32 sel, u32 value, u32 into) {
    u32 mask = (u32)(((u64)1 << sel_bits[sel]) - 1) << sel_shift[sel];
    return (into & ~mask) | (value << sel_shift[sel] & mask);
}

/* x is the whole intermediate result: it is compared in 64 bits, with c extended as the type of d says */
static inline u32 second_op(enum secondary op, i128 x, u32 c, bool is_signed) {
    bool less = is_signed ? x < (i32)c : (u64)x < c;
    switch (op) {
    case OP2_ADD: return (u32)x + c;
    case OP2_MIN: return less ? (u32)x : c;
    case OP2_MAX: return less ? c : (u32)x;
    default: return (u32)x;
    }
}

enum result_kind { RESULT_EXACT, RESULT_SUM, RESULT_SHIFTED };

/* Saturation as Hopper does it. Shifts saturate to 32 bits whatever part of d they go to. To a byte or half,
 * anything else saturates by an unsigned comparison with the most it holds, so that what is negative becomes
 * the most; to 32 unsigned bits only from below. */
static inline i128 saturate(i128 x, enum result_kind kind, u32 bits, bool is_signed) {
    if (kind == RESULT_SHIFTED) return clamp(x, 32, is_signed);
    if (bits < 32) return MIN((u64)x, ((u64)1 << (is_signed ? bits - 1 : bits)) - 1);
    return is_signed ? clamp(x, 32, true) : MAX(x, 0);
}

/* Saturates the intermediate result to the destination, then combines it with c or merges it into c. c is
 * NULL when not written. On Hopper a sum, a difference and a saturated shift are 32 signed bits when they
 * meet c, and what is merged as .h1 is the upper half of the result. */
static inline u32 finish(i128 x, enum result_kind kind, const u32 *c, u32 l, u32 aux) {
    u32 d_sel = aux >> VID_D_SEL & 7;
    bool is_signed = aux & VID_D_SIGNED;
    if (aux & VID_SAT) x = saturate(x, kind, sel_bits[d_sel], is_signed);
    if (kind == RESULT_SUM || (kind == RESULT_SHIFTED && aux & VID_SAT)) x = (i32)x;
    if (d_sel != SEL_NONE) return merge(d_sel, d_sel == SEL_H1 ? (u32)x >> 16 : (u32)x, c[l]);
    enum secondary op2 = aux >> VID_OP2 & 3;
    return op2 ? second_op(op2, x, c[l], is_signed) : (u32)x;
}

#define VIDEO_FN(name, kind, expr)                                                                                               \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        u32 *d = dv;                                                                                                             \
        const u32 *ra = av, *rb = bv, *rc = cv;                                                                                  \
        for (u32 l = 0; l < SLAB_LANES; l++) {                                                                                   \
            i64 a = part(ra[l], aux >> VID_A_SEL & 7, aux & VID_A_SIGNED);                                                       \
            i64 b = part(rb[l], aux >> VID_B_SEL & 7, aux & VID_B_SIGNED);                                                       \
            d[l] = finish(expr, kind, rc, l, aux);                                                                               \
        }                                                                                                                        \
    }

static inline u32 shift_amount(i64 b, u32 aux) { return aux & VID_WRAP ? (u32)b & 31 : MIN((u32)b, 32u); }

/* Before it saturates, Hopper keeps 34 bits of a left shift */
static inline i128 shift_left(i64 a, u32 by, u32 aux) {
    i128 x = (i128)a * ((i64)1 << by);
    return aux & VID_SAT ? (i64)((u64)x << 30) >> 30 : x;
}

static inline bool compare(i64 a, i64 b, enum video_cmp cmp) {
    switch (cmp) {
    case VCMP_EQ: return a == b;
    case VCMP_NE: return a != b;
    case VCMP_LT: return a < b;
    case VCMP_LE: return a <= b;
    case VCMP_GT: return a > b;
    default: return a >= b;
    }
}

VIDEO_FN(video_add, RESULT_SUM, a + b)
VIDEO_FN(video_sub, RESULT_SUM, a - b)
VIDEO_FN(video_absdiff, RESULT_EXACT, a < b ? b - a : a - b)
VIDEO_FN(video_min, RESULT_EXACT, MIN(a, b))
VIDEO_FN(video_max, RESULT_EXACT, MAX(a, b))
VIDEO_FN(video_shl, RESULT_SHIFTED, shift_left(a, shift_amount(b, aux), aux))
VIDEO_FN(video_shr, RESULT_SHIFTED, a >> shift_amount(b, aux))
VIDEO_FN(video_set, RESULT_EXACT, compare(a, b, aux >> VID_CMP & 7))

/* vmad: a * b + c with either product or c negated, or one added (.po), then shifted. The final result is
 * signed when any part may be negative; that, not the type of d, decides how it is shifted and what it
 * saturates to. PTX would have c and 32-bit factors zero-extended when they are unsigned; silicon always
 * extends their sign, which shows after a shift and when it saturates. */
static inline i64 factor(u32 x, u32 sel, bool is_signed) { return part(x, sel, is_signed || sel == SEL_NONE); }
static inline u32 multiply_add(i64 a, i64 b, u32 c, u32 aux) {
    bool is_signed = aux & (VID_A_SIGNED | VID_B_SIGNED | VID_MINUS_AB | VID_MINUS_C);
    u32 shift = aux >> VID_SHIFT & 15;
    i128 x = (i128)a * b;
    if (aux & VID_MINUS_AB) x = ~x;
    if (aux & VID_MINUS_C) c = ~c;
    x += (i32)c;
    if (aux & (VID_MINUS_AB | VID_MINUS_C | VID_PLUS_ONE)) x += 1;
    if (shift) x = is_signed ? x >> shift : (i128)((u64)x >> shift);
    if (aux & VID_SAT) x = clamp(x, 32, is_signed);
    return (u32)x;
}
static void video_mad(LANE_ARGS) {
    LANE_ARGS_USED;
    u32 *d = dv;
    const u32 *a = av, *b = bv, *c = cv;
    for (u32 l = 0; l < SLAB_LANES; l++)
        d[l] = multiply_add(factor(a[l], aux >> VID_A_SEL & 7, aux & VID_A_SIGNED),
                            factor(b[l], aux >> VID_B_SEL & 7, aux & VID_B_SIGNED), c[l], aux);
}

/* --- SIMD: n parts of 32 / n bits each. A part of a source is any of the 2n parts of b above a.
 *
 * aux, from bit 0: parts of a and of b (12 bits each, 3 bits per part from the lowest), mask of result parts
 * (4 bits), signedness of d, a and b, saturate. Accumulating forms are functions of their own. */
enum { SIMD_A_PARTS = 0, SIMD_B_PARTS = 12, SIMD_MASK = 24 };
#define SIMD_D_SIGNED (1u << 28)
#define SIMD_A_SIGNED (1u << 29)
#define SIMD_B_SIGNED (1u << 30)
#define SIMD_SAT      (1u << 31)

static inline i32 simd_part(u64 ba, u32 parts, u32 i, u32 bits, bool is_signed) {
    u32 which = parts >> 3 * i & 7;
    return (i32)extend((u32)(ba >> which * bits), bits, is_signed);
}

/* vavrg rounds half up when the sum is not negative, down else */
static inline i32 average(i32 a, i32 b) { return (a + b + (a + b >= 0)) >> 1; }

#define SIMD_FN(name, n, accumulate, expr)                                                                                       \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        enum { BITS = 32 / (n) };                                                                                                \
        u32 *d = dv;                                                                                                             \
        const u32 *ra = av, *rb = bv, *rc = cv;                                                                                  \
        for (u32 l = 0; l < SLAB_LANES; l++) {                                                                                   \
            u64 ba = (u64)rb[l] << 32 | ra[l];                                                                                   \
            u32 result = rc[l];                                                                                                  \
            for (u32 i = 0; i < (n); i++) {                                                                                      \
                i32 a = simd_part(ba, aux >> SIMD_A_PARTS, i, BITS, aux & SIMD_A_SIGNED);                                        \
                i32 b = simd_part(ba, aux >> SIMD_B_PARTS, i, BITS, aux & SIMD_B_SIGNED);                                        \
                i32 x = (expr);                                                                                                  \
                if (!(aux >> SIMD_MASK >> i & 1)) continue;                                                                      \
                if (aux & SIMD_SAT) x = (i32)clamp(x, BITS, aux & SIMD_D_SIGNED);                                                \
                u32 mask = ((1u << BITS) - 1) << i * BITS;                                                                       \
                result = (accumulate) ? result + (u32)x : (result & ~mask) | ((u32)x << i * BITS & mask);                        \
            }                                                                                                                    \
            d[l] = result;                                                                                                       \
        }                                                                                                                        \
    }
#define SIMD_FNS(name, expr)                                                                                                     \
    SIMD_FN(name##2, 2, false, expr)                                                                                             \
    SIMD_FN(name##2_add, 2, true, expr)                                                                                          \
    SIMD_FN(name##4, 4, false, expr)                                                                                             \
    SIMD_FN(name##4_add, 4, true, expr)
SIMD_FNS(simd_add, a + b)
SIMD_FNS(simd_sub, a - b)
SIMD_FNS(simd_avrg, average(a, b))
SIMD_FNS(simd_absdiff, a < b ? b - a : a - b)
SIMD_FNS(simd_min, MIN(a, b))
SIMD_FNS(simd_max, MAX(a, b))
SIMD_FNS(simd_eq, a == b)
SIMD_FNS(simd_ne, a != b)
SIMD_FNS(simd_lt, a < b)
SIMD_FNS(simd_le, a <= b)

/* --- which one */
static int cmp_of(const struct opkey *k) {
    static const u16 mods[] = {
        [VCMP_EQ] = MOD_eq, [VCMP_NE] = MOD_ne, [VCMP_LT] = MOD_lt, [VCMP_LE] = MOD_le, [VCMP_GT] = MOD_gt, [VCMP_GE] = MOD_ge};
    for (u32 i = 0; i < ARRAY_LEN(mods); i++)
        if (key_has(k, mods[i])) return (int)i;
    return NONE;
}

/* Types are those of d, a, b; vset and its kin write none for d, which on Hopper has the type of a */
static u32 types_of(u16 op) { return op == OP_vset || op == OP_vset2 || op == OP_vset4 ? 2 : 3; }
static bool is_signed_type(const struct opkey *k, u32 operand) {
    bool has_d = k->ntypes == 3;
    return k->type[operand && !has_d ? operand - 1 : operand] == TYPE_s32;
}

static lane_fn *scalar_fn(u16 op) {
    switch (op) {
    case OP_vadd: return video_add;
    case OP_vsub: return video_sub;
    case OP_vabsdiff: return video_absdiff;
    case OP_vmin: return video_min;
    case OP_vmax: return video_max;
    case OP_vshl: return video_shl;
    case OP_vshr: return video_shr;
    case OP_vset: return video_set;
    case OP_vmad: return video_mad;
    default: return NULL;
    }
}

static u32 vmad_aux(const struct lane_query *q) {
    u32 shift = key_has(q->key, MOD_shr7) ? 7 : key_has(q->key, MOD_shr15) ? 15 : 0;
    return (q->negate[1] != q->negate[2] ? VID_MINUS_AB : 0u) | (q->negate[3] ? VID_MINUS_C : 0u) |
           (key_has(q->key, MOD_po) ? VID_PLUS_ONE : 0u) | shift << VID_SHIFT;
}

static u32 scalar_aux(const struct lane_query *q) {
    const struct opkey *k = q->key;
    enum secondary op2 = key_has(k, MOD_add) ? OP2_ADD : key_has(k, MOD_min) ? OP2_MIN : key_has(k, MOD_max) ? OP2_MAX : OP2_NONE;
    u32 aux = (u32)q->sel[0] << VID_D_SEL | (u32)q->sel[1] << VID_A_SEL | (u32)q->sel[2] << VID_B_SEL | (u32)op2 << VID_OP2;
    if (is_signed_type(k, 0)) aux |= VID_D_SIGNED;
    if (is_signed_type(k, 1)) aux |= VID_A_SIGNED;
    if (is_signed_type(k, 2)) aux |= VID_B_SIGNED;
    if (key_has(k, MOD_sat)) aux |= VID_SAT;
    if (key_has(k, MOD_wrap)) aux |= VID_WRAP;
    if (k->op == OP_vset) aux |= (u32)cmp_of(k) << VID_CMP;
    if (k->op == OP_vmad) aux |= vmad_aux(q);
    return aux;
}

/* c is read by vmad, by a secondary operation and by a merge */
static bool needs_c(const struct lane_query *q) {
    const struct opkey *k = q->key;
    return k->op == OP_vmad || q->sel[0] != SEL_NONE || key_has(k, MOD_add) || key_has(k, MOD_min) || key_has(k, MOD_max);
}

static struct lane_pick pick_scalar(const struct lane_query *q) {
    const struct opkey *k = q->key;
    bool is_shift = k->op == OP_vshl || k->op == OP_vshr;
    if (needs_c(q) && q->nsrc < 3) return (struct lane_pick){0};
    if (is_shift && !key_has(k, MOD_wrap) && !key_has(k, MOD_clamp)) return (struct lane_pick){0};
    if (k->op == OP_vset && cmp_of(k) == NONE) return (struct lane_pick){0};
    for (u32 i = 0; i < 3; i++)
        if (q->sel[i] > SEL_H1) return (struct lane_pick){0};
    return (struct lane_pick){scalar_fn(k->op), scalar_aux(q)};
}

struct simd_row {
    u16 op2, op4;      /* the opcode on halves and on bytes */
    lane_fn *fn[2][2]; /* [bytes][accumulate] */
};
#define SIMD_FN_ROW(name) {{name##2, name##2_add}, {name##4, name##4_add}}
static const struct simd_row simd_table[] = {
    {OP_vadd2, OP_vadd4, SIMD_FN_ROW(simd_add)},    {OP_vsub2, OP_vsub4, SIMD_FN_ROW(simd_sub)},
    {OP_vavrg2, OP_vavrg4, SIMD_FN_ROW(simd_avrg)}, {OP_vabsdiff2, OP_vabsdiff4, SIMD_FN_ROW(simd_absdiff)},
    {OP_vmin2, OP_vmin4, SIMD_FN_ROW(simd_min)},    {OP_vmax2, OP_vmax4, SIMD_FN_ROW(simd_max)},
};
/* By enum video_cmp; gt and ge are lt and le with their sources exchanged */
static const struct simd_row simd_set_table[] = {
    {OP_vset2, OP_vset4, SIMD_FN_ROW(simd_eq)}, {OP_vset2, OP_vset4, SIMD_FN_ROW(simd_ne)},
    {OP_vset2, OP_vset4, SIMD_FN_ROW(simd_lt)}, {OP_vset2, OP_vset4, SIMD_FN_ROW(simd_le)},
    {OP_vset2, OP_vset4, SIMD_FN_ROW(simd_lt)}, {OP_vset2, OP_vset4, SIMD_FN_ROW(simd_le)},
};

static const struct simd_row *find_simd(const struct opkey *k) {
    if (k->op == OP_vset2 || k->op == OP_vset4) return cmp_of(k) == NONE ? NULL : &simd_set_table[cmp_of(k)];
    for (u32 i = 0; i < ARRAY_LEN(simd_table); i++)
        if (k->op == simd_table[i].op2 || k->op == simd_table[i].op4) return &simd_table[i];
    return NULL;
}

/* A mask of one part may come spelled like a scalar selector */
static u32 simd_mask(u32 sel) {
    if (sel == SEL_NONE) return 15;
    if (sel >= SEL_MASK_FIRST) return (sel - SEL_MASK_FIRST) & 15;
    return sel >= SEL_H0 ? 1u << (sel - SEL_H0) : 1u << (sel - SEL_B0);
}

/* The parts of a source; a selector that reads like a full mask (.b3210, .h10) names the parts of a */
static u32 simd_parts(u32 sel, u32 of_a, u32 by_default) {
    if (sel >= SEL_PARTS_FIRST) return (sel - SEL_PARTS_FIRST) & 07777;
    return sel == SEL_NONE ? by_default : of_a;
}

static u32 simd_aux(const struct lane_query *q, bool bytes) {
    const struct opkey *k = q->key;
    u32 of_a = bytes ? 03210 : 010, of_b = bytes ? 07654 : 032;
    u32 a_parts = simd_parts(q->sel[1], of_a, of_a), b_parts = simd_parts(q->sel[2], of_a, of_b);
    u32 a_signed = is_signed_type(k, 1) ? SIMD_A_SIGNED : 0, b_signed = is_signed_type(k, 2) ? SIMD_B_SIGNED : 0;
    if (cmp_of(k) == VCMP_GT || cmp_of(k) == VCMP_GE) {
        u32 parts = a_parts;
        a_parts = b_parts, b_parts = parts;
        a_signed = is_signed_type(k, 2) ? SIMD_A_SIGNED : 0, b_signed = is_signed_type(k, 1) ? SIMD_B_SIGNED : 0;
    }
    return a_parts << SIMD_A_PARTS | b_parts << SIMD_B_PARTS | simd_mask(q->sel[0]) << SIMD_MASK | a_signed | b_signed |
           (is_signed_type(k, 0) ? SIMD_D_SIGNED : 0) | (key_has(k, MOD_sat) ? SIMD_SAT : 0);
}

struct lane_pick LANES_NAME(lanes_video)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    if (op_table[k->op].iclass != ICLASS_VIDEO || k->ntypes != types_of(k->op)) return (struct lane_pick){0};
    const struct simd_row *simd = find_simd(k);
    if (!simd) return pick_scalar(q);
    if (q->nsrc < 3) return (struct lane_pick){0};
    bool bytes = k->op == simd->op4;
    return (struct lane_pick){simd->fn[bytes][key_has(k, MOD_add)], simd_aux(q, bytes)};
}
