/* Texture objects: the table that handles name, where a texel of an image lies, and what its bytes mean.
 *
 * Not modelled: block-linear layouts (texels lie in rows, so that two neighbours in y are a row apart), sRGB,
 * compressed and multi-sample formats. */
#include "func/texture.h"
#include "func/lanes.h"

#include <math.h>
#include <string.h>

const struct tex_format_row tex_formats[TEX_FORMAT_COUNT] = {
#define TEX_FORMAT(id, bytes, kind, query) [TEX_##id] = {#id, bytes, TEX_##kind, query},
#define TEX_GEOMETRY(id, dims, layered, faces)
#define TEX_ADDRESS(id, query, spelling)
#include "func/texture.def"
#undef TEX_FORMAT
#undef TEX_GEOMETRY
};
const struct tex_geometry_row tex_geometries[TEX_GEOMETRY_COUNT] = {
#define TEX_FORMAT(id, bytes, kind, query)
#define TEX_GEOMETRY(id, dims, layered, faces) [TEX_##id] = {#id, dims, faces, layered},
#include "func/texture.def"
#undef TEX_GEOMETRY
#undef TEX_ADDRESS
};
const struct tex_address_row tex_addresses[TEX_ADDRESS_COUNT] = {
#define TEX_GEOMETRY(id, dims, layered, faces)
#define TEX_ADDRESS(id, query, spelling) [TEX_##id] = {#id, spelling, query},
#include "func/texture.def"
#undef TEX_FORMAT
#undef TEX_GEOMETRY
#undef TEX_ADDRESS
};

/* --- handles */

enum { HANDLE_STEP = 64 };

u64 tex_handle(u32 index) { return TEXTURE_WINDOW + (u64)HANDLE_STEP * (index + 1ull); }

struct tex_object *tex_find(const struct textures *t, u64 handle) {
    u64 off = handle - TEXTURE_WINDOW;
    if (!t || off < HANDLE_STEP || off % HANDLE_STEP || off / HANDLE_STEP > t->at.n) return NULL;
    struct tex_object *o = &t->at.at[off / HANDLE_STEP - 1];
    return o->kind == TEX_OBJECT_FREE ? NULL : o;
}

static struct tex_sampler plain_sampler(bool normalized) {
    return (struct tex_sampler){.address = {TEX_clamp, TEX_clamp, TEX_clamp}, .max_level = 1000, .normalized = normalized};
}

struct tex_object tex_object_new(enum tex_object_kind kind) {
    struct tex_object o = {.kind = (u8)kind, .bound = true};
    o.image = (struct tex_image){
        .width = 1, .height = 1, .depth = 1, .layers = 1, .levels = 1, .geometry = TEX_2d, .format = TEX_f32, .channels = 4};
    o.sampler = plain_sampler(kind == TEX_OBJECT_SAMPLER);
    return o;
}

u32 tex_add(struct textures *t, const struct tex_object *o) {
    for (u32 i = 0; i < t->at.n; i++)
        if (t->at.at[i].kind == TEX_OBJECT_FREE) return t->at.at[i] = *o, i;
    VEC_PUSH(&t->at, *o);
    return t->at.n - 1;
}

/* --- images */

u32 tex_texel_b(const struct tex_image *m) { return (u32)tex_formats[m->format].bytes * m->channels; }

struct tex_size tex_level_size(const struct tex_image *m, u32 level) {
    u32 dims = tex_geometries[m->geometry].dims;
    return (struct tex_size){MAX(m->width >> level, 1u), dims > 1 ? MAX(m->height >> level, 1u) : 1,
                             dims > 2 ? MAX(m->depth >> level, 1u) : 1};
}

/* Slices of a level: depth, or layers times faces */
static u64 slices_of(const struct tex_image *m, u32 level) {
    const struct tex_geometry_row *g = &tex_geometries[m->geometry];
    return (u64)tex_level_size(m, level).z * (g->layered ? m->layers : 1) * g->faces;
}

static u64 row_of(const struct tex_image *m, u32 level) {
    return level == 0 && m->row_b ? m->row_b : (u64)tex_level_size(m, level).x * tex_texel_b(m);
}

static u64 slice_of(const struct tex_image *m, u32 level) {
    return level == 0 && m->slice_b ? m->slice_b : row_of(m, level) * tex_level_size(m, level).y;
}

u64 tex_image_bytes(const struct tex_image *m) {
    u64 bytes = 0;
    for (u32 l = 0; l < m->levels; l++) bytes += slice_of(m, l) * slices_of(m, l);
    return bytes;
}

u64 tex_texel_at(const struct tex_image *m, u32 level, u32 slice, u32 y, u32 x) {
    u64 at = m->base;
    for (u32 l = 0; l < level; l++) at += slice_of(m, l) * slices_of(m, l);
    return at + slice_of(m, level) * slice + row_of(m, level) * y + (u64)tex_texel_b(m) * x;
}

const char *tex_image_objection(const struct tex_image *m) {
    enum { MOST = 1 << 27, MOST_LEVELS = 28 };
    const struct tex_geometry_row *g = &tex_geometries[m->geometry];
    u32 texel_b = tex_texel_b(m);
    u32 largest = MAX(m->width, MAX(m->height, m->depth));
    if (m->channels != 1 && m->channels != 2 && m->channels != 4) return "a texel has 1, 2 or 4 channels";
    if (!m->width || !m->height || !m->depth || !m->layers || !m->levels) return "sizes are at least 1";
    if (largest > MOST || m->layers > MOST) return "sizes are at most 134217728";
    if (g->dims < 2 && m->height != 1) return "this geometry has no height";
    if (g->dims < 3 && m->depth != 1) return "this geometry has no depth";
    if (!g->layered && m->layers != 1) return "this geometry has no layers";
    if (g->faces == 6 && m->width != m->height) return "the faces of a cube are squares";
    if (m->levels > MOST_LEVELS || (m->levels > 1 && largest >> (m->levels - 1) == 0))
        return "there are more levels than sizes to halve";
    if (m->base % texel_b || m->row_b % texel_b || m->slice_b % texel_b)
        return "the address and the distances of rows and slices must be multiples of the bytes of a texel";
    if (m->row_b && m->row_b < (u64)m->width * texel_b) return "rows overlap: \"row_b\" is less than a row";
    if ((__int128)MAX(m->row_b, (u64)m->width * texel_b) * m->height * m->depth * m->layers * g->faces > INT64_MAX ||
        (__int128)m->slice_b * m->depth * m->layers * g->faces > INT64_MAX)
        return "the texels take more than any memory";
    if (m->slice_b && m->slice_b < row_of(m, 0) * m->height) return "slices overlap: \"slice_b\" is less than a slice";
    return NULL;
}

/* --- texels */

static u32 half_to_float(u32 h) {
    u32 sign = (h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 0x3FFu;
    if (e == 31) return m ? 0x7FFFFFFFu : sign | 0x7F800000u;
    if (e) return sign | (e + 112) << 23 | m << 13;
    float x = (float)m * 0x1p-24f;
    return sign | float_bits(x);
}

u32 tex_to_half(u32 f) {
    float x;
    memcpy(&x, &f, 4);
    _Float16 h = (_Float16)x;
    u16 bits;
    memcpy(&bits, &h, 2);
    return x != x ? 0x7FFFu : bits;
}

/* A store cuts what a half cannot hold, and stops at the largest one */
static u32 half_cut(u32 f) {
    u32 sign = f >> 16 & 0x8000u, magnitude = f & 0x7FFFFFFFu;
    float x;
    memcpy(&x, &magnitude, 4);
    if (magnitude > 0x7F800000u) return 0x7FFFu;
    if (magnitude == 0x7F800000u) return sign | 0x7C00u;
    if (x >= 65536.0f) return sign | 0x7BFFu;
    if (x < 0x1p-14f) return sign | (u32)(x * 0x1p24f);
    return sign | ((magnitude >> 13) - (112u << 10));
}

static u32 decode_channel(enum tex_format format, const u8 *p) {
    u32 v = 0, bytes = tex_formats[format].bytes;
    memcpy(&v, p, bytes);
    i32 s = (i32)(v << (32 - 8 * bytes)) >> (32 - 8 * bytes);
    float most = (float)((1u << (8 * bytes - 1)) - 1);
    switch ((enum tex_kind)tex_formats[format].kind) {
    case TEX_UNORM: return float_bits((float)v / (2 * most + 1));
    case TEX_SNORM: return float_bits(MAX((float)s / most, -1.0f));
    case TEX_SINT: return (u32)s;
    case TEX_FLOAT: return format == TEX_f16 ? half_to_float(v) : v;
    default: return v;
    }
}

void tex_decode(const struct tex_image *m, const u8 *texel, u32 out[4]) {
    out[0] = out[1] = out[2] = out[3] = 0;
    for (u32 c = 0; c < m->channels; c++)
        out[c] = decode_channel((enum tex_format)m->format, texel + (size_t)c * tex_formats[m->format].bytes);
}

static u32 encode_channel(enum tex_format format, u32 v) {
    u32 bits = 8u * tex_formats[format].bytes;
    i64 s = (i32)v, most = (1ll << (bits - 1)) - 1;
    float x;
    memcpy(&x, &v, 4);
    switch ((enum tex_kind)tex_formats[format].kind) {
    case TEX_UINT: return (u32)MIN((u64)v, (1ull << bits) - 1);
    case TEX_SINT: return (u32)(s < -most - 1 ? -most - 1 : MIN(s, most));
    case TEX_UNORM: return x != x ? 0 : (u32)lrintf(fminf(fmaxf(x, 0), 1) * (float)(2 * most + 1));
    case TEX_SNORM: return x != x ? 0 : (u32)lrintf(fminf(fmaxf(x, -1), 1) * (float)most);
    default: return format == TEX_f16 ? half_cut(v) : v;
    }
}

void tex_encode(const struct tex_image *m, const u32 in[4], u8 *texel) {
    u32 bytes = tex_formats[m->format].bytes;
    for (u32 c = 0; c < m->channels; c++) {
        u32 v = encode_channel((enum tex_format)m->format, in[c]);
        memcpy(texel + (size_t)c * bytes, &v, bytes);
    }
}
