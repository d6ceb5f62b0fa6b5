/* texture: images, samplers and surfaces as the simulated program sees them.
 *
 *   texture.c   objects: sizes, where a texel lies, what its bytes mean
 *   filter.c    coordinates to texels with weights, and texels to a result
 *   exec_tex.c  tex, tld4, txq
 *   exec_surf.c suld, sust, sured, suq
 *
 * An image is plain device memory: texels in rows, rows in slices (layers, faces, depth), levels one after
 * the other, each half the size of the one before. The objects themselves lie in a table beside memory; a
 * handle is the address of an entry in TEXTURE_WINDOW, which is also what taking the address of a .texref,
 * .samplerref or .surfref yields.
 *
 * Invariants of a bound object (tex_image_objection says what is wrong with one that is not):
 *   X1 every texel of every level lies in [base, base + tex_image_bytes)
 *   X2 base and row_b are multiples of the bytes of a texel
 *   X3 sizes are at least 1; those the geometry has no use for are 1  */
#ifndef HEDDLE_TEXTURE_H
#define HEDDLE_TEXTURE_H

#include "func/func.h"

#include <string.h>

enum tex_kind { TEX_UNORM, TEX_SNORM, TEX_UINT, TEX_SINT, TEX_FLOAT };
enum tex_format {
#define TEX_FORMAT(id, bytes, kind, query) TEX_##id,
#define TEX_GEOMETRY(id, dims, layered, faces)
#define TEX_ADDRESS(id, query, spelling)
#include "func/texture.def"
#undef TEX_FORMAT
#undef TEX_GEOMETRY
    TEX_FORMAT_COUNT
};
enum tex_geometry {
#define TEX_FORMAT(id, bytes, kind, query)
#define TEX_GEOMETRY(id, dims, layered, faces) TEX_##id,
#include "func/texture.def"
#undef TEX_GEOMETRY
#undef TEX_ADDRESS
    TEX_GEOMETRY_COUNT
};
enum tex_address {
#define TEX_GEOMETRY(id, dims, layered, faces)
#define TEX_ADDRESS(id, query, spelling) TEX_##id,
#include "func/texture.def"
#undef TEX_FORMAT
#undef TEX_GEOMETRY
#undef TEX_ADDRESS
    TEX_ADDRESS_COUNT
};
struct tex_format_row {
    const char *name;
    u8 bytes, kind; /* of a channel; enum tex_kind */
    u16 query;
};
struct tex_geometry_row {
    const char *name;
    u8 dims, faces;
    bool layered;
};
struct tex_address_row {
    const char *name, *spelling;
    u8 query;
};
extern const struct tex_format_row tex_formats[TEX_FORMAT_COUNT];
extern const struct tex_geometry_row tex_geometries[TEX_GEOMETRY_COUNT];
extern const struct tex_address_row tex_addresses[TEX_ADDRESS_COUNT];

struct tex_image {
    u64 base;           /* device address */
    u64 row_b, slice_b; /* from row to row and slice to slice of level 0; further levels lie close together */
    u32 width, height, depth, layers, levels;
    u8 geometry, format; /* enum tex_geometry, tex_format */
    u8 channels;         /* 1, 2 or 4 */
    bool fetched;        /* linear memory: read by integer coordinates, and zero outside */
};
struct tex_sampler {
    u8 address[3]; /* enum tex_address, by axis */
    bool linear, mip_linear, normalized;
    float bias, min_level, max_level;
    float border[4];
};
enum tex_object_kind { TEX_OBJECT_FREE, TEX_OBJECT_TEXTURE, TEX_OBJECT_SAMPLER, TEX_OBJECT_SURFACE };
struct tex_object {
    u8 kind;          /* enum tex_object_kind */
    bool bound;       /* a module's reference has been given an image */
    const char *name; /* of a module's reference, or NULL */
    struct tex_image image;
    struct tex_sampler sampler;
    struct tex_sampler declared; /* of a module\'s reference: as its initialiser says */
};
struct textures {
    VEC(struct tex_object) at;
};

/* --- texture.c */
u64 tex_handle(u32 index);
struct tex_object tex_object_new(enum tex_object_kind kind);       /* with the defaults of everything */
u32 tex_add(struct textures *t, const struct tex_object *o);       /* its index: a free place, or a new one */
struct tex_object *tex_find(const struct textures *t, u64 handle); /* NULL when it is none, or has been freed */
u32 tex_texel_b(const struct tex_image *m);
u64 tex_image_bytes(const struct tex_image *m);             /* of all levels */
const char *tex_image_objection(const struct tex_image *m); /* NULL when it can be used */
struct tex_size {
    u32 x, y, z;
};
struct tex_size tex_level_size(const struct tex_image *m, u32 level);
/* slice: layer, face of a layer, or depth */
u64 tex_texel_at(const struct tex_image *m, u32 level, u32 slice, u32 y, u32 x);
/* A texel's channels as a read without filter gives them: floats, or integers; channels that are not stored
 * are 0 */
void tex_decode(const struct tex_image *m, const u8 *texel, u32 out[4]);
/* What a formatted store writes for these four registers */
void tex_encode(const struct tex_image *m, const u32 in[4], u8 *texel);
u32 tex_to_half(u32 f32);

/* --- filter.c */
enum { TEX_MAX_TAPS = 16, TEX_PART_TAPS = 4, TEX_WHOLE = 256 };
struct tex_tap { /* one texel of a read */
    u64 addr;
    u16 weight; /* in 256ths; of all taps together 256 */
    u8 part;    /* taps of a part are summed before parts are */
    bool border;
};
struct tex_taps {
    u32 n;
    struct tex_tap tap[TEX_MAX_TAPS];
};
/* One lane's coordinates: as written, layer apart */
struct tex_where {
    u32 c[3]; /* bits of s32 or f32 coordinates; three of a cube's direction */
    bool is_float;
    i64 layer; /* clamped to the texture's */
    i32 offset[3];
    float level;      /* LOD before bias and clamping */
    bool exact_level; /* integer coordinates: the level itself, no filter */
    bool clamped;     /* integer coordinates outside follow the sampler; else they find zero */
    bool on_face;     /* of a cube: the first two coordinates are those of `face` */
    i64 face[2];      /* fixed point */
};
void tex_sample(const struct tex_image *m, const struct tex_sampler *s, const struct tex_where *at, struct tex_taps *out);
/* The four texels around the point, counter-clockwise from below left: (0,1) (1,1) (1,0) (0,0) */
void tex_gather(const struct tex_image *m, const struct tex_sampler *s, const struct tex_where *at, struct tex_taps *out);
/* texels: n of them, 16 bytes apart */
void tex_combine(const struct tex_image *m, const struct tex_sampler *s, const struct tex_taps *taps, const u8 *texels,
                 u32 out[4]);
/* The texel outside, as it would be stored */
void tex_border(const struct tex_image *m, const struct tex_sampler *s, u8 texel[16]);
/* The level of detail that gradients of the coordinates ask for; dx and dy have as many components as the
 * direction or point */
float tex_gradient_level(const struct tex_image *m, const struct tex_sampler *s, const struct tex_where *at, const float *dx,
                         const float *dy);

/* --- inst.info of texture and surface instructions */
enum tex_mip { TEX_MIP_NONE, TEX_MIP_BASE, TEX_MIP_LEVEL, TEX_MIP_GRAD };
enum surf_clamp { SURF_TRAP, SURF_CLAMP, SURF_ZERO };
struct tex_info {
    struct atomic_op atomic;        /* sured; first, so that it is what the access to memory finds */
    struct atomic_op signed_atomic; /* sured.p on a surface of signed integers */
    u8 geometry;
    u8 component; /* tld4 */
    u8 mip;       /* enum tex_mip */
    bool float_coords, has_offset;
    bool half;      /* results are f16 in 16-bit registers; packed two to a register when there are two of them */
    bool packed;    /* .f16x2 */
    u8 ncoords;     /* in extra, after the destinations: layer first */
    u8 query;       /* txq, suq: enum tex_query */
    u8 clamp;       /* enum surf_clamp */
    bool formatted; /* .p */
};
/* exec_tex.c: the object of s[0] in one lane, of this kind and geometry; NULL after a fault */
const struct tex_object *exec_tex_object(struct warp *w, const struct group *g, const struct inst *in, u32 lane,
                                         enum tex_object_kind kind, u8 geometry);
enum tex_query {
    TEXQ_width,
    TEXQ_height,
    TEXQ_depth,
    TEXQ_channel_data_type,
    TEXQ_channel_order,
    TEXQ_normalized_coords,
    TEXQ_array_size,
    TEXQ_num_mipmap_levels,
    TEXQ_num_samples,
    TEXQ_filter_mode,
    TEXQ_addr_mode_0,
    TEXQ_addr_mode_1,
    TEXQ_addr_mode_2,
    TEXQ_force_unnormalized_coords,
    TEXQ_memory_layout
};

/* --- the bits of a number, and back */
static inline float bits_float(u32 u) {
    float x;
    memcpy(&x, &u, 4);
    return x;
}

static inline u32 float_bits(float x) {
    u32 u;
    memcpy(&u, &x, 4);
    return u;
}

#endif
