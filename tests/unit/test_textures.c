/* Textures and surfaces through heddle.h: every way to name one gives the same texels, objects are checked,
 * and what comes out agrees with the documented formulas, computed here in double precision. The bits of real
 * hardware are in tests/data/ptxvec_tex. */
#include "play.h"

#include <math.h>

enum { W = 8, H = 4, LANES = 32 };
static float texels[H][W];

static void fill_texels(void) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) texels[y][x] = (float)(10 * y + x);
}

struct rig {
    struct heddle *h;
    uint64_t image, out;
    float result[LANES][4];
    uint32_t words[LANES * 4];
};

static void rig_open(struct rig *r) {
    fill_texels();
    r->h = heddle_open(NULL);
    r->image = heddle_alloc(r->h, sizeof(texels));
    r->out = heddle_alloc(r->h, sizeof(r->result));
    assert_int_equal(heddle_write(r->h, r->image, texels, sizeof(texels)), HEDDLE_OK);
}

static struct heddle_texture with(struct heddle_texture t, const char *key, const char *value) {
    t.keys[t.nkeys++] = (struct heddle_texture_key){key, value};
    return t;
}

static struct heddle_texture image_2d(uint64_t address) {
    struct heddle_texture t = {.address = address};
    t = with(with(t, "geometry", "2d"), "format", "f32x1");
    return with(with(t, "width", "8"), "height", "4");
}

/* Launches `text`'s k(out{, handle}) with one warp */
static int run(struct rig *r, struct heddle_module *m, uint64_t handle, bool has_handle) {
    struct heddle_arg args[] = {{&r->out, 8}, {&handle, 8}};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {LANES, 1, 1}, .args = args, .nargs = has_handle ? 2 : 1};
    int status = heddle_launch(r->h, heddle_module_kernel(m, "k"), &l, NULL);
    if (status == HEDDLE_OK) {
        heddle_read(r->h, r->out, r->result, sizeof(r->result));
        memcpy(r->words, r->result, sizeof(r->words));
    }
    return status;
}

#define HEAD ".version 7.8\n.target sm_75%s\n.address_size 64\n"
/* Lane t reads at (t % 8 + 0.5 + t / 64, t / 8 + 0.25), which lies between texels */
#define BODY(params, reference, op)                                                                                              \
    ".visible .entry k(.param .u64 out" params                                                                                   \
    ")\n{\n.reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<9>; .reg .pred %%p<4>;\n"                                          \
    "ld.param.u64 %%rd0, [out]; mov.u32 %%r0, %%tid.x; and.b32 %%r1, %%r0, 7; shr.u32 %%r2, %%r0, 3;\n"                          \
    "cvt.rn.f32.u32 %%f4, %%r1; cvt.rn.f32.u32 %%f5, %%r2; cvt.rn.f32.u32 %%f6, %%r0; fma.rn.f32 %%f4, %%f6, 0f3C800000, "       \
    "%%f4;\n"                                                                                                                    \
    "add.f32 %%f4, %%f4, 0f3F000000; add.f32 %%f5, %%f5, 0f3E800000; mul.wide.u32 %%rd1, %%r0, 16; add.u64 %%rd1, %%rd0, "       \
    "%%rd1;\n" op " {%%f0,%%f1,%%f2,%%f3}, [" reference ", {%%f4, %%f5}];\n"                                                     \
    "st.global.v4.f32 [%%rd1], {%%f0,%%f1,%%f2,%%f3};\nret;\n}\n"

static struct heddle_module *load(struct rig *r, const char *mode, const char *globals, const char *text) {
    char all[8192];
    int n = snprintf(all, sizeof(all), HEAD "%s", mode, globals);
    snprintf(all + n, sizeof(all) - (size_t)n, text, 0);
    return play_load(r->h, "t.ptx", all);
}

/* Bilinear by the documentation: weights of 8 bits after the point */
static double bilinear(double x, double y) {
    double xb = x - 0.5, yb = y - 0.5, i = floor(xb), j = floor(yb);
    double a = floor((xb - i) * 256 + 0.5) / 256, b = floor((yb - j) * 256 + 0.5) / 256, sum = 0;
    for (int k = 0; k < 4; k++) {
        int tx = (int)fmin(fmax(i + (k & 1), 0), W - 1), ty = (int)fmin(fmax(j + (k >> 1), 0), H - 1);
        sum += (k & 1 ? a : 1 - a) * (k >> 1 ? b : 1 - b) * (double)texels[ty][tx];
    }
    return sum;
}

static void expect_bilinear(const struct rig *r) {
    for (int t = 0; t < LANES; t++) {
        double want = bilinear(t % 8 + 0.5 + t / 64.0, t / 8 + 0.25);
        assert_true(fabs((double)r->result[t][0] - want) < 0.05);  /* two weights of 8 bits make one of 8 bits */
        assert_true(r->result[t][1] == 0 && r->result[t][3] == 0); /* channels that are not stored */
    }
}

static void every_way_to_name_a_texture_reads_the_same(void **state) {
    (void)state;
    static const struct {
        const char *mode, *globals, *text;
        bool bound, handle;
    } ways[] = {
        {"", ".global .texref image;\n", BODY("", "image", "tex.2d.v4.f32.f32"), true, false},
        {", texmode_unified", ".tex .u64 image;\n", BODY("", "image", "tex.2d.v4.f32.f32"), true, false},
        {"", ".global .texref image;\n", BODY("", "%%rd2", "mov.u64 %%rd2, image;\ntex.2d.v4.f32.f32"), true, false},
        {"", ".global .texref image;\n.global .u64 at = image;\n",
         BODY("", "%%rd2", "ld.global.u64 %%rd2, [at];\ntex.2d.v4.f32.f32"), true, false},
        {"", "", BODY(", .param .u64 t", "%%rd2", "ld.param.u64 %%rd2, [t];\ntex.2d.v4.f32.f32"), false, true},
        {"", "", BODY(", .param .u64 t", "t", "tex.2d.v4.f32.f32"), false, true},
        {"", "", BODY(", .param .texref t", "t", "tex.2d.v4.f32.f32"), false, true},
        {", texmode_independent",
         ".global .texref image;\n.global .samplerref how = { addr_mode_0 = clamp_to_edge, addr_mode_1 = clamp_to_edge, "
         "filter_mode = linear };\n",
         BODY("", "image, how", "tex.2d.v4.f32.f32"), true, false},
        {"", ".global .texref image;\n",
         BODY("", "image",
              "tex.level.2d.v4.f32.f32 {%%f0,%%f1,%%f2,%%f3}, [image, {%%f4, %%f5}], 0f00000000;\ntex.base.2d.v4.f32.f32"),
         true, false},
        {"", ".global .texref image;\n",
         BODY("", "image", "tex.2d.v4.f32.f32 {%%f0,%%f1,%%f2,%%f3}, [image, {%%f4, %%f5, %%f6, %%f6}];\n//"), true, false},
        {"", ".global .texref image;\n",
         BODY("", "image",
              ".reg .v4 .f32 %%at;\nmov.v4.f32 %%at, {%%f4, %%f5, %%f6, %%f6};\n"
              "tex.2d.v4.f32.f32 {%%f0,%%f1,%%f2,%%f3}, [image, %%at];\n//"),
         true, false},
    };
    float first[LANES][4];
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        struct rig r;
        rig_open(&r);
        struct heddle_module *m = load(&r, ways[i].mode, ways[i].globals, ways[i].text);
        struct heddle_texture t = with(image_2d(r.image), "filter", "linear");
        uint64_t handle = 0;
        if (ways[i].bound) assert_int_equal(heddle_texture_bind(r.h, m, "image", &t), HEDDLE_OK);
        else assert_int_equal(heddle_texture_new(r.h, HEDDLE_TEXTURE, &t, &handle), HEDDLE_OK);
        if (run(&r, m, handle, ways[i].handle)) fail_msg("way %zu: %s", i, heddle_message(r.h));
        expect_bilinear(&r);
        if (i == 0) memcpy(first, r.result, sizeof(first));
        assert_memory_equal(first, r.result, sizeof(first));
        heddle_close(r.h);
    }
}

static void a_texture_in_a_function_is_passed_by_parameter(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r);
    struct heddle_module *m = play_load(
        r.h, "t.ptx",
        ".version 7.8\n.target sm_75\n.address_size 64\n"
        ".func (.param .f32 v) pick(.param .b64 t, .param .b32 x)\n{ .reg .b32 %r<4>; .reg .f32 %f<4>;\n"
        "ld.param.b32 %r0, [x]; tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r0, 2}]; st.param.f32 [v], %f0; ret; }\n"
        ".visible .entry k(.param .u64 out, .param .u64 h)\n{ .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>;\n"
        "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [h]; mov.u32 %r0, %tid.x; { .param .b64 a; .param .b32 b; .param .f32 c;\n"
        "st.param.b64 [a], %rd1; st.param.b32 [b], %r0; call (c), pick, (a, b); ld.param.f32 %f0, [c]; }\n"
        "mul.wide.u32 %rd2, %r0, 16; add.u64 %rd2, %rd2, %rd0; st.global.f32 [%rd2], %f0; ret; }\n");
    struct heddle_texture t = image_2d(r.image);
    uint64_t handle;
    assert_int_equal(heddle_texture_new(r.h, HEDDLE_TEXTURE, &t, &handle), HEDDLE_OK);
    if (run(&r, m, handle, true)) fail_msg("%s", heddle_message(r.h));
    for (int x = 0; x < LANES; x++) assert_true(r.result[x][0] == (x < W ? texels[2][x] : 0)); /* a fetch outside finds zero */
    heddle_close(r.h);
}

#define QUERY(text)                                                                                                              \
    ".version 7.8\n.target sm_75\n.address_size 64\n.global .texref image;\n.global .surfref paper;\n"                           \
    ".global .samplerref how = { addr_mode_0 = mirror, filter_mode = linear, force_unnormalized_coords = 1 };\n"                 \
    ".visible .entry k(.param .u64 out)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<4>; ld.param.u64 %rd0, "             \
    "[out];\n" text "st.global.u32 [%rd0], %r0; ret; }\n"

static void queries_answer_what_was_bound(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t want;
    } rows[] = {
        {QUERY("txq.width.b32 %r0, [image];\n"), 8},
        {QUERY("txq.height.b32 %r0, [image];\n"), 4},
        {QUERY("txq.level.width.b32 %r0, [image], 2;\n"), 2},
        {QUERY("txq.num_mipmap_levels.b32 %r0, [image];\n"), 3},
        {QUERY("txq.channel_data_type.b32 %r0, [image];\n"), 0x10DE},
        {QUERY("txq.channel_order.b32 %r0, [image];\n"), 0x10B0},
        {QUERY("txq.normalized_coords.b32 %r0, [image];\n"), 1},
        {QUERY("txq.filter_mode.b32 %r0, [how];\n"), 1},
        {QUERY("txq.addr_mode_0.b32 %r0, [how];\n"), 1},
        {QUERY("txq.force_unnormalized_coords.b32 %r0, [how];\n"), 1},
        {QUERY("suq.width.b32 %r0, [paper];\n"), 8},
        {QUERY("suq.memory_layout.b32 %r0, [paper];\n"), 1},
        {QUERY("mov.u64 %rd1, image; istypep.texref %p0, %rd1; selp.u32 %r0, 5, 6, %p0;\n"), 5},
        {QUERY("mov.u64 %rd1, image; istypep.surfref %p0, %rd1; selp.u32 %r0, 5, 6, %p0;\n"), 6},
        {QUERY("mov.u64 %rd1, how; istypep.samplerref %p0, %rd1; selp.u32 %r0, 5, 6, %p0;\n"), 5},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct rig r;
        rig_open(&r);
        r.image = heddle_alloc(r.h, 4096);
        struct heddle_module *m = play_load(r.h, "t.ptx", rows[i].text);
        struct heddle_texture t = with(with(image_2d(r.image), "levels", "3"), "normalized", "true"), s = image_2d(r.image);
        assert_int_equal(heddle_texture_bind(r.h, m, "image", &t), HEDDLE_OK);
        assert_int_equal(heddle_texture_bind(r.h, m, "paper", &s), HEDDLE_OK);
        if (run(&r, m, 0, false)) fail_msg("%s", heddle_message(r.h));
        if (r.words[0] != rows[i].want) fail_msg("row %zu: %u, not %u", i, r.words[0], rows[i].want);
        heddle_close(r.h);
    }
}

#define SURFACE(mode)                                                                                                            \
    ".version 7.8\n.target sm_75\n.address_size 64\n.global .surfref paper;\n"                                                   \
    ".visible .entry k(.param .u64 out)\n{ .reg .b32 %r<9>; mov.u32 %r0, %tid.x; add.s32 %r1, %r0, -2; shl.b32 %r1, %r1, 2;\n"   \
    "add.u32 %r2, %r0, 100; sust.b.2d.b32." mode " [paper, {%r1, 1}], %r2; ret; }\n"

static void a_surface_is_left_as_its_mode_says(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r);
    uint32_t got[H][W];
    struct heddle_texture t = image_2d(r.image);
    struct heddle_module *m = play_load(r.h, "t.ptx", SURFACE("zero"));
    assert_int_equal(heddle_texture_bind(r.h, m, "paper", &t), HEDDLE_OK);
    if (run(&r, m, 0, false)) fail_msg("%s", heddle_message(r.h));
    heddle_read(r.h, r.image, got, sizeof(got));
    for (uint32_t x = 0; x < W; x++) assert_int_equal(got[1][x], 102 + x);
    assert_memory_equal(got[0], texels[0], sizeof(got[0]));
    assert_memory_equal(got[2], texels[2], sizeof(got[2]));
    m = play_load(r.h, "t.ptx", SURFACE("trap"));
    assert_int_equal(heddle_texture_bind(r.h, m, "paper", &t), HEDDLE_OK);
    assert_int_equal(run(&r, m, 0, false), HEDDLE_FAULT);
    assert_non_null(strstr(heddle_message(r.h), "outside of the surface: coordinates -8, 1, 0"));
    heddle_close(r.h);
}

static void wrong_descriptions_are_named(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r);
    uint64_t handle;
    struct {
        struct heddle_texture t;
        enum heddle_texture_kind kind;
        const char *message;
    } rows[] = {
        {with(image_2d(r.image), "filtr", "linear"), HEDDLE_TEXTURE, "did you mean \"filter\"?"},
        {with(image_2d(r.image), "filter", "cubic"), HEDDLE_TEXTURE, "expected linear or nearest"},
        {with(image_2d(r.image), "format", "f32x3"), HEDDLE_TEXTURE, "with x1, x2 or x4"},
        {with(image_2d(r.image), "depth", "2"), HEDDLE_TEXTURE, "this geometry has no depth"},
        {with(image_2d(r.image), "height", "5"), HEDDLE_TEXTURE, "which do not lie in one allocation"},
        {with(image_2d(r.image + 2), "width", "4"), HEDDLE_TEXTURE, "multiples of the bytes of a texel"},
        {with(image_2d(r.image), "levels", "9"), HEDDLE_TEXTURE, "more levels than sizes to halve"},
        {with(image_2d(r.image), "row_b", "16"), HEDDLE_TEXTURE, "rows overlap"},
        {with(with(image_2d(r.image), "format", "u8x1"), "filter", "linear"), HEDDLE_TEXTURE, "cannot be filtered"},
        {with(image_2d(r.image), "address", "wrap/round"), HEDDLE_TEXTURE, "wrap, mirror, clamp or border"},
        {with((struct heddle_texture){0}, "width", "4"), HEDDLE_SAMPLER, "is a texture's, not a sampler's"},
        {with(image_2d(r.image), "geometry", "cube"), HEDDLE_SURFACE, "the faces of a cube are squares"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_int_equal(heddle_texture_new(r.h, rows[i].kind, &rows[i].t, &handle), HEDDLE_BAD_INPUT);
        if (!strstr(heddle_message(r.h), rows[i].message)) fail_msg("row %zu: %s", i, heddle_message(r.h));
    }
    struct heddle_texture t = image_2d(r.image);
    assert_int_equal(heddle_texture_new(r.h, HEDDLE_TEXTURE, &t, &handle), HEDDLE_OK);
    assert_int_equal(heddle_texture_free(r.h, handle), HEDDLE_OK);
    assert_int_equal(heddle_texture_free(r.h, handle), HEDDLE_BAD_INPUT);
    heddle_close(r.h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_name_a_texture_reads_the_same),
        cmocka_unit_test(a_texture_in_a_function_is_passed_by_parameter),
        cmocka_unit_test(queries_answer_what_was_bound),
        cmocka_unit_test(a_surface_is_left_as_its_mode_says),
        cmocka_unit_test(wrong_descriptions_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
