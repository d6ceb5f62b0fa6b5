/* Reads of textures by tex of October and of December 2021: every format, filter and way to wrap against a
 * model of its own, without time, on both pipelines, audited; and what wrong ones are told. */
#include "rv_rig.h"

/* --- the model: wide numbers, remainders and bytes, where the simulator has masks and shifts */

enum { IMAGE_WORDS = 96, ROWS = 8, THREADS = 16, READS = ROWS * THREADS };

struct texture {
    bool december;
    u32 format, bilinear, wrap_u, wrap_v;
    u32 offset[2], log_w[2], log_h[2]; /* of two levels; December's second has half the first one's size */
};
struct colour {
    u32 c[4]; /* red, green, blue, alpha: 0 to 255 */
};
static u32 image[IMAGE_WORDS + 2], coords[READS][3];

static i64 one_of(const struct texture *x) { return 1 << (x->december ? 23 : 20); }
static i64 modulo(i64 a, i64 n) { return (a % n + n) % n; }

static i64 inside(i64 c, u32 wrap, i64 one) {
    if (wrap == 0) return c < 0 ? 0 : c >= one ? one - 1 : c;
    if (wrap == 2) return modulo(c, 2 * one) < one ? modulo(c, 2 * one) : 2 * one - 1 - modulo(c, 2 * one);
    return modulo(c, one);
}

/* A channel of so many bits from bit `at` on: the upper bits again behind them */
static u32 channel(u32 t, u32 at, u32 bits) {
    u32 v = t >> at & ((1u << bits) - 1);
    return bits == 8 ? v : v << (8 - bits) | v >> (2 * bits - 8);
}

static u32 texel_bytes(const struct texture *x) {
    static const u8 october[8] = {4, 2, 2, 2, 1, 1, 4, 4}, december[8] = {4, 2, 2, 2, 2, 1, 1, 1};
    return (x->december ? december : october)[x->format];
}

/* Blue is the lowest */
static struct colour texel_of_december(u32 format, u32 t) {
    switch (format) {
    case 0: return (struct colour){{t & 255, t >> 8 & 255, t >> 16 & 255, t >> 24}};
    case 1: return (struct colour){{channel(t, 0, 5), channel(t, 5, 6), channel(t, 11, 5), 255}};
    case 2: return (struct colour){{channel(t, 0, 5), channel(t, 5, 5), channel(t, 10, 5), t >> 15 ? 255 : 0}};
    case 3: return (struct colour){{channel(t, 0, 4), channel(t, 4, 4), channel(t, 8, 4), channel(t, 12, 4)}};
    case 4: return (struct colour){{t & 255, t & 255, t & 255, t >> 8}};
    case 5: return (struct colour){{t, t, t, 255}};
    default: return (struct colour){{255, 255, 255, t}};
    }
}

static struct colour texel(const struct texture *x, u64 at) {
    u32 t = 0;
    memcpy(&t, (const u8 *)image + at, texel_bytes(x));
    if (x->december) return texel_of_december(x->format, t);
    switch (x->format) {
    case 0: return (struct colour){{t & 255, t >> 8 & 255, t >> 16 & 255, t >> 24}};
    case 1: return (struct colour){{channel(t, 11, 5), channel(t, 5, 6), channel(t, 0, 5), 255}};
    case 2: /* red's lower half is alpha's: so Vortex of 2021 */
        return (struct colour){{(t >> 8 & 15) * 16 + (t >> 12 & 15), channel(t, 4, 4), channel(t, 0, 4), channel(t, 12, 4)}};
    case 3: return (struct colour){{t & 255, t & 255, t & 255, t >> 8 & 255}};
    case 4: return (struct colour){{t, t, t, 255}};
    default: return (struct colour){{0, 0, 0, t & 255}};
    }
}

static struct colour mixed(struct colour a, struct colour b, u32 w, u32 sum) {
    struct colour x;
    for (u32 i = 0; i < 4; i++) x.c[i] = (a.c[i] * (sum - w) + b.c[i] * w) / 256;
    return x;
}

/* Along one axis, at a level so many times smaller than `size` says */
struct axis {
    i64 low, high; /* texels */
    u32 weight;
};
static struct axis along(const struct texture *x, u32 coord, u32 wrap, i64 size, i64 smaller) {
    i64 one = one_of(x), half = x->bilinear && smaller <= size ? one / 2 * smaller / size : 0;
    i64 low = inside((i32)(coord - (u32)half), wrap, one), high = inside((i32)(coord + (u32)half), wrap, one);
    struct axis a = {.low = low * size / smaller / one, .high = high * size / smaller / one};
    if (x->bilinear) a.weight = (u32)((x->december ? low * size * 256 / smaller / one : low) % 256);
    return a;
}

static u32 model(const struct texture *x, const u32 at[3]) {
    u32 level = x->december ? at[2] % 16 : at[2] / (1 << 20) % 16, sum = x->december ? 255 : 256;
    u32 log_w = x->log_w[x->december ? 0 : level], log_h = x->log_h[x->december ? 0 : level], less = x->december ? level : 0;
    struct axis u = along(x, at[0], x->wrap_u, 1ll << log_w, 1ll << less),
                v = along(x, at[1], x->wrap_v, 1ll << log_h, 1ll << less);
    i64 width = log_w < less ? 1 : 1ll << (log_w - less); /* with one row where it is less */
    struct colour t[2][2];
    for (u32 i = 0; i < 4; i++) {
        i64 column = i & 1 ? u.high : u.low, row = i >> 1 ? v.high : v.low;
        t[i >> 1][i & 1] = texel(x, x->offset[level] + (u64)(row * width + column) * texel_bytes(x));
    }
    struct colour c = mixed(mixed(t[0][0], t[0][1], u.weight, sum), mixed(t[1][0], t[1][1], u.weight, sum), v.weight, sum);
    return c.c[0] + (c.c[1] << 8) + (c.c[2] << 16) + (c.c[3] << 24);
}

/* --- the program: all threads read ROWS times, coordinates from a table */

static u32 random_word(void) {
    static u64 x = 88172645463325252ull;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (u32)(x >> 16);
}

/* Most between -2 and 2, some anywhere, some where texels meet */
static void choose(const struct texture *x) {
    u32 one = (u32)one_of(x);
    for (u32 i = 0; i < IMAGE_WORDS; i++) image[i] = random_word();
    for (u32 i = 0; i < READS; i++) {
        for (u32 k = 0; k < 2; k++) {
            u32 r = random_word();
            coords[i][k] = i % 8 == 7 ? r : i % 4 == 3 ? ((r % 33) - 16) * (one / 8) : r % (4 * one) - 2 * one;
        }
        u32 r = random_word(); /* most of its bits are no level */
        coords[i][2] = x->december ? r - r % 16 + (r >> 4) % 2 : r % (2 * one);
    }
    for (u32 i = 0; i < THREADS; i++) coords[i][0] = coords[i][1] = one / 3, coords[i][2] = 0; /* all want one word */
}

static void csr(struct strbuf *b, u32 number, u32 value) { strbuf_add(b, "li t0, 0x%x; csrrw zero, 0x%x, t0;", value, number); }

static void set_up_october(struct strbuf *b, const struct texture *x, u32 unit) {
    u32 csrs = 0xFD0 + 7 * unit;
    strbuf_add(b, "la t0, image; csrrw zero, 0x%x, t0;", csrs);
    csr(b, csrs + 1, x->format), csr(b, csrs + 2, x->wrap_v << 2 | x->wrap_u), csr(b, csrs + 3, x->bilinear);
    for (u32 i = 0; i < 2; i++) {
        csr(b, csrs + 4, i << 28 | x->offset[i]);
        csr(b, csrs + 5, i << 28 | x->log_w[i]), csr(b, csrs + 6, i << 28 | x->log_h[i]);
    }
}

static void set_up_december(struct strbuf *b, const struct texture *x, u32 unit) {
    csr(b, 0xFD0, 0xF0 | unit);
    strbuf_add(b, "la t0, image; csrrw zero, 0xFD1, t0;");
    csr(b, 0xFD2, x->log_w[0]), csr(b, 0xFD3, x->log_h[0]), csr(b, 0xFD4, x->format), csr(b, 0xFD5, x->bilinear);
    csr(b, 0xFD6, x->wrap_u), csr(b, 0xFD7, x->wrap_v);
    for (u32 i = 0; i < 2; i++) csr(b, 0xFD8 + i, x->offset[i]);
    csr(b, 0xFD0, !unit), csr(b, 0xFD1, 0), csr(b, 0xFE7, 0); /* the other unit is another */
}

static char *program(const struct texture *x, u32 unit) {
    struct strbuf b = {0};
    if (x->december) set_up_december(&b, x, unit);
    else set_up_october(&b, x, unit);
    strbuf_add(&b,
               "csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1;"
               "work: addi t0, zero, -1; vx_tmc t0; csrrs s1, 0xCC1, zero; la s2, table; li s3, 0x%x; addi s4, zero, %d;"
               "loop: slli t0, s1, 1; add t0, t0, s1; slli t0, t0, 2; add t0, t0, s2;"
               "lw a1, 0(t0); lw a2, 4(t0); lw a3, 8(t0); %s a0, a1, a2, a3, %u;"
               "slli t0, s1, 2; add t0, t0, s3; sw a0, 0(t0);"
               "addi s1, s1, %d; addi s4, s4, -1; bne s4, zero, loop; vx_tmc zero;",
               OUT, ROWS, x->december ? "vx_tex_dec" : "vx_tex", unit, THREADS);
    strbuf_add(&b, "table:");
    for (u32 i = 0; i < READS * 3; i++) strbuf_add(&b, ".word 0x%x;", (&coords[0][0])[i]);
    strbuf_add(&b, "image:");
    for (u32 i = 0; i < IMAGE_WORDS; i++) strbuf_add(&b, ".word 0x%x;", image[i]);
    return b.s;
}

static void holds_model(const struct texture *x, u32 unit, struct machine m) {
    choose(x);
    char *text = program(x, unit);
    struct rig r = good(text, m);
    free(text);
    for (u32 i = 0; i < READS; i++) {
        u32 want = model(x, coords[i]);
        if (r.mem[i] != want)
            fail_msg("%s, format %u, %s, wrap %u %u, unit %u, read %u at 0x%x 0x%x 0x%x: 0x%08x, expected 0x%08x",
                     x->december ? "December" : "October", x->format, x->bilinear ? "bilinear" : "point", x->wrap_u, x->wrap_v,
                     unit, i, coords[i][0], coords[i][1], coords[i][2], r.mem[i], want);
    }
}

/* --- the tests */

static void formats(void **state) {
    (void)state;
    for (u32 i = 0; i < 32; i++) {
        struct texture x = {.december = i >= 16,
                            .format = i >> 1 & 7,
                            .bilinear = i & 1,
                            .wrap_u = i % 3,
                            .wrap_v = (i + 1) % 3,
                            .offset = {0, 256},
                            .log_w = {3, 2},
                            .log_h = {3, 1}};
        if (i % 16 == 15) x.wrap_u = 3; /* as repeat */
        holds_model(&x, i % 2, OLD);
    }
}

static void wraps(void **state) {
    (void)state;
    for (u32 i = 0; i < 18; i++) {
        struct texture x = {.december = i >= 9,
                            .bilinear = i % 9 != 4,
                            .wrap_u = i % 9 / 3,
                            .wrap_v = i % 3,
                            .offset = {64, 0},
                            .log_w = {i < 9 ? 4 : 2, 0},
                            .log_h = {2, 4}};
        holds_model(&x, 0, OLD);
    }
}

/* Levels of December beyond that of one texel */
static void beyond_the_last_level(void **state) {
    (void)state;
    for (u32 i = 0; i < 8; i++) {
        struct texture x = {
            .december = true, .format = 5, .bilinear = i & 1, .wrap_u = 1, .wrap_v = 2, .log_w = {i >> 1 & 1}, .log_h = {i >> 2}};
        x.offset[1] = 8;
        holds_model(&x, 1, OLD);
    }
}

/* Branches that part lanes by themselves, and every mechanism of divergence */
static void other_mechanisms(void **state) {
    struct texture x = {.format = 1, .bilinear = 1, .wrap_u = 1, .wrap_v = 2, .log_w = {4, 3}, .log_h = {3, 3}};
    (void)state;
    holds_model(&x, 1, IPDOM);
    x.december = true;
    holds_model(&x, 1, IPDOM);
}

/* As many threads in warps of other sizes, and two cores, each with units of its own */
static void shapes(void **state) {
    static const struct machine machines[] = {{RV_2021, RV_SPLIT, 1, 16, 1, NULL},
                                              {RV_2021, RV_SPLIT, 1, 8, 2, NULL},
                                              {RV_2021, RV_SPLIT, 1, 1, 16, NULL},
                                              {RV_2021, RV_SPLIT, 2, 2, 8, NULL}};
    struct texture x = {.format = 2, .bilinear = 1, .wrap_u = 2, .wrap_v = 1, .log_w = {2, 3}, .log_h = {4, 2}};
    (void)state;
    for (u32 i = 0; i < 2 * ARRAY_LEN(machines); i++) {
        x.december = i & 1;
        holds_model(&x, 0, machines[i / 2]);
    }
}

/* A texel whose address is no multiple of its size: the upper half of its word stays where it is, as the
 * RTL's shifts have it. December takes 2 from each channel that has as much. */
static void skewed(void **state) {
    static const char *const text =
        "addi t0, zero, 1; vx_tmc t0; la t0, image; addi t0, t0, %u; csrrw zero, 0x%x, t0; li t1, %u; csrrw zero, 0x%x, t1;"
        "%s a0, zero, zero, zero, 0; li a1, 0x80008000; sw a0, 0(a1); vx_tmc zero; image: .word 0x44332211; .word 0";
    static const struct {
        u32 format, skew, want;
        bool december;
    } rows[] = {{0, 0, 0x44332211, false}, {0, 1, 0x44332222, false}, {0, 2, 0x44334433, false}, {0, 3, 0x44334444, false},
                {3, 0, 0x22111111, false}, {3, 1, 0x22222222, false}, {3, 2, 0x44333333, false}, {3, 3, 0x44444444, false},
                {4, 1, 0xFF222222, false}, {5, 3, 0x44000000, false}, {0, 0, 0x4231200F, true},  {0, 2, 0x42314231, true},
                {2, 0, 0x0040828A, true},  {5, 1, 0xFD202020, true},  {6, 3, 0x42FDFDFD, true}};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        char all[512];
        bool december = rows[i].december;
        snprintf(all, sizeof(all), text, rows[i].skew, december ? 0xFD1 : 0xFD0, rows[i].format, december ? 0xFD4 : 0xFD1,
                 december ? "vx_tex_dec" : "vx_tex");
        struct rig r = good(all, OLD);
        if (r.mem[0] != rows[i].want) fail_msg("row %u: 0x%08x, expected 0x%08x", i, r.mem[0], rows[i].want);
    }
}

/* Stores before a read are seen by it, those behind it are not */
static void stores_around(void **state) {
    static const u32 want[] = {7, 7, 7, 7, 9, 9, 9, 9};
    (void)state;
    struct rig r = good(
        "addi t0, zero, -1; vx_tmc t0; li s0, 0x80008200; csrrw zero, 0xFD0, s0; addi t0, zero, 2;"
        "csrrw zero, 0xFD5, t0; csrrw zero, 0xFD6, t0; csrrs s1, 0xCC0, zero; slli s1, s1, 2; add s2, s0, s1; slli a1, s1, 16;"
        "addi t1, zero, 7; sw t1, 0(s2); vx_tex a0, a1, zero, zero, 0; addi t1, zero, 9; sw t1, 0(s2);"
        "vx_tex a2, a1, zero, zero, 0; lw t2, 0(s2); sw t2, 0(s2);"
        "li a3, 0x80008000; add a3, a3, s1; sw a0, 0(a3); sw a2, 16(a3); vx_tmc zero",
        OLD);
    expect(&r, 0, want, 8);
}

/* Its texel goes nowhere */
static void without_result(void **state) {
    (void)state;
    good("li s0, 0x80008200; csrrw zero, 0xFD0, s0; vx_tex zero, zero, zero, zero, 0; vx_tmc zero", OLD);
}

static void faults(void **state) {
    static const struct {
        const char *text;
        enum rv_variant variant;
        const char *want;
    } rows[] = {
        {"vx_tex a0, a1, a2, a3, 1; vx_tmc zero", RV_2021, "tex of texture unit 1, whose address (CSR 0xfd7) was never written"},
        {"vx_tex a0, a1, a2, a3, 2; vx_tmc zero", RV_2021, "tex of texture unit 2: a core has units 0 and 1"},
        {"csrrw zero, 0xFE8, a0; vx_tmc zero", RV_2021, "there is no CSR 0xfe8"},
        {"csrrw zero, 0xFD0, a0; vx_tex_dec a0, a1, a2, a3, 1; vx_tmc zero", RV_2021,
         "tex of texture unit 1, whose address (CSR 0xfd1) was never written"},
        {"vx_tex_dec a0, a1, a2, a3, 3; vx_tmc zero", RV_2021, "tex of texture unit 3: a core has units 0 and 1"},
        {"csrrw zero, 0xFD0, a0; vx_tmc zero", RV_V3, "there is no CSR 0xfd0"},
        {"vx_tex a0, a1, a2, a3, 0; vx_tmc zero", RV_V3, "a host sets up v3's texture units (DCRs)"},
        {"addi a0, zero, 12; csrrw zero, 0xFD0, a0; addi t0, zero, 6; vx_tmc t0; vx_tex a0, a1, a2, a3, 0; vx_tmc zero", RV_2021,
         "read of a texel of 4 bytes at global address 0xc, a null pointer\n  core 0, warp 0, lane 1\n  at p.bin: pc 0x80000010"},
        {"li a0, 0xFEFFFF00; csrrw zero, 0xFD0, a0; vx_tex a0, a1, a2, a3, 0; vx_tmc zero", RV_2021,
         "read of a texel of 4 bytes at global address 0xfeffff00, outside every allocation"},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        for (enum how how = PLAIN; how <= IMPROVED; how++) {
            struct rig r = play(rows[i].text, rows[i].variant == RV_V3 ? NEW : OLD, how);
            assert_int_equal(r.rc, HEDDLE_FAULT);
            if (!strstr(r.message, rows[i].want)) fail_msg("%d: %s: %s", how, rows[i].text, r.message);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),          cmocka_unit_test(wraps),          cmocka_unit_test(beyond_the_last_level),
        cmocka_unit_test(other_mechanisms), cmocka_unit_test(shapes),         cmocka_unit_test(skewed),
        cmocka_unit_test(stores_around),    cmocka_unit_test(without_result), cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
