/* Images and samplers of OpenCL C as a RISC-V program: every type of image, format of texels, address mode
 * and kind of coordinates, at random places inside and outside.
 *
 * Reads of a single texel agree with the texture unit (src/func/filter.c, texture.c) bit for bit: coordinates
 * are of few bits, so that normalized ones round nowhere. Linear reads come as near as the unit's weights of
 * 8 bits allow. Where a texture does not store alpha, OpenCL reads one and the unit zero. Where coordinates
 * round, and in the last bit of a filter, the measure is the same program as PTX: tests/opencl/test_riscv.c.
 */
#include "api/api.h"
#include "base/compiler.h"
#include "riscv/compile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { POINTS = 64, W = 7, H = 5, D = 3, IMAGE_B = W * H * D * 16 };
enum how { FLOATS, FLOATS_AT_INTS, INTS, UINTS };

/* k(image, sampler, points, out, how) for each type */
#define KERNEL(type, fvec, ivec, fpart, ipart)                                                                                   \
    "kernel void read_" #type "(read_only " #type "_t im, sampler_t s, global float4 *at, global uint4 *out, int how) {\n"       \
    "    uint i = get_global_id(0); float4 c = at[i]; int4 n = as_int4(c);\n"                                                    \
    "    if (how == 0) out[i] = as_uint4(read_imagef(im, s, c" fpart "));\n"                                                     \
    "    if (how == 1) out[i] = as_uint4(read_imagef(im, s, n" ipart "));\n"                                                     \
    "    if (how == 2) out[i] = as_uint4(read_imagei(im, s, c" fpart "));\n"                                                     \
    "    if (how == 3) out[i] = read_imageui(im, s, n" ipart ");\n"                                                              \
    "}\n"
static const char source[] = KERNEL(image1d, float, int, ".x", ".x") KERNEL(image1d_array, float2, int2, ".xy", ".xy")
    KERNEL(image2d, float2, int2, ".xy", ".xy") KERNEL(image2d_array, float4, int4, "", "")
        KERNEL(image3d, float4, int4, "",
               "") "kernel void fill(write_only image2d_t to, sampler_t s) {\n"
                   "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                   "    write_imagef(to, at, (float4)(at.x, at.y, get_image_width(to), get_image_height(to)));\n"
                   "}\n"
                   "kernel void plain(global uint *out, uint x) { out[0] = x; }\n";

static const struct {
    const char *kernel, *geometry;
    u32 size[3]; /* width, height, depth or layers */
} types[] = {
    {"read_image1d", "1d", {W, 1, 1}},        {"read_image1d_array", "a1d", {W, 1, D}}, {"read_image2d", "2d", {W, H, 1}},
    {"read_image2d_array", "a2d", {W, H, D}}, {"read_image3d", "3d", {W, H, D}},
};

struct rig {
    struct heddle *h;
    struct heddle_module *m;
    u64 image, at, out;
    u32 random;
};

static u32 next(struct rig *r) { return r->random = r->random * 1664525u + 1013904223u; }

/* --- the program */

static char *build(size_t *len) {
    char path[] = "/tmp/heddle-textures-XXXXXX.cl";
    int fd = mkstemps(path, 3);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, source, sizeof(source) - 1), (int)sizeof(source) - 1);
    close(fd);
    struct diag dg = {0};
    char *elf = rv_build(path, (struct rv_target){.lanes = false, .split = true}, len, &dg);
    unlink(path);
    if (!elf) fail_msg("%s", dg.text.s);
    return elf;
}

static u64 take(struct rig *r, u64 bytes) {
    u64 a = heddle_alloc_below(r->h, bytes, 1ull << 31);
    assert_true(a);
    return a;
}

static int rig_open(void **state) {
    struct strbuf path = {0};
    bool there = compiler_find("clang-19", &path) && compiler_find("ld.lld-19", &path);
    strbuf_free(&path);
    *state = NULL;
    if (!there) return 0;
    struct rig *r = base_alloc(sizeof(*r));
    size_t len;
    char *elf = build(&len);
    r->h = heddle_open(NULL);
    r->random = 1;
    if (heddle_module_load(r->h, "textures.elf", elf, len, &r->m)) fail_msg("%s", heddle_message(r->h));
    free(elf);
    r->image = take(r, IMAGE_B);
    r->at = take(r, POINTS * 16);
    r->out = take(r, POINTS * 16);
    *state = r;
    return 0;
}

static int rig_close(void **state) {
    struct rig *r = *state;
    if (r) heddle_close(r->h);
    free(r);
    return 0;
}

/* The first argument a handle, the second too; the rest as KERNEL has it */
static int launch(struct rig *r, const char *kernel, u64 image, u64 sampler, u32 how) {
    struct heddle_arg args[] = {{&image, 4}, {&sampler, 4}, {&r->at, 4}, {&r->out, 4}, {&how, 4}};
    bool reads = strncmp(kernel, "read", 4) == 0;
    struct heddle_launch l = {.grid = {reads ? 4 : W, reads ? 1 : H, 1}, .block = {reads ? POINTS / 4 : 1, 1, 1}, .args = args};
    l.nargs = reads ? 5 : 2;
    return heddle_launch(r->h, heddle_module_kernel(r->m, kernel), &l, NULL);
}

/* --- textures, by their words */

struct words {
    struct heddle_texture t;
    char text[5][16];
};

static void add(struct words *w, const char *key, const char *value) {
    w->t.keys[w->t.nkeys++] = (struct heddle_texture_key){key, value};
}
static void add_number(struct words *w, u32 i, const char *key, u32 value) {
    snprintf(w->text[i], sizeof(w->text[i]), "%u", value);
    add(w, key, w->text[i]);
}

static u64 texture(struct rig *r, u32 type, u32 format, u32 channels, u32 address, bool normalized, bool linear) {
    struct words w = {.t.address = r->image};
    const char *geometry = types[type].geometry;
    const u32 *size = types[type].size;
    u64 handle;
    add(&w, "geometry", geometry);
    snprintf(w.text[4], sizeof(w.text[4]), "%sx%u", tex_formats[format].name, channels);
    add(&w, "format", w.text[4]);
    add_number(&w, 0, "width", size[0]);
    add_number(&w, 1, "height", size[1]);
    add_number(&w, 2, geometry[0] == 'a' ? "layers" : "depth", size[2]);
    add(&w, "address", tex_addresses[address].name);
    add(&w, "normalized", normalized ? "true" : "false");
    add(&w, "filter", linear ? "linear" : "nearest");
    if (heddle_texture_new(r->h, HEDDLE_TEXTURE, &w.t, &handle)) fail_msg("%s", heddle_message(r->h));
    return handle;
}

/* --- what the texture unit reads */

static void unit_read(struct rig *r, const struct tex_object *o, const u32 at[4], bool floats, u32 out[4]) {
    const struct tex_image *m = &o->image;
    const struct tex_geometry_row *g = &tex_geometries[m->geometry];
    struct tex_where w = {.is_float = floats, .clamped = true};
    memcpy(w.c, at, g->dims * 4u);
    if (g->layered) {
        double n = floats ? rint((double)bits_float(at[g->dims])) : (double)(i32)at[g->dims];
        w.layer = (i64)fmin(fmax(n, 0), m->layers - 1);
    }
    struct tex_taps taps;
    u8 texels[TEX_MAX_TAPS][16] = {0};
    tex_sample(m, &o->sampler, &w, &taps);
    for (u32 i = 0; i < taps.n; i++)
        if (!taps.tap[i].border) memcpy(texels[i], memory_host(&r->h->mem, taps.tap[i].addr, tex_texel_b(m)), tex_texel_b(m));
    tex_combine(m, &o->sampler, &taps, texels[0], out);
}

/* Inside the image, and as far outside on both sides */
static u32 coordinate(struct rig *r, bool floats, bool normalized, u32 size) {
    i32 k = (i32)(next(r) >> 8 & 4095) - 1536; /* 1024: one image further */
    float x = (float)k / 1024.0f;
    if (!floats) return (u32)(k * (i32)size >> 10);
    return float_bits(normalized ? x : (float)(k * (i32)size) / 1024.0f);
}

static void place_points(struct rig *r, u32 type, bool floats, bool normalized, u32 at[POINTS][4]) {
    bool layered = types[type].geometry[0] == 'a', flat = types[type].geometry[1] == '1';
    for (u32 i = 0; i < POINTS; i++)
        for (u32 c = 0; c < 4; c++) {
            bool layer = layered && c == (flat ? 1 : 2);
            u32 size = layer || c == 2 ? D : types[type].size[c % 2];
            at[i][c] = coordinate(r, floats, normalized && !layer, size);
        }
    heddle_write(r->h, r->at, at, POINTS * 16);
}

/* Random bits; floats that are neither infinite nor large where they are to be summed */
static void fill_image(struct rig *r, u32 format, bool small) {
    u32 words[IMAGE_B / 4];
    for (u32 i = 0; i < ARRAY_LEN(words); i++) {
        words[i] = next(r) ^ next(r) >> 16;
        if (small && format == TEX_f32) words[i] = float_bits((float)(words[i] >> 8) * 0x1p-23f - 1.0f);
        if (small && format == TEX_f16) words[i] &= 0xBBFFBBFF;
    }
    heddle_write(r->h, r->image, words, sizeof(words));
}

/* --- tests */

static const char *mismatch(const struct tex_object *o, const u32 want[4], const u32 got[4], u32 how, bool linear) {
    for (u32 c = 0; c < 4; c++) {
        u32 expected = c < o->image.channels ? want[c] : c < 3 ? 0 : how < INTS ? float_bits(1) : 1;
        bool near = linear && fabsf(bits_float(expected) - bits_float(got[c])) < 0.02f;
        if (expected != got[c] && !near) return &"rgba"[c];
    }
    return NULL;
}

static void compare(struct rig *r, u32 type, u64 handle, u32 how) {
    const struct tex_object *o = tex_find(&r->h->textures, handle);
    bool floats = how == FLOATS || how == INTS, linear = o->sampler.linear && how == FLOATS;
    u32 at[POINTS][4], got[POINTS][4], want[4];
    place_points(r, type, floats, o->sampler.normalized, at);
    if (launch(r, types[type].kernel, handle, handle, how)) fail_msg("%s", heddle_message(r->h));
    heddle_read(r->h, r->out, got, sizeof(got));
    for (u32 i = 0; i < POINTS; i++) {
        unit_read(r, o, at[i], floats, want);
        const char *c = mismatch(o, want, got[i], how, linear);
        if (c)
            fail_msg(
                "%s of %sx%u, address %s%s%s, how %u, at (%08x %08x %08x), from %c: %08x %08x %08x %08x, not %08x %08x %08x %08x",
                types[type].kernel, tex_formats[o->image.format].name, o->image.channels,
                tex_addresses[o->sampler.address[0]].name, o->sampler.normalized ? ", normalized" : "",
                o->sampler.linear ? ", linear" : "", how, at[i][0], at[i][1], at[i][2], *c, got[i][0], got[i][1], got[i][2],
                got[i][3], want[0], want[1], want[2], want[3]);
    }
}

static void one_format(struct rig *r, u32 type, u32 format, u32 channels, bool linear) {
    u32 kind = tex_formats[format].kind;
    fill_image(r, format, linear);
    for (u32 address = 0; address < TEX_ADDRESS_COUNT; address++)
        for (u32 normalized = 0; normalized < 2; normalized++) {
            u64 handle = texture(r, type, format, channels, address, normalized, linear);
            bool integers = kind == TEX_SINT || kind == TEX_UINT;
            compare(r, type, handle, integers ? INTS : FLOATS);
            /* OpenCL has no repeating by integers, and normalized samplers take none */
            if (!normalized) compare(r, type, handle, integers ? UINTS : FLOATS_AT_INTS);
            assert_int_equal(heddle_texture_free(r->h, handle), HEDDLE_OK);
        }
}

static void every_read(void **state) {
    struct rig *r = *state;
    if (!r) skip();
    for (u32 type = 0; type < ARRAY_LEN(types); type++)
        for (u32 format = 0; format < TEX_FORMAT_COUNT; format++)
            for (u32 channels = 1; channels <= 4; channels *= 2) one_format(r, type, format, channels, false);
}

static void linear_reads(void **state) {
    static const u8 formats[] = {TEX_unorm8, TEX_snorm16, TEX_f16, TEX_f32};
    struct rig *r = *state;
    if (!r) skip();
    for (u32 type = 0; type < ARRAY_LEN(types); type++)
        for (u32 i = 0; i < ARRAY_LEN(formats); i++)
            for (u32 channels = 1; channels <= 4; channels *= 2) one_format(r, type, formats[i], channels, true);
}

/* Stores of floats, and what an image says of itself */
static void writes(void **state) {
    struct rig *r = *state;
    float got[H][W][4];
    if (!r) skip();
    u64 handle = texture(r, 2, TEX_f32, 4, TEX_clamp, false, false);
    if (launch(r, "fill", handle, handle, 0)) fail_msg("%s", heddle_message(r->h));
    heddle_read(r->h, r->image, got, sizeof(got));
    for (u32 y = 0; y < H; y++)
        for (u32 x = 0; x < W; x++) {
            const float want[4] = {(float)x, (float)y, W, H};
            assert_memory_equal(got[y][x], want, sizeof(want));
        }
    assert_int_equal(heddle_texture_free(r->h, handle), HEDDLE_OK);
}

static void refuses(struct rig *r, u64 image, u64 sampler, const char *why) {
    assert_int_equal(launch(r, "read_image2d", image, sampler, 0), HEDDLE_BAD_INPUT);
    if (!strstr(heddle_message(r->h), why)) fail_msg("\"%s\" says nothing of \"%s\"", heddle_message(r->h), why);
}

static u64 object(struct rig *r, enum heddle_texture_kind kind, const char *key, const char *value) {
    struct words w = {.t.address = r->image};
    u64 handle;
    if (kind != HEDDLE_SAMPLER) add(&w, "format", "u8x1");
    add(&w, key, value);
    if (heddle_texture_new(r->h, kind, &w.t, &handle)) fail_msg("%s", heddle_message(r->h));
    return handle;
}

static void what_is_refused(void **state) {
    struct rig *r = *state;
    if (!r) skip();
    u64 good = texture(r, 2, TEX_f32, 1, TEX_clamp, false, false), volume = texture(r, 4, TEX_f32, 1, TEX_clamp, false, false);
    u64 sampler = object(r, HEDDLE_SAMPLER, "normalized", "true"), surface = object(r, HEDDLE_SURFACE, "width", "4");
    assert_int_equal(launch(r, "read_image2d", good, sampler, 0), HEDDLE_OK);
    assert_int_equal(launch(r, "read_image2d", surface, sampler, 0), HEDDLE_OK);
    refuses(r, r->image, good, "parameter 0 is of type image2d_t and wants the handle of a texture, surface or sampler, not 0x");
    refuses(r, volume, good, "parameter 0 is of type image2d_t and wants a texture of geometry 2d, not 3d");
    refuses(r, sampler, good, "wants a texture or a surface, not a sampler");
    refuses(r, good, surface, "parameter 1 is of type sampler_t and wants a texture or a sampler, not a surface");
    struct words w = {.t.address = r->image};
    u64 levels;
    add(&w, "format", "u8x1"), add(&w, "width", "4"), add(&w, "levels", "2");
    assert_int_equal(heddle_texture_new(r->h, HEDDLE_TEXTURE, &w.t, &levels), HEDDLE_OK);
    refuses(r, levels, good, "wants a texture of one mip level, not 2");
    refuses(r, good, object(r, HEDDLE_SAMPLER, "address", "wrap/clamp"), "wants the same \"address\" for all axes");
    w = (struct words){0};
    u64 coloured;
    add(&w, "address", "border"), add(&w, "border", "0/0/0/1");
    assert_int_equal(heddle_texture_new(r->h, HEDDLE_SAMPLER, &w.t, &coloured), HEDDLE_OK);
    refuses(r, good, coloured, "wants no \"border\" colour");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_read),
        cmocka_unit_test(linear_reads),
        cmocka_unit_test(writes),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, rig_open, rig_close);
}
