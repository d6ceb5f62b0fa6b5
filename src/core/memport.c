/* Global memory as one SM sees it (D4): what is published, with the SM's own unpublished stores in front.
 * Stores are kept in a log in program order and published at multiples of the window, SM by SM. Atomics are
 * not performed here: they become packets, performed at the L2 in order of arrival; old values reach their
 * registers with the response.
 *
 * Loads look at the log only when a filter of 128-byte lines says that it may matter.
 *
 * Invariants: P1 the filter has the bit of every line touched by a logged store; P2 a packet's lanes lie in
 * one line. */
#include "core/memview.h"

#include <stdlib.h>
#include <string.h>

/* --- the filter */

enum { LINE_HASHES = 1024 };
static u32 line_hash(u64 addr) {
    u64 x = addr >> 7;
    return (u32)((x ^ x >> 10 ^ x >> 20) % LINE_HASHES);
}

static bool filter_has(const struct store_log *g, u64 addr) {
    return g->filter[line_hash(addr) / 64] >> line_hash(addr) % 64 & 1;
}
static void filter_add(struct store_log *g, u64 addr) { g->filter[line_hash(addr) / 64] |= 1ull << line_hash(addr) % 64; }

/* --- building */

void memview_init(struct core *c) { c->memview = base_alloc_aligned(sizeof(*c->memview)); }

void memview_free(struct core *c) {
    struct memview *v = c->memview;
    for (u32 i = 0; i < v->packets.n; i++) free(v->packets.at[i]);
    free(v->packets.at);
    free(v->free.at);
    free(v->log.at);
    free(v);
}

/* --- loads: published bytes, then the log over them */

/* Bytes of one logged store that a lane's load [addr, addr + size) sees */
static void overlay_lane(const struct logged_store *e, u64 addr, u32 size, u8 *out) {
    for (u32 rest = e->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        u64 from = MAX(addr, e->addr[l]), to = MIN(addr + size, e->addr[l] + e->size_b);
        if (from >= to) continue;
        memcpy(out + (from - addr), e->data + (size_t)l * e->size_b + (from - e->addr[l]), to - from);
    }
}

static void overlay(const struct store_log *g, const struct maccess *a, u8 *out) {
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        if (!filter_has(g, a->addr[l]) && !filter_has(g, a->addr[l] + a->size_b - 1)) continue;
        for (u32 i = 0; i < g->n; i++) overlay_lane(&g->at[i], a->addr[l], a->size_b, out + (size_t)l * a->size_b);
    }
}

static bool port_load(void *ctx, struct maccess *a, void *out) {
    struct core *c = ctx;
    struct memport direct = memport_direct(c->view.mem);
    if (!direct.load(direct.ctx, a, out)) return false;
    if (c->memview->log.n) overlay(&c->memview->log, a, out);
    return true;
}

/* --- stores */

static struct logged_store *log_add(struct store_log *g) {
    if (g->n == g->cap) {
        u32 cap = g->cap ? g->cap * 2 : 16;
        struct logged_store *at = base_alloc_aligned(sizeof(*at) * cap);
        if (g->n) memcpy(at, g->at, sizeof(*at) * g->n);
        free(g->at);
        g->at = at;
        g->cap = cap;
    }
    return &g->at[g->n++];
}

/* Whether every lane may be written, as the direct port would find out */
static bool may_store(struct core *c, struct maccess *a) {
    struct memory *m = c->view.mem;
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        const struct alloc *al = *a->hint < m->allocs.n ? &m->allocs.at[*a->hint] : NULL;
        if (!al || a->addr[l] - al->base >= al->size_b) {
            al = memory_find(m, a->addr[l]);
            if (al) *a->hint = (u32)(al - m->allocs.at);
        }
        a->fault_lane = (u8)l;
        a->fault = !al                                              ? FAULT_WILD
                   : !al->host                                      ? FAULT_FREED
                   : al->read_only                                  ? FAULT_READ_ONLY
                   : a->addr[l] & (a->align_b - 1)                  ? FAULT_MISALIGNED
                   : a->addr[l] - al->base + a->size_b > al->size_b ? FAULT_WILD
                                                                    : FAULT_NONE;
        if (a->fault) return false;
    }
    return true;
}

static bool port_store(void *ctx, struct maccess *a, const void *in) {
    struct core *c = ctx;
    if (!may_store(c, a)) return false;
    struct logged_store *e = log_add(&c->memview->log);
    e->mask = a->mask;
    e->size_b = a->size_b;
    memcpy(e->addr, a->addr, sizeof(e->addr));
    memcpy(e->data, in, (size_t)a->size_b * 32);
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u64 addr = a->addr[__builtin_ctz(rest)];
        filter_add(&c->memview->log, addr);
        filter_add(&c->memview->log, addr + a->size_b - 1);
    }
    return true;
}

u32 memview_stored(const struct core *c) { return c->memview->log.n; }

void memview_publish(struct core *c) {
    struct store_log *log = &c->memview->log;
    if (!log->n) return;
    struct memport direct = memport_direct(c->view.mem);
    u32 hint = 0;
    for (u32 i = 0; i < log->n; i++) {
        struct logged_store *e = &log->at[i];
        u64 first = e->addr[__builtin_ctz(e->mask)];
        for (u32 l = 0; l < 32; l++)
            if (!(e->mask >> l & 1)) e->addr[l] = first;
        struct maccess a = {
            .mask = e->mask, .size_b = e->size_b, .align_b = 1, .ops = c->view.ops, .hint = &hint, .addr = e->addr};
        direct.store(direct.ctx, &a, e->data); /* lanes were checked; memory freed since takes nothing */
    }
    log->n = 0;
    memset(log->filter, 0, sizeof(log->filter));
}

/* --- atomics are made: packets of the instruction that is being executed */

static struct atomic_packet *packet_new(struct memview *v) {
    if (!v->free.n) {
        struct atomic_packet *p = base_alloc(sizeof(*p));
        p->index = v->packets.n;
        p->flight = UINT32_MAX;
        VEC_PUSH(&v->packets, p);
        VEC_PUSH(&v->free, p->index);
    }
    return v->packets.at[v->free.at[--v->free.n]];
}

static struct atomic_packet *packet_for(struct memview *v, u32 from, const struct maccess *a, const struct atomic_op *op,
                                        u64 line) {
    struct step *st = a->w->step;
    for (u32 i = from; i < st->deferred.n; i++)
        if (v->packets.at[st->deferred.at[i]]->line == line) return v->packets.at[st->deferred.at[i]];
    struct atomic_packet *p = packet_new(v);
    p->op = *op, p->w = a->w, p->home = (u16)a->w->slot, p->frame = a->frame, p->line = line, p->n = 0, p->performed = false;
    p->dest = a->dest ? *a->dest : (struct opnd){.absent = 1};
    p->seq = ++v->seq;
    VEC_PUSH(&st->deferred, p->index);
    return p;
}

static bool port_atomic(void *ctx, struct maccess *a, const struct atomic_op *op, const u64 *opa, const u64 *opb, u64 *old) {
    struct core *c = ctx;
    (void)old;
    if (!may_store(c, a)) return false;
    u32 from = a->w->step->deferred.n, words = a->size_b == 16 ? 2 : 1;
    for (u32 rest = a->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        struct atomic_packet *p = packet_for(c->memview, from, a, op, a->addr[l] & ~(u64)(c->cfg->l1_line_b - 1));
        struct atomic_lane_op *x = &p->lane[p->n++];
        *x = (struct atomic_lane_op){.addr = a->addr[l], .lane = (u8)(a->slab * 32 + l), .size_b = (u8)a->size_b};
        for (u32 w = 0; w < words; w++) {
            x->a[w] = opa[l * words + w];
            if (opb) x->b[w] = opb[l * words + w];
        }
    }
    a->deferred = a->mask;
    return true;
}

struct atomic_packet *atomic_at(const struct core *c, u32 index) { return c->memview->packets.at[index]; }

struct atomic_packet *atomic_leaves(struct core *c, u32 index, u32 flight) {
    struct atomic_packet *p = atomic_at(c, index);
    p->flight = flight;
    c->memview->out++;
    return p;
}

/* --- performed and answered */

void atomic_perform(struct memory *mem, const struct rowops *ops, struct atomic_packet *p) {
    struct memport direct = memport_direct(mem);
    u32 hint = 0;
    for (u32 i = 0; i < p->n; i++) {
        struct atomic_lane_op *x = &p->lane[i];
        u64 addr[32];
        u64 a[64], b[64], old[64] = {0};
        for (u32 l = 0; l < 32; l++) addr[l] = x->addr;
        struct maccess m = {.mask = 1, .size_b = x->size_b, .align_b = 1, .ops = ops, .hint = &hint, .addr = addr};
        memcpy(a, x->a, 16), memcpy(b, x->b, 16);
        direct.atomic(direct.ctx, &m, &p->op, a, b, old);
        memcpy(x->old, old, 16);
    }
    p->performed = true;
}

void atomic_answered(struct core *c, struct atomic_packet *p) {
    CHECK(p->performed && p->flight != UINT32_MAX);
    for (u32 i = 0; i < p->n && !p->dest.absent; i++) opnd_put(p->w, p->frame, &p->dest, p->lane[i].lane, p->lane[i].old);
    p->flight = UINT32_MAX;
    c->memview->out--;
    VEC_PUSH(&c->memview->free, p->index);
}

/* --- order with atomics on their way */

u32 atomics_out(const struct core *c) { return c->memview->out; }

u64 atomics_made(const struct core *c) { return c->memview->seq; }

bool atomics_before(const struct core *c, u64 seq) {
    const struct memview *v = c->memview;
    for (u32 i = 0; v->out && i < v->packets.n; i++)
        if (v->packets.at[i]->flight != UINT32_MAX && v->packets.at[i]->seq <= seq) return true;
    return false;
}

static bool packet_meets(const struct atomic_packet *p, const u64 *addr, u64 mask, u32 size_b) {
    for (u32 i = 0; i < p->n; i++)
        for (u64 m = mask; m; m &= m - 1) {
            u64 a = addr[__builtin_ctzll(m)];
            if (a < p->lane[i].addr + p->lane[i].size_b && p->lane[i].addr < a + size_b) return true;
        }
    return false;
}

/* Lines that an access touches, by their hash: most packets lie in none of them (packet_for: each lies in
 * one) */
struct lines_near {
    u64 at[LINE_HASHES / 64];
};

static struct lines_near lines_of(const u64 *addr, u64 mask, u32 size_b) {
    struct lines_near near = {0};
    for (u64 m = mask; m; m &= m - 1) {
        u64 a = addr[__builtin_ctzll(m)];
        set_add(near.at, line_hash(a)), set_add(near.at, line_hash(a + size_b - 1));
    }
    return near;
}

bool atomics_meet(const struct core *c, const struct part *part, const struct inst *in) {
    const struct memview *v = c->memview;
    bool global = in->space == SPACE_GLOBAL || in->space == SPACE_GENERIC || in->space == SPACE_CONST;
    if (!v->out || !global || in->iclass == ICLASS_ATOMIC) return false; /* atomics are ordered where they are performed */
    _Alignas(64) u64 addr[MAX_WARP];
    const struct warp *w = c->homes[part->home].w;
    const struct group *g = part_group(c, part);
    u64 mask = warp_guard(w, g, in);
    if (!mask) return false;
    if (!access_addresses(w, g, in, mask, addr)) return true; /* cannot tell: waits for all of them */
    u32 size_b = (u32)in->elem_b * in->nelem;
    struct lines_near near = lines_of(addr, mask, size_b);
    for (u32 i = 0; i < v->packets.n; i++) {
        const struct atomic_packet *p = v->packets.at[i];
        if (p->flight != UINT32_MAX && set_has(near.at, line_hash(p->line)) && packet_meets(p, addr, mask, size_b)) return true;
    }
    return false;
}

/* --- the port */

static bool port_window(void *ctx, u32 hint, bool write, struct memwindow *out) {
    (void)ctx, (void)hint, (void)write, (void)out;
    return false;
}

static u32 port_peek_lines(void *ctx, const struct maccess *a, u32 line_b, u64 *lines) {
    struct memport direct = memport_direct(((struct core *)ctx)->view.mem);
    return direct.peek_lines(direct.ctx, a, line_b, lines);
}

struct memport core_memport(struct core *c) {
    return (struct memport){c, port_load, port_store, port_atomic, port_window, port_peek_lines};
}
