/* Texture reads and queries. The lanes of a slab find their texels by themselves; the first texels of all
 * lanes are then one access, the second ones another, and so on, which is what the timing model sees
 * (SPACE_TEX).
 *
 * Operands of a read: s[0] the texture, s[1] the sampler when it is named apart; extra: results, the
 * predicate of |p, then coordinates (layer first), level or gradients, offsets. */
#include "func/texture.h"

#include <string.h>

struct read { /* one lane's */
    const struct tex_image *image;
    struct tex_sampler sampler;
    struct tex_taps taps;
};

static const char *const kind_names[] = {"nothing", "texture", "sampler", "surface"};

/* The object a lane's handle names; NULL after a fault */
static const struct tex_object *object_of(struct warp *w, const struct group *g, const struct inst *in, const struct opnd *o,
                                          u32 lane, enum tex_object_kind kind) {
    u64 handle = opnd_read(w, g, o, lane);
    const struct tex_object *x = tex_find(w->launch->mem->textures, handle);
    if (!x) fault_at(w, in, (int)lane, "handle 0x%llx names no %s", (unsigned long long)handle, kind_names[kind]);
    else if (x->kind != kind)
        fault_at(w, in, (int)lane, "handle 0x%llx names a %s, not a %s", (unsigned long long)handle, kind_names[x->kind],
                 kind_names[kind]);
    else if (!x->bound)
        fault_at(w, in, (int)lane, "%s reference '%s' is bound to no memory; bind it before the launch", kind_names[kind],
                 x->name ? x->name : "?");
    else return x;
    return NULL;
}

const struct tex_object *exec_tex_object(struct warp *w, const struct group *g, const struct inst *in, u32 lane,
                                         enum tex_object_kind kind, u8 geometry) {
    const struct tex_object *x = object_of(w, g, in, &in->s[0], lane, kind);
    if (!x || x->image.geometry == geometry) return x;
    fault_at(w, in, (int)lane, "the instruction is of geometry .%s, the %s %s%sof .%s", tex_geometries[geometry].name,
             kind_names[kind], x->name ? x->name : "", x->name ? " " : "", tex_geometries[x->image.geometry].name);
    return NULL;
}

/* --- a lane's operands */

struct operands { /* sources in order */
    const struct opnd *next;
    const struct warp *w;
    const struct group *g;
    u32 lane;
};

static u32 take(struct operands *o) { return (u32)opnd_read(o->w, o->g, o->next++, o->lane); }

static float take_float(struct operands *o) {
    u32 bits = take(o);
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* The last one stands for those there are not; a fetch finds nothing there */
static i64 layer_of(const struct tex_image *m, const struct tex_info *t, u32 layer) {
    return layer < m->layers ? (i64)layer : t->float_coords ? (i64)m->layers - 1 : NONE;
}

static void take_level(struct operands *o, const struct tex_info *t, const struct read *r, u32 n, struct tex_where *at) {
    float dx[3] = {0}, dy[3] = {0};
    switch ((enum tex_mip)t->mip) {
    case TEX_MIP_LEVEL: at->level = t->float_coords ? take_float(o) : (float)(i32)take(o); break;
    case TEX_MIP_GRAD:
        for (u32 i = 0; i < n; i++) dx[i] = take_float(o);
        for (u32 i = 0; i < n; i++) dy[i] = take_float(o);
        at->level = tex_gradient_level(r->image, &r->sampler, at, dx, dy);
        break;
    default: break; /* no level: the least there is */
    }
}

static void take_where(struct operands *o, const struct tex_info *t, const struct read *r, struct tex_where *at) {
    bool layered = tex_geometries[t->geometry].layered;
    u32 n = t->ncoords - layered;
    *at = (struct tex_where){.is_float = t->float_coords,
                             .exact_level = !t->float_coords,
                             .level = t->float_coords ? -32 : 0,
                             .clamped = t->mip == TEX_MIP_LEVEL};
    if (layered) at->layer = layer_of(r->image, t, take(o));
    for (u32 i = 0; i < n; i++) at->c[i] = take(o);
    take_level(o, t, r, n, at);
    for (u32 i = 0; t->has_offset && i < n; i++) at->offset[i] = (i32)take(o);
}

static bool read_begin(struct warp *w, const struct group *g, const struct inst *in, u32 lane, struct read *r) {
    const struct tex_info *t = in->info;
    const struct tex_object *x = exec_tex_object(w, g, in, lane, TEX_OBJECT_TEXTURE, t->geometry), *s = x;
    if (x && !in->s[1].absent) s = object_of(w, g, in, &in->s[1], lane, TEX_OBJECT_SAMPLER);
    if (!x || !s) return false;
    r->image = &x->image;
    r->sampler = s->sampler;
    if (!t->float_coords) memset(r->sampler.border, 0, sizeof(r->sampler.border)); /* a fetch outside is zero */
    r->sampler.normalized = s->sampler.normalized && x->sampler.normalized;
    struct operands o = {in->extra + in->extra_d, w, g, lane};
    struct tex_where at;
    take_where(&o, t, r, &at);
    if (in->op == OP_tld4) tex_gather(r->image, &r->sampler, &at, &r->taps);
    else tex_sample(r->image, &r->sampler, &at, &r->taps);
    return true;
}

/* --- texels */

/* Tap k of the lanes in `lanes`, whose texels have the same size */
static bool fetch_tap(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 lanes, u32 k,
                      const struct read *r, u8 (*texels)[TEX_MAX_TAPS][16]) {
    _Alignas(64) u64 addr[SLAB_LANES];
    _Alignas(64) u8 packed[SLAB_LANES * 16];
    struct launch *l = w->launch;
    u32 first = (u32)__builtin_ctz(lanes), size = tex_texel_b(r[first].image);
    for (u32 i = 0; i < SLAB_LANES; i++) addr[i] = r[lanes >> i & 1 ? i : first].taps.tap[k].addr;
    struct maccess a = {.w = w,
                        .frame = g->frame,
                        .slab = slab,
                        .mask = lanes,
                        .size_b = size,
                        .align_b = size,
                        .ops = l->ops,
                        .hint = &l->hints[in - l->k->code],
                        .addr = addr};
    if (!access_load(w, g, in, slab, &a, packed)) return false;
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        u32 i = (u32)__builtin_ctz(rest);
        memcpy(texels[i][k], packed + (size_t)i * size, size);
    }
    return true;
}

static bool fetch(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 mask, const struct read *r,
                  u8 (*texels)[TEX_MAX_TAPS][16]) {
    for (u32 k = 0; k < TEX_MAX_TAPS; k++) {
        u32 left = 0;
        for (u32 rest = mask; rest; rest &= rest - 1) {
            u32 i = (u32)__builtin_ctz(rest);
            if (k < r[i].taps.n && !r[i].taps.tap[k].border) left |= 1u << i;
        }
        while (left) {
            u32 size = tex_texel_b(r[__builtin_ctz(left)].image), same = 0;
            for (u32 rest = left; rest; rest &= rest - 1)
                if (tex_texel_b(r[__builtin_ctz(rest)].image) == size) same |= 1u << __builtin_ctz(rest);
            if (!fetch_tap(w, g, in, slab, same, k, r, texels)) return false;
            left &= ~same;
        }
    }
    return true;
}

static void fill_border(u32 mask, const struct read *r, u8 (*texels)[TEX_MAX_TAPS][16]) {
    for (u32 rest = mask; rest; rest &= rest - 1) {
        u32 i = (u32)__builtin_ctz(rest);
        for (u32 k = 0; k < r[i].taps.n; k++)
            if (r[i].taps.tap[k].border) tex_border(r[i].image, &r[i].sampler, texels[i][k]);
    }
}

/* --- results */

static void gathered(const struct read *r, u32 component, const u8 (*texels)[16], u32 out[4]) {
    for (u32 i = 0; i < 4; i++) {
        u32 v[4];
        tex_decode(r->image, texels[i], v);
        out[i] = v[component];
    }
}

static void write_results(struct warp *w, const struct group *g, const struct inst *in, u32 lane, const u32 v[4]) {
    const struct tex_info *t = in->info;
    u32 n = in->extra_d && in->extra[in->extra_d - 1].in == OPND_IN_PRED ? in->extra_d - 1u : in->extra_d;
    for (u32 i = 0; i < n; i++) {
        u32 x = t->packed ? tex_to_half(v[2 * i]) | tex_to_half(v[2 * i + 1]) << 16 : t->half ? tex_to_half(v[i]) : v[i];
        opnd_write(w, g, &in->extra[i], lane, x);
    }
    if (n < in->extra_d && !in->extra[n].absent) g->preds[in->extra[n].off] |= 1ull << lane; /* every texel is resident */
}

static void exec_read(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct tex_info *t = in->info;
    for (u32 s = 0; s < w->nslabs; s++) {
        struct read r[SLAB_LANES];
        u8 texels[SLAB_LANES][TEX_MAX_TAPS][16];
        u32 m = (u32)(mask >> 32 * s);
        for (u32 rest = m; rest; rest &= rest - 1) {
            u32 i = (u32)__builtin_ctz(rest);
            if (!read_begin(w, g, in, s * SLAB_LANES + i, &r[i])) return;
        }
        if (m && !fetch(w, g, in, s, m, r, texels)) return;
        fill_border(m, r, texels);
        for (u32 rest = m; rest; rest &= rest - 1) {
            u32 i = (u32)__builtin_ctz(rest), v[4];
            if (in->op == OP_tld4) gathered(&r[i], t->component, (const u8(*)[16])texels[i], v);
            else tex_combine(r[i].image, &r[i].sampler, &r[i].taps, texels[i][0], v);
            write_results(w, g, in, s * SLAB_LANES + i, v);
        }
    }
}

void exec_tex(struct warp *w, struct group *g, const struct inst *in, u64 mask) { exec_read(w, g, in, mask); }
void exec_tld4(struct warp *w, struct group *g, const struct inst *in, u64 mask) { exec_read(w, g, in, mask); }

/* --- queries */

static u32 channel_order(const struct tex_image *m) {
    return m->channels == 1 ? 0x10B0 : m->channels == 2 ? 0x10B2 : 0x10B5;
} /* R, RG, RGBA */

static u32 answer(const struct tex_object *x, enum tex_query q, u32 level) {
    const struct tex_image *m = &x->image;
    const struct tex_geometry_row *g = &tex_geometries[m->geometry];
    struct tex_size size = tex_level_size(m, MIN(level, m->levels - 1));
    switch (q) {
    case TEXQ_width: return size.x;
    case TEXQ_height:
        return g->dims > 1  ? size.y
               : g->layered ? m->layers
                            : x->kind == TEX_OBJECT_TEXTURE; /* the next size, as hardware has it */
    case TEXQ_depth: return g->dims > 2 ? size.z : g->dims == 2 && g->layered ? m->layers : 0;
    case TEXQ_channel_data_type: return tex_formats[m->format].query;
    case TEXQ_channel_order: return channel_order(m);
    case TEXQ_normalized_coords: return x->sampler.normalized;
    case TEXQ_array_size: return g->layered ? m->layers : 0;
    case TEXQ_num_mipmap_levels: return m->levels;
    case TEXQ_num_samples: return 1;
    case TEXQ_filter_mode: return x->sampler.linear;
    case TEXQ_addr_mode_0: return tex_addresses[x->sampler.address[0]].query;
    case TEXQ_addr_mode_1: return tex_addresses[x->sampler.address[1]].query;
    case TEXQ_addr_mode_2: return tex_addresses[x->sampler.address[2]].query;
    case TEXQ_force_unnormalized_coords: return !x->sampler.normalized;
    case TEXQ_memory_layout: return 1; /* linear */
    }
    return 0;
}

/* txq and suq. What a sampler knows may be asked of a texture too. */
void exec_txq(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct tex_info *t = in->info;
    bool of_sampler = t->query >= TEXQ_filter_mode && t->query <= TEXQ_force_unnormalized_coords;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u64 handle = opnd_read(w, g, &in->s[0], lane);
        const struct tex_object *named = tex_find(w->launch->mem->textures, handle);
        bool sampler = named && of_sampler && named->kind == TEX_OBJECT_SAMPLER;
        enum tex_object_kind kind = in->op == OP_suq ? TEX_OBJECT_SURFACE : sampler ? TEX_OBJECT_SAMPLER : TEX_OBJECT_TEXTURE;
        const struct tex_object *x = object_of(w, g, in, &in->s[0], lane, kind);
        if (!x) return;
        opnd_write(w, g, &in->d, lane,
                   answer(x, (enum tex_query)t->query, in->extra_n ? (u32)opnd_read(w, g, &in->extra[0], lane) : 0));
    }
}

/* istypep: whether a handle is of the kind asked for (aux) */
void exec_istypep(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 yes = 0;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        const struct tex_object *x = tex_find(w->launch->mem->textures, opnd_read(w, g, &in->s[0], lane));
        if (x && x->kind == in->aux) yes |= 1ull << lane;
    }
    if (!in->d.absent) g->preds[in->d.off] = (g->preds[in->d.off] & ~mask) | yes;
}
