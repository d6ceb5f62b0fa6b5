/* Atomics wider than 64 bits: vectors, whose elements are atomic one by one, and 128-bit exchanges. */
#include "func/func.h"
#include "func/rowops.h"

#include <string.h>

static u8 *lane_at(const struct warp *w, const struct group *g, const struct opnd *o, u32 lane) {
    return opnd_row(w, g, o, lane / SLAB_LANES, w->launch->k->pool) + (size_t)(lane % SLAB_LANES) * 4 * o->rows;
}

static u64 lane_address(const struct warp *w, const struct group *g, const struct inst *in, u32 lane) {
    u64 a = 0, add = (u64)in->imm + (in->frame_local ? g->local_base : 0);
    if (in->s[0].absent) return add;
    memcpy(&a, lane_at(w, g, &in->s[0], lane), 4u * in->s[0].rows);
    return in->s[0].rows == 1 ? (u32)(a + add) : a + add;
}

enum { MAX_ATOMIC_ELEMS = 8 };

/* What one slab's lanes bring along: everything is read before the first element's old value is written,
 * which may be to a register that a later element, or the address, is read from. */
struct vector_sources {
    u64 addr[SLAB_LANES];
    u64 value[MAX_ATOMIC_ELEMS][SLAB_LANES];
};

static void read_sources(struct warp *w, struct group *g, const struct inst *in, u32 slab, u32 mask, struct vector_sources *v) {
    u32 first = (u32)__builtin_ctz(mask);
    memset(v, 0, sizeof(*v));
    for (u32 i = 0; i < SLAB_LANES; i++) {
        u32 lane = slab * SLAB_LANES + (mask >> i & 1 ? i : first);
        v->addr[i] = lane_address(w, g, in, lane);
        for (u32 e = 0; e < in->nelem; e++) {
            const struct opnd *src = &in->extra[in->extra_d + e];
            memcpy(&v->value[e][i], lane_at(w, g, src, lane), 4u * src->rows);
        }
    }
}

/* Element e of all lanes of a slab; the first one also checks that the whole vector is aligned */
static bool one_element(struct warp *w, struct group *g, const struct inst *in, u32 slab, u32 mask, u32 e,
                        struct vector_sources *v) {
    struct launch *l = w->launch;
    _Alignas(64) u64 addr[SLAB_LANES];
    u64 old[SLAB_LANES];
    for (u32 i = 0; i < SLAB_LANES; i++) addr[i] = v->addr[i] + (u64)e * in->elem_b;
    struct maccess m = {.w = w,
                        .frame = g->frame,
                        .slab = slab,
                        .dest = in->extra_d && !in->extra[e].absent ? &in->extra[e] : NULL,
                        .mask = mask,
                        .size_b = in->elem_b,
                        .align_b = e ? in->elem_b : (u32)in->elem_b * in->nelem,
                        .ops = l->ops,
                        .hint = &l->hints[in - l->k->code],
                        .addr = addr};
    if (!access_atomic(w, g, in, slab, &m, v->value[e], NULL, old)) return false;
    for (u32 rest = mask & ~m.deferred; in->extra_d && !in->extra[e].absent && rest; rest &= rest - 1) {
        u32 i = (u32)__builtin_ctz(rest);
        memcpy(lane_at(w, g, &in->extra[e], slab * SLAB_LANES + i), &old[i], 4u * in->extra[e].rows);
    }
    return true;
}

void exec_atomv(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    for (u32 s = 0; s < w->nslabs; s++) {
        u32 m = (u32)(mask >> 32 * s);
        if (!m) continue;
        struct vector_sources v;
        read_sources(w, g, in, s, m, &v);
        for (u32 e = 0; e < in->nelem; e++)
            if (!one_element(w, g, in, s, m, e, &v)) return;
    }
}

/* Sixteen bytes a lane: operands and old values lie as pairs of words */
void exec_atom128(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct launch *l = w->launch;
    bool cas = ((const struct atomic_op *)in->info)->kind == MOD_cas;
    for (u32 s = 0; s < w->nslabs; s++) {
        u32 m = (u32)(mask >> 32 * s);
        if (!m) continue;
        _Alignas(64) u64 addr[SLAB_LANES], a[2 * SLAB_LANES], b[2 * SLAB_LANES], old[2 * SLAB_LANES];
        u32 first = (u32)__builtin_ctz(m);
        for (u32 i = 0; i < SLAB_LANES; i++) {
            u32 lane = s * SLAB_LANES + (m >> i & 1 ? i : first);
            addr[i] = lane_address(w, g, in, lane);
            memcpy(&a[2 * (size_t)i], lane_at(w, g, &in->s[1], lane), 16);
            if (cas) memcpy(&b[2 * (size_t)i], lane_at(w, g, &in->s[2], lane), 16);
        }
        struct maccess x = {.w = w,
                            .frame = g->frame,
                            .slab = s,
                            .dest = in->d.absent ? NULL : &in->d,
                            .mask = m,
                            .size_b = 16,
                            .align_b = 16,
                            .ops = l->ops,
                            .hint = &l->hints[in - l->k->code],
                            .addr = addr};
        if (!access_atomic(w, g, in, s, &x, a, cas ? b : NULL, old)) return;
        for (u32 rest = in->d.absent ? 0 : m & ~x.deferred; rest; rest &= rest - 1) {
            u32 i = (u32)__builtin_ctz(rest);
            memcpy(lane_at(w, g, &in->d, s * SLAB_LANES + i), &old[2 * (size_t)i], 16);
        }
    }
}
