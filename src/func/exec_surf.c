/* Surfaces: loads, stores and reductions of texels by integer coordinates. They go to memory as global
 * accesses do (SPACE_GLOBAL).
 *
 * The unformatted ones (.b) move bytes and count x in bytes; the formatted ones (.p) convert and count x in
 * texels. Outside of the surface .trap stops the kernel, .clamp takes the nearest texel, and .zero reads zero
 * and writes nothing. Operands: s[0] the surface; extra: results, then coordinates (layer first), then
 * data. */
#include "func/texture.h"

#include <string.h>

enum place { PLACE_INSIDE, PLACE_OUTSIDE, PLACE_FAULT };
struct spot { /* where a lane's access goes */
    u64 addr;
    const struct tex_image *image;
};

/* One coordinate, `step` bytes or texels at a time; false when it is outside and not clamped */
static bool bring_inside(i64 *c, i64 size, enum surf_clamp mode) {
    if (*c >= 0 && *c < size) return true;
    if (mode != SURF_CLAMP) return false;
    *c = *c < 0 ? 0 : size - 1;
    return true;
}

static enum place outside(struct warp *w, const struct inst *in, u32 lane, const i64 c[3], enum surf_clamp mode) {
    if (mode != SURF_TRAP) return PLACE_OUTSIDE;
    fault_at(w, in, (int)lane, "the access is outside of the surface: coordinates %lld, %lld, %lld", (long long)c[0],
             (long long)c[1], (long long)c[2]);
    return PLACE_FAULT;
}

static enum place place_of(struct warp *w, const struct group *g, const struct inst *in, u32 lane, u32 bytes, struct spot *at) {
    const struct tex_info *t = in->info;
    const struct tex_object *x = exec_tex_object(w, g, in, lane, TEX_OBJECT_SURFACE, t->geometry);
    if (!x) return PLACE_FAULT;
    const struct tex_image *m = at->image = &x->image;
    const struct tex_geometry_row *geometry = &tex_geometries[t->geometry];
    i64 c[3] = {0, 0, 0}, layer = 0, texel_b = tex_texel_b(m), unit = t->formatted ? 1 : bytes;
    const struct opnd *o = in->extra + in->extra_d;
    enum surf_clamp mode = (enum surf_clamp)t->clamp;
    if (geometry->layered) layer = (u32)opnd_read(w, g, o++, lane);
    for (u32 i = 0; i < (u32)t->ncoords - geometry->layered; i++) c[i] = (i32)opnd_read(w, g, o++, lane);
    i64 written[3] = {c[0], c[1], c[2]};
    if (!t->formatted && c[0] % unit) {
        fault_at(w, in, (int)lane, "x is %lld bytes, not a multiple of the %u bytes of the access", (long long)c[0], bytes);
        return PLACE_FAULT;
    }
    i64 across = t->formatted ? m->width : m->width * texel_b / unit;
    c[0] = c[0] < 0 ? -1 : c[0] / unit;
    if (!bring_inside(&layer, m->layers, mode) || !bring_inside(&c[0], across, mode) || !bring_inside(&c[1], m->height, mode) ||
        !bring_inside(&c[2], m->depth, mode))
        return outside(w, in, lane, written, mode);
    u64 row = tex_texel_at(m, 0, geometry->dims > 2 ? (u32)c[2] : (u32)layer, (u32)c[1], 0);
    at->addr = row + (u64)(c[0] * (t->formatted ? texel_b : unit));
    return PLACE_INSIDE;
}

/* Places of all lanes of a slab; false after a fault. Lanes outside are not in *inside. */
static bool places(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 mask, u32 bytes, struct spot *at,
                   u32 *inside) {
    *inside = 0;
    for (u32 rest = mask; rest; rest &= rest - 1) {
        u32 i = (u32)__builtin_ctz(rest);
        enum place p = place_of(w, g, in, slab * SLAB_LANES + i, bytes, &at[i]);
        if (p == PLACE_FAULT) return false;
        if (p == PLACE_INSIDE) *inside |= 1u << i;
    }
    return true;
}

static struct maccess access_of(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 lanes, u32 bytes,
                                const struct spot *at, u64 *addr) {
    struct launch *l = w->launch;
    u32 first = (u32)__builtin_ctz(lanes);
    for (u32 i = 0; i < SLAB_LANES; i++) addr[i] = at[lanes >> i & 1 ? i : first].addr;
    return (struct maccess){.w = w,
                            .frame = g->frame,
                            .slab = slab,
                            .mask = lanes,
                            .size_b = bytes,
                            .align_b = bytes,
                            .ops = l->ops,
                            .hint = &l->hints[in - l->k->code],
                            .addr = addr};
}

void exec_suld(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 bytes = (u32)in->elem_b * in->nelem;
    for (u32 s = 0; s < w->nslabs; s++) {
        struct spot at[SLAB_LANES];
        _Alignas(64) u64 addr[SLAB_LANES];
        _Alignas(64) u8 packed[SLAB_LANES * 16] = {0};
        u32 m = (u32)(mask >> 32 * s), inside;
        if (!m) continue;
        if (!places(w, g, in, s, m, bytes, at, &inside)) return;
        if (inside) {
            struct maccess a = access_of(w, g, in, s, inside, bytes, at, addr);
            if (!access_load(w, g, in, s, &a, packed)) return;
        }
        for (u32 rest = m; rest; rest &= rest - 1) {
            u32 i = (u32)__builtin_ctz(rest);
            for (u32 e = 0; e < in->nelem; e++) {
                u64 v = 0;
                if (inside >> i & 1) memcpy(&v, packed + (size_t)i * bytes + (size_t)e * in->elem_b, in->elem_b);
                opnd_write(w, g, &in->extra[e], s * SLAB_LANES + i, v);
            }
        }
    }
}

/* A lane's data as it goes to memory */
static void data_of(const struct warp *w, const struct group *g, const struct inst *in, u32 lane, const struct spot *at, u8 *to) {
    const struct tex_info *t = in->info;
    const struct opnd *o = in->extra + in->extra_d + t->ncoords;
    u32 v[4] = {0};
    for (u32 e = 0; e < in->nelem; e++) {
        u64 x = opnd_read(w, g, &o[e], lane);
        if (t->formatted) v[e] = (u32)x;
        else memcpy(to + (size_t)e * in->elem_b, &x, in->elem_b);
    }
    if (t->formatted) tex_encode(at->image, v, to);
}

/* Lanes whose surfaces have texels of another size go by themselves */
static bool store_some(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 lanes, u32 bytes,
                       const struct spot *at) {
    _Alignas(64) u64 addr[SLAB_LANES];
    _Alignas(64) u8 packed[SLAB_LANES * 16] = {0};
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        u32 i = (u32)__builtin_ctz(rest);
        data_of(w, g, in, slab * SLAB_LANES + i, &at[i], packed + (size_t)i * bytes);
    }
    struct maccess a = access_of(w, g, in, slab, lanes, bytes, at, addr);
    return access_store(w, g, in, slab, &a, packed);
}

void exec_sust(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct tex_info *t = in->info;
    for (u32 s = 0; s < w->nslabs; s++) {
        struct spot at[SLAB_LANES];
        u32 m = (u32)(mask >> 32 * s), left, plain = (u32)in->elem_b * in->nelem;
        if (!m) continue;
        if (!places(w, g, in, s, m, plain, at, &left)) return;
        while (left) {
            u32 bytes = t->formatted ? tex_texel_b(at[__builtin_ctz(left)].image) : plain, same = t->formatted ? 0 : left;
            for (u32 rest = left; t->formatted && rest; rest &= rest - 1)
                if (tex_texel_b(at[__builtin_ctz(rest)].image) == bytes) same |= 1u << __builtin_ctz(rest);
            if (!store_some(w, g, in, s, same, bytes, at)) return;
            left &= ~same;
        }
    }
}

/* The comparison of a formatted reduction is that of the surface: the same instruction with the other
 * operation */
static bool reduce_some(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 lanes, const struct spot *at,
                        bool is_signed) {
    const struct tex_info *t = in->info;
    struct inst as = *in;
    _Alignas(64) u64 addr[SLAB_LANES];
    u64 data[SLAB_LANES] = {0}, old[SLAB_LANES];
    const struct opnd *o = in->extra + in->extra_d + t->ncoords;
    struct maccess a = access_of(w, g, in, slab, lanes, in->elem_b, at, addr);
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        u32 i = (u32)__builtin_ctz(rest);
        data[i] = opnd_read(w, g, o, slab * SLAB_LANES + i);
    }
    if (is_signed) as.info = &t->signed_atomic;
    return access_atomic(w, g, &as, slab, &a, data, NULL, old);
}

void exec_sured(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct tex_info *t = in->info;
    for (u32 s = 0; s < w->nslabs; s++) {
        struct spot at[SLAB_LANES];
        u32 m = (u32)(mask >> 32 * s), inside, compared_signed = 0;
        if (!m) continue;
        if (!places(w, g, in, s, m, in->elem_b, at, &inside)) return;
        for (u32 rest = inside; t->formatted && rest; rest &= rest - 1)
            if (tex_formats[at[__builtin_ctz(rest)].image->format].kind == TEX_SINT) compared_signed |= 1u << __builtin_ctz(rest);
        if (inside & ~compared_signed && !reduce_some(w, g, in, s, inside & ~compared_signed, at, false)) return;
        if (inside & compared_signed && !reduce_some(w, g, in, s, inside & compared_signed, at, true)) return;
    }
}
