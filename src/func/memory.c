/* Device memory: allocations in one 64-bit address space, checked accesses, and the direct memport of the
 * functional simulator.
 *
 * Addresses are handed out upwards and never reused, with a gap after each allocation, so that an overrun or
 * an access to freed memory can be named. What a program wants at a fixed place is mapped there, and
 * allocations go around it. Not modelled: pages, protection between contexts.
 *
 * Invariants: M1 allocs are in ascending order of base and do not overlap; M2 used_b is the sum of the live
 * sizes. */
#include "func/func.h"
#include "func/rowops.h"

#include <stdlib.h>
#include <string.h>

enum { ALLOC_ALIGN_B = 256, ALLOC_GAP_B = 256 };

/* Index of the first allocation that starts after addr */
static u32 first_after(const struct memory *m, u64 addr) {
    u32 lo = 0, hi = m->allocs.n;
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (m->allocs.at[mid].base <= addr) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* Zeros that cost no memory until they are touched: a large variable may never be */
static u8 *host_alloc(u64 bytes, void **raw) {
    enum { ALIGN_B = 64 };
    *raw = calloc(1, (size_t)bytes + 2 * ALIGN_B);
    return *raw ? (u8 *)(((uintptr_t)*raw + ALIGN_B - 1) & ~(uintptr_t)(ALIGN_B - 1)) : NULL;
}

/* Zeroed memory at base, where nothing is; false when the limit or the host says no */
static bool insert(struct memory *m, u64 base, u64 bytes, enum owner owner, bool read_only) {
    if (bytes > m->limit_b || m->used_b > m->limit_b - bytes) return false;
    void *raw;
    u8 *host = host_alloc(bytes, &raw);
    if (!host) return false;
    struct alloc a = {base, bytes, host, raw, (u8)owner, read_only};
    u32 at = first_after(m, base);
    VEC_PUSH(&m->allocs, a);
    memmove(&m->allocs.at[at + 1], &m->allocs.at[at], (m->allocs.n - 1 - at) * sizeof(a));
    m->allocs.at[at] = a;
    m->used_b += bytes;
    return true;
}

/* The first place from `start` on with room for bytes and a gap on both sides, or 0 when it would not end
 * below `below` */
static u64 fit(const struct memory *m, u64 start, u64 bytes, u64 align, u64 below) {
    u64 base = (start + align - 1) / align * align;
    u32 i = first_after(m, base);
    for (i -= i > 0; i < m->allocs.n; i++) {
        const struct alloc *a = &m->allocs.at[i];
        if (base <= below && bytes <= below - base && base + bytes + ALLOC_GAP_B <= a->base) break;
        if (a->base + a->size_b + ALLOC_GAP_B > base) base = (a->base + a->size_b + ALLOC_GAP_B + align - 1) / align * align;
    }
    return base <= below && bytes <= below - base ? base : 0;
}

u64 memory_alloc_below(struct memory *m, u64 bytes, u32 align_b, u64 below, enum owner owner, bool read_only) {
    u64 align = MAX(align_b, (u32)ALLOC_ALIGN_B), end = MIN(below, (u64)GLOBAL_END);
    if (!m->next) m->next = GLOBAL_BASE;
    u64 base = fit(m, m->next, bytes, align, end);
    bool up = base != 0;
    if (!up) base = fit(m, LOW_BASE, bytes, align, end);
    if (!base || !insert(m, base, bytes, owner, read_only)) return 0;
    if (up) m->next = base + bytes + ALLOC_GAP_B;
    return base;
}

u64 memory_alloc(struct memory *m, u64 bytes, u32 align_b, enum owner owner, bool read_only) {
    return memory_alloc_below(m, bytes, align_b, GLOBAL_END, owner, read_only);
}

static void forget(struct memory *m, u32 i) {
    memmove(&m->allocs.at[i], &m->allocs.at[i + 1], (--m->allocs.n - i) * sizeof(*m->allocs.at));
}

const char *memory_map(struct memory *m, u64 base, u64 bytes, enum owner owner, bool read_only) {
    if (base % MAP_ALIGN_B) return "its address is not a multiple of 64";
    if (!base || !bytes || bytes > GLOBAL_END || base > GLOBAL_END - bytes) return "it is not inside the memory of programs";
    if (bytes > m->limit_b || m->used_b > m->limit_b - bytes) return "it is more than the limit on device memory";
    u32 first = first_after(m, base);
    first -= first > 0;
    for (u32 pass = 0; pass < 2; pass++) /* nothing is forgotten for a mapping that is refused */
        for (u32 i = first; i < m->allocs.n && m->allocs.at[i].base < base + bytes;) {
            const struct alloc *a = &m->allocs.at[i];
            bool apart = a->base + a->size_b <= base && (a->base != base || a->size_b);
            if (!apart && a->host) return "it overlaps memory that is in use";
            if (pass && !apart) forget(m, i);
            else i++;
        }
    return insert(m, base, bytes, owner, read_only) ? NULL : "the host has no memory left";
}

struct alloc *memory_find(struct memory *m, u64 addr) {
    u32 lo = first_after(m, addr);
    if (lo == 0) return NULL;
    struct alloc *a = &m->allocs.at[lo - 1];
    return addr - a->base < a->size_b ? a : NULL;
}

const char *memory_place(struct memory *m, u64 at, u64 bytes) {
    const struct alloc *a = memory_find(m, at);
    if (!a || !a->lent || !bytes || !memory_host(m, at, bytes)) return memory_map(m, at, bytes, OWNER_HOST, false);
    for (u32 i = 0; i < m->placed.n; i++)
        if (at < m->placed.at[i].at + m->placed.at[i].size_b && m->placed.at[i].at < at + bytes)
            return "it overlaps memory that is in use";
    struct placed p = {at, bytes};
    VEC_PUSH(&m->placed, p);
    return NULL;
}

/* Forgets what was placed from one address to another; whether anything was */
static bool forget_placed(struct memory *m, u64 from, u64 to) {
    u32 n = 0, before = m->placed.n;
    for (u32 i = 0; i < before; i++)
        if (m->placed.at[i].at < from || m->placed.at[i].at >= to) m->placed.at[n++] = m->placed.at[i];
    m->placed.n = n;
    return n < before;
}

bool memory_free(struct memory *m, u64 addr, enum owner owner) {
    struct alloc *a = memory_find(m, addr);
    if (a && a->lent && owner == OWNER_HOST) return forget_placed(m, addr, addr + 1);
    if (!a || a->base != addr || !a->host || a->owner != owner) return false;
    free(a->raw);
    if (a->lent) forget_placed(m, a->base, a->base + a->size_b);
    a->raw = a->host = NULL;
    a->lent = false;
    m->used_b -= a->size_b;
    return true;
}

u8 *memory_host(struct memory *m, u64 addr, u64 bytes) {
    struct alloc *a = memory_find(m, addr);
    if (!a || !a->host || bytes > a->size_b - (addr - a->base)) return NULL;
    return a->host + (addr - a->base);
}

void memory_release(struct memory *m) {
    for (u32 i = 0; i < m->allocs.n; i++) free(m->allocs.at[i].raw);
    free(m->allocs.at);
    free(m->placed.at);
    *m = (struct memory){0};
}

struct memory_copy {
    u32 n;
    u8 **bytes; /* [n]: of allocation i; NULL where it was freed or is read only */
};

struct memory_copy *memory_copy(const struct memory *m) {
    struct memory_copy *c = base_alloc(sizeof(*c));
    c->n = m->allocs.n;
    c->bytes = base_alloc(sizeof(*c->bytes) * (c->n + 1u));
    for (u32 i = 0; i < c->n; i++) {
        const struct alloc *a = &m->allocs.at[i];
        if (!a->host || a->read_only || !a->size_b) continue;
        c->bytes[i] = base_alloc(a->size_b);
        memcpy(c->bytes[i], a->host, a->size_b);
    }
    return c;
}

void memory_put_back(struct memory *m, struct memory_copy *c) {
    CHECK(m->allocs.n == c->n);
    for (u32 i = 0; i < c->n; i++) {
        if (!c->bytes[i]) continue;
        memcpy(m->allocs.at[i].host, c->bytes[i], m->allocs.at[i].size_b);
        free(c->bytes[i]);
    }
    free(c->bytes);
    free(c);
}

/* --- one block of host memory */

static void span_fault(struct maccess *a, u64 base, u64 size_b) {
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        u64 x = a->addr[l] - base;
        bool wild = x > size_b || size_b - x < a->size_b, odd = a->addr[l] & (a->align_b - 1);
        if (!wild && !odd) continue;
        a->fault = odd ? FAULT_MISALIGNED : FAULT_WILD;
        a->fault_lane = (u8)l;
        return;
    }
}

static bool span_ok(u64 base, u64 size_b, struct maccess *a) {
    if (size_b >= a->size_b && a->ops->inside(a->addr, base, size_b - a->size_b, a->align_b - 1, a->mask)) return true;
    a->fault = FAULT_NONE;
    span_fault(a, base, size_b);
    return a->fault == FAULT_NONE;
}

bool span_load(const u8 *host, u64 base, u64 size_b, struct maccess *a, void *out) {
    if (!span_ok(base, size_b, a)) return false;
    a->ops->gather(out, host, base, a->addr, a->size_b, a->mask);
    return true;
}

bool span_store(u8 *host, u64 base, u64 size_b, struct maccess *a, const void *in) {
    if (!span_ok(base, size_b, a)) return false;
    a->ops->scatter(host, base, a->addr, in, a->size_b, a->mask);
    return true;
}

/* Exchange or compare and swap of 16 bytes a lane */
static void atomic_wide(u8 *host, u64 base, const struct maccess *a, const struct atomic_op *op, const u64 *opa, const u64 *opb,
                        u64 *old) {
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        size_t l = (size_t)__builtin_ctz(rest);
        u8 *p = host + (a->addr[l] - base);
        const u64 *now = op->kind == MOD_cas ? &opb[2 * l] : &opa[2 * l];
        u8 was[16];
        memcpy(was, p, 16);
        if (op->kind != MOD_cas || memcmp(was, &opa[2 * l], 16) == 0) memcpy(p, now, 16);
        if (old) memcpy(&old[2 * l], was, 16);
    }
}

bool span_atomic(u8 *host, u64 base, u64 size_b, struct maccess *a, const struct atomic_op *op, const u64 *opa, const u64 *opb,
                 u64 *old) {
    if (!span_ok(base, size_b, a)) return false;
    bool words = op->kind == MOD_add && a->size_b == 4 && type_table[op->type].family != FAMILY_F &&
                 type_table[op->type].family != FAMILY_X;
    for (u32 rest = a->mask; words && rest; rest &= rest - 1) { /* counters: nearly all atomics there are */
        u32 l = (u32)__builtin_ctz(rest), v;
        memcpy(&v, host + (a->addr[l] - base), 4);
        if (old) old[l] = v;
        v += (u32)opa[l];
        memcpy(host + (a->addr[l] - base), &v, 4);
    }
    if (a->size_b == 16) {
        atomic_wide(host, base, a, op, opa, opb, old);
        return true;
    }
    for (u32 rest = words ? 0 : a->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        u8 *p = host + (a->addr[l] - base);
        u64 was = 0;
        memcpy(&was, p, a->size_b);
        u64 now = atomic_apply(op, was, opa[l], opb ? opb[l] : 0);
        memcpy(p, &now, a->size_b);
        if (old) old[l] = was;
    }
    return true;
}

/* --- the direct port: global memory, no overlay */

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };
struct direct_access {
    enum access_kind kind;
    void *out;
    const void *in;
    const struct atomic_op *op;
    const u64 *opa, *opb;
    u64 *old;
};

static bool direct_on(const struct alloc *al, struct maccess *a, const struct direct_access *d) {
    switch (d->kind) {
    case ACCESS_LOAD: return span_load(al->host, al->base, al->size_b, a, d->out);
    case ACCESS_STORE: return span_store(al->host, al->base, al->size_b, a, d->in);
    default: return span_atomic(al->host, al->base, al->size_b, a, d->op, d->opa, d->opb, d->old);
    }
}

static bool lane_fault(struct maccess *a, u32 lane, enum fault_kind kind) {
    a->fault = (u8)kind;
    a->fault_lane = (u8)lane;
    return false;
}

/* Lanes in several allocations: lane by lane, each through the same checks. Loads and old values land in
 * their lane's place. */
static bool direct_lanes(struct memory *m, struct maccess *a, const struct direct_access *d) {
    u32 all = a->mask;
    for (u32 rest = all; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        const struct alloc *al = memory_find(m, a->addr[l]);
        if (!al) return lane_fault(a, l, FAULT_WILD);
        if (!al->host) return lane_fault(a, l, FAULT_FREED);
        if (al->read_only && d->kind != ACCESS_LOAD) return lane_fault(a, l, FAULT_READ_ONLY);
        u64 addr[SLAB_LANES], got[SLAB_LANES * 4];
        for (u32 i = 0; i < SLAB_LANES; i++) addr[i] = a->addr[l];
        struct maccess one = *a;
        struct direct_access dd = *d;
        one.addr = addr;
        one.mask = 1u << l;
        dd.out = got;
        if (!direct_on(al, &one, &dd)) return lane_fault(a, l, (enum fault_kind)one.fault);
        if (d->kind == ACCESS_LOAD) memcpy((u8 *)d->out + (size_t)l * a->size_b, (u8 *)got + (size_t)l * a->size_b, a->size_b);
    }
    return true;
}

static bool in_alloc(const struct alloc *al, u64 addr) { return addr - al->base < al->size_b; }

static bool direct(struct memory *m, struct maccess *a, const struct direct_access *d) {
    u64 first = a->addr[__builtin_ctz(a->mask)];
    const struct alloc *al = *a->hint < m->allocs.n ? &m->allocs.at[*a->hint] : NULL;
    if (!al || !in_alloc(al, first)) {
        al = memory_find(m, first);
        if (!al) return lane_fault(a, (u32)__builtin_ctz(a->mask), FAULT_WILD);
        *a->hint = (u32)(al - m->allocs.at);
    }
    bool whole = al->host && !(al->read_only && d->kind != ACCESS_LOAD);
    for (u32 rest = a->mask; whole && rest; rest &= rest - 1) whole = in_alloc(al, a->addr[__builtin_ctz(rest)]);
    return whole ? direct_on(al, a, d) : direct_lanes(m, a, d);
}

static bool direct_load(void *ctx, struct maccess *a, void *out) {
    struct direct_access d = {.kind = ACCESS_LOAD, .out = out};
    return direct(ctx, a, &d);
}

static bool direct_store(void *ctx, struct maccess *a, const void *in) {
    struct direct_access d = {.kind = ACCESS_STORE, .in = in};
    return direct(ctx, a, &d);
}

static bool direct_atomic(void *ctx, struct maccess *a, const struct atomic_op *op, const u64 *opa, const u64 *opb, u64 *old) {
    struct direct_access d = {.kind = ACCESS_ATOMIC, .op = op, .opa = opa, .opb = opb, .old = old};
    return direct(ctx, a, &d);
}

static bool direct_window(void *ctx, u32 hint, bool write, struct memwindow *out) {
    const struct memory *m = ctx;
    if (hint >= m->allocs.n) return false;
    const struct alloc *al = &m->allocs.at[hint];
    if (!al->host || (write && al->read_only)) return false;
    *out = (struct memwindow){al->host, al->base, al->size_b};
    return true;
}

static u32 direct_peek_lines(void *ctx, const struct maccess *a, u32 line_b, u64 *lines) {
    (void)ctx;
    u32 n = 0;
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u64 addr = a->addr[__builtin_ctz(rest)];
        for (u64 line = addr / line_b; line <= (addr + a->size_b - 1) / line_b; line++) {
            u32 at = n;
            while (at > 0 && lines[at - 1] > line * line_b) at--;
            if ((at > 0 && lines[at - 1] == line * line_b) || n == 64) continue;
            memmove(&lines[at + 1], &lines[at], (n - at) * sizeof(*lines));
            lines[at] = line * line_b;
            n++;
        }
    }
    return n;
}

struct memport memport_direct(struct memory *m) {
    return (struct memport){m, direct_load, direct_store, direct_atomic, direct_window, direct_peek_lines};
}
