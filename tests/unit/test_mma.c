/* Matrix multiply-add of a warp: every shape on small integers, where any order of summing gives the same, by
 * scattering matrices into fragments and gathering the result; then what sets a tensor core's sums apart. */
#include "func/mma.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 16, COLS = 8, DEPTH = 256 };

static struct opkey key_of(const char *text) {
    struct opkey k = {.op = OP_mma};
    for (const char *at = text + strcspn(text, "."); *at == '.';) {
        size_t len = strcspn(++at, ".");
        enum type t = type_find(at, len);
        if (t) k.type[k.ntypes++] = (u8)t;
        else mods_set(&k.mods, (enum mod)mod_find(at, len));
        if (*at == 'r' || *at == 'c') k.layouts |= (u8)((*at == 'r' ? 1 : 2) << (k.layouts ? 2 : 0));
        at += len;
    }
    return k;
}

/* --- elements as bits */
static u64 encode(enum type t, double v) {
    union {
        double d;
        u64 u;
    } f64 = {v};
    union {
        float f;
        u32 u;
    } f32 = {(float)v};
    int exp = 0;
    double frac = frexp(fabs(v), &exp); /* v = frac * 2^exp, frac in [1/2, 1) */
    u64 sign = v < 0;
    switch (t) {
    case TYPE_f64: return f64.u;
    case TYPE_f32:
    case TYPE_tf32: return f32.u;
    case TYPE_bf16: return f32.u >> 16;
    case TYPE_f16: return v == 0 ? 0 : sign << 15 | (u64)(exp + 14) << 10 | (u64)((frac * 2 - 1) * 1024);
    case TYPE_e4m3: return v == 0 ? 0 : sign << 7 | (u64)(exp + 6) << 3 | (u64)((frac * 2 - 1) * 8);
    case TYPE_e5m2: return v == 0 ? 0 : sign << 7 | (u64)(exp + 14) << 2 | (u64)((frac * 2 - 1) * 4);
    default: return (u64)(i64)v & ~0ull >> (64 - type_table[t].bits);
    }
}
static double decode(enum type t, u64 x) {
    if (t == TYPE_f64)
        return ((union {
                   u64 u;
                   double d;
               }){x})
            .d;
    if (t == TYPE_f32)
        return ((union {
                   u32 u;
                   float f;
               }){(u32)x})
            .f;
    if (t == TYPE_s32) return (i32)x;
    double mag = x & 0x7c00 ? ldexp(1024 + (double)(x & 1023), (int)(x >> 10 & 31) - 25) : ldexp((double)(x & 1023), -24);
    return x & 0x8000 ? -mag : mag;
}

/* --- a warp's fragments: where the PTX ISA's tables put an element, as lane, register and bit */
struct spot {
    u32 lane, reg, bit;
};
static struct spot spot_a(u32 row, u32 col, u32 per_reg, u32 m, u32 bits) {
    u32 step = col / (4 * per_reg), half = row / 8;
    return (struct spot){row % 8 * 4 + col / per_reg % 4, m == 16 ? 2 * step + half : step, col % per_reg * bits};
}
static struct spot spot_b(u32 k, u32 col, u32 per_reg, u32 bits) {
    return (struct spot){col * 4 + k / per_reg % 4, k / (4 * per_reg), k % per_reg * bits};
}
static struct spot spot_c(u32 row, u32 col, bool half) {
    u32 j = row / 8 * 2 + col % 2;
    return (struct spot){row % 8 * 4 + col / 2, half ? j / 2 : j, half ? 16 * (j % 2) : 0};
}

struct warp_regs {
    _Alignas(64) u64 row[8][SLAB_LANES];
    void *ptr[8];
    u32 bits; /* of a register: 32 or 64 */
};
static void regs_init(struct warp_regs *r, u32 bits) {
    memset(r->row, 0, sizeof(r->row));
    r->bits = bits;
    for (int i = 0; i < 8; i++) r->ptr[i] = r->row[i];
}
static void regs_put(struct warp_regs *r, struct spot s, u64 x) {
    if (r->bits == 64) r->row[s.reg][s.lane] = x;
    else ((u32 *)r->row[s.reg])[s.lane] |= (u32)x << s.bit;
}
static u64 regs_get(const struct warp_regs *r, struct spot s, u32 bits) {
    u64 w = r->bits == 64 ? r->row[s.reg][s.lane] : ((const u32 *)r->row[s.reg])[s.lane];
    return w >> s.bit & ~0ull >> (64 - bits);
}

struct problem {
    struct opkey key;
    struct mma_shape shape;
    double a[ROWS][DEPTH], b[DEPTH][COLS], c[ROWS][COLS], d[ROWS][COLS];
};
static void solve(struct problem *p) {
    struct warp_regs a, b, c;
    enum type td = (enum type)p->key.type[0], ta = (enum type)p->key.type[1], tb = (enum type)p->key.type[2];
    u32 reg = ta == TYPE_f64 ? 64 : 32, bits = type_table[ta].bits, per_reg = reg / bits, out_bits = type_table[td].bits;
    regs_init(&a, reg), regs_init(&b, reg), regs_init(&c, reg);
    for (u32 k = 0; k < p->shape.k; k++) {
        for (u32 i = 0; i < p->shape.m; i++) regs_put(&a, spot_a(i, k, per_reg, p->shape.m, bits), encode(ta, p->a[i][k]));
        for (u32 j = 0; j < COLS; j++) regs_put(&b, spot_b(k, j, per_reg, bits), encode(tb, p->b[k][j]));
    }
    for (u32 i = 0; i < p->shape.m; i++)
        for (u32 j = 0; j < COLS; j++) regs_put(&c, spot_c(i, j, td == TYPE_f16), encode(td, p->c[i][j]));
    /* in place: D's rows are C's */
    mma_run(&p->key, c.ptr, (const void *const *)a.ptr, (const void *const *)b.ptr, (const void *const *)c.ptr);
    for (u32 i = 0; i < p->shape.m; i++)
        for (u32 j = 0; j < COLS; j++) p->d[i][j] = decode(td, regs_get(&c, spot_c(i, j, td == TYPE_f16), out_bits));
}

static double small(enum type t) {
    int r = rand();
    if (t == TYPE_b1) return r & 1;
    if (t == TYPE_u8 || t == TYPE_u4) return r % (t == TYPE_u8 ? 256 : 16);
    if (t == TYPE_s8 || t == TYPE_s4) return r % (t == TYPE_s8 ? 256 : 16) - (t == TYPE_s8 ? 128 : 8);
    return r % 9 - 4;
}
static void test_shapes(void **state) {
    (void)state;
    static const char *const names[] = {
        "mma.m16n8k8.f32.f16.f16.f32",
        "mma.m16n8k16.f32.f16.f16.f32",
        "mma.m16n8k8.f16.f16.f16.f16",
        "mma.m16n8k16.f16.f16.f16.f16",
        "mma.m16n8k8.f32.bf16.bf16.f32",
        "mma.m16n8k16.f32.bf16.bf16.f32",
        "mma.m16n8k4.f32.tf32.tf32.f32",
        "mma.m16n8k8.f32.tf32.tf32.f32",
        "mma.m8n8k16.s32.s8.u8.s32",
        "mma.m16n8k16.s32.u8.s8.s32",
        "mma.m16n8k32.s32.s8.s8.s32",
        "mma.m16n8k32.s32.u8.u8.s32",
        "mma.m8n8k32.s32.s4.u4.s32",
        "mma.m16n8k32.s32.u4.s4.s32",
        "mma.m16n8k64.s32.s4.s4.s32",
        "mma.m8n8k4.f64.f64.f64.f64",
        "mma.m16n8k4.f64.f64.f64.f64",
        "mma.m16n8k8.f64.f64.f64.f64",
        "mma.m16n8k16.f64.f64.f64.f64",
        "mma.m16n8k32.f32.e4m3.e5m2.f32",
        "mma.m16n8k32.f32.e5m2.e4m3.f32",
        "mma.m16n8k32.f16.e4m3.e4m3.f16",
        "mma.m8n8k128.s32.b1.b1.s32.xor.popc",
        "mma.m16n8k128.s32.b1.b1.s32.and.popc",
        "mma.m16n8k256.s32.b1.b1.s32.xor.popc",
    };
    for (u32 n = 0; n < ARRAY_LEN(names); n++) {
        struct problem p = {.key = key_of(names[n])};
        if (!mma_shape_of(&p.key, &p.shape)) fail_msg("no %s", names[n]);
        bool with_xor = key_has(&p.key, MOD_xor);
        for (u32 k = 0; k < p.shape.k; k++) {
            for (u32 i = 0; i < ROWS; i++) p.a[i][k] = small((enum type)p.key.type[1]);
            for (u32 j = 0; j < COLS; j++) p.b[k][j] = small((enum type)p.key.type[2]);
        }
        for (u32 i = 0; i < ROWS; i++)
            for (u32 j = 0; j < COLS; j++) p.c[i][j] = rand() % 101 - 50;
        solve(&p);
        for (u32 i = 0; i < p.shape.m; i++)
            for (u32 j = 0; j < COLS; j++) {
                double want = p.c[i][j];
                for (u32 k = 0; k < p.shape.k; k++) want += with_xor ? p.a[i][k] != p.b[k][j] : p.a[i][k] * p.b[k][j];
                if (p.d[i][j] != want) fail_msg("%s (%u, %u): got %g, want %g", names[n], i, j, p.d[i][j], want);
            }
    }
}

static void test_refused(void **state) {
    (void)state;
    static const char *const names[] = {"mma.m8n8k4.f16.f16.f16.f32",    "mma.m16n8k16.f16.bf16.bf16.f16",
                                        "mma.m16n8k4.f32.f16.f16.f32",   "mma.m16n8k16.f32.f16.bf16.f32",
                                        "mma.m8n8k16.f32.e4m3.e4m3.f32", "mma.m16n8k32.s32.s8.s4.s32"};
    for (u32 n = 0; n < ARRAY_LEN(names); n++) {
        struct opkey k = key_of(names[n]);
        if (mma_supported(&k)) fail_msg("%s is no instruction", names[n]);
    }
}

/* One dot product: c + sum of a[k] b[k] */
static double dot(const char *name, double c, const double *a, const double *b, u32 n) {
    struct problem p = {.key = key_of(name)};
    assert_true(mma_shape_of(&p.key, &p.shape));
    p.c[0][0] = c;
    for (u32 k = 0; k < n; k++) p.a[0][k] = a[k], p.b[k][0] = b[k];
    solve(&p);
    return p.d[0][0];
}
static void test_sums(void **state) {
    (void)state;
    static const char f32_sum[] = "mma.m16n8k16.f32.f16.f16.f32", f16_sum[] = "mma.m16n8k16.f16.f16.f16.f16";
    const double tiny[4] = {0x1p-13, 0x1p-13, 0x1p-13, 0x1p-13}, small_a[2] = {0x1p-12, 0x1p-12},
                 low[4] = {0x1p-12, 0x1p-12, 0x1p-12, 0x1p-12};
    /* below the last bit kept, terms vanish before they are added: 1 + 4 * 2^-26 is 1 */
    assert_true(dot(f32_sum, 1, tiny, tiny, 4) == 1);
    /* kept bits add up, though each alone would be lost in an f32: 1 + 2 * 2^-24 */
    assert_true(dot(f32_sum, 1, small_a, small_a, 2) == 1 + 0x1p-23);
    /* the sum is cut, not rounded: 1 + 3 * 2^-24 */
    assert_true(dot(f32_sum, 1, low, low, 3) == 1 + 0x1p-23);
    /* an f16 sum rounds to nearest even: 1 + 3 * 2^-12 */
    const double half[3] = {0x1p-6, 0x1p-6, 0x1p-6};
    assert_true(dot(f16_sum, 1, half, half, 3) == 1 + 0x1p-10);
    /* the order of cancelling terms does not matter */
    const double a[3] = {0x1p10, 1, -0x1p10}, b[3] = {0x1p10, 1, 0x1p10};
    assert_true(dot(f32_sum, 0, a, b, 3) == 1);
}
static void test_integer_limits(void **state) {
    (void)state;
    const double a[4] = {127, 127, 127, 127};
    assert_true(dot("mma.m16n8k32.s32.s8.s8.s32.satfinite", 2147483647, a, a, 4) == 2147483647);
    assert_true(dot("mma.m16n8k32.s32.s8.s8.s32", 2147483647, a, a, 4) == -2147483648.0 + 4 * 127 * 127 - 1);
}
static void test_specials(void **state) {
    (void)state;
    struct opkey key = key_of("mma.m16n8k8.f32.f16.f16.f32");
    static const struct {
        u32 a, b, c, want;
    } rows[] = {{0x7c00, 0x3c00, 0, 0x7f800000},          {0x7c00, 0xbc00, 0, 0xff800000}, {0x7c00, 0, 0, 0x7fffffff},
                {0x7c00, 0x3c00, 0xff800000, 0x7fffffff}, {0x7e00, 0, 0, 0x7fffffff},      {0, 0, 0x7fc00001, 0x7fffffff}};
    for (u32 n = 0; n < ARRAY_LEN(rows); n++) {
        struct warp_regs a, b, c;
        regs_init(&a, 32), regs_init(&b, 32), regs_init(&c, 32);
        regs_put(&a, spot_a(0, 0, 2, 16, 16), rows[n].a);
        regs_put(&b, spot_b(0, 0, 2, 16), rows[n].b);
        regs_put(&c, spot_c(0, 0, false), rows[n].c);
        mma_run(&key, c.ptr, (const void *const *)a.ptr, (const void *const *)b.ptr, (const void *const *)c.ptr);
        assert_int_equal(regs_get(&c, spot_c(0, 0, false), 32), rows[n].want);
        assert_int_equal(regs_get(&c, spot_c(15, 7, false), 32), 0);
    }
}

/* --- m8n8k4 on f16: the PTX ISA's tables for the four pairs of quads; lane l of a pair's eight */
static u32 quad_lane(u32 pair, u32 l) { return pair * 4 + l % 4 + (l < 4 ? 0 : 16); }
/* Row (column) i of A (B), element k; `by_k`: A by columns, B by rows */
static struct spot spot_quad(u32 pair, u32 i, u32 k, bool by_k) {
    u32 l = by_k ? i / 4 * 4 + k : i, e = by_k ? i % 4 : k;
    return (struct spot){quad_lane(pair, l), e / 2, e % 2 * 16};
}
static struct spot spot_quad_sum(u32 pair, u32 row, u32 col, bool half) {
    if (half) return (struct spot){quad_lane(pair, row), col / 2, col % 2 * 16};
    return (struct spot){quad_lane(pair, row / 4 * 4 + (col & 2) + (row & 1)), (col & 4) + (row & 2) + (col & 1), 0};
}
static void check_quads(const char *name) {
    struct opkey key = key_of(name);
    enum type td = (enum type)key.type[0], tc = (enum type)key.type[3];
    struct mma_shape s;
    if (!mma_shape_of(&key, &s)) fail_msg("no %s", name);
    assert_int_equal(s.na, 2), assert_int_equal(s.nb, 2);
    assert_int_equal(s.nd, td == TYPE_f16 ? 4 : 8), assert_int_equal(s.nc, tc == TYPE_f16 ? 4 : 8);
    double ma[4][8][4], mb[4][8][4], mc[4][8][8];
    struct warp_regs a, b, c, d;
    regs_init(&a, 32), regs_init(&b, 32), regs_init(&c, 32), regs_init(&d, 32);
    for (u32 q = 0; q < 4; q++)
        for (u32 i = 0; i < 8; i++) {
            for (u32 k = 0; k < 4; k++) {
                ma[q][i][k] = rand() % 15 - 7, mb[q][i][k] = rand() % 15 - 7;
                regs_put(&a, spot_quad(q, i, k, (key.layouts & 3) == 2), encode(TYPE_f16, ma[q][i][k]));
                regs_put(&b, spot_quad(q, i, k, key.layouts >> 2 == 1), encode(TYPE_f16, mb[q][i][k]));
            }
            for (u32 j = 0; j < 8; j++) {
                mc[q][i][j] = rand() % 63 - 31;
                regs_put(&c, spot_quad_sum(q, i, j, tc == TYPE_f16), encode(tc, mc[q][i][j]));
            }
        }
    mma_run(&key, td == tc ? c.ptr : d.ptr, (const void *const *)a.ptr, (const void *const *)b.ptr, (const void *const *)c.ptr);
    for (u32 q = 0; q < 4; q++)
        for (u32 i = 0; i < 8; i++)
            for (u32 j = 0; j < 8; j++) {
                double want = mc[q][i][j];
                for (u32 k = 0; k < 4; k++) want += ma[q][i][k] * mb[q][j][k];
                u64 got = regs_get(td == tc ? &c : &d, spot_quad_sum(q, i, j, td == TYPE_f16), type_table[td].bits);
                if (decode(td, got) != want) fail_msg("%s: pair %u, row %u, column %u", name, q, i, j);
            }
}
static void test_quads(void **state) {
    (void)state;
    static const char *const layouts[] = {"row.row", "row.col", "col.row", "col.col"};
    static const char *const types[] = {"f16.f16.f16.f16", "f32.f16.f16.f32", "f32.f16.f16.f16"};
    for (u32 l = 0; l < ARRAY_LEN(layouts); l++)
        for (u32 t = 0; t < ARRAY_LEN(types); t++) {
            char name[64];
            snprintf(name, sizeof(name), "mma.m8n8k4.%s.%s", layouts[l], types[t]);
            check_quads(name);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),   cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_sums),     cmocka_unit_test(test_integer_limits),
                                       cmocka_unit_test(test_specials), cmocka_unit_test(test_quads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
