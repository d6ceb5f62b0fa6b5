/* What a kernel of OpenCL C sees of the textures, samplers and surfaces that a launch names: an image is the
 * address of a descriptor, words in memory that the library's functions read (struct image of
 * src/opencl/lib/images.cl), a sampler is its bits (CLK_ADDRESS_CLAMP and so on).
 *
 * Not here, and refused: cubes and mip levels, which OpenCL C has no images for, and samplers with an address
 * mode for each axis or a border colour, which it cannot say. */
#include "func/texture.h"
#include "riscv/lib/layout.h"
#include "riscv/riscv.h"

struct descriptor {  /* struct image of src/opencl/lib/images.cl */
    u32 data, plain; /* plain: its texels are channels, each of one format */
    u32 width, height, depth;
    u32 row_b, slice_b;
    u32 order, type, element_b;
    u32 dims, array_size;
};
_Static_assert(sizeof(struct descriptor) <= DESCRIPTOR_B && LAUNCH_IMAGES + RV_TABLE_ARGS * DESCRIPTOR_B <= RV_ARGS_B,
               "every argument of a launch may be an image");

enum { OF_SAMPLER = TEX_GEOMETRY_COUNT };
static const struct {
    const char *type;
    u8 geometry; /* enum tex_geometry, or OF_SAMPLER */
} opaque_types[] = {
    {"image1d_t", TEX_1d}, {"image1d_buffer_t", TEX_1d}, {"image1d_array_t", TEX_a1d}, {"image2d_t", TEX_2d},
    {"image3d_t", TEX_3d}, {"image2d_array_t", TEX_a2d}, {"sampler_t", OF_SAMPLER},
};

i32 rv_opaque(const char *type) {
    for (u32 i = 0; i < ARRAY_LEN(opaque_types); i++)
        if (strcmp(opaque_types[i].type, type) == 0) return (i32)i;
    return NONE;
}

/* --- images */

static struct descriptor describe(const struct tex_image *m) {
    enum { ORDER_R = 0x10B0, ORDER_RG = 0x10B2, ORDER_RGBA = 0x10B5 };
    const struct tex_geometry_row *g = &tex_geometries[m->geometry];
    u64 row_b = tex_texel_at(m, 0, 0, 1, 0) - m->base, slice_b = tex_texel_at(m, 0, 1, 0, 0) - m->base;
    return (struct descriptor){
        .data = (u32)m->base,
        .plain = 1,
        .width = m->width,
        .height = g->layered && g->dims == 1 ? m->layers : m->height, /* the layers of an array are its last dimension */
        .depth = g->layered && g->dims == 2 ? m->layers : m->depth,
        .row_b = (u32)(g->layered && g->dims == 1 ? slice_b : row_b),
        .slice_b = (u32)slice_b,
        .order = m->channels == 1   ? ORDER_R
                 : m->channels == 2 ? ORDER_RG
                                    : ORDER_RGBA,
        .type = tex_formats[m->format].query,
        .element_b = tex_texel_b(m),
        .dims = g->dims,
        .array_size = g->layered ? m->layers : 0,
    };
}

static bool image_fits(const struct tex_object *o, u8 geometry, struct strbuf *why) {
    const struct tex_image *m = &o->image;
    if (o->kind == TEX_OBJECT_SAMPLER) strbuf_add(why, "a texture or a surface, not a sampler");
    else if (m->geometry != geometry)
        strbuf_add(why, "a texture of geometry %s, not %s", tex_geometries[geometry].name, tex_geometries[m->geometry].name);
    else if (m->levels > 1) strbuf_add(why, "a texture of one mip level, not %u", m->levels);
    else if (m->base + tex_image_bytes(m) > 1ull << 32) strbuf_add(why, "texels below 4 GiB; make the buffers smaller");
    return !why->len;
}

/* --- samplers */

/* Repeating wants normalized coordinates, as in the texture unit */
static u32 sampler_bits(const struct tex_sampler *s) {
    enum { NORMALIZED = 1, TO_EDGE = 2, CLAMP = 4, REPEAT = 6, MIRRORED = 8, NEAREST = 0x10, LINEAR = 0x20 }; /* CLK_ */
    static const u8 address[TEX_ADDRESS_COUNT] = {
        [TEX_wrap] = REPEAT, [TEX_mirror] = MIRRORED, [TEX_clamp] = TO_EDGE, [TEX_border] = CLAMP};
    bool repeats = s->address[0] == TEX_wrap || s->address[0] == TEX_mirror;
    u32 mode = repeats && !s->normalized ? TO_EDGE : address[s->address[0]];
    return mode | (s->normalized ? NORMALIZED : 0) | (s->linear ? LINEAR : NEAREST);
}

static bool sampler_fits(const struct tex_object *o, struct strbuf *why) {
    const struct tex_sampler *s = &o->sampler;
    u32 axes = o->kind == TEX_OBJECT_SAMPLER ? 3 : tex_geometries[o->image.geometry].dims;
    bool alike = true, coloured = false;
    for (u32 i = 0; i < axes; i++) alike = alike && s->address[i] == s->address[0];
    for (u32 i = 0; i < 4; i++) coloured = coloured || s->border[i] != 0;
    if (o->kind == TEX_OBJECT_SURFACE) strbuf_add(why, "a texture or a sampler, not a surface");
    else if (!alike) strbuf_add(why, "the same \"address\" for all axes");
    else if (coloured && s->address[0] == TEX_border) strbuf_add(why, "no \"border\" colour");
    return !why->len;
}

/* --- launches */

static bool describe_one(const struct rv_function *f, u32 i, struct memory *mem, struct strbuf *why) {
    u8 geometry = opaque_types[f->opaque[i]].geometry;
    u32 at = LAUNCH_IMAGES + i * DESCRIPTOR_B, word = LAUNCH_AT + at;
    u8 *launch = memory_host(mem, LAUNCH_AT, RV_ARGS_B), *argument = launch + LAUNCH_ARGUMENTS + f->args[i].offset_b;
    u32 given;
    memcpy(&given, argument, 4);
    const struct tex_object *o = tex_find(mem->textures, TEXTURE_WINDOW + given);
    struct strbuf wanted = {0};
    if (!o) strbuf_add(&wanted, "the handle of a texture, surface or sampler, not 0x%x", given);
    else if (geometry == OF_SAMPLER) {
        if (sampler_fits(o, &wanted)) word = sampler_bits(&o->sampler);
    } else if (image_fits(o, geometry, &wanted)) {
        struct descriptor d = describe(&o->image);
        memcpy(launch + at, &d, sizeof(d));
    }
    bool ok = !wanted.len;
    if (ok) memcpy(argument, &word, 4);
    else strbuf_add(why, "parameter %u is of type %s and wants %s", i, opaque_types[f->opaque[i]].type, wanted.s);
    strbuf_free(&wanted);
    return ok;
}

bool rv_describe(const struct rv_function *f, struct memory *mem, struct strbuf *why) {
    for (u32 i = 0; i < f->nargs; i++)
        if (f->opaque[i] != NONE && !describe_one(f, i, mem, why)) return false;
    return true;
}
