/* Accesses of one slab to any memory space. Global and constant memory go through the memport; shared, local
 * and parameter memory belong to the block or thread and are reached directly. Generic addresses are sorted
 * into their windows first. */
#include "func/func.h"
#include "func/rowops.h"

#include <stdlib.h>
#include <string.h>

enum kind { LOAD, STORE, ATOMIC };
struct request {
    enum kind kind;
    void *out;
    const void *in;
    const u64 *opa, *opb;
    u64 *old;
};

static bool on_span(u8 *host, u64 base, u64 size_b, struct maccess *a, const struct inst *in, const struct request *r) {
    switch (r->kind) {
    case LOAD: return span_load(host, base, size_b, a, r->out);
    case STORE: return span_store(host, base, size_b, a, r->in);
    default: {
        struct atomic_op op = *(const struct atomic_op *)in->info;
        op.ftz = false; /* only global memory's adders flush */
        return span_atomic(host, base, size_b, a, &op, r->opa, r->opb, r->old);
    }
    }
}

struct probe_access *probe_push(struct probe *p) {
    if (p->at.n == p->at.cap) {
        u32 cap = p->at.cap ? p->at.cap * 2 : 8;
        struct probe_access *at = base_alloc_aligned(cap * sizeof(*at));
        if (p->at.n) memcpy(at, p->at.at, p->at.n * sizeof(*at));
        free(p->at.at);
        p->at.at = at;
        p->at.cap = cap;
    }
    return &p->at.at[p->at.n++];
}

/* Lanes of one slab that come one by one (matrices, lane accesses) are put together again. */
static void probe_add(struct probe *p, enum space space, u32 slab, const struct maccess *a, const struct request *r) {
    struct probe_access *last = p->at.n ? &p->at.at[p->at.n - 1] : NULL;
    if (last && last->space == space && last->kind == r->kind && last->slab == slab && last->size_b == a->size_b &&
        !(last->mask & a->mask)) {
        for (u32 rest = a->mask; rest; rest &= rest - 1) last->addr[__builtin_ctz(rest)] = a->addr[__builtin_ctz(rest)];
        last->mask |= a->mask;
        return;
    }
    struct probe_access *x = probe_push(p);
    x->space = (u8)space, x->kind = (u8)r->kind, x->slab = (u8)slab, x->placed = 0, x->mask = a->mask, x->size_b = a->size_b;
    memcpy(x->addr, a->addr, sizeof(x->addr));
}

static bool on_global(struct warp *w, struct maccess *a, const struct inst *in, const struct request *r) {
    const struct memport *p = &w->launch->port;
    switch (r->kind) {
    case LOAD: return p->load(p->ctx, a, r->out);
    case STORE: return p->store(p->ctx, a, r->in);
    default: return p->atomic(p->ctx, a, in->info, r->opa, r->opb, r->old);
    }
}

/* Lanes that reach above what they themselves have taken from their frame; the first of them becomes the
 * fault */
static bool above_taken(const struct warp *w, const struct group *g, u32 slab, u64 fixed, struct maccess *a) {
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        if (a->addr[l] + a->size_b <= fixed + stack_taken(w, g, 1ull << (slab * SLAB_LANES + l))) continue;
        a->fault = FAULT_WILD;
        a->fault_lane = (u8)l;
        return true;
    }
    return false;
}

/* Local memory is [lane][bytes]; an address may reach down into callers' frames, never above the own one. */
static bool on_local(struct warp *w, const struct group *g, u32 slab, struct maccess *a, const struct inst *in,
                     const struct request *r) {
    u64 fixed = (u64)g->local_base + w->launch->k->funcs[w->frames.at[g->frame].func].local_b;
    u64 taken = stack_taken(w, g, (u64)a->mask << 32 * slab), top = fixed + taken;
    u64 mine[SLAB_LANES];
    bool fine = top >= a->size_b && a->ops->inside(a->addr, 0, top - a->size_b, a->align_b - 1, a->mask);
    if (!fine) return on_span(w->local, 0, top, a, in, r); /* finds and names the lane that is wrong */
    if (taken && above_taken(w, g, slab, fixed, a)) return false;
    memcpy(mine, a->addr, sizeof(mine));
    for (u32 l = 0; l < SLAB_LANES; l++) a->addr[l] += (u64)(slab * SLAB_LANES + l) * w->local_cap;
    if (a->mask != 0xFFFFFFFFu) {
        u64 first = a->addr[__builtin_ctz(a->mask)];
        for (u32 l = 0; l < SLAB_LANES; l++)
            if (!(a->mask >> l & 1)) a->addr[l] = first;
    }
    bool ok = on_span(w->local, 0, (u64)w->local_cap * MAX_WARP, a, in, r);
    memcpy(a->addr, mine, sizeof(mine));
    return ok;
}

static bool on_space(struct warp *w, const struct group *g, const struct inst *in, u32 slab, enum space space, struct maccess *a,
                     const struct request *r) {
    struct launch *l = w->launch;
    bool ok;
    if (w->step) probe_add(&w->step->probe, space, slab, a, r);
    switch (space) {
    case SPACE_SHARED: ok = on_span(w->cta->shared, 0, l->shared_b, a, in, r); break;
    case SPACE_LOCAL: ok = on_local(w, g, slab, a, in, r); break;
    case SPACE_PARAM:
        ok = r->kind == LOAD && on_span((u8 *)l->params, 0, l->k->param_b, a, in, r);
        if (!ok && !a->fault) a->fault = FAULT_READ_ONLY, a->fault_lane = (u8)__builtin_ctz(a->mask);
        break;
    default: ok = on_global(w, a, in, r); break;
    }
    if (!ok) fault_access(w, in, slab, a, space);
    return ok;
}

/* What a plain address means to this kernel. SPACE_REG stands for devices, which are no memory. */
static enum space window_space(const struct launch *l, u64 addr, u64 *base) {
    static const struct {
        enum space space;
        u64 base;
    } windows[] = {{SPACE_SHARED, SHARED_WINDOW}, {SPACE_LOCAL, LOCAL_WINDOW}, {SPACE_PARAM, PARAM_WINDOW}};
    *base = 0;
    if (addr - l->k->device_at < l->k->device_b) return SPACE_REG;
    if (l->k->shared_at && addr - l->k->shared_at < l->shared_b) {
        *base = l->k->shared_at;
        return SPACE_SHARED;
    }
    for (u32 i = 0; i < ARRAY_LEN(windows); i++)
        if (addr - windows[i].base < WINDOW_B) {
            *base = windows[i].base;
            return windows[i].space;
        }
    return SPACE_GLOBAL;
}

/* Devices take whole words of their own, whatever memory takes */
static bool on_device(struct warp *w, const struct inst *in, u32 slab, struct maccess *a, const struct request *r) {
    if (in->flags & INST_ANY_ALIGN) a->align_b = a->size_b;
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest), lane = slab * SLAB_LANES + l;
        u64 word = 0;
        if (r->kind == STORE) memcpy(&word, (const u8 *)r->in + (size_t)l * a->size_b, MIN(a->size_b, 8u));
        bool ok = r->kind != ATOMIC && a->size_b <= 8 && !(a->addr[l] & (a->align_b - 1)) &&
                  w->launch->k->device(w, in, lane, a->addr[l], r->kind == STORE, &word, a->size_b);
        if (w->launch->faulted) return false;
        if (!ok) {
            a->fault = a->addr[l] & (a->align_b - 1) ? FAULT_MISALIGNED : FAULT_WILD;
            a->fault_lane = (u8)l;
            fault_access(w, in, slab, a, SPACE_GENERIC);
            return false;
        }
        if (r->kind == LOAD) memcpy((u8 *)r->out + (size_t)l * a->size_b, &word, a->size_b);
    }
    return true;
}

/* Those of the lanes whose addresses are in the space of the first, and where that begins */
static u32 lanes_of_space(const struct launch *l, const u64 *addr, u32 lanes, enum space *space, u64 *base) {
    u32 same = lanes & -lanes;
    u64 other;
    *space = window_space(l, addr[__builtin_ctz(lanes)], base);
    for (u32 rest = lanes & (lanes - 1); rest; rest &= rest - 1)
        if (window_space(l, addr[__builtin_ctz(rest)], &other) == *space) same |= rest & -rest;
    return same;
}

/* The lanes of a->mask, all in one space; *base is subtracted from their addresses */
static bool on_one_space(struct warp *w, const struct group *g, const struct inst *in, u32 slab, enum space space, u64 base,
                         struct maccess *a, const struct request *r) {
    u64 addr[SLAB_LANES], *whole = a->addr, first = whole[__builtin_ctz(a->mask)] - base;
    for (u32 l = 0; l < SLAB_LANES && !lanes_few(a->mask); l++) addr[l] = a->mask >> l & 1 ? whole[l] - base : first;
    for (u32 rest = lanes_few(a->mask) ? a->mask : 0; rest; rest &= rest - 1)
        addr[__builtin_ctz(rest)] = whole[__builtin_ctz(rest)] - base;
    a->addr = addr;
    bool ok = space == SPACE_REG ? on_device(w, in, slab, a, r) : on_space(w, g, in, slab, space, a, r);
    a->addr = whole;
    return ok;
}

/* Lanes of one space at a time; loads of some land in a buffer of their own, since a gather writes all. */
static bool on_generic(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a,
                       const struct request *r) {
    enum space space;
    u64 base;
    for (u32 left = a->mask; left;) {
        struct maccess part = *a;
        part.mask = lanes_of_space(w->launch, a->addr, left, &space, &base);
        part.deferred = 0;
        if (part.mask == a->mask) return on_one_space(w, g, in, slab, space, base, a, r);
        u64 got[SLAB_LANES * 4];
        struct request pr = *r;
        pr.out = got;
        if (!on_one_space(w, g, in, slab, space, base, &part, &pr)) return false;
        for (u32 rest = part.mask; r->kind == LOAD && rest; rest &= rest - 1) {
            size_t at = (size_t)__builtin_ctz(rest) * a->size_b;
            memcpy((u8 *)r->out + at, (u8 *)got + at, a->size_b);
        }
        a->deferred |= part.deferred;
        left &= ~part.mask;
    }
    return true;
}

static bool access_any(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a,
                       const struct request *r) {
    if (in->space != SPACE_GENERIC) return on_space(w, g, in, slab, (enum space)in->space, a, r);
    const struct kernel *k = w->launch->k;
    u64 plain = MIN(k->shared_at ? k->shared_at : PARAM_WINDOW, k->device_b ? k->device_at : PARAM_WINDOW);
    if (a->ops->inside(a->addr, 0, plain - 1, 0, a->mask)) return on_space(w, g, in, slab, SPACE_GLOBAL, a, r);
    return on_generic(w, g, in, slab, a, r);
}

bool access_load(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a, void *out) {
    struct request r = {.kind = LOAD, .out = out};
    return access_any(w, g, in, slab, a, &r);
}

bool access_store(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a, const void *data) {
    struct request r = {.kind = STORE, .in = data};
    return access_any(w, g, in, slab, a, &r);
}

bool access_atomic(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a, const u64 *opa,
                   const u64 *opb, u64 *old) {
    struct request r = {.kind = ATOMIC, .opa = opa, .opb = opb, .old = old};
    return access_any(w, g, in, slab, a, &r);
}

/* An access with one lane: every lane of the slab shows its address, and its data lies at its place */
static struct maccess lane_access(const struct warp *w, const struct inst *in, u32 lane, u64 *addrs, u64 addr, u32 bytes) {
    struct launch *l = w->launch;
    for (u32 i = 0; i < SLAB_LANES; i++) addrs[i] = addr;
    return (struct maccess){.mask = 1u << lane % SLAB_LANES,
                            .size_b = bytes,
                            .align_b = bytes,
                            .ops = l->ops,
                            .hint = &l->hints[in - l->k->code],
                            .addr = addrs};
}

bool access_lane_load(struct warp *w, const struct group *g, const struct inst *in, enum space space, u32 lane, u64 addr,
                      void *out, u32 bytes) {
    _Alignas(64) u64 addrs[SLAB_LANES];
    _Alignas(64) u8 data[SLAB_LANES * 16];
    struct maccess a = lane_access(w, in, lane, addrs, addr, bytes);
    struct request r = {.kind = LOAD, .out = data};
    bool ok = space == SPACE_GENERIC ? on_generic(w, g, in, lane / SLAB_LANES, &a, &r)
                                     : on_space(w, g, in, lane / SLAB_LANES, space, &a, &r);
    if (ok) memcpy(out, data + (size_t)(lane % SLAB_LANES) * bytes, bytes);
    return ok;
}

bool access_lane_store(struct warp *w, const struct group *g, const struct inst *in, enum space space, u32 lane, u64 addr,
                       const void *in_data, u32 bytes) {
    _Alignas(64) u64 addrs[SLAB_LANES];
    _Alignas(64) u8 data[SLAB_LANES * 16] = {0};
    struct maccess a = lane_access(w, in, lane, addrs, addr, bytes);
    struct request r = {.kind = STORE, .in = data};
    memcpy(data + (size_t)(lane % SLAB_LANES) * bytes, in_data, bytes);
    return space == SPACE_GENERIC ? on_generic(w, g, in, lane / SLAB_LANES, &a, &r)
                                  : on_space(w, g, in, lane / SLAB_LANES, space, &a, &r);
}

bool access_peek(struct warp *w, u32 lane, u64 addr, void *out, u32 bytes) {
    struct launch *l = w->launch;
    u64 base;
    const u8 *p = NULL;
    u64 off, size = 0;
    enum space s = window_space(l, addr, &base);
    off = addr - base;
    if (s == SPACE_SHARED) p = w->cta->shared, size = l->shared_b;
    if (s == SPACE_LOCAL) p = w->local + (size_t)lane * w->local_cap, size = w->local_cap;
    if (s == SPACE_PARAM) p = l->params, size = l->k->param_b;
    if (s == SPACE_GLOBAL) {
        p = memory_host(l->mem, addr, bytes);
        off = 0, size = p ? bytes : 0;
    }
    if (!p || off > size || size - off < bytes) return false;
    memcpy(out, p + off, bytes);
    return true;
}
