/* Loads, stores, atomics and copies: addresses from rows, data between rows and memory, element by
 * element. */
#include "func/func.h"
#include "func/rowops.h"

#include <string.h>

struct access { /* one slab's access while it is being made */
    _Alignas(64) u64 addr[SLAB_LANES];
    struct maccess a;
};

static bool access_begin(const struct warp *w, const struct group *g, const struct inst *in, const struct opnd *base, i64 off,
                         u64 mask, u32 s, struct access *x) {
    struct launch *l = w->launch;
    u32 m = (u32)(mask >> 32 * s);
    if (!m) return false;
    u64 add = (u64)off + (in->frame_local ? g->local_base : 0);
    if (base->absent)
        for (u32 i = 0; i < SLAB_LANES; i++) x->addr[i] = add;
    else if (base->rows == 2) l->ops->address64(x->addr, (const u64 *)(const void *)opnd_row(w, g, base, s, l->k->pool), add, m);
    else l->ops->address32(x->addr, (const u32 *)(const void *)opnd_row(w, g, base, s, l->k->pool), add, m);
    u32 bytes = (u32)in->elem_b * in->nelem;
    x->a = (struct maccess){.w = (struct warp *)w,
                            .frame = g->frame,
                            .slab = s,
                            .mask = m,
                            .size_b = bytes,
                            .align_b = in->flags & INST_ANY_ALIGN ? 1 : bytes,
                            .ops = l->ops,
                            .hint = &l->hints[in - l->k->code],
                            .addr = x->addr};
    return true;
}

bool access_addresses(const struct warp *w, const struct group *g, const struct inst *in, u64 mask, u64 *addr) {
    if (!(in->flags & INST_ADDRESS)) return false;
    for (u32 s = 0; s < w->nslabs; s++) {
        struct access x;
        if (access_begin(w, g, in, &in->s[0], in->imm, mask, s, &x))
            memcpy(addr + (size_t)s * SLAB_LANES, x.addr, sizeof(x.addr));
    }
    return true;
}

static u64 extend(u64 v, u32 from_bits, u32 to_bits, bool sign) {
    if (sign && from_bits < 64) v = (u64)((i64)(v << (64 - from_bits)) >> (64 - from_bits));
    return to_bits < 64 ? v & ((1ull << to_bits) - 1) : v;
}

static void spread_words(u32 *t, const u8 *p, u32 stride) {
    for (u32 l = 0; l < SLAB_LANES; l++) memcpy(&t[l], p + (size_t)l * stride, 4);
}

static void spread_doubles(u64 *t, const u8 *p, u32 stride) {
    for (u32 l = 0; l < SLAB_LANES; l++) memcpy(&t[l], p + (size_t)l * stride, 8);
}

static void spread_long(u64 *t, const u8 *p, u32 stride, bool sign) {
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u32 v;
        memcpy(&v, p + (size_t)l * stride, 4);
        t[l] = sign ? (u64)(i64)(i32)v : v;
    }
}

static void spread_extended(u8 *t, const u8 *p, u32 stride, const struct inst *in, u32 width) {
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u64 v = 0;
        memcpy(&v, p + (size_t)l * stride, in->elem_b);
        v = extend(v, in->elem_b * 8u, in->aux >> 8, in->aux & 1);
        memcpy(t + (size_t)l * width, &v, width);
    }
}

/* Element e of each lane's packed bytes into a register row */
static void spread(const struct warp *w, const struct group *g, const struct inst *in, const struct opnd *d, u32 s, u32 m,
                   const u8 *packed, u32 e) {
    if (d->absent) return;
    const struct rowops *ops = w->launch->ops;
    u8 *row = opnd_row(w, g, d, s, NULL);
    u32 stride = (u32)in->elem_b * in->nelem, width = 4u * d->rows;
    const u8 *p = packed + (size_t)e * in->elem_b;
    _Alignas(64) u64 t[SLAB_LANES];
    if (width == 16) { /* b128: no arithmetic, so no rows to blend */
        for (u32 rest = m; rest; rest &= rest - 1)
            memcpy(row + (size_t)__builtin_ctz(rest) * 16, p + (size_t)__builtin_ctz(rest) * stride, 16);
        return;
    }
    if (in->elem_b == 8 && width == 8) spread_doubles(t, p, stride);
    else if (in->elem_b == 4 && width == 4) spread_words((u32 *)(void *)t, p, stride);
    else if (in->elem_b == 4 && width == 8) spread_long(t, p, stride, in->aux & 1);
    else spread_extended((u8 *)t, p, stride, in, width);
    if (width == 8) ops->blend64((u64 *)(void *)row, t, m);
    else ops->blend32((u32 *)(void *)row, (const u32 *)(const void *)t, m);
}

static void load_done(const struct warp *w, const struct group *g, const struct inst *in, u32 s, u32 m, const u8 *packed) {
    const struct opnd *d = in->nelem == 1 ? &in->d : in->extra;
    const struct rowops *ops = w->launch->ops;
    if (in->access == ACCESS_ROW && in->elem_b == 4)
        ops->blend32((u32 *)(void *)opnd_row(w, g, d, s, NULL), (const u32 *)(const void *)packed, m);
    else if (in->access == ACCESS_ROW)
        ops->blend64((u64 *)(void *)opnd_row(w, g, d, s, NULL), (const u64 *)(const void *)packed, m);
    else
        for (u32 e = 0; e < in->nelem; e++) spread(w, g, in, &d[e], s, m, packed, e);
}

/* The short way: a slab's access to one known place, shared memory or the allocation this instruction used
 * last. False when it does not apply; the long way then finds out what is wrong, if anything. */

static bool overlap(const struct memwindow *win, u64 at, u64 size_b) {
    return win->base < at + size_b && at < win->base + win->size_b;
}

/* Of a kernel whose plain addresses are not all global memory: the first lane says which window may hold them
 * all; *win is shared memory's. In an allocation's no device and no shared memory may lie, for other lanes
 * could mean these. */
static __attribute__((noinline)) bool plain_window(const struct warp *w, const struct row_access *r, u32 hint, bool write,
                                                   struct memwindow *win) {
    const struct launch *l = w->launch;
    const struct kernel *k = l->k;
    if (k->shared_at && row_address(r, (u32)__builtin_ctz(r->mask)) - k->shared_at < l->shared_b) {
        win->base = k->shared_at;
        return !overlap(win, k->device_at, k->device_b);
    }
    if (!l->port.window(l->port.ctx, hint, write, win)) return false;
    return !overlap(win, k->device_at, k->device_b) && !(k->shared_at && overlap(win, k->shared_at, l->shared_b));
}

static inline bool short_begin(const struct warp *w, const struct group *g, const struct inst *in, u64 mask, bool write,
                               struct row_access *r) {
    const struct launch *l = w->launch;
    u32 size = (u32)in->elem_b * in->nelem;
    struct memwindow win = {w->cta->shared, 0, l->shared_b};
    if (w->step || w->nslabs != 1 || in->s[0].absent || size > 16) return false;
    r->row = opnd_row(w, g, &in->s[0], 0, l->k->pool), r->wide = in->s[0].rows == 2, r->off = (u64)in->imm;
    r->size = size, r->mask = (u32)mask;
    if (in->space != SPACE_SHARED) {
        bool plain = in->space == SPACE_GENERIC, global = plain || in->space == SPACE_GLOBAL || in->space == SPACE_CONST;
        u32 hint = l->hints[in - l->k->code];
        if (plain && (l->k->shared_at || l->k->device_b)) global = plain_window(w, r, hint, write, &win);
        else global = global && l->port.window(l->port.ctx, hint, write, &win);
        if (!global) return false;
    }
    r->host = win.host, r->base = win.base, r->size_b = win.size_b;
    return true;
}

/* Few lanes: where in the window each is, in their order. False when one is outside or misaligned; windows
 * start at multiples of the largest size, so offsets are aligned as addresses are. */
static bool few_places(const struct row_access *r, u64 *at) {
    u64 outside = r->size_b < r->size, odd = 0, span = r->size_b - r->size;
    for (u32 rest = r->mask; rest; rest &= rest - 1) {
        u64 x = row_address(r, (u32)__builtin_ctz(rest)) - r->base;
        outside |= x > span;
        odd |= x;
        *at++ = x;
    }
    return !outside && !(odd & (r->size - 1));
}

static bool few_load(const struct row_access *r, const struct inst *in, u8 *row) {
    u64 at[FEW_LANES];
    const u64 *next = at;
    u32 width = 4u * in->d.rows;
    if (!few_places(r, at)) return false;
    for (u32 rest = r->mask; rest; rest &= rest - 1) {
        u8 *to = row + (size_t)__builtin_ctz(rest) * width;
        const u8 *from = r->host + *next++;
        if (r->size == 4 && width == 4) memcpy(to, from, 4);
        else {
            u64 v = 0;
            memcpy(&v, from, r->size);
            if (in->access == ACCESS_NARROW) v = extend(v, r->size * 8u, in->aux >> 8, in->aux & 1);
            memcpy(to, &v, width);
        }
    }
    return true;
}

static bool few_store(const struct row_access *r, const struct inst *in, const u8 *row) {
    u64 at[FEW_LANES];
    const u64 *next = at;
    u32 width = 4u * in->s[1].rows;
    if (!few_places(r, at)) return false;
    for (u32 rest = r->mask; rest; rest &= rest - 1) {
        const u8 *from = row + (size_t)__builtin_ctz(rest) * width;
        u8 *to = r->host + *next++;
        if (r->size == 4) memcpy(to, from, 4);
        else memcpy(to, from, r->size);
    }
    return true;
}

static bool short_load(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct row_access r;
    const struct rowops *ops = w->launch->ops;
    bool whole = mask == w->live;
    if (in->access == ACCESS_GENERAL || (in->access == ACCESS_WORDS && !whole) || !short_begin(w, g, in, mask, false, &r))
        return false;
    if (in->access != ACCESS_WORDS && lanes_few(r.mask)) return few_load(&r, in, opnd_row(w, g, &in->d, 0, NULL));
    if (in->access == ACCESS_ROW && whole) return ops->fetch(opnd_row(w, g, &in->d, 0, NULL), &r);
    _Alignas(64) u8 packed[SLAB_LANES * 16];
    if (!ops->fetch(packed, &r)) return false;
    if (in->access == ACCESS_WORDS) {
        u32 *rows[4];
        for (u32 e = 0; e < in->nelem; e++) rows[e] = (u32 *)(void *)opnd_row(w, g, &in->extra[e], 0, NULL);
        ops->unzip(rows, (const u32 *)(const void *)packed, in->nelem);
    } else if (in->access == ACCESS_NARROW) {
        _Alignas(64) u32 t[SLAB_LANES];
        ops->widen(t, packed, in->elem_b, in->aux & 1, in->aux >> 8);
        ops->blend32((u32 *)(void *)opnd_row(w, g, &in->d, 0, NULL), t, (u32)mask);
    } else load_done(w, g, in, 0, (u32)mask, packed);
    return true;
}

static bool short_store(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct row_access r;
    const struct rowops *ops = w->launch->ops;
    const u8 *pool = w->launch->k->pool;
    bool few = in->nelem == 1 && lanes_few((u32)mask), known = in->access == ACCESS_ROW || in->access == ACCESS_WORDS;
    if (!(few || known) || !short_begin(w, g, in, mask, true, &r)) return false;
    if (few) return few_store(&r, in, opnd_row(w, g, &in->s[1], 0, pool));
    if (in->access == ACCESS_ROW) return ops->put(&r, opnd_row(w, g, &in->s[1], 0, pool));
    _Alignas(64) u32 packed[SLAB_LANES * 4];
    const u32 *rows[4];
    for (u32 e = 0; e < in->nelem; e++) rows[e] = (const u32 *)(const void *)opnd_row(w, g, &in->extra[e], 0, pool);
    ops->zip(packed, rows, in->nelem);
    return ops->put(&r, packed);
}

void exec_ld(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct access x;
    if (short_load(w, g, in, mask)) return;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!access_begin(w, g, in, &in->s[0], in->imm, mask, s, &x)) continue;
        bool whole = !((u32)(w->live >> 32 * s) & ~x.a.mask);
        if (whole && in->access == ACCESS_ROW) { /* straight into the row; lanes that do not live may get anything */
            if (!access_load(w, g, in, s, &x.a, opnd_row(w, g, &in->d, s, NULL))) return;
            continue;
        }
        _Alignas(64) u8 packed[SLAB_LANES * 32];
        if (!access_load(w, g, in, s, &x.a, packed)) return;
        load_done(w, g, in, s, x.a.mask, packed);
    }
}

/* A kernel parameter at a known place is the same for all lanes. */
void exec_ldparam(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct launch *l = w->launch;
    bool known = in->s[0].absent && in->access == ACCESS_ROW && in->imm >= 0 && (u64)in->imm + in->elem_b <= l->k->param_b;
    if (!known) {
        exec_ld(w, g, in, mask);
        return;
    }
    u64 value = 0;
    memcpy(&value, l->params + in->imm, in->elem_b);
    for (u32 s = 0; s < w->nslabs; s++) {
        _Alignas(64) u64 t[SLAB_LANES];
        for (u32 i = 0; i < SLAB_LANES; i++)
            if (in->elem_b == 8) t[i] = value;
            else ((u32 *)(void *)t)[i] = (u32)value;
        load_done(w, g, in, s, (u32)(mask >> 32 * s), (const u8 *)t);
    }
}

void exec_st(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct access x;
    if (short_store(w, g, in, mask)) return;
    const struct opnd *src = in->nelem == 1 ? &in->s[1] : in->extra;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!access_begin(w, g, in, &in->s[0], in->imm, mask, s, &x)) continue;
        const u8 *pool = w->launch->k->pool;
        if (in->nelem == 1 && in->elem_b == 4u * src->rows) {
            if (!access_store(w, g, in, s, &x.a, opnd_row(w, g, src, s, pool))) return;
            continue;
        }
        u8 packed[SLAB_LANES * 32];
        for (u32 e = 0; e < in->nelem; e++) {
            const u8 *row = opnd_row(w, g, &src[e], s, pool);
            for (u32 l = 0; l < SLAB_LANES; l++)
                memcpy(packed + (size_t)l * in->elem_b * in->nelem + e * in->elem_b, row + (size_t)l * 4 * src[e].rows,
                       in->elem_b);
        }
        if (!access_store(w, g, in, s, &x.a, packed)) return;
    }
}

static void widen(const struct warp *w, const struct group *g, const struct opnd *o, u32 s, u64 *out) {
    const u8 *row = opnd_row(w, g, o, s, w->launch->k->pool);
    for (u32 l = 0; l < SLAB_LANES; l++) {
        out[l] = 0;
        memcpy(&out[l], row + (size_t)l * 4 * o->rows, 4u * o->rows);
    }
}

void exec_atom(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct access x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!access_begin(w, g, in, &in->s[0], in->imm, mask, s, &x)) continue;
        u64 a[SLAB_LANES], b[SLAB_LANES], old[SLAB_LANES];
        widen(w, g, &in->s[1], s, a);
        if (!in->s[2].absent) widen(w, g, &in->s[2], s, b);
        x.a.dest = in->d.absent || in->flags & INST_DEAD ? NULL : &in->d;
        if (!access_atomic(w, g, in, s, &x.a, a, in->s[2].absent ? NULL : b, old)) return;
        if (in->d.absent) continue;
        u8 *row = opnd_row(w, g, &in->d, s, NULL);
        for (u32 rest = x.a.mask & ~x.a.deferred; rest; rest &= rest - 1) {
            u32 l = (u32)__builtin_ctz(rest);
            memcpy(row + (size_t)l * 4 * in->d.rows, &old[l], 4u * in->d.rows);
        }
    }
}

/* Asynchronous copies complete at once: the earliest moment at which a correct program may see them. */
void exec_cpasync(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct access from, to;
    struct inst shared = *in;
    shared.space = SPACE_SHARED;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!access_begin(w, g, in, &in->s[1], *(const i64 *)in->info, mask, s, &from)) continue;
        access_begin(w, g, in, &in->s[0], in->imm, mask, s, &to);
        _Alignas(64) u8 data[SLAB_LANES * 16];
        u64 bytes[SLAB_LANES];
        for (u32 l = 0; l < SLAB_LANES; l++) bytes[l] = in->elem_b;
        if (!in->s[2].absent) widen(w, g, &in->s[2], s, bytes);
        u32 all = from.a.mask;
        for (u32 l = 0; l < SLAB_LANES; l++)
            if (!bytes[l]) from.a.mask &= ~(1u << l); /* reads nothing, writes zeros */
        memset(data, 0, sizeof(data));
        if (from.a.mask) {
            u64 first = from.addr[__builtin_ctz(from.a.mask)];
            for (u32 l = 0; l < SLAB_LANES; l++)
                if (!(from.a.mask >> l & 1)) from.addr[l] = first;
            if (!access_load(w, g, in, s, &from.a, data)) return;
        }
        for (u32 l = 0; l < SLAB_LANES; l++)
            if (bytes[l] < in->elem_b) memset(data + (size_t)l * in->elem_b + bytes[l], 0, in->elem_b - bytes[l]);
        to.a.mask = all;
        if (!access_store(w, g, &shared, s, &to.a, data)) return;
    }
}
