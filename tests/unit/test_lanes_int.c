/* Integer, bit, compare and video lane functions against a scalar reference that follows the PTX manual's
 * words, one lane and mostly one bit at a time, in 128-bit arithmetic. Each row runs in both builds, on edge
 * values mixed with random ones, apart and in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "func/lanes.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

enum { ROUNDS = 24 };

/* --- the two builds */
typedef struct lane_pick pick_fn(const struct lane_query *q);
static pick_fn *const builds[][4] = {
    {lanes_int_plain, lanes_logic_plain, lanes_video_plain, lanes_compare_plain},
#ifndef HEDDLE_NO_AVX2_BUILD
    {lanes_int_avx2, lanes_logic_avx2, lanes_video_avx2, lanes_compare_avx2},
#endif
};
static u32 build_count(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? ARRAY_LEN(builds) : 1; }

static struct lane_pick pick(u32 build, const struct lane_query *q) {
    struct lane_pick p = {0};
    for (u32 i = 0; i < ARRAY_LEN(builds[0]) && !p.fn; i++) p = builds[build][i](q);
    return p;
}

/* --- values */
static u64 random_state = 0x9E3779B97F4A7C15ull;
static u64 random_u64(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}
static u64 some_value(void) {
    /* clang-format off */
    static const u64 edges[] = {
        0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 0x7FFF, 0x8000, 0xFFFF, 0x10000,
        0x7FFFFF, 0x800000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000u, 0x80000001u, 0xFFFFFFFEu, 0xFFFFFFFFu, 0x7FFF8000, 0x80007FFFu,
        0x7F800000, 0x7F800001, 0xFF800000u, 0x807FFFFFu, 0x80800000u, 0x100000000ull, 0x7FFFFFFFFFFFFFFFull, 0x8000000000000000ull,
        0x8000000000000001ull, ~1ull, ~0ull};
    /* clang-format on */
    u64 r = random_u64();
    switch (r >> 60 & 3) {
    case 0: return random_u64();
    case 1: return random_u64() >> (random_u64() & 63);
    default: return edges[(r & 0xFFFF) % ARRAY_LEN(edges)];
    }
}

/* --- rows of any shape. A shape gives the width of d, a, b, c and the fourth source: 't' the first type's,
 * 'w' twice that, '4' 32 bits, '1' a predicate, '-' absent. */
union row {
    _Alignas(64) u64 pair[SLAB_LANES];
    u32 word[SLAB_LANES];
};
static u32 width_of(char shape, const struct opkey *k) {
    u32 bits = type_table[k->type[0]].bits;
    return shape == 't' ? bits : shape == 'w' ? 2 * bits : shape == '4' ? 32 : shape == '1' ? 1 : 0;
}
static u64 mask_of(u32 bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }
static void row_put(union row *r, u32 l, u32 bits, u64 x) {
    x &= mask_of(bits);
    if (bits == 1) r->word[0] = (r->word[0] & ~(1u << l)) | (u32)x << l;
    else if (bits <= 32) r->word[l] = (u32)x;
    else r->pair[l] = x;
}
static u64 row_get(const union row *r, u32 l, u32 bits) {
    if (bits == 1) return r->word[0] >> l & 1;
    return bits <= 32 ? r->word[l] : r->pair[l];
}

/* What one lane reads */
struct args {
    u64 a, b, c, q;
};
typedef u64 ref_fn(const struct lane_query *q, const struct args *x);

static void key_parse(const char *text, struct opkey *k) {
    memset(k, 0, sizeof(*k));
    size_t len = strcspn(text, ".");
    int op = op_find(text, len);
    assert_true(op != NONE);
    k->op = (u16)op;
    for (text += len; *text; text += len) {
        text++;
        len = strcspn(text, ".");
        enum type t = type_find(text, len);
        int m = mod_find(text, len);
        assert_true(t != TYPE_NONE || m != NONE);
        if (t != TYPE_NONE) k->type[k->ntypes++] = (u8)t;
        else mods_set(&k->mods, (enum mod)m);
    }
}

/* "add.sat.s32": modifiers in table order, then types */
static void opkey_print(const struct opkey *k, struct strbuf *out) {
    strbuf_add(out, "%s", op_table[k->op].name);
    for (int m = 0; m < MOD_COUNT; m++)
        if (key_has(k, (enum mod)m)) strbuf_add(out, ".%s", mod_names[m]);
    for (int t = 0; t < k->ntypes; t++) strbuf_add(out, ".%s", type_table[k->type[t]].name);
}

static void check_lanes(const struct lane_query *q, const char *shape, ref_fn *ref, const union row *s, const union row *d,
                        const char *how) {
    for (u32 l = 0; l < SLAB_LANES; l++) {
        struct args x = {row_get(&s[0], l, width_of(shape[1], q->key)), row_get(&s[1], l, width_of(shape[2], q->key)),
                         row_get(&s[2], l, width_of(shape[3], q->key)), row_get(&s[3], l, width_of(shape[4], q->key))};
        u32 bits = width_of(shape[0], q->key);
        u64 want = ref(q, &x) & mask_of(bits), got = row_get(d, l, bits);
        if (got == want) continue;
        struct strbuf name = {0};
        opkey_print(q->key, &name);
        fail_msg("%s (%s): a=%llx b=%llx c=%llx q=%llx gives %llx, not %llx", name.s, how, (unsigned long long)x.a,
                 (unsigned long long)x.b, (unsigned long long)x.c, (unsigned long long)x.q, (unsigned long long)got,
                 (unsigned long long)want);
    }
}

static void check_round(const struct lane_query *q, const char *shape, ref_fn *ref, struct lane_pick p, const union row *s) {
    static const char *const how[] = {"apart", "d is a", "d is b", "d is c"};
    for (u32 same = 0; same < 4; same++) {
        if (same && width_of(shape[same], q->key) != width_of(shape[0], q->key)) continue;
        union row d, t[4];
        memset(&d, 0xA5, sizeof(d));
        memcpy(t, s, sizeof(t));
        void *dv = same ? &t[same - 1] : &d;
        p.fn(dv, &t[0], &t[1], &t[2], t[3].word, p.aux);
        check_lanes(q, shape, ref, s, dv, how[same]);
    }
}

static void check(const struct lane_query *q, const char *shape, ref_fn *ref) {
    for (u32 b = 0; b < build_count(); b++) {
        struct lane_pick p = pick(b, q);
        assert_non_null(p.fn);
        for (u32 round = 0; round < ROUNDS; round++) {
            union row s[4] = {0};
            for (u32 i = 0; i < 4; i++)
                for (u32 l = 0; l < SLAB_LANES; l++) row_put(&s[i], l, width_of(shape[i + 1], q->key), some_value());
            check_round(q, shape, ref, p, s);
        }
    }
}

/* Checks `name` with its @ replaced by each of the types in turn */
static void check_types(const char *name, const char *types, const char *shape, ref_fn *ref) {
    u32 nsrc = 0;
    while (nsrc < 4 && shape[nsrc + 1] != '-') nsrc++;
    for (const char *t = types; *t;) {
        size_t len = strcspn(t, " "), at = strcspn(name, "@");
        char text[64];
        snprintf(text, sizeof(text), "%.*s%.*s%s", (int)at, name, (int)len, t, name[at] ? name + at + 1 : "");
        struct opkey k;
        key_parse(text, &k);
        struct lane_query q = {
            .key = &k, .reg_bits = width_of(shape[0], &k), .src_bits = width_of(shape[1], &k), .nsrc = (u8)nsrc};
        check(&q, shape, ref);
        t += len + (t[len] == ' ');
    }
}

/* --- reference: numbers */
static u32 bits_of(const struct lane_query *q) { return type_table[q->key->type[0]].bits; }
static bool is_signed(const struct lane_query *q, u32 i) { return type_table[q->key->type[i]].family == FAMILY_S; }
static wide number(u64 raw, u32 bits, bool with_sign) {
    wide x = raw & mask_of(bits);
    return with_sign && x >> (bits - 1) ? x - ((wide)1 << bits) : x;
}
static wide num(const struct lane_query *q, u64 raw) { return number(raw, bits_of(q), is_signed(q, 0)); }
static wide clamped(wide x, wide least, wide most) { return x < least ? least : x > most ? most : x; }
static wide to_s32(wide x) { return clamped(x, -2147483647 - 1, 2147483647); }

static u64 ref_add(const struct lane_query *q, const struct args *x) {
    wide r = num(q, x->a) + num(q, x->b);
    return (u64)(key_has(q->key, MOD_sat) ? to_s32(r) : r);
}
static u64 ref_sub(const struct lane_query *q, const struct args *x) {
    wide r = num(q, x->a) - num(q, x->b);
    return (u64)(key_has(q->key, MOD_sat) ? to_s32(r) : r);
}
static u64 ref_add_x2(const struct lane_query *q, const struct args *x) {
    (void)q;
    return ((x->a + x->b) & 0xFFFF) | ((x->a >> 16) + (x->b >> 16)) << 16;
}
/* The part of the product .lo, .hi or .wide asks for */
static u64 product(const struct lane_query *q, const struct args *x) {
    uwide p = (uwide)num(q, x->a) * (uwide)num(q, x->b);
    return (u64)(key_has(q->key, MOD_hi) ? p >> bits_of(q) : p);
}
static u64 ref_mul(const struct lane_query *q, const struct args *x) { return product(q, x); }
static u64 ref_mad(const struct lane_query *q, const struct args *x) {
    if (key_has(q->key, MOD_sat)) return (u64)to_s32(number(product(q, x), 32, true) + number(x->c, 32, true));
    return product(q, x) + x->c;
}
static u64 ref_mul24(const struct lane_query *q, const struct args *x) {
    wide p = number(x->a, 24, is_signed(q, 0)) * number(x->b, 24, is_signed(q, 0));
    return (u64)(key_has(q->key, MOD_hi) ? p >> 16 : p);
}
static u64 ref_mad24(const struct lane_query *q, const struct args *x) {
    if (key_has(q->key, MOD_sat)) return (u64)to_s32(number(ref_mul24(q, x), 32, true) + number(x->c, 32, true));
    return ref_mul24(q, x) + x->c;
}
static u64 ref_sad(const struct lane_query *q, const struct args *x) {
    wide diff = num(q, x->a) - num(q, x->b);
    return x->c + (u64)(diff < 0 ? -diff : diff);
}
static u64 ref_div(const struct lane_query *q, const struct args *x) {
    return num(q, x->b) == 0 ? ~0ull : (u64)(num(q, x->a) / num(q, x->b));
}
static u64 ref_rem(const struct lane_query *q, const struct args *x) {
    return num(q, x->b) == 0 ? ~0ull : (u64)(num(q, x->a) % num(q, x->b));
}
static u64 ref_abs(const struct lane_query *q, const struct args *x) {
    return (u64)(num(q, x->a) < 0 ? -num(q, x->a) : num(q, x->a));
}
static u64 ref_neg(const struct lane_query *q, const struct args *x) { return (u64)-num(q, x->a); }

static wide extreme(const struct lane_query *q, wide a, wide b) { return (q->key->op == OP_min) == (a < b) ? a : b; }
static wide relu(const struct lane_query *q, wide x) { return key_has(q->key, MOD_relu) && x < 0 ? 0 : x; }
static u64 ref_minmax(const struct lane_query *q, const struct args *x) {
    wide r = extreme(q, num(q, x->a), num(q, x->b));
    return (u64)relu(q, q->nsrc == 3 ? extreme(q, r, num(q, x->c)) : r);
}
static u64 ref_minmax_x2(const struct lane_query *q, const struct args *x) {
    bool s = q->key->type[0] == TYPE_s16x2;
    wide lo = extreme(q, number(x->a, 16, s), number(x->b, 16, s)),
         hi = extreme(q, number(x->a >> 16, 16, s), number(x->b >> 16, 16, s));
    return ((u64)relu(q, lo) & 0xFFFF) | ((u64)relu(q, hi) & 0xFFFF) << 16;
}
static u64 ref_dot(const struct lane_query *q, const struct args *x) {
    u32 n = q->key->op == OP_dp4a ? 4 : 2, first = key_has(q->key, MOD_hi) ? 2 : 0;
    wide sum = x->c;
    for (u32 i = 0; i < n; i++)
        sum += number(x->a >> 32 / n * i, 32 / n, is_signed(q, 0)) * number(x->b >> 8 * (first + i), 8, is_signed(q, 1));
    return (u64)sum;
}

#define INTS "u16 s16 u32 s32 u64 s64"
static void test_arithmetic(void **state) {
    (void)state;
    check_types("add.@", INTS, "ttt--", ref_add);
    check_types("add.sat.@", "s32", "ttt--", ref_add);
    check_types("add.@", "u16x2 s16x2", "ttt--", ref_add_x2);
    check_types("sub.@", INTS, "ttt--", ref_sub);
    check_types("sub.sat.@", "s32", "ttt--", ref_sub);
    check_types("mul.lo.@", INTS, "ttt--", ref_mul);
    check_types("mul.hi.@", INTS, "ttt--", ref_mul);
    check_types("mul.wide.@", "u16 s16 u32 s32", "wtt--", ref_mul);
    check_types("mad.lo.@", INTS, "tttt-", ref_mad);
    check_types("mad.hi.@", INTS, "tttt-", ref_mad);
    check_types("mad.hi.sat.@", "s32", "tttt-", ref_mad);
    check_types("mad.wide.@", "u16 s16 u32 s32", "wttw-", ref_mad);
    check_types("mul24.lo.@", "u32 s32", "ttt--", ref_mul24);
    check_types("mul24.hi.@", "u32 s32", "ttt--", ref_mul24);
    check_types("mad24.lo.@", "u32 s32", "tttt-", ref_mad24);
    check_types("mad24.hi.@", "u32 s32", "tttt-", ref_mad24);
    check_types("mad24.hi.sat.@", "s32", "tttt-", ref_mad24);
    check_types("sad.@", INTS, "tttt-", ref_sad);
    check_types("div.@", INTS, "ttt--", ref_div);
    check_types("rem.@", INTS, "ttt--", ref_rem);
    check_types("abs.@", "s16 s32 s64", "tt---", ref_abs);
    check_types("neg.@", "s16 s32 s64", "tt---", ref_neg);
    check_types("dp4a.@.u32", "u32 s32", "tttt-", ref_dot);
    check_types("dp4a.@.s32", "u32 s32", "tttt-", ref_dot);
    check_types("dp2a.lo.@.u32", "u32 s32", "tttt-", ref_dot);
    check_types("dp2a.hi.@.s32", "u32 s32", "tttt-", ref_dot);
}

static void test_minmax(void **state) {
    (void)state;
    static const char *const ops[] = {"min", "max"};
    for (u32 i = 0; i < ARRAY_LEN(ops); i++) {
        char plain[16], with_relu[16];
        snprintf(plain, sizeof(plain), "%s.@", ops[i]);
        snprintf(with_relu, sizeof(with_relu), "%s.relu.@", ops[i]);
        check_types(plain, INTS, "ttt--", ref_minmax);
        check_types(plain, INTS, "tttt-", ref_minmax);
        check_types(with_relu, "s32", "ttt--", ref_minmax);
        check_types(plain, "u16x2 s16x2", "ttt--", ref_minmax_x2);
        check_types(with_relu, "s16x2", "ttt--", ref_minmax_x2);
    }
}

/* --- the carry chain: result and carry out against one wide sum */
static wide carry_sum(const struct opkey *k, const struct args *x, bool carry) {
    struct lane_query q = {.key = k};
    u64 mask = mask_of(bits_of(&q));
    if (k->op == OP_sub || k->op == OP_subc) return (wide)x->a + (~x->b & mask) + carry;
    if (k->op == OP_mad || k->op == OP_madc) return (wide)(product(&q, x) & mask) + x->c + carry;
    return (wide)x->a + x->b + carry;
}

static void check_carry(u32 build, const struct opkey *k) {
    struct lane_query q = {.key = k, .nsrc = k->op == OP_mad || k->op == OP_madc ? 3 : 2};
    struct lane_pick p = pick(build, &q);
    assert_non_null(p.fn);
    union row s[3] = {0}, d;
    u32 bits = bits_of(&q), before = (u32)random_u64(), after = before;
    bool takes = k->op == OP_addc || k->op == OP_subc || k->op == OP_madc, first = k->op == OP_sub;
    for (u32 i = 0; i < 3; i++)
        for (u32 l = 0; l < SLAB_LANES; l++) row_put(&s[i], l, bits, some_value());
    union row in_place = s[0];
    u32 carry = before;
    p.fn(&in_place, &in_place, &s[1], &s[2], &carry, p.aux);
    p.fn(&d, &s[0], &s[1], &s[2], &after, p.aux);
    assert_int_equal(carry, after);
    for (u32 l = 0; l < SLAB_LANES; l++) {
        assert_int_equal(row_get(&in_place, l, bits), row_get(&d, l, bits));
        struct args x = {row_get(&s[0], l, bits), row_get(&s[1], l, bits), row_get(&s[2], l, bits), 0};
        bool in = takes ? before >> l & 1 : first;
        wide want = carry_sum(k, &x, in);
        assert_int_equal(row_get(&d, l, bits), (u64)want & mask_of(bits));
        assert_int_equal(after >> l & 1, key_has(k, MOD_cc) ? (u32)(want >> bits) & 1 : before >> l & 1);
    }
}

static void test_carry(void **state) {
    (void)state;
    static const char *const names[] = {"add.cc",    "addc",      "addc.cc", "sub.cc",  "subc",       "subc.cc",
                                        "mad.lo.cc", "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"};
    static const char *const types[] = {"u32", "s32", "u64", "s64"};
    for (u32 i = 0; i < ARRAY_LEN(names) * ARRAY_LEN(types); i++) {
        char text[32];
        snprintf(text, sizeof(text), "%s.%s", names[i / ARRAY_LEN(types)], types[i % ARRAY_LEN(types)]);
        struct opkey k;
        key_parse(text, &k);
        for (u32 b = 0; b < build_count(); b++)
            for (u32 round = 0; round < ROUNDS; round++) check_carry(b, &k);
    }
}

/* --- reference: bits */
static u64 bit(u64 x, u64 i) { return i < 64 ? x >> i & 1 : 0; }

static u64 ref_logic(const struct lane_query *q, const struct args *x) {
    switch (q->key->op) {
    case OP_and: return x->a & x->b;
    case OP_or: return x->a | x->b;
    case OP_xor: return x->a ^ x->b;
    case OP_not: return ~x->a;
    case OP_cnot: return x->a ? 0 : 1;
    default: return x->a; /* mov */
    }
}
static u64 ref_shl(const struct lane_query *q, const struct args *x) {
    u64 r = x->a, n = MIN(x->b, bits_of(q));
    while (n--) r *= 2;
    return r;
}
static u64 ref_shr(const struct lane_query *q, const struct args *x) { return (u64)(num(q, x->a) >> MIN(x->b, 64)); }
static u64 ref_shf(const struct lane_query *q, const struct args *x) {
    u64 n = key_has(q->key, MOD_clamp) ? MIN(x->c, 32) : x->c & 31, both = x->b << 32 | x->a;
    return key_has(q->key, MOD_l) ? (u64)(((uwide)both << n) >> 32) : both >> n;
}
static u64 ref_count(const struct lane_query *q, const struct args *x) {
    u32 bits = bits_of(q), ones = 0, zeros = 0;
    for (u32 i = 0; i < bits; i++) ones += bit(x->a, i);
    while (zeros < bits && !bit(x->a, bits - 1 - zeros)) zeros++;
    return q->key->op == OP_popc ? ones : zeros;
}
static u64 ref_brev(const struct lane_query *q, const struct args *x) {
    u64 r = 0;
    for (u32 i = 0; i < bits_of(q); i++) r = r * 2 + bit(x->a, i);
    return r;
}
static u64 ref_bfind(const struct lane_query *q, const struct args *x) {
    u32 msb = bits_of(q) - 1;
    u64 a = is_signed(q, 0) && bit(x->a, msb) ? ~x->a : x->a;
    for (i32 i = (i32)msb; i >= 0; i--)
        if (bit(a, (u64)i)) return key_has(q->key, MOD_shiftamt) ? msb - (u32)i : (u32)i;
    return ~0ull;
}
/* Position and length wrap at 256 for 32-bit fields only, as on silicon */
static u64 field_arg(const struct lane_query *q, u64 x) { return bits_of(q) == 32 ? x & 255 : x; }
static u64 ref_bfe(const struct lane_query *q, const struct args *x) {
    u64 pos = field_arg(q, x->b), len = field_arg(q, x->c), msb = bits_of(q) - 1, r = 0;
    u64 fill = is_signed(q, 0) && len ? bit(x->a, MIN(pos + len - 1, msb)) : 0;
    for (u64 i = 0; i <= msb; i++) r |= (i < len && pos + i <= msb ? bit(x->a, pos + i) : fill) << i;
    return r;
}
static u64 ref_bfi(const struct lane_query *q, const struct args *x) {
    u64 pos = field_arg(q, x->c), len = field_arg(q, x->q), r = x->b;
    for (u64 i = 0; i < len && pos + i < bits_of(q); i++) r = (r & ~(1ull << (pos + i))) | bit(x->a, i) << (pos + i);
    return r;
}
static u64 ref_bmsk(const struct lane_query *q, const struct args *x) {
    bool wrap = key_has(q->key, MOD_wrap);
    u64 from = wrap ? x->a & 31 : x->a, n = wrap ? x->b & 31 : x->b, r = 0;
    for (u64 i = from; i < 32 && i - from < n; i++) r |= 1ull << i;
    return r;
}
static u64 ref_szext(const struct lane_query *q, const struct args *x) {
    u64 n = key_has(q->key, MOD_wrap) ? x->b & 31 : MIN(x->b, 32);
    return n ? (u64)number(x->a, (u32)n, is_signed(q, 0)) : 0;
}
static u64 ref_fns(const struct lane_query *q, const struct args *x) {
    (void)q;
    i64 offset = (i32)x->c, pos = (i64)x->b, count = offset < 0 ? -offset : offset;
    if (offset == INT32_MIN) return 0; /* as on silicon */
    if (offset == 0) return bit(x->a, x->b) ? x->b : ~0ull;
    for (; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1)
        if (bit(x->a, (u64)pos) && --count == 0) return (u64)pos;
    return ~0ull;
}
static u64 ref_prmt(const struct lane_query *q, const struct args *x) {
    static const struct {
        enum mod mod;
        const char *bytes[4]; /* by the two low bits of c: which byte goes where, from the top */
    } modes[] = {{MOD_f4e, {"3210", "4321", "5432", "6543"}}, {MOD_b4e, {"5670", "6701", "7012", "0123"}},
                 {MOD_rc8, {"0000", "1111", "2222", "3333"}}, {MOD_ecl, {"3210", "3211", "3222", "3333"}},
                 {MOD_ecr, {"0000", "1110", "2210", "3210"}}, {MOD_rc16, {"1010", "3232", "1010", "3232"}}};
    u8 from[8];
    u32 a = (u32)x->a, b = (u32)x->b, sel[4], r = 0;
    memcpy(from, &a, 4);
    memcpy(from + 4, &b, 4);
    for (u32 i = 0; i < 4; i++) sel[i] = (u32)(x->c >> 4 * i) & 15;
    for (u32 m = 0; m < ARRAY_LEN(modes); m++)
        for (u32 i = 0; i < 4 && key_has(q->key, modes[m].mod); i++) sel[i] = (u32)(modes[m].bytes[x->c & 3][3 - i] - '0');
    for (u32 i = 0; i < 4; i++) {
        u32 byte = from[sel[i] & 7];
        r |= (sel[i] & 8 ? (byte & 0x80 ? 0xFF : 0) : byte) << 8 * i;
    }
    return r;
}
static u64 ref_selp(const struct lane_query *q, const struct args *x) {
    (void)q;
    return x->c ? x->a : x->b;
}
static u64 ref_slct(const struct lane_query *q, const struct args *x) {
    u32 raw = (u32)x->c;
    float c;
    if (q->key->type[1] == TYPE_s32) return (i32)raw >= 0 ? x->a : x->b;
    if (key_has(q->key, MOD_ftz) && (raw & 0x7F800000) == 0) raw &= 0x80000000u;
    memcpy(&c, &raw, 4);
    return c >= 0 ? x->a : x->b;
}
static u64 ref_lop3(const struct lane_query *q, const struct args *x) {
    u64 r = 0;
    for (u32 i = 0; i < 32; i++) r |= (u64)(q->imm >> (bit(x->a, i) * 4 + bit(x->b, i) * 2 + bit(x->c, i)) & 1) << i;
    return r;
}

#define BITS "b16 b32 b64"
static void test_bits(void **state) {
    (void)state;
    check_types("and.@", BITS " pred", "ttt--", ref_logic);
    check_types("or.@", BITS " pred", "ttt--", ref_logic);
    check_types("xor.@", BITS " pred", "ttt--", ref_logic);
    check_types("not.@", BITS " pred", "tt---", ref_logic);
    check_types("mov.@", BITS " pred u16 s32 f32 f64 f16 bf16x2", "tt---", ref_logic);
    check_types("cnot.@", BITS, "tt---", ref_logic);
    check_types("shl.@", BITS, "tt4--", ref_shl);
    check_types("shr.@", BITS " " INTS, "tt4--", ref_shr);
    check_types("shf.l.wrap.@", "b32", "ttt4-", ref_shf);
    check_types("shf.l.clamp.@", "b32", "ttt4-", ref_shf);
    check_types("shf.r.wrap.@", "b32", "ttt4-", ref_shf);
    check_types("shf.r.clamp.@", "b32", "ttt4-", ref_shf);
    check_types("popc.@", "b32 b64", "4t---", ref_count);
    check_types("clz.@", "b32 b64", "4t---", ref_count);
    check_types("brev.@", "b32 b64", "tt---", ref_brev);
    check_types("bfind.@", "u32 s32 u64 s64", "4t---", ref_bfind);
    check_types("bfind.shiftamt.@", "u32 s32 u64 s64", "4t---", ref_bfind);
    check_types("bfe.@", "u32 s32 u64 s64", "tt44-", ref_bfe);
    check_types("bfi.@", "b32 b64", "ttt44", ref_bfi);
    check_types("bmsk.wrap.@", "b32", "t44--", ref_bmsk);
    check_types("bmsk.clamp.@", "b32", "t44--", ref_bmsk);
    check_types("szext.wrap.@", "u32 s32", "tt4--", ref_szext);
    check_types("szext.clamp.@", "u32 s32", "tt4--", ref_szext);
    check_types("fns.@", "b32", "t444-", ref_fns);
}

static void test_select(void **state) {
    (void)state;
    check_types("selp.@", BITS " " INTS " f32 f64", "ttt1-", ref_selp);
    check_types("slct.@.s32", BITS " " INTS " f32 f64", "ttt4-", ref_slct);
    check_types("slct.@.f32", BITS " " INTS " f32 f64", "ttt4-", ref_slct);
    check_types("slct.ftz.@.f32", BITS " " INTS " f32 f64", "ttt4-", ref_slct);
}

static void test_permute(void **state) {
    (void)state;
    static const char *const modes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
    for (u32 i = 0; i < ARRAY_LEN(modes); i++) {
        char name[24];
        snprintf(name, sizeof(name), "prmt.@%s", modes[i]);
        check_types(name, "b32", "ttt4-", ref_prmt);
    }
}

static void test_lop3(void **state) {
    (void)state;
    struct opkey k;
    key_parse("lop3.b32", &k);
    for (u32 table = 0; table < 256; table++) {
        struct lane_query q = {.key = &k, .reg_bits = 32, .src_bits = 32, .imm = table, .nsrc = 3};
        check(&q, "tttt-", ref_lop3);
    }
}

/* --- reference: comparisons */
static bool holds(const struct opkey *k, wide a, wide b) {
    if (key_has(k, MOD_eq)) return a == b;
    if (key_has(k, MOD_ne)) return a != b;
    if (key_has(k, MOD_lt) || key_has(k, MOD_lo)) return a < b;
    if (key_has(k, MOD_le) || key_has(k, MOD_ls)) return a <= b;
    if (key_has(k, MOD_gt) || key_has(k, MOD_hi)) return a > b;
    return a >= b;
}
static bool joined(const struct opkey *k, bool p, bool c) {
    return key_has(k, MOD_and) ? p && c : key_has(k, MOD_or) ? p || c : key_has(k, MOD_xor) ? p != c : p;
}

static void check_compare(u32 build, const struct opkey *k, u32 reg_bits, u64 true_value) {
    struct lane_query query = {.key = k, .reg_bits = reg_bits, .nsrc = 3};
    struct lane_pick p = pick(build, &query);
    assert_non_null(p.fn);
    enum type source = k->type[k->ntypes - 1];
    u32 bits = type_table[source].bits, c = (u32)random_u64(), other = 0;
    bool with_sign = type_table[source].family == FAMILY_S, is_set = k->op == OP_set;
    union row a = {0}, b = {0}, d = {0};
    for (u32 l = 0; l < SLAB_LANES; l++) {
        row_put(&a, l, bits, some_value());
        row_put(&b, l, bits, random_u64() & 3 ? some_value() : row_get(&a, l, bits));
    }
    p.fn(&d, &a, &b, &c, &other, p.aux);
    if (!is_set) { /* the predicate source may be the destination */
        u32 same = c, ignored;
        p.fn(&same, &a, &b, &same, &ignored, p.aux);
        assert_int_equal(same, d.word[0]);
    }
    for (u32 l = 0; l < SLAB_LANES; l++) {
        bool m = holds(k, number(row_get(&a, l, bits), bits, with_sign), number(row_get(&b, l, bits), bits, with_sign));
        bool want = joined(k, m, c >> l & 1), want_other = joined(k, !m, c >> l & 1);
        assert_int_equal(row_get(&d, l, is_set ? reg_bits : 1), is_set ? (want ? true_value : 0) : want);
        if (!is_set) assert_int_equal(other >> l & 1, want_other);
    }
}

static const char *const bools[] = {"", ".and", ".or", ".xor"};

static void for_each_compare(const char *op, const char *d_type, u32 reg_bits, u64 true_value) {
    static const char *const types[] = {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"};
    static const char *const cmps[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    for (u32 t = 0; t < ARRAY_LEN(types); t++)
        for (u32 i = 0; i < ARRAY_LEN(cmps) * ARRAY_LEN(bools); i++) {
            u32 cmp = i / ARRAY_LEN(bools);
            if ((types[t][0] == 'b' && cmp > 1) || (types[t][0] == 's' && cmp > 5)) continue;
            char text[48];
            snprintf(text, sizeof(text), "%s.%s%s%s.%s", op, cmps[cmp], bools[i % ARRAY_LEN(bools)], d_type, types[t]);
            struct opkey k;
            key_parse(text, &k);
            for (u32 b = 0; b < build_count(); b++)
                for (u32 round = 0; round < ROUNDS / 4; round++) check_compare(b, &k, reg_bits, true_value);
        }
}

static void test_setp(void **state) {
    (void)state;
    for_each_compare("setp", "", 1, 1);
}

static void test_set(void **state) {
    (void)state;
    for_each_compare("set", ".u32", 32, 0xFFFFFFFFu);
    for_each_compare("set", ".s32", 32, 0xFFFFFFFFu);
    for_each_compare("set", ".f32", 32, 0x3F800000u);
    for_each_compare("set", ".f16", 16, 0x3C00);
    for_each_compare("set", ".bf16", 16, 0x3F80);
    for_each_compare("set", ".u32", 64, 0xFFFFFFFFu);
    for_each_compare("set", ".s32", 64, ~0ull);
}

/* --- reference: video */
static u32 sel_first(u32 sel) { return sel >= SEL_H0 ? (sel - SEL_H0) * 16 : sel ? (sel - SEL_B0) * 8 : 0; }
static u32 sel_width(u32 sel) { return sel >= SEL_H0 ? 16 : sel ? 8 : 32; }
static bool video_signed(const struct opkey *k, u32 operand) {
    return k->type[k->ntypes == 3 || operand == 0 ? operand : operand - 1] == TYPE_s32; /* d of vset has the type of a */
}
static wide saturated(wide x, u32 bits, bool with_sign) {
    wide range = (wide)1 << bits;
    return with_sign ? clamped(x, -range / 2, range / 2 - 1) : clamped(x, 0, range - 1);
}

static wide video_op(const struct opkey *k, wide a, wide b) {
    wide n = key_has(k, MOD_wrap) ? b % 32 : MIN(b, 32);
    /* clang-format off */
    switch (k->op) {
    case OP_vadd: case OP_vadd2: case OP_vadd4: return a + b;
    case OP_vsub: case OP_vsub2: case OP_vsub4: return a - b;
    case OP_vabsdiff: case OP_vabsdiff2: case OP_vabsdiff4: return a > b ? a - b : b - a;
    case OP_vmin: case OP_vmin2: case OP_vmin4: return MIN(a, b);
    case OP_vmax: case OP_vmax2: case OP_vmax4: return MAX(a, b);
    case OP_vavrg2: case OP_vavrg4: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case OP_vshl: return (wide)((uwide)a << n);
    case OP_vshr: return a >> n;
    default: return holds(k, a, b);
    }
    /* clang-format on */
}

/* Saturation, and what meets c, as silicon has them; see video.c */
static wide video_saturated(const struct opkey *k, wide t, u32 width, bool s) {
    if (k->op == OP_vshl) t = number((u64)t, 34, true);
    if (k->op == OP_vshl || k->op == OP_vshr) return number((u64)saturated(t, 32, s), 32, true);
    if (width == 32) return s ? saturated(t, 32, true) : MAX(t, 0);
    u64 most = s ? mask_of(width) >> 1 : mask_of(width);
    return MIN((u64)t, most);
}

static u64 ref_video(const struct lane_query *q, const struct args *x) {
    const struct opkey *k = q->key;
    bool s = video_signed(k, 0);
    wide t = video_op(k, number(x->a >> sel_first(q->sel[1]), sel_width(q->sel[1]), video_signed(k, 1)),
                      number(x->b >> sel_first(q->sel[2]), sel_width(q->sel[2]), video_signed(k, 2)));
    if (key_has(k, MOD_sat)) t = video_saturated(k, t, sel_width(q->sel[0]), s);
    if (k->op == OP_vadd || k->op == OP_vsub) t = number((u64)t, 32, true);
    if (q->sel[0]) {
        u64 mask = mask_of(sel_width(q->sel[0])) << sel_first(q->sel[0]), part = (u64)t & mask_of(32);
        return (x->c & ~mask) | ((q->sel[0] == SEL_H1 ? part >> 16 : part) << sel_first(q->sel[0]) & mask);
    }
    wide r = s ? t : (wide)(u64)t, c = number(x->c, 32, s);
    if (key_has(k, MOD_add)) return (u64)(r + c);
    if (key_has(k, MOD_min)) return (u64)MIN(r, c);
    return (u64)(key_has(k, MOD_max) ? MAX(r, c) : r);
}

static u64 ref_vmad(const struct lane_query *q, const struct args *x) {
    const struct opkey *k = q->key;
    wide t = number(x->a >> sel_first(q->sel[1]), sel_width(q->sel[1]), video_signed(k, 1) || !q->sel[1]) *
             number(x->b >> sel_first(q->sel[2]), sel_width(q->sel[2]), video_signed(k, 2) || !q->sel[2]);
    bool minus = q->negate[1] != q->negate[2], s = video_signed(k, 1) || video_signed(k, 2) || minus || q->negate[3];
    wide c = number(x->c, 32, true); /* signed whatever the types, as on silicon, and so are whole factors */
    t = (minus ? -t : t) + (q->negate[3] ? -c : c) + key_has(k, MOD_po);
    u32 shift = key_has(k, MOD_shr7) ? 7 : key_has(k, MOD_shr15) ? 15 : 0;
    if (shift) t = s ? t >> shift : (wide)((u64)t >> shift);
    return (u64)(key_has(k, MOD_sat) ? saturated(t, 32, s) : t);
}

/* The parts of a SIMD source come as digits: the i-th from the right picks one of the parts of b above a */
static u64 ref_simd(const struct lane_query *q, const struct args *x) {
    const struct opkey *k = q->key;
    const char *name = op_table[k->op].name;
    u32 n = name[strlen(name) - 1] == '4' ? 4 : 2, bits = 32 / n;
    u64 both = x->b << 32 | x->a, d = x->c;
    u32 pa = q->sel[1] ? q->sel[1] - SEL_PARTS_FIRST
             : n == 4  ? 03210
                       : 010,
        pb = q->sel[2] ? q->sel[2] - SEL_PARTS_FIRST
             : n == 4  ? 07654
                       : 032;
    u32 mask = q->sel[0] ? q->sel[0] - SEL_MASK_FIRST : 15;
    for (u32 i = 0; i < n; i++, pa /= 8, pb /= 8) {
        wide t = video_op(k, number(both >> pa % 8 * bits, bits, video_signed(k, 1)),
                          number(both >> pb % 8 * bits, bits, video_signed(k, 2)));
        if (key_has(k, MOD_sat)) t = saturated(t, bits, video_signed(k, 0));
        if (!(mask >> i & 1)) continue;
        u64 place = mask_of(bits) << i * bits;
        d = key_has(k, MOD_add) ? d + (u64)t : (d & ~place) | ((u64)t << i * bits & place);
    }
    return d;
}

/* Checks `format` with each %s replaced by u32 and s32 in turn and some selectors */
static void check_video(const char *format, u32 types, ref_fn *ref, void (*select)(struct lane_query *q)) {
    static const char *const t[] = {"u32", "s32"};
    for (u32 i = 0; i < 1u << types; i++) {
        char text[64];
        if (types == 3) snprintf(text, sizeof(text), format, t[i & 1], t[i >> 1 & 1], t[i >> 2]);
        else snprintf(text, sizeof(text), format, t[i & 1], t[i >> 1 & 1]);
        struct opkey k;
        key_parse(text, &k);
        for (u32 round = 0; round < 6; round++) {
            struct lane_query q = {.key = &k, .reg_bits = 32, .src_bits = 32, .nsrc = 3};
            if (round) select(&q);
            check(&q, "4444-", ref);
        }
    }
}

static void select_sources(struct lane_query *q) {
    q->sel[1] = (u16)(random_u64() % (SEL_H1 + 1));
    q->sel[2] = (u16)(random_u64() % (SEL_H1 + 1));
}
static void select_all(struct lane_query *q) {
    select_sources(q);
    q->sel[0] = (u16)(random_u64() % (SEL_H1 + 1));
}
static void select_negated(struct lane_query *q) {
    select_sources(q);
    u32 which = random_u64() % 5;
    if (which > 0 && which < 4) q->negate[which] = true;
    if (which == 4) q->negate[1] = q->negate[2] = true;
}
static void select_halves(struct lane_query *q) {
    q->sel[0] = (u16)(SEL_MASK_FIRST + 1 + random_u64() % 3);
    q->sel[1] = (u16)(SEL_PARTS_FIRST + (random_u64() & 033));
    q->sel[2] = (u16)(SEL_PARTS_FIRST + (random_u64() & 033));
}
static void select_bytes(struct lane_query *q) {
    q->sel[0] = (u16)(SEL_MASK_FIRST + 1 + random_u64() % 15);
    q->sel[1] = (u16)(SEL_PARTS_FIRST + (random_u64() & 07777));
    q->sel[2] = (u16)(SEL_PARTS_FIRST + (random_u64() & 07777));
}

static void test_video_scalar(void **state) {
    (void)state;
    static const char *const ops[] = {"vadd.%s.%s.%s", "vsub.%s.%s.%s", "vabsdiff.%s.%s.%s", "vmin.%s.%s.%s", "vmax.%s.%s.%s"};
    static const char *const shifts[] = {"vshl.%s.%s.u32.clamp", "vshl.%s.%s.u32.wrap", "vshr.%s.%s.u32.clamp",
                                         "vshr.%s.%s.u32.wrap"};
    static const char *const sets[] = {"vset.%s.%s.eq", "vset.%s.%s.ne", "vset.%s.%s.lt",
                                       "vset.%s.%s.le", "vset.%s.%s.gt", "vset.%s.%s.ge"};
    static const char *const after[] = {"", ".sat", ".add", ".min", ".max", ".sat.add"};
    for (u32 m = 0; m < ARRAY_LEN(after); m++) {
        void (*select)(struct lane_query *) = m < 2 ? select_all : select_sources;
        char text[48];
        for (u32 i = 0; i < ARRAY_LEN(ops); i++) {
            snprintf(text, sizeof(text), "%s%s", ops[i], after[m]);
            check_video(text, 3, ref_video, select);
        }
        for (u32 i = 0; i < ARRAY_LEN(shifts); i++) {
            snprintf(text, sizeof(text), "%s%s", shifts[i], after[m]);
            check_video(text, 2, ref_video, select);
        }
        for (u32 i = 0; i < ARRAY_LEN(sets) && !strstr(after[m], "sat"); i++) {
            snprintf(text, sizeof(text), "%s%s", sets[i], after[m]);
            check_video(text, 2, ref_video, select);
        }
    }
}

static void test_video_mad(void **state) {
    (void)state;
    static const char *const forms[] = {"", ".sat", ".shr7", ".shr15", ".sat.shr7", ".sat.shr15"};
    for (u32 i = 0; i < ARRAY_LEN(forms); i++) {
        char text[48];
        snprintf(text, sizeof(text), "vmad.%%s.%%s.%%s%s", forms[i]);
        check_video(text, 3, ref_vmad, select_negated);
        snprintf(text, sizeof(text), "vmad.%%s.%%s.%%s.po%s", forms[i]);
        check_video(text, 3, ref_vmad, select_sources);
    }
}

static void test_video_simd(void **state) {
    (void)state;
    static const char *const ops[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    static const char *const cmps[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const after[] = {"", ".add", ".sat"};
    for (u32 n = 2; n <= 4; n += 2)
        for (u32 m = 0; m < ARRAY_LEN(after); m++) {
            void (*select)(struct lane_query *) = n == 2 ? select_halves : select_bytes;
            char text[48];
            for (u32 i = 0; i < ARRAY_LEN(ops); i++) {
                snprintf(text, sizeof(text), "%s%u.%%s.%%s.%%s%s", ops[i], n, after[m]);
                check_video(text, 3, ref_simd, select);
            }
            for (u32 i = 0; i < ARRAY_LEN(cmps) && m < 2; i++) {
                snprintf(text, sizeof(text), "vset%u.%%s.%%s.%s%s", n, cmps[i], after[m]);
                check_video(text, 2, ref_simd, select);
            }
        }
}

/* --- what is not an instruction, or not one of these files' */
static void test_refused(void **state) {
    (void)state;
    static const char *const names[] = {"add.f32",          "add.sat.u32",      "add.cc.u16",       "mul.u32",
                                        "mul.wide.u64",     "mad.lo.sat.s32",   "min.relu.u32",     "add.relu.s16x2",
                                        "min.relu.u16x2",   "abs.f16",          "lop3.and.b32",     "mov.b128",
                                        "setp.lt.b32",      "set.eq.u64.u32",   "vset.u32.u32",     "vset4.u32.u32",
                                        "popc.b16",         "slct.u32.u32",     "dp4a.u32.u32",     "dp2a.u32.u32",
                                        "setp.eq.and.u32",  "set.eq.u32",       "shf.l.b32",        "bmsk.b32",
                                        "vadd.u32.u32",     "vshl.u32.u32.u32", "vmad.u32.u32.u32", "vadd.u32.u32.u32.add",
                                        "vadd4.u32.u32.u32"};
    for (u32 i = 0; i < ARRAY_LEN(names) * build_count(); i++) {
        struct opkey k;
        key_parse(names[i % ARRAY_LEN(names)], &k);
        struct lane_query q = {.key = &k, .reg_bits = 32, .src_bits = 32, .nsrc = 2};
        assert_null(pick(i / ARRAY_LEN(names), &q).fn);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),   cmocka_unit_test(test_minmax),    cmocka_unit_test(test_carry),
        cmocka_unit_test(test_bits),         cmocka_unit_test(test_select),    cmocka_unit_test(test_permute),
        cmocka_unit_test(test_lop3),         cmocka_unit_test(test_setp),      cmocka_unit_test(test_set),
        cmocka_unit_test(test_video_scalar), cmocka_unit_test(test_video_mad), cmocka_unit_test(test_video_simd),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
