/* mma.c: what a tensor core computes for mma.sync.aligned: f16, bf16, tf32, fp8 with f32 or f16 sums, f64, 8-
 * and 4-bit integers, single bits.
 *
 * Fragments: lane l = 4 g + t holds, in register j of A, row g + 8 (j mod 2) and the E columns from E (t + 4
 * (j / 2)), E elements to a register; of B, column g and the E rows from E (t + 4 j); of C and D, row g + 8
 * (j / 2), column 2 t + j mod 2 (f16 results: two columns to a register). Every shape the PTX ISA gives is
 * this one pattern, but m8n8k4 on f16, which is no tensor core's any more (mma_quad.c).
 *
 * Floating sums, as measured on Hopper: products are exact; products and C are aligned to the largest
 * exponent among them (of unnormalised products: sum of the factors' exponents), cut toward zero to 25 bits
 * below it, added exactly, and the sum is cut to f32 or rounded to nearest f16. One such sum takes all of k.
 * 8-bit floats are made f16 first and summed twice: from zero over the first two of every four in k, on from
 * there over the last two; then C is added, rounded to nearest. f64 is a chain of fused multiply-adds in
 * order of k. */
#include "func/mma.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { MAX_M = 16, MAX_N = 8, MAX_K = 256, MAX_FLOAT_K = 32 };
enum { KEEP_BITS = 25 }; /* fraction bits a Hopper core keeps below the largest exponent of a sum */

/* --- what there is */
enum kind { KIND_FLOAT, KIND_QUADS, KIND_INT, KIND_BITS, KIND_F64 };
static const struct {
    u8 mod; /* shape modifier */
    u8 m;
    u16 k;
    u8 elem_bits; /* of A and B; 64: f64 */
} shapes[] = {
    {MOD_m16n8k8, 16, 8, 16},    {MOD_m16n8k16, 16, 16, 16}, {MOD_m16n8k4, 16, 4, 32},  {MOD_m16n8k8, 16, 8, 32},
    {MOD_m8n8k16, 8, 16, 8},     {MOD_m16n8k16, 16, 16, 8},  {MOD_m16n8k32, 16, 32, 8}, {MOD_m8n8k32, 8, 32, 4},
    {MOD_m16n8k32, 16, 32, 4},   {MOD_m16n8k64, 16, 64, 4},  {MOD_m8n8k128, 8, 128, 1}, {MOD_m16n8k128, 16, 128, 1},
    {MOD_m16n8k256, 16, 256, 1}, {MOD_m8n8k4, 8, 4, 64},     {MOD_m16n8k4, 16, 4, 64},  {MOD_m16n8k8, 16, 8, 64},
    {MOD_m16n8k16, 16, 16, 64},  {MOD_m8n8k4, 8, 4, 16},
};

static bool is_fp8(u8 t) { return t == TYPE_e4m3 || t == TYPE_e5m2; }
static bool is_int8(u8 t) { return t == TYPE_s8 || t == TYPE_u8; }
static bool is_int4(u8 t) { return t == TYPE_s4 || t == TYPE_u4; }

/* Whether the types go together; key->type is d, a, b, c */
static bool kind_of(const struct opkey *key, enum kind *kind) {
    u8 d = key->type[0], a = key->type[1], b = key->type[2], c = key->type[3];
    if (key->ntypes != 4) return false;
    if (a == TYPE_f16 && b == TYPE_f16 && key_has(key, MOD_m8n8k4))
        return *kind = KIND_QUADS, (d == TYPE_f32 && (c == TYPE_f32 || c == TYPE_f16)) || (d == TYPE_f16 && c == TYPE_f16);
    if (d != c) return false;
    if ((is_int8(a) && is_int8(b)) || (is_int4(a) && is_int4(b))) return *kind = KIND_INT, d == TYPE_s32;
    if (is_fp8(a) && is_fp8(b)) return *kind = KIND_FLOAT, d == TYPE_f32 || d == TYPE_f16;
    if (a != b) return false;
    switch (a) {
    case TYPE_f64: return *kind = KIND_F64, d == TYPE_f64;
    case TYPE_f16: return *kind = KIND_FLOAT, d == TYPE_f32 || d == TYPE_f16;
    case TYPE_bf16:
    case TYPE_tf32: return *kind = KIND_FLOAT, d == TYPE_f32;
    case TYPE_b1: return *kind = KIND_BITS, d == TYPE_s32 && (key_has(key, MOD_xor) || key_has(key, MOD_and));
    default: return false;
    }
}

bool mma_shape_of(const struct opkey *key, struct mma_shape *shape) {
    enum kind kind;
    if (key->op != OP_mma || !kind_of(key, &kind)) return false;
    u32 bits = type_table[key->type[1]].bits;
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        if (shapes[i].elem_bits != bits || !key_has(key, (enum mod)shapes[i].mod)) continue;
        if (is_fp8(key->type[1]) && shapes[i].m == 8) continue;
        u32 reg_bits = kind == KIND_F64 ? 64 : 32, products = kind == KIND_QUADS ? MMA_QUAD_PAIRS : 1;
        u32 acc_regs = products * shapes[i].m * 8u / 32;
        if (shape) {
            shape->m = shapes[i].m;
            shape->n = 8;
            shape->k = shapes[i].k;
            shape->na = (u8)(products * shapes[i].m * shapes[i].k * bits / reg_bits / 32);
            shape->nb = (u8)(products * 8u * shapes[i].k * bits / reg_bits / 32);
            shape->nd = (u8)(key->type[0] == TYPE_f16 ? acc_regs / 2 : acc_regs);
            shape->nc = (u8)(key->type[3] == TYPE_f16 ? acc_regs / 2 : acc_regs);
        }
        return true;
    }
    return false;
}

/* --- fragments */
struct place {
    u8 row;
    u16 col;
};
static u32 word_of(const void *const *rows, u32 j, u32 lane) { return ((const u32 *)rows[j])[lane]; }
/* First element of register j of A; of B the same with row and column exchanged and no rows to alternate */
static struct place place_a(u32 j, u32 lane, u32 per_reg, u32 m) {
    u32 half = m == 16 ? j & 1 : 0, step = m == 16 ? j >> 1 : j;
    return (struct place){(u8)(lane / 4 + 8 * half), (u16)(per_reg * (lane % 4 + 4 * step))};
}
static struct place place_b(u32 j, u32 lane, u32 per_reg) {
    return (struct place){(u8)(lane / 4), (u16)(per_reg * (lane % 4 + 4 * j))};
}
static struct place place_c(u32 j, u32 lane) {
    return (struct place){(u8)(lane / 4 + 8 * (j / 2)), (u16)(2 * (lane % 4) + j % 2)};
}

/* --- floating point */
/* A number as significand * 2^(exp - fraction bits of its format); zero has the least exponent, so that it
 * never sets the alignment */
struct num {
    i32 sig; /* signed */
    i16 exp;
    u8 special; /* enum special */
};
enum special { FINITE, INFINITE, IS_NAN };
enum { EXP_ZERO = -4096 };

struct format {
    u8 exp_bits, frac_bits;
    u8 shift; /* low bits of the element that are ignored */
    bool has_inf;
};
static struct format format_of(u8 type) {
    switch (type) {
    case TYPE_f16: return (struct format){5, 10, 0, true};
    case TYPE_bf16: return (struct format){8, 7, 0, true};
    case TYPE_tf32: return (struct format){8, 10, 13, true};
    case TYPE_f32: return (struct format){8, 23, 0, true};
    case TYPE_e5m2: return (struct format){5, 2, 0, true};
    default: return (struct format){4, 3, 0, false}; /* e4m3 */
    }
}
static struct num num_of(u32 bits, struct format f) {
    bits >>= f.shift;
    u32 frac = bits & ((1u << f.frac_bits) - 1), top = (1u << f.exp_bits) - 1, exp = bits >> f.frac_bits & top;
    bool negative = bits >> (f.frac_bits + f.exp_bits) & 1;
    if (f.has_inf && exp == top) return (struct num){negative ? -1 : 1, 0, frac ? IS_NAN : INFINITE};
    if (!f.has_inf && exp == top && frac == (1u << f.frac_bits) - 1) return (struct num){0, 0, IS_NAN};
    i32 sig = (i32)(exp ? frac | 1u << f.frac_bits : frac);
    i16 e = (i16)((exp ? (i32)exp : 1) - (i32)(top >> 1));
    return (struct num){negative ? -sig : sig, sig ? e : EXP_ZERO, FINITE};
}

/* v / 2^by, cut toward zero */
static i64 cut(i64 v, i32 by) {
    if (by <= 0) return v * ((i64)1 << -by);
    if (by > 62) return 0;
    return v < 0 ? -(-v >> by) : v >> by;
}

/* sum * 2^exp to a format, cut toward zero (f32) or to nearest even (f16); past the largest value:
 * infinity */
static u32 num_pack(i64 sum, i32 exp, struct format f, bool nearest) {
    if (sum == 0) return 0;
    u32 sign = (u32)(sum < 0) << (f.exp_bits + f.frac_bits);
    u64 mag = sum < 0 ? (u64)-sum : (u64)sum;
    i32 bias = (1 << (f.exp_bits - 1)) - 1, lead = 63 - __builtin_clzll(mag);
    i32 lsb = MAX(lead + exp, 1 - bias) - f.frac_bits, drop = lsb - exp; /* weight of the result's last bit; bits below it */
    u64 kept = drop <= 0 ? mag << -drop : drop > 63 ? 0 : mag >> drop;
    if (nearest && drop > 0 && drop <= 63) {
        u64 rem = mag & ((1ull << drop) - 1), half = 1ull << (drop - 1);
        kept += rem > half || (rem == half && (kept & 1));
    }
    u64 code = kept + ((u64)(lsb + f.frac_bits - (1 - bias)) << f.frac_bits); /* a carry moves into the exponent by itself */
    u64 inf = ((1ull << f.exp_bits) - 1) << f.frac_bits;
    return code ? (u32)MIN(code, inf) | sign : 0; /* what is rounded away leaves +0 */
}

/* An 8-bit float as f16: exact */
static u32 f16_of_fp8(u32 bits, u8 type) {
    if (type == TYPE_e5m2) return bits << 8;
    u32 sign = (bits & 0x80) << 8, mag = bits & 0x7f, top = mag ? 31 - (u32)__builtin_clz(mag) : 0;
    if (mag == 0x7f) return 0x7fff;
    if (mag < 8) return mag ? sign | (top + 6) << 10 | (mag << (10 - top) & 0x3ff) : sign;
    return sign | ((mag << 7) + (8u << 10));
}

/* A matrix of numbers, k first: significands and exponents of the rows of A or the columns of B, apart so
 * that a sum runs over eight columns at once */
struct matrix {
    i32 sig[MAX_FLOAT_K][MAX_M], exp[MAX_FLOAT_K][MAX_M];
    u8 special[MAX_FLOAT_K][MAX_M]; /* enum special */
    bool any_special[MAX_M];        /* in this row of A or column of B */
};
/* 8-bit floats: the first two of every four in k come first */
static void matrix_load(struct matrix *x, const void *const *rows, u32 nrows, u32 m, u8 type, bool is_b) {
    struct format f = format_of(is_fp8(type) ? TYPE_f16 : type);
    u32 bits = type_table[type].bits, per_reg = 32 / bits, half_k = is_fp8(type) ? nrows * per_reg * SLAB_LANES / m / 2 : 0;
    memset(x->any_special, 0, sizeof(x->any_special));
    for (u32 j = 0; j < nrows; j++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            struct place p = is_b ? place_b(j, lane, per_reg) : place_a(j, lane, per_reg, m);
            u32 w = word_of(rows, j, lane);
            for (u32 e = 0; e < per_reg; e++) {
                u32 elem = w >> (e * bits) & ~0u >> (32 - bits), k = p.col + e;
                if (is_fp8(type)) elem = f16_of_fp8(elem, type), k = k / 4 * 2 + k % 2 + (k % 4 < 2 ? 0 : half_k);
                struct num v = num_of(elem, f);
                x->sig[k][p.row] = v.sig;
                x->exp[k][p.row] = v.exp;
                x->special[k][p.row] = v.special;
                if (v.special) x->any_special[p.row] = true;
            }
        }
}

struct dot {
    struct matrix a, b;
    struct format acc;
    u32 from, to; /* what of k is summed */
    i32 up;       /* a product's own fraction bits are so many fewer than KEEP_BITS */
    bool half_result;
};

/* One row of A with all columns of B: `top` starts as the exponents of C and becomes the largest; `sum` is
 * the sum of the products, cut. It fits 32 bits: sixteen times the largest product of 11-bit significands,
 * shifted up by 5, stays below 2^31, as do the other formats. */
__attribute__((target_clones("avx2", "default"))) static void dot_row(const struct dot *restrict t, u32 row, i32 *restrict top,
                                                                      i32 *restrict sum) {
    for (u32 i = t->from; i < t->to; i++) {
        i32 exp = t->a.exp[i][row];
        for (u32 n = 0; n < MAX_N; n++) top[n] = MAX(top[n], exp + t->b.exp[i][n]);
    }
    for (u32 i = t->from; i < t->to; i++) {
        i32 sig = t->a.sig[i][row] * (1 << t->up), exp = t->a.exp[i][row];
        for (u32 n = 0; n < MAX_N; n++) {
            i32 product = sig * t->b.sig[i][n], down = MIN(top[n] - exp - t->b.exp[i][n], 31), sign = product >> 31;
            sum[n] += (((product ^ sign) - sign) >> down ^ sign) - sign; /* cuts the magnitude */
        }
    }
}

/* Infinities and NaN among the terms decide alone: f32 bits of the result; 0 when there are none */
static u32 special_sum(const struct dot *t, u32 row, u32 col, struct num c) {
    bool pos = c.special == INFINITE && c.sig > 0, neg = c.special == INFINITE && c.sig < 0, nan = c.special == IS_NAN;
    for (u32 i = t->from; i < t->to; i++) {
        u8 sa = t->a.special[i][row], sb = t->b.special[i][col];
        i32 a = t->a.sig[i][row], b = t->b.sig[i][col];
        if (sa == FINITE && sb == FINITE) continue;
        if (sa == IS_NAN || sb == IS_NAN || a == 0 || b == 0) nan = true;
        else if ((a < 0) != (b < 0)) neg = true;
        else pos = true;
    }
    return nan || (pos && neg) ? 0x7fffffffu : pos ? 0x7f800000u : neg ? 0xff800000u : 0;
}

static void dot_results(const struct dot *t, u32 row, const struct num c[MAX_N], u32 out[MAX_N]) {
    i32 top[MAX_N], sum[MAX_N] = {0};
    for (u32 n = 0; n < MAX_N; n++) top[n] = c[n].exp;
    dot_row(t, row, top, sum);
    for (u32 n = 0; n < MAX_N; n++) {
        bool perhaps = t->a.any_special[row] || t->b.any_special[n] || c[n].special;
        u32 r = perhaps ? special_sum(t, row, n, c[n]) : 0;
        if (r) {
            out[n] = !t->half_result ? r : r == 0x7fffffffu ? 0x7fffu : r >> 31 ? 0xfc00u : 0x7c00u;
        } else {
            i64 all = sum[n] + cut(c[n].sig, top[n] - c[n].exp + t->acc.frac_bits - KEEP_BITS);
            out[n] = num_pack(all, top[n] - KEEP_BITS, t->acc, t->half_result);
        }
    }
}

/* C and D: element j of a lane; two to a register when they are f16 */
static void acc_load(const struct dot *t, const struct mma_shape *s, const void *const *c, u32 sums[MAX_M][MAX_N]) {
    for (u32 j = 0; j < s->m / 4u; j++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            struct place p = place_c(j, lane);
            sums[p.row][p.col] = t->half_result ? word_of(c, j / 2, lane) >> 16 * (j & 1) & 0xffffu : word_of(c, j, lane);
        }
}
static void acc_store(const struct dot *t, const struct mma_shape *s, void *const *d, const u32 results[MAX_M][MAX_N]) {
    for (u32 j = 0; j < s->nd; j++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            struct place p = place_c(t->half_result ? 2 * j : j, lane);
            const u32 *r = &results[p.row][p.col];
            ((u32 *)d[j])[lane] = t->half_result ? r[0] | r[1] << 16 : r[0];
        }
}

/* C added at the end: f32 or f16, to nearest; f32 holds any sum of two f16 well enough to round it again */
static u32 add_last(u32 sum, u32 c, bool half) {
    float x, y, r;
    if (half) {
        struct num n = num_of(sum, format_of(TYPE_f16)), m = num_of(c, format_of(TYPE_f16));
        if (n.special == IS_NAN || m.special == IS_NAN || (n.special && m.special && n.sig != m.sig)) return 0x7fff;
        if (n.special || m.special) return n.special ? sum : c;
        i64 all = cut(n.sig, -(n.sig ? n.exp + 14 : 0)) + cut(m.sig, -(m.sig ? m.exp + 14 : 0)); /* in units of 2^-24 */
        return all ? num_pack(all, -24, format_of(TYPE_f16), true) : sum & c & 0x8000u;
    }
    memcpy(&x, &sum, 4), memcpy(&y, &c, 4);
    r = x + y;
    if (r != r) return 0x7fffffffu;
    memcpy(&sum, &r, 4);
    return sum;
}

/* Twice half of k from zero, then C */
static void run_fp8(struct dot *t, const struct mma_shape *s, const u32 c[MAX_M][MAX_N], u32 results[MAX_M][MAX_N]) {
    for (u32 row = 0; row < s->m; row++) {
        struct num sums[MAX_N];
        for (u32 n = 0; n < MAX_N; n++) sums[n] = num_of(0, t->acc);
        for (t->from = 0; t->from < s->k; t->from = t->to) {
            t->to = t->from + s->k / 2;
            dot_results(t, row, sums, results[row]);
            for (u32 n = 0; n < MAX_N; n++) sums[n] = num_of(results[row][n], t->acc);
        }
        for (u32 n = 0; n < MAX_N; n++) results[row][n] = add_last(results[row][n], c[row][n], t->half_result);
    }
}

static void run_float(const struct opkey *key, const struct mma_shape *s, void *const *d, const void *const *a,
                      const void *const *b, const void *const *c) {
    bool fp8 = is_fp8(key->type[1]);
    struct format factor = format_of(fp8 ? TYPE_f16 : key->type[1]);
    struct dot t = {.acc = format_of(key->type[0]), .to = s->k, .up = KEEP_BITS - 2 * factor.frac_bits};
    t.half_result = key->type[0] == TYPE_f16;
    matrix_load(&t.a, a, s->na, s->m, key->type[1], false);
    matrix_load(&t.b, b, s->nb, s->n, key->type[2], true);
    u32 old[MAX_M][MAX_N], results[MAX_M][MAX_N];
    acc_load(&t, s, c, old);
    if (fp8) {
        run_fp8(&t, s, old, results);
    } else {
        for (u32 row = 0; row < s->m; row++) {
            struct num sums[MAX_N];
            for (u32 n = 0; n < MAX_N; n++) sums[n] = num_of(old[row][n], t.acc);
            dot_results(&t, row, sums, results[row]);
        }
    }
    acc_store(&t, s, d, results);
}

/* --- f64 */
static bool is_nan(double x) { return x != x; }
/* One step; of several NaNs B's goes on, then the sum's */
static double step_f64(double a, double b, double sum) {
    double r = fma(a, b, sum), nan = is_nan(b) ? b : is_nan(sum) ? sum : a;
    u64 bits = 0xfff8000000000000ull; /* made by an invalid operation */
    if (!is_nan(r)) return r;
    if (is_nan(nan)) memcpy(&bits, &nan, 8);
    bits |= 0x0008000000000000ull;
    memcpy(&r, &bits, 8);
    return r;
}
static void run_f64(const struct opkey *key, const struct mma_shape *s, void *const *d, const void *const *a,
                    const void *const *b, const void *const *c) {
    double ma[MAX_M][16] = {0}, mb[MAX_N][16] = {0};
    for (u32 lane = 0; lane < SLAB_LANES; lane++) {
        for (u32 j = 0; j < s->na; j++) {
            struct place p = place_a(j, lane, 1, s->m);
            memcpy(&ma[p.row][p.col], (const u64 *)a[j] + lane, 8);
        }
        for (u32 j = 0; j < s->nb; j++) {
            struct place p = place_b(j, lane, 1);
            memcpy(&mb[p.row][p.col], (const u64 *)b[j] + lane, 8);
        }
    }
    int mode = key_has(key, MOD_rz)   ? FE_TOWARDZERO
               : key_has(key, MOD_rm) ? FE_DOWNWARD
               : key_has(key, MOD_rp) ? FE_UPWARD
                                      : FE_TONEAREST;
    int old = fegetround();
    if (mode != old) fesetround(mode);
    for (u32 j = 0; j < s->nc; j++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            struct place p = place_c(j, lane);
            double sum;
            memcpy(&sum, (const u64 *)c[j] + lane, 8);
            for (u32 i = 0; i < s->k; i++) sum = step_f64(ma[p.row][i], mb[p.col][i], sum);
            memcpy((u64 *)d[j] + lane, &sum, 8);
        }
    if (mode != old) fesetround(old);
}

/* --- integers and bits */
static i32 int_elem(u32 w, u32 e, u8 type) {
    u32 bits = type_table[type].bits, x = w >> (e * bits) << (32 - bits);
    return type == TYPE_s8 || type == TYPE_s4 ? (i32)x >> (32 - bits) : (i32)(x >> (32 - bits));
}
static void load_ints(i16 *out, u32 row_len, const void *const *rows, u32 nrows, u32 m, u8 type, bool is_b) {
    u32 per_reg = 32u / type_table[type].bits;
    for (u32 j = 0; j < nrows; j++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            struct place p = is_b ? place_b(j, lane, per_reg) : place_a(j, lane, per_reg, m);
            u32 w = word_of(rows, j, lane);
            for (u32 e = 0; e < per_reg; e++) out[p.row * row_len + p.col + e] = (i16)int_elem(w, e, type);
        }
}
/* What is summed: products, or for single bits the set ones of xor or and */
static i64 int_dot(const i16 *a, const i16 *b, u32 k, bool with_xor) {
    i32 sum = 0;
    if (with_xor)
        for (u32 i = 0; i < k; i++) sum += a[i] ^ b[i];
    else
        for (u32 i = 0; i < k; i++) sum += a[i] * b[i];
    return sum;
}
static void run_int(const struct opkey *key, const struct mma_shape *s, void *const *d, const void *const *a,
                    const void *const *b, const void *const *c) {
    i16 ma[MAX_M * MAX_K] = {0}, mb[MAX_N * MAX_K] = {0};
    load_ints(ma, s->k, a, s->na, s->m, key->type[1], false);
    load_ints(mb, s->k, b, s->nb, s->m, key->type[2], true);
    bool with_xor = key->type[1] == TYPE_b1 && key_has(key, MOD_xor), clamp = key_has(key, MOD_satfinite);
    for (u32 j = 0; j < s->nc; j++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            struct place p = place_c(j, lane);
            i64 sum = (i32)word_of(c, j, lane) + int_dot(ma + p.row * s->k, mb + p.col * s->k, s->k, with_xor);
            if (clamp) sum = MAX(INT32_MIN, MIN(INT32_MAX, sum));
            ((u32 *)d[j])[lane] = (u32)sum;
        }
}

void mma_run(const struct opkey *key, void *const *d, const void *const *a, const void *const *b, const void *const *c) {
    struct mma_shape s;
    enum kind kind = KIND_FLOAT;
    CHECK(mma_shape_of(key, &s) && kind_of(key, &kind));
    switch (kind) {
    case KIND_FLOAT: run_float(key, &s, d, a, b, c); break;
    case KIND_QUADS: mma_run_quads(key, d, a, b, c); break;
    case KIND_F64: run_f64(key, &s, d, a, b, c); break;
    case KIND_INT:
    case KIND_BITS: run_int(key, &s, d, a, b, c); break;
    }
}
