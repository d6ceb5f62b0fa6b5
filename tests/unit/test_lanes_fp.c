/* Floating-point lanes against exact integer arithmetic: every operation, type, rounding and modifier, edges
 * and random values; the plain and the AVX2 build bit for bit; results written over each source row. */
#include "func/lanes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

/* --- instructions by name */
static struct opkey key_of(const char *text) {
    struct opkey k = {0};
    char word[32];
    for (int n = 0; *text; n++, text += *text == '.') {
        size_t len = strcspn(text, ".");
        memcpy(word, text, len);
        word[len] = 0;
        text += len;
        enum type t = type_find(word, len);
        if (n == 0) k.op = (u16)op_find(word, len);
        else if (t) k.type[k.ntypes++] = (u8)t;
        else mods_set(&k.mods, (enum mod)mod_find(word, len));
    }
    return k;
}

typedef struct lane_pick pick_fn(const struct lane_query *q);
static struct lane_pick pick_in(pick_fn *const *files, const struct lane_query *q) {
    for (; *files; files++) {
        struct lane_pick p = (*files)(q);
        if (p.fn) return p;
    }
    return (struct lane_pick){0};
}
static pick_fn *const plain_files[] = {lanes_fp_plain,  lanes_half_plain,       lanes_approx_plain,
                                       lanes_cvt_plain, lanes_compare_fp_plain, NULL};
#ifdef HEDDLE_NO_AVX2_BUILD
static pick_fn *const *const avx2_files = plain_files;
#else
static pick_fn *const avx2_files[] = {lanes_fp_avx2,  lanes_half_avx2,       lanes_approx_avx2,
                                      lanes_cvt_avx2, lanes_compare_fp_avx2, NULL};
#endif
static bool host_runs_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/* --- one instruction over 32 lanes of values, however wide its registers are */
struct run {
    const char *name;
    struct opkey key;
    struct lane_query query;
    u32 src_bits, nsrc; /* width of every source register */
    u64 in[3][SLAB_LANES], out[SLAB_LANES];
};
static void row_put(void *row, const u64 *v, u32 bits) {
    for (int i = 0; i < SLAB_LANES; i++)
        if (bits == 64) ((u64 *)row)[i] = v[i];
        else ((u32 *)row)[i] = (u32)v[i];
}
static void row_get(u64 *v, const void *row, u32 bits) {
    for (int i = 0; i < SLAB_LANES; i++) v[i] = bits == 64 ? ((const u64 *)row)[i] : ((const u32 *)row)[i];
}
static void run_init(struct run *r, const char *name, u32 reg_bits, u32 src_bits, u32 nsrc) {
    r->name = name;
    r->key = key_of(name);
    r->src_bits = src_bits;
    r->nsrc = nsrc;
    r->query = (struct lane_query){.key = &r->key, .reg_bits = reg_bits, .src_bits = src_bits, .nsrc = (u8)nsrc};
}
/* Runs one build with the result in a row of its own (over == -1) or over source row `over` */
static void run_build(const struct run *r, pick_fn *const *files, int over, u64 *out) {
    _Alignas(64) u64 rows[4][SLAB_LANES];
    struct lane_pick p = pick_in(files, &r->query);
    if (!p.fn) fail_msg("no lane function for %s", r->name);
    memset(rows[3], 0xa5, sizeof(rows[3]));
    for (u32 s = 0; s < r->nsrc; s++) row_put(rows[s], r->in[s], r->src_bits);
    void *d = over < 0 ? rows[3] : rows[over];
    p.fn(d, rows[0], r->nsrc > 1 ? rows[1] : NULL, r->nsrc > 2 ? rows[2] : NULL, NULL, p.aux);
    row_get(out, d, r->query.reg_bits);
}
static void expect_same(const struct run *r, const u64 *x, const u64 *y, const char *what) {
    for (int i = 0; i < SLAB_LANES; i++)
        if (x[i] != y[i])
            fail_msg("%s: %s: %llx %llx %llx gave %llx and %llx", r->name, what, (long long)r->in[0][i], (long long)r->in[1][i],
                     (long long)r->in[2][i], (long long)x[i], (long long)y[i]);
}
/* Fills r->out, after every way of running it agreed */
static void run_all(struct run *r) {
    u64 other[SLAB_LANES];
    run_build(r, plain_files, -1, r->out);
    if (host_runs_avx2()) {
        run_build(r, avx2_files, -1, other);
        expect_same(r, r->out, other, "plain and avx2 differ");
    }
    if (r->query.reg_bits != r->src_bits && MAX(r->query.reg_bits, r->src_bits) == 64)
        return; /* rows of different size never coincide */
    for (int s = 0; s < (int)r->nsrc; s++) {
        run_build(r, host_runs_avx2() ? avx2_files : plain_files, s, other);
        expect_same(r, r->out, other, "result over a source differs");
    }
}

/* --- exact reference: sign * mag * 2^exp, plus something below the last bit when `sticky` */
struct format {
    const char *name;
    int exp_bits, frac_bits;
};
static const struct format f16 = {"f16", 5, 10}, bf16 = {"bf16", 8, 7}, f32 = {"f32", 8, 23}, f64 = {"f64", 11, 52};
struct exact {
    bool neg, sticky, inf, nan;
    u128 mag;
    int exp;
};
enum mode { RN, RZ, RM, RP };
static const char *const mode_names[] = {"rn", "rz", "rm", "rp"}, *const integer_names[] = {"rni", "rzi", "rmi", "rpi"};

static int format_bits(const struct format *f) { return 1 + f->exp_bits + f->frac_bits; }
static u64 format_inf(const struct format *f) { return ((1ull << f->exp_bits) - 1) << f->frac_bits; }
static u64 format_sign(const struct format *f) { return 1ull << (f->exp_bits + f->frac_bits); }
static bool is_nan(const struct format *f, u64 x) { return (x & (format_sign(f) - 1)) > format_inf(f); }
static u64 flush(const struct format *f, u64 x, bool ftz) { return ftz && !(x & format_inf(f)) ? x & format_sign(f) : x; }

static struct exact unpack(const struct format *f, u64 x) {
    int bias = (1 << (f->exp_bits - 1)) - 1, exp = (int)(x >> f->frac_bits & ((1u << f->exp_bits) - 1));
    u64 frac = x & ((1ull << f->frac_bits) - 1);
    bool neg = x >> (format_bits(f) - 1) & 1;
    if (exp == (1 << f->exp_bits) - 1) return (struct exact){.neg = neg, .inf = !frac, .nan = frac};
    return (struct exact){
        .neg = neg, .mag = frac | (u64)(exp != 0) << f->frac_bits, .exp = (exp ? exp : 1) - bias - f->frac_bits};
}
static int top_bit(u128 m) { return m >> 64 ? 127 - __builtin_clzll((u64)(m >> 64)) : 63 - __builtin_clzll((u64)m); }
/* mag / 2^by rounded, by >= 0 */
static u128 shift_round(u128 mag, int by, bool sticky, bool neg, enum mode mode) {
    u128 kept = by > 127 ? 0 : mag >> by, rem = by > 127 ? mag : mag - (kept << by),
         half = by && by < 128 ? (u128)1 << (by - 1) : 0;
    bool some = rem || sticky, above = by && by < 128 && (rem > half || (rem == half && sticky)),
         tie = by && by < 128 && rem == half && !sticky;
    switch (mode) {
    case RN: return kept + (above || (tie && (kept & 1)));
    case RZ: return kept;
    case RM: return kept + (some && neg);
    default: return kept + (some && !neg);
    }
}
static u64 pack(const struct format *f, struct exact x, enum mode mode) {
    u64 sign = x.neg ? format_sign(f) : 0;
    if (x.nan) return format_inf(f) | 1;
    if (x.inf) return format_inf(f) | sign;
    if (!x.mag && !x.sticky) return sign;
    while (x.mag && top_bit(x.mag) < 100) x.mag <<= 1, x.exp--; /* room below, so that sticky stays below the last bit kept */
    int bias = (1 << (f->exp_bits - 1)) - 1, least = 1 - bias;
    int lead = x.mag ? top_bit(x.mag) + x.exp : least - 200, lsb = MAX(lead, least) - f->frac_bits;
    u128 kept = shift_round(x.mag, MAX(lsb - x.exp, 0), x.sticky, x.neg, mode);
    u64 code = (u64)kept + ((u64)(lsb + f->frac_bits - least) << f->frac_bits);
    if (code < format_inf(f)) return code | sign;
    bool toward_zero = mode == RZ || (mode == RM && !x.neg) || (mode == RP && x.neg);
    return (toward_zero ? format_inf(f) - 1 : format_inf(f)) | sign;
}
/* Both with the leading bit at 120, the smaller cut with sticky */
static struct exact exact_add(struct exact a, struct exact b, enum mode mode) {
    if (a.nan || b.nan || (a.inf && b.inf && a.neg != b.neg)) return (struct exact){.nan = true};
    if (a.inf || b.inf) return a.inf ? a : b;
    if (!a.mag && !b.mag) return (struct exact){.neg = a.neg == b.neg ? a.neg : mode == RM};
    if (!a.mag) return b;
    if (!b.mag) return a;
    while (top_bit(a.mag) < 120) a.mag <<= 1, a.exp--;
    while (top_bit(b.mag) < 120) b.mag <<= 1, b.exp--;
    if (a.exp < b.exp || (a.exp == b.exp && a.mag < b.mag)) {
        struct exact t = a;
        a = b;
        b = t;
    }
    int by = a.exp - b.exp;
    u128 low = by > 127 ? 0 : b.mag >> by;
    bool lost = by > 127 || (low << by) != b.mag;
    if (a.neg == b.neg) a.mag += low;
    else a.mag -= low + lost; /* a - (low + something) is one less, and something again */
    a.sticky = lost;
    if (!a.mag && !lost) a.neg = mode == RM;
    return a;
}
static struct exact exact_mul(struct exact a, struct exact b) {
    struct exact r = {.neg = a.neg != b.neg};
    if (a.nan || b.nan || (a.inf && !b.inf && !b.mag) || (b.inf && !a.inf && !a.mag)) return (struct exact){.nan = true};
    r.inf = a.inf || b.inf;
    r.mag = r.inf ? 0 : a.mag * b.mag;
    r.exp = a.exp + b.exp;
    return r;
}
static struct exact exact_div(struct exact a, struct exact b) {
    struct exact r = {.neg = a.neg != b.neg};
    bool a0 = !a.inf && !a.nan && !a.mag, b0 = !b.inf && !b.nan && !b.mag;
    if (a.nan || b.nan || (a.inf && b.inf) || (a0 && b0)) return (struct exact){.nan = true};
    if (a.inf || b0) return r.inf = true, r;
    if (b.inf || a0) return r;
    while (top_bit(a.mag) < 125) a.mag <<= 1, a.exp--;
    r.mag = a.mag / b.mag;
    r.sticky = a.mag % b.mag != 0;
    r.exp = a.exp - b.exp;
    return r;
}
static struct exact exact_sqrt(struct exact a) {
    if (a.nan || (a.neg && (a.inf || a.mag))) return (struct exact){.nan = true};
    if (a.inf || !a.mag) return a;
    while (top_bit(a.mag) < 123 || a.exp & 1) a.mag <<= 1, a.exp--;
    u128 root = 0;
    for (int bit = 62; bit >= 0; bit--) {
        u128 next = root | (u128)1 << bit;
        if (next * next <= a.mag) root = next;
    }
    return (struct exact){.mag = root, .exp = a.exp / 2, .sticky = root * root != a.mag};
}

/* --- values to try */
static u64 rng_state = 0x9e3779b97f4a7c15ull;
static u64 rng(void) {
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    return rng_state ^= rng_state << 17;
}
/* Zeros, least and largest of each class, ones and their neighbours, infinities, NaNs; else random, half of
 * them near 1 */
static u64 edge(const struct format *f, u32 n) {
    int bias = (1 << (f->exp_bits - 1)) - 1;
    u64 one = (u64)bias << f->frac_bits, least = 1ull << f->frac_bits, inf = format_inf(f);
    const u64 list[] = {0,
                        1,
                        2,
                        least / 2,
                        least - 1,
                        least,
                        least + 1,
                        2 * least,
                        one / 2,
                        one - 1,
                        one,
                        one + 1,
                        one + least / 2,
                        one + least,
                        one + least + least / 2,
                        inf - 1,
                        inf - 2,
                        inf - least,
                        inf,
                        inf + 1,
                        inf + least / 2,
                        2 * inf / 3};
    return list[n / 2 % ARRAY_LEN(list)] | (n & 1 ? format_sign(f) : 0);
}
enum { EDGES = 44 };
static u64 sample(const struct format *f) {
    u64 x = rng(), mask = 2 * format_sign(f) - 1, bias = (1ull << (f->exp_bits - 1)) - 1;
    switch (rng() % 8) {
    case 0: return edge(f, (u32)x);
    case 1: return x & (format_sign(f) | ((1ull << f->frac_bits) - 1)); /* subnormal */
    case 2:
    case 3: return x & mask;
    default: return (x & (format_sign(f) | ((1ull << f->frac_bits) - 1))) | (bias - 8 + rng() % 16) << f->frac_bits;
    }
}
static void fill(struct run *r, const struct format *f, u32 batch) {
    for (u32 i = 0; i < SLAB_LANES; i++) {
        u32 n = batch * SLAB_LANES + i;
        for (u32 s = 0; s < r->nsrc; s++) r->in[s][i] = sample(f);
        if (n < EDGES * EDGES) { /* every pair of edges first */
            r->in[0][i] = edge(f, n % EDGES);
            if (r->nsrc > 1) r->in[1][i] = edge(f, n / EDGES);
            if (r->nsrc > 2 && n & 1) r->in[2][i] = edge(f, (u32)rng());
        }
    }
}
enum { BATCHES = 160 };

static void expect_bits(const struct run *r, int i, const struct format *f, u64 want) {
    u64 got = r->out[i];
    bool nan = is_nan(f, want); /* f64 keeps payloads; the others have one NaN */
    if (nan ? (f == &f64 ? is_nan(f, got) : got == format_sign(f) - 1) : got == want) return;
    fail_msg("%s %llx %llx %llx: got %llx, want %llx", r->name, (long long)r->in[0][i], (long long)r->in[1][i],
             (long long)r->in[2][i], (long long)got, (long long)want);
}

/* --- arithmetic */
static struct exact arith(const char *op, struct exact x, struct exact y, struct exact z, enum mode mode) {
    switch (op[0] == 's' && op[1] == 'u' ? '-' : op[0]) {
    case '-': return y.neg = !y.neg, exact_add(x, y, mode);
    case 'a': return exact_add(x, y, mode);
    case 'd': return exact_div(x, y);
    case 's': return exact_sqrt(x);
    case 'r': return exact_div((struct exact){.mag = 1}, x);
    case 'f': return exact_add(exact_mul(x, y), z, mode);
    default: return op[1] == 'a' ? exact_add(exact_mul(x, y), z, mode) : exact_mul(x, y); /* mad, mul */
    }
}
static u64 saturate(const struct format *f, u64 x) {
    u64 one = ((1ull << (f->exp_bits - 1)) - 1) << f->frac_bits;
    return x > format_inf(f) ? 0 : x > one ? one : x; /* negative and NaN codes are above infinity */
}
/* Subnormal for .ftz is what is so rounded to the format's bits and no least exponent */
static bool is_tiny(const struct format *f, struct exact x, enum mode mode) {
    struct format wide = {"wide", f->exp_bits + 2, f->frac_bits};
    int exp = (int)((pack(&wide, x, mode) & (format_sign(&wide) - 1)) >> f->frac_bits);
    return exp - ((1 << (wide.exp_bits - 1)) - 1) < 2 - (1 << (f->exp_bits - 1));
}
static void check_arith(const char *op, u32 nsrc, const struct format *f, enum mode mode, bool ftz, bool sat, bool relu) {
    char name[64];
    struct run r = {0};
    snprintf(name, sizeof(name), "%s.%s%s%s%s.%s", op, mode_names[mode], ftz ? ".ftz" : "", sat ? ".sat" : "",
             relu ? ".relu" : "", f->name);
    run_init(&r, name, (u32)format_bits(f), (u32)format_bits(f), nsrc);
    for (u32 batch = 0; batch < BATCHES; batch++) {
        fill(&r, f, batch);
        run_all(&r);
        for (int i = 0; i < SLAB_LANES; i++) {
            struct exact x[3];
            for (int s = 0; s < 3; s++) x[s] = unpack(f, flush(f, r.in[s][i], ftz));
            struct exact result = arith(op, x[0], x[1], x[2], mode);
            u64 want = pack(f, result, mode);
            if (ftz && !is_nan(f, want) && is_tiny(f, result, mode)) want &= format_sign(f);
            if (sat) want = saturate(f, want);
            if (relu && !is_nan(f, want) && want & format_sign(f)) want = 0;
            expect_bits(&r, i, f, want);
        }
    }
}
static const struct {
    const char *op;
    u32 nsrc;
    bool half, sat;
} arith_ops[] = {{"add", 2, true, true},  {"sub", 2, true, true},   {"mul", 2, true, true},   {"fma", 3, true, true},
                 {"mad", 3, false, true}, {"div", 2, false, false}, {"rcp", 1, false, false}, {"sqrt", 1, false, false}};
static void test_arith_f32(void **state) {
    (void)state;
    for (u32 o = 0; o < ARRAY_LEN(arith_ops); o++)
        for (int mode = RN; mode <= RP; mode++)
            for (int form = 0; form < (arith_ops[o].sat ? 4 : 2); form++)
                check_arith(arith_ops[o].op, arith_ops[o].nsrc, &f32, (enum mode)mode, form & 1, form & 2, false);
}
static void test_arith_f64(void **state) {
    (void)state;
    for (u32 o = 0; o < ARRAY_LEN(arith_ops); o++)
        for (int mode = RN; mode <= RP; mode++)
            check_arith(arith_ops[o].op, arith_ops[o].nsrc, &f64, (enum mode)mode, false, false, false);
}
static void test_arith_half(void **state) {
    (void)state;
    for (u32 o = 0; o < ARRAY_LEN(arith_ops); o++) {
        if (!arith_ops[o].half) continue;
        for (int form = 0; form < 4; form++) check_arith(arith_ops[o].op, arith_ops[o].nsrc, &f16, RN, form & 1, form & 2, false);
        check_arith(arith_ops[o].op, arith_ops[o].nsrc, &bf16, RN, false, false, false);
    }
    check_arith("fma", 3, &f16, RN, true, false, true);
    check_arith("fma", 3, &bf16, RN, false, false, true);
}

/* A packed instruction is its scalar one on each half */
static void test_packed(void **state) {
    (void)state;
    static const char *const names[][2] = {{"add.f16", "add.f16x2"},
                                           {"sub.ftz.sat.f16", "sub.ftz.sat.f16x2"},
                                           {"mul.bf16", "mul.bf16x2"},
                                           {"fma.rn.f16", "fma.rn.f16x2"},
                                           {"fma.rn.relu.bf16", "fma.rn.relu.bf16x2"},
                                           {"min.f16", "min.f16x2"},
                                           {"max.NaN.xorsign.abs.bf16", "max.NaN.xorsign.abs.bf16x2"},
                                           {"abs.f16", "abs.f16x2"},
                                           {"neg.bf16", "neg.bf16x2"},
                                           {"ex2.approx.f16", "ex2.approx.f16x2"},
                                           {"tanh.approx.bf16", "tanh.approx.bf16x2"}};
    for (u32 t = 0; t < ARRAY_LEN(names); t++) {
        u32 nsrc = strstr(names[t][0], "fma")                                                               ? 3
                   : strstr(names[t][0], "abs.f") || names[t][0][0] == 'n' || strstr(names[t][0], "approx") ? 1
                                                                                                            : 2;
        const struct format *f = strstr(names[t][0], "bf16") ? &bf16 : &f16;
        struct run one = {0}, two = {0};
        run_init(&one, names[t][0], 16, 16, nsrc);
        run_init(&two, names[t][1], 32, 32, nsrc);
        for (u32 batch = 0; batch < 64; batch++) {
            u64 low[SLAB_LANES];
            fill(&one, f, batch);
            run_all(&one);
            memcpy(low, one.out, sizeof(low));
            memcpy(two.in, one.in, sizeof(two.in));
            fill(&one, f, batch + 7);
            run_all(&one);
            for (u32 s = 0; s < nsrc; s++)
                for (int i = 0; i < SLAB_LANES; i++) two.in[s][i] |= one.in[s][i] << 16;
            run_all(&two);
            for (int i = 0; i < SLAB_LANES; i++) assert_int_equal(two.out[i], low[i] | one.out[i] << 16);
        }
    }
}

/* --- min, max and signs */
static i64 ordered(const struct format *f, u64 x) { return x & format_sign(f) ? -(i64)(x & (format_sign(f) - 1)) - 1 : (i64)x; }
static u64 choose(const struct format *f, u64 x, u64 y, bool max, bool nan) {
    if (is_nan(f, x) || is_nan(f, y)) {
        if (nan || (is_nan(f, x) && is_nan(f, y))) return format_sign(f) - 1;
        return is_nan(f, x) ? y : x;
    }
    return (ordered(f, x) < ordered(f, y)) == max ? y : x;
}
static void check_minmax(const struct format *f, bool max, bool ftz, bool nan, bool xorsign, u32 nsrc) {
    char name[64];
    struct run r = {0};
    u64 sign = format_sign(f);
    snprintf(name, sizeof(name), "%s%s%s%s.%s", max ? "max" : "min", ftz ? ".ftz" : "", nan ? ".NaN" : "",
             xorsign ? ".xorsign.abs" : "", f->name);
    run_init(&r, name, (u32)format_bits(f), (u32)format_bits(f), nsrc);
    for (u32 batch = 0; batch < BATCHES; batch++) {
        fill(&r, f, batch);
        run_all(&r);
        for (int i = 0; i < SLAB_LANES; i++) {
            u64 x[3], keep = xorsign ? sign - 1 : 2 * sign - 1;
            for (int s = 0; s < 3; s++) x[s] = flush(f, r.in[s][i], ftz) & keep;
            u64 want = choose(f, x[0], x[1], max, nan);
            if (nsrc == 3) want = choose(f, want, x[2], max, nan);
            if (xorsign && !is_nan(f, want)) want |= (r.in[0][i] ^ r.in[1][i]) & sign;
            expect_bits(&r, i, f, want);
        }
    }
}
static void test_minmax(void **state) {
    (void)state;
    const struct format *const formats[] = {&f16, &bf16, &f32};
    for (u32 n = 0; n < ARRAY_LEN(formats); n++)
        for (int form = 0; form < 16; form++)
            if (formats[n] != &bf16 || !(form & 2)) check_minmax(formats[n], form & 1, form & 2, form & 4, form & 8, 2);
    for (int form = 0; form < 8; form++) check_minmax(&f32, form & 1, form & 2, form & 4, false, 3);
    check_minmax(&f64, false, false, false, false, 2);
    check_minmax(&f64, true, false, false, false, 2);
}
static void check_sign(const char *op, const struct format *f, bool ftz) {
    char name[32];
    struct run r = {0};
    u64 sign = format_sign(f);
    snprintf(name, sizeof(name), "%s%s.%s", op, ftz ? ".ftz" : "", f->name);
    run_init(&r, name, (u32)format_bits(f), (u32)format_bits(f), op[0] == 'c' ? 2 : 1);
    for (u32 batch = 0; batch < 64; batch++) {
        fill(&r, f, batch);
        run_all(&r);
        for (int i = 0; i < SLAB_LANES; i++) {
            u64 x = flush(f, r.in[0][i], ftz);
            if (op[0] == 'c') assert_int_equal(r.out[i], (x & sign) | (r.in[1][i] & (sign - 1)));
            else expect_bits(&r, i, f, is_nan(f, x) ? sign - 1 : op[0] == 'a' ? x & (sign - 1) : x ^ sign);
        }
    }
}
static void test_signs(void **state) {
    (void)state;
    static const char *const ops[] = {"abs", "neg"};
    for (u32 o = 0; o < ARRAY_LEN(ops); o++) {
        check_sign(ops[o], &f32, false), check_sign(ops[o], &f32, true), check_sign(ops[o], &f64, false);
        check_sign(ops[o], &f16, false), check_sign(ops[o], &f16, true), check_sign(ops[o], &bf16, false);
    }
    check_sign("copysign", &f32, false), check_sign("copysign", &f64, false);
}

/* --- conversions */
struct int_type {
    const char *name;
    int bits;
    bool is_signed;
};
static const struct int_type int_types[] = {{"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
                                            {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};
static i128 int_value(const struct int_type *t, u64 x) {
    x &= ~0ull >> (64 - t->bits);
    return t->is_signed && x >> (t->bits - 1) & 1 ? (i128)x - ((i128)1 << t->bits) : (i128)x;
}
static i128 int_least(const struct int_type *t) { return t->is_signed ? -((i128)1 << (t->bits - 1)) : 0; }
static i128 int_most(const struct int_type *t) { return ((i128)1 << (t->bits - t->is_signed)) - 1; }
static u64 extend(const struct int_type *t, i128 v, u32 reg_bits) {
    return (u64)int_value(t, (u64)v) & ~0ull >> (64 - MAX(reg_bits, 16));
}
static u64 int_sample(void) {
    static const u64 around[] = {0,          0x7f,       0x80,       0xff,       0x7fff,     0x8000,    0xffff,
                                 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 24, 1ull << 53, 1ull << 63};
    u64 x = rng() >> rng() % 64;
    return rng() % 3 ? rng() % 2 ? x : 0 - x : around[rng() % ARRAY_LEN(around)] + rng() % 5 - 2;
}
static struct exact exact_int(i128 v) { return (struct exact){.neg = v < 0, .mag = (u128)(v < 0 ? -v : v)}; }

/* Into every width of destination register, from every width of source register that holds the type, garbage
 * above */
static void test_cvt_int_int(void **state) {
    (void)state;
    for (u32 n = 0; n < 64 * 9 * 2; n++) {
        const struct int_type *d = &int_types[n & 7], *s = &int_types[n >> 3 & 7];
        static const u32 widths[] = {16, 32, 64};
        u32 reg = widths[(n >> 6) % 9 / 3], src = widths[(n >> 6) % 3];
        bool sat = n >= 64 * 9;
        if ((int)reg < d->bits || (int)src < s->bits) continue;
        char name[32];
        struct run r = {0};
        snprintf(name, sizeof(name), "cvt%s.%s.%s", sat ? ".sat" : "", d->name, s->name);
        run_init(&r, name, reg, src, 1);
        for (u32 batch = 0; batch < 16; batch++) {
            for (int i = 0; i < SLAB_LANES; i++) r.in[0][i] = int_sample() & ~0ull >> (64 - src);
            run_all(&r);
            for (int i = 0; i < SLAB_LANES; i++) {
                i128 v = int_value(s, r.in[0][i]);
                if (sat) v = MAX(int_least(d), MIN(int_most(d), v));
                if (r.out[i] != extend(d, v, reg))
                    fail_msg("%s %u<-%u: %llx gave %llx", name, reg, src, (long long)r.in[0][i], (long long)r.out[i]);
            }
        }
    }
}
static void test_cvt_int_float(void **state) {
    (void)state;
    const struct format *const formats[] = {&f16, &bf16, &f32, &f64};
    for (u32 n = 0; n < 8 * 4 * 4 * 2; n++) {
        const struct int_type *s = &int_types[n & 7];
        const struct format *f = formats[n >> 3 & 3];
        enum mode mode = (enum mode)(n >> 5 & 3);
        bool sat = n >> 7;
        char name[32];
        struct run r = {0};
        snprintf(name, sizeof(name), "cvt.%s%s.%s.%s", mode_names[mode], sat ? ".sat" : "", f->name, s->name);
        run_init(&r, name, (u32)format_bits(f), (u32)MAX(s->bits, 16), 1);
        for (u32 batch = 0; batch < 32; batch++) {
            for (int i = 0; i < SLAB_LANES; i++) r.in[0][i] = int_sample() & ~0ull >> (64 - r.src_bits);
            run_all(&r);
            for (int i = 0; i < SLAB_LANES; i++) {
                u64 want = pack(f, exact_int(int_value(s, r.in[0][i])), mode);
                expect_bits(&r, i, f, sat ? saturate(f, want) : want);
            }
        }
    }
}
/* Rounded to an integer: magnitude, or more than 64 bits can say */
static i128 integral(struct exact x, enum mode mode) {
    if (x.exp >= 0)
        return x.mag && x.exp + top_bit(x.mag) > 100 ? (x.neg ? -((i128)1 << 100) : (i128)1 << 100)
                                                     : (i128)(x.neg ? -1 : 1) * (i128)(x.mag << x.exp);
    i128 mag = (i128)shift_round(x.mag, -x.exp, false, x.neg, mode);
    return x.neg ? -mag : mag;
}
static void test_cvt_float_int(void **state) {
    (void)state;
    const struct format *const formats[] = {&f16, &bf16, &f32, &f64};
    for (u32 n = 0; n < 8 * 4 * 4 * 2; n++) {
        const struct int_type *d = &int_types[n & 7];
        const struct format *f = formats[n >> 3 & 3];
        enum mode mode = (enum mode)(n >> 5 & 3);
        bool ftz = n >> 7;
        if (ftz && f != &f32) continue;
        char name[32];
        struct run r = {0};
        snprintf(name, sizeof(name), "cvt.%s%s.%s.%s", integer_names[mode], ftz ? ".ftz" : "", d->name, f->name);
        run_init(&r, name, (u32)MAX(d->bits, 32), (u32)format_bits(f), 1);
        for (u32 batch = 0; batch < 48; batch++) {
            fill(&r, f, batch);
            for (int i = 0; i < SLAB_LANES && batch & 1; i++) /* values near the integers' limits */
                r.in[0][i] = pack(
                    f, exact_add(exact_int((i64)int_sample()), (struct exact){.neg = i & 1, .mag = (u128)(i & 3), .exp = -1}, RN),
                    RN);
            run_all(&r);
            for (int i = 0; i < SLAB_LANES; i++) {
                struct exact x = unpack(f, flush(f, r.in[0][i], ftz));
                i128 nan = f == &f64 || d->bits == 64 ? (i128)1 << (d->bits - 1) : 0;
                i128 v = x.nan   ? nan
                         : x.inf ? (x.neg ? int_least(d) : int_most(d))
                                 : MAX(int_least(d), MIN(int_most(d), integral(x, mode)));
                if (r.out[i] != extend(d, v, r.query.reg_bits))
                    fail_msg("%s %llx gave %llx", name, (long long)r.in[0][i], (long long)r.out[i]);
            }
        }
    }
}
/* Narrower results round, wider ones do not; .rni and the like keep the type and make integers */
static void test_cvt_float_float(void **state) {
    (void)state;
    const struct format *const formats[] = {&f16, &bf16, &f32, &f64};
    for (u32 n = 0; n < 4 * 4 * 4 * 2; n++) {
        const struct format *s = formats[n & 3], *d = formats[n >> 2 & 3];
        enum mode mode = (enum mode)(n >> 4 & 3);
        bool sat = n >> 6, same = s == d;
        char name[32];
        struct run r = {0};
        snprintf(name, sizeof(name), "cvt.%s%s.%s.%s", (same ? integer_names : mode_names)[mode], sat ? ".sat" : "", d->name,
                 s->name);
        run_init(&r, name, (u32)format_bits(d), (u32)format_bits(s), 1);
        for (u32 batch = 0; batch < 48; batch++) {
            fill(&r, s, batch);
            run_all(&r);
            for (int i = 0; i < SLAB_LANES; i++) {
                struct exact x = unpack(s, r.in[0][i]);
                if (same && !x.nan && !x.inf && x.exp < 0) x.mag = shift_round(x.mag, -x.exp, false, x.neg, mode), x.exp = 0;
                u64 want = pack(d, x, mode);
                if (sat) want = saturate(d, want);
                if (is_nan(d, want)) assert_true(is_nan(d, r.out[i])); /* which NaN depends on the pair */
                else expect_bits(&r, i, d, want);
            }
        }
    }
}
/* The eight-bit formats by value: what each code means, and that every f16 goes to the nearest code */
static double fp8_value(u32 code, int frac_bits, int bias) {
    int exp = (int)(code >> frac_bits & ((1u << (7 - frac_bits)) - 1));
    double frac = (double)(code & ((1u << frac_bits) - 1)) / (1 << frac_bits);
    double v = exp ? ldexp(1 + frac, exp - bias) : ldexp(frac, 1 - bias);
    return code & 0x80 ? -v : v;
}
static void check_fp8(const char *type, int frac_bits, int bias, u32 largest) {
    char to[64], from[64];
    struct run narrow = {0}, widen = {0};
    snprintf(to, sizeof(to), "cvt.rn.satfinite.%s.f16x2", type);
    snprintf(from, sizeof(from), "cvt.rn.f16x2.%s", type);
    run_init(&narrow, to, 16, 32, 1);
    run_init(&widen, from, 32, 16, 1);
    for (u32 h = 0; h < 0x7c00; h += SLAB_LANES) {
        for (u32 i = 0; i < SLAB_LANES; i++) narrow.in[0][i] = (h + i) | (h + i) << 16 | 0x80000000u;
        run_all(&narrow);
        memcpy(widen.in[0], narrow.out, sizeof(narrow.out));
        run_all(&widen);
        for (u32 i = 0; i < SLAB_LANES; i++) {
            struct exact x = unpack(&f16, h + i);
            double v = ldexp((double)x.mag, x.exp), got = fp8_value((u32)narrow.out[i] & 0xff, frac_bits, bias);
            u32 code = (u32)narrow.out[i] & 0xff;
            assert_int_equal(narrow.out[i] >> 8, code | 0x80);
            assert_true(code <= largest);
            if (code < largest) assert_true(fabs(v - got) <= fabs(v - fp8_value(code + 1, frac_bits, bias)));
            if (code) assert_true(fabs(v - got) <= fabs(v - fp8_value(code - 1, frac_bits, bias)));
            assert_int_equal(widen.out[i] & 0xffff, pack(&f16,
                                                         unpack(&f64, ((union {
                                                                          double d;
                                                                          u64 u;
                                                                      }){got})
                                                                          .u),
                                                         RN));
        }
    }
}
static void test_fp8(void **state) {
    (void)state;
    check_fp8("e4m3x2", 3, 7, 0x7e);
    check_fp8("e5m2x2", 2, 15, 0x7b);
}
static void test_cvt_examples(void **state) {
    (void)state;
    static const struct {
        const char *name;
        u32 reg, src, nsrc;
        u64 a, b, c, want;
    } rows[] = {
        {"cvt.rn.f16x2.f32", 32, 32, 2, 0x3f800000, 0x40000000, 0, 0x3c004000},
        {"cvt.rz.bf16x2.f32", 32, 32, 2, 0x3f80ffff, 0xbf80ffff, 0, 0x3f80bf80},
        {"cvt.rn.relu.f16x2.f32", 32, 32, 2, 0xbf800000, 0x40000000, 0, 0x00004000},
        {"cvt.rn.satfinite.f16.f32", 16, 32, 1, 0x7f800000, 0, 0, 0x7bff},
        {"cvt.rz.f16.f32", 16, 32, 1, 0x7f7fffff, 0, 0, 0x7bff},
        {"cvt.rna.tf32.f32", 32, 32, 1, 0x3f801000, 0, 0, 0x3f802000},
        {"cvt.rn.tf32.f32", 32, 32, 1, 0x3f801000, 0, 0, 0x3f800000},
        {"cvt.rn.satfinite.e4m3x2.f32", 16, 32, 2, 0x7f800000, 0xbf800000, 0, 0x7eb8},
        {"cvt.rn.satfinite.e5m2x2.f32", 16, 32, 2, 0x7fc00000, 0x3f800000, 0, 0x7f3c},
        {"cvt.pack.sat.s16.s32", 32, 32, 2, 0xffff0000, 70000, 0, 0x80007fff},
        {"cvt.pack.sat.u8.s32.b32", 32, 32, 3, 300, 0xffffffff, 0x1234, 0x1234ff00},
        {"cvt.pack.sat.s4.s32.b32", 32, 32, 3, 100, 0xffffff9c, 0x56, 0x5678},
        {"cvt.rm.f64.s64", 64, 64, 1, 0x7fffffffffffffff, 0, 0, 0x43dfffffffffffff},
        {"cvt.rp.f64.u64", 64, 64, 1, 0xffffffffffffffff, 0, 0, 0x43f0000000000000},
        {"cvt.ftz.f32.f32", 32, 32, 1, 0x80000001, 0, 0, 0x80000000},
    };
    for (u32 n = 0; n < ARRAY_LEN(rows); n++) {
        struct run r = {0};
        run_init(&r, rows[n].name, rows[n].reg, rows[n].src, rows[n].nsrc);
        for (int i = 0; i < SLAB_LANES; i++) r.in[0][i] = rows[n].a, r.in[1][i] = rows[n].b, r.in[2][i] = rows[n].c;
        run_all(&r);
        for (int i = 0; i < SLAB_LANES; i++)
            expect_same(&r, r.out, (u64[SLAB_LANES]){[0 ... SLAB_LANES - 1] = rows[n].want}, "not as expected");
    }
}

/* --- comparisons: which of less, equal, greater and unordered count as true */
static const struct {
    const char *name, *when;
} comparisons[] = {{"eq", "="},   {"ne", "<>"},   {"lt", "<"},   {"le", "<="},   {"gt", ">"},   {"ge", ">="},   {"num", "<=>"},
                   {"equ", "=?"}, {"neu", "<>?"}, {"ltu", "<?"}, {"leu", "<=?"}, {"gtu", ">?"}, {"geu", ">=?"}, {"nan", "?"}};
static char relation(const struct format *f, u64 x, u64 y) {
    if (is_nan(f, x) || is_nan(f, y)) return '?';
    if (!((x | y) & (format_sign(f) - 1))) return '='; /* zeros of any sign */
    return ordered(f, x) < ordered(f, y) ? '<' : ordered(f, x) > ordered(f, y) ? '>' : '=';
}
struct compared {
    u32 p, q;
};
static struct compared run_setp(const struct run *r, pick_fn *const *files, const u32 *with) {
    _Alignas(64) u64 rows[2][SLAB_LANES];
    struct compared out = {0};
    struct lane_pick p = pick_in(files, &r->query);
    if (!p.fn) fail_msg("no lane function for %s", r->name);
    for (u32 s = 0; s < 2; s++) row_put(rows[s], r->in[s], r->src_bits);
    p.fn(&out.p, rows[0], rows[1], with, &out.q, p.aux);
    return out;
}
static u32 joined(const char *op, u32 bits, u32 with) {
    return !*op ? bits : op[1] == 'a' ? bits & with : op[1] == 'o' ? bits | with : bits ^ with;
}
static void check_setp(u32 cmp, const struct format *f, bool ftz, const char *op) {
    char name[64];
    struct run r = {0};
    snprintf(name, sizeof(name), "setp.%s%s%s.%s", comparisons[cmp].name, op, ftz ? ".ftz" : "", f->name);
    run_init(&r, name, 32, (u32)format_bits(f), 2);
    for (u32 batch = 0; batch < 64; batch++) {
        fill(&r, f, batch);
        u32 bits = 0, with = (u32)rng();
        for (int i = 0; i < SLAB_LANES; i++) {
            if (rng() % 4 == 0) r.in[1][i] = r.in[0][i];
            bits |=
                (u32)(strchr(comparisons[cmp].when, relation(f, flush(f, r.in[0][i], ftz), flush(f, r.in[1][i], ftz))) != NULL)
                << i;
        }
        for (int build = 0; build < 1 + host_runs_avx2(); build++) {
            struct compared got = run_setp(&r, build ? avx2_files : plain_files, *op ? &with : NULL);
            if (got.p != joined(op, bits, with) || got.q != joined(op, ~bits, with)) fail_msg("%s: %x|%x", name, got.p, got.q);
        }
    }
}
static void test_setp(void **state) {
    (void)state;
    static const char *const ops[] = {"", ".and", ".or", ".xor"};
    for (u32 c = 0; c < ARRAY_LEN(comparisons); c++)
        for (u32 o = 0; o < ARRAY_LEN(ops); o++) {
            check_setp(c, &f32, false, ops[o]), check_setp(c, &f32, true, ops[o]), check_setp(c, &f64, false, ops[o]);
            check_setp(c, &f16, false, ops[o]), check_setp(c, &f16, true, ops[o]), check_setp(c, &bf16, false, ops[o]);
        }
}
/* p is the low half's answer, q the high half's */
static void test_setp_packed(void **state) {
    (void)state;
    struct run r = {0};
    run_init(&r, "setp.lt.f16x2", 32, 32, 2);
    for (int i = 0; i < SLAB_LANES; i++) r.in[0][i] = i & 1 ? 0x3c004000 : 0x40003c00, r.in[1][i] = 0x3e003e00;
    struct compared got = run_setp(&r, plain_files, NULL);
    assert_int_equal(got.p, 0x55555555);
    assert_int_equal(got.q, 0xaaaaaaaa);
}
static void test_set(void **state) {
    (void)state;
    static const struct {
        const char *type;
        u32 reg;
        u64 yes;
    } results[] = {
        {"u32", 32, 0xffffffff}, {"s32", 32, 0xffffffff}, {"f32", 32, 0x3f800000}, {"u32", 64, 0xffffffff}, {"s32", 64, ~0ull}};
    for (u32 n = 0; n < ARRAY_LEN(results); n++) {
        char name[32];
        struct run r = {0};
        snprintf(name, sizeof(name), "set.lt.%s.f64", results[n].type);
        run_init(&r, name, results[n].reg, 64, 2);
        fill(&r, &f64, n);
        run_all(&r);
        for (int i = 0; i < SLAB_LANES; i++)
            assert_int_equal(r.out[i], relation(&f64, r.in[0][i], r.in[1][i]) == '<' ? results[n].yes : 0);
    }
    static const struct {
        const char *name;
        u32 bits;
        u64 yes;
    } halves[] = {{"set.eq.f16.f16", 16, 0x3c00},
                  {"set.eq.bf16.bf16", 16, 0x3f80},
                  {"set.eq.f16x2.f16x2", 32, 0x3c003c00},
                  {"set.eq.u16.f16", 16, 0xffff}};
    for (u32 n = 0; n < ARRAY_LEN(halves); n++) {
        struct run r = {0};
        run_init(&r, halves[n].name, halves[n].bits, halves[n].bits, 2);
        run_all(&r);
        for (int i = 0; i < SLAB_LANES; i++) assert_int_equal(r.out[i], halves[n].yes);
    }
}
static void test_testp(void **state) {
    (void)state;
    static const char *const kinds[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    for (u32 n = 0; n < 2 * ARRAY_LEN(kinds); n++) {
        const struct format *f = n & 1 ? &f64 : &f32;
        char name[32];
        struct run r = {0};
        snprintf(name, sizeof(name), "testp.%s.%s", kinds[n / 2], f->name);
        run_init(&r, name, 32, (u32)format_bits(f), 1);
        for (u32 batch = 0; batch < 32; batch++) {
            fill(&r, f, batch);
            u32 bits = 0;
            for (int i = 0; i < SLAB_LANES; i++) {
                struct exact x = unpack(f, r.in[0][i]);
                bool subnormal = x.mag && !(r.in[0][i] & format_inf(f));
                const bool is[] = {!x.inf && !x.nan, x.inf, !x.nan, x.nan, !x.inf && !x.nan && !subnormal,
                                   subnormal}; /* zero is normal on silicon */
                bits |= (u32)is[n / 2] << i;
            }
            for (int build = 0; build < 1 + host_runs_avx2(); build++)
                assert_int_equal(run_setp(&r, build ? avx2_files : plain_files, NULL).p, bits);
        }
    }
}

/* --- approximations: inside PTX's error of the C library's result, special values exactly */
static double f32_value(u64 x) {
    return ((union {
               u32 u;
               float f;
           }){(u32)x})
        .f;
}
static double reciprocal(double x) { return 1 / x; }
static double rsqrt(double x) { return 1 / sqrt(x); }
static void test_approx(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double (*exact)(double);
        double rel, abs, lo, hi;
    } rows[] = {
        {"rcp.approx.f32", reciprocal, 0x1p-23, 0, -0x1p126, 0x1p126},
        {"sqrt.approx.f32", sqrt, 0x1p-23, 0, -1, INFINITY},
        {"rsqrt.approx.f32", rsqrt, 0x1.1p-23, 0, -1, INFINITY},
        {"ex2.approx.f32", exp2, 0x1.6p-23, 0x1p-149, -200, 200},
        {"lg2.approx.f32", log2, 0x1p-22, 0x1p-22, -1, INFINITY},
        {"sin.approx.f32", sin, 0, 0x1.6p-21, -M_PI, M_PI},
        {"cos.approx.f32", cos, 0, 0x1.6p-21, -M_PI, M_PI},
        {"tanh.approx.f32", tanh, 0x1p-11, 0, -INFINITY, INFINITY},
    };
    for (u32 n = 0; n < ARRAY_LEN(rows); n++) {
        struct run r = {0};
        run_init(&r, rows[n].name, 32, 32, 1);
        for (u32 batch = 0; batch < BATCHES; batch++) {
            fill(&r, &f32, batch);
            run_all(&r);
            for (int i = 0; i < SLAB_LANES; i++) {
                double x = f32_value(r.in[0][i]), got = f32_value(r.out[i]), want = rows[n].exact(x);
                if (x < rows[n].lo || x > rows[n].hi) continue;
                if (want != want ? r.out[i] == 0x7fffffff
                                 : (float)want == got || fabs(got - want) <= rows[n].rel * fabs(want) + rows[n].abs)
                    continue;
                fail_msg("%s %a: got %a, want %a", rows[n].name, x, got, want);
            }
        }
    }
}
static void test_approx_examples(void **state) {
    (void)state;
    static const struct {
        const char *name;
        u64 a, b, want;
    } rows[] = {
        {"rcp.approx.ftz.f32", 0x7f000000, 0, 0},
        {"rcp.approx.f32", 0x80000000, 0, 0xff800000},
        {"rsqrt.approx.f32", 0x80000000, 0, 0xff800000},
        {"lg2.approx.f32", 0, 0, 0xff800000},
        {"lg2.approx.f32", 0xbf800000, 0, 0x7fffffff},
        {"ex2.approx.ftz.f32", 0xc2ff0000, 0, 0},
        {"ex2.approx.f32", 0xff800000, 0, 0},
        {"sin.approx.f32", 0x7f800000, 0, 0x7fffffff},
        {"div.approx.f32", 0x3f800000, 0x7f000000, 0}, /* a divisor beyond 2^126 has no reciprocal */
        {"div.full.f32", 0x3f800000, 0x7f000000, 0x00400000},
    };
    for (u32 n = 0; n < ARRAY_LEN(rows); n++) {
        struct run r = {0};
        run_init(&r, rows[n].name, 32, 32, 2);
        for (int i = 0; i < SLAB_LANES; i++) r.in[0][i] = rows[n].a, r.in[1][i] = rows[n].b;
        run_all(&r);
        for (int i = 0; i < SLAB_LANES; i++)
            if (r.out[i] != rows[n].want)
                fail_msg("%s: got %llx, want %llx", rows[n].name, (long long)r.out[i], (long long)rows[n].want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arith_f32),     cmocka_unit_test(test_arith_f64),
        cmocka_unit_test(test_arith_half),    cmocka_unit_test(test_packed),
        cmocka_unit_test(test_minmax),        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_cvt_int_int),   cmocka_unit_test(test_cvt_int_float),
        cmocka_unit_test(test_cvt_float_int), cmocka_unit_test(test_cvt_float_float),
        cmocka_unit_test(test_fp8),           cmocka_unit_test(test_cvt_examples),
        cmocka_unit_test(test_setp),          cmocka_unit_test(test_setp_packed),
        cmocka_unit_test(test_set),           cmocka_unit_test(test_testp),
        cmocka_unit_test(test_approx),        cmocka_unit_test(test_approx_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
