/* The SM's side of the interconnect: a miss queue that feeds one port to the network, and one port through which responses come.
 *
 * A packet leaves when a credit is there and the port is free; the port is taken one noc cycle a flit. Credits come back noc.credit_cy after a slice has taken a packet. Responses of
 * all partitions come through one port too, one flit a noc cycle, in order of (cycle, partition, order in the partition).
 *
 * Lines that a fill without reservation (sm.l1.stream) throws out must go too; their packets may stand beyond the queue's length, and hold others back.
 *
 * Invariants: N1 credits + packets not yet credited = noc.credits; N2 at most sm.l1.miss_queue packets wait, and one for each MSHR. */
#include "core/core.h"

#include <string.h>

bool port_room(const struct core *c, u32 packets) { return c->missq_n + packets <= c->cfg->miss_queue; }

void port_send(struct core *c, struct mreq req) {
    CHECK(c->missq_n < c->missq_cap);
    struct packet *p = &c->missq[(c->missq_head + c->missq_n++) % c->missq_cap];
    req.sm = (u16)c->id;
    if (c->cfg->tracker != TRACKER_NONE) predict_queue(c, 1);
    *p = (struct packet){req, c->now, map_slice(c->cfg, req.line) / c->cfg->slices};
}

static u64 flits(const struct core *c, u32 data_b) {
    return MAX(1u, (c->cfg->noc_header_b + data_b + c->cfg->flit_b - 1) / c->cfg->flit_b);
}

static bool can_inject(const struct core *c) {
    if (!c->missq_n) return false;
    if (c->cfg->noc_ideal) return true;
    return c->credits && c->inject_free < (c->now + 1) * c->clk.core;
}

static void inject(struct core *c) {
    while (can_inject(c)) {
        struct packet *p = &c->missq[c->missq_head];
        u64 start = MAX(c->now * c->clk.core, c->inject_free);
        c->inject_free = start + flits(c, p->req.data_b) * c->clk.noc;
        p->req.cycle = c->now;
        c->stats.packets_out++;
        c->stats.inject_wait_cycles += c->now - p->since;
        VEC_PUSH(&c->outs[p->partition].at, p->req);
        c->missq_head = (c->missq_head + 1) % c->missq_cap;
        c->missq_n--;
        if (c->reexec.n) reexec_wake(c);
        if (c->cfg->tracker != TRACKER_NONE) predict_queue(c, -1);
        if (c->cfg->noc_ideal) continue;
        c->credits--;
        c->in_network++;
    }
    if (c->missq_n && !c->credits && !c->cfg->noc_ideal) c->stats.credit_wait_cycles++;
}

/* --- responses */

static void store_done(struct core *c, u32 id) {
    struct memop *m = &c->memops.at[id];
    struct slot *s = &c->slots[m->slot];
    c->stores_out--;
    bool mine = s->w && s->age == m->age;
    u32 slot = m->slot;
    if (mine) s->stores--;
    writeback_part(c, id, c->now);
    if (mine && !s->stores) slot_look(c, slot, c->now);
}

static void wake_atomic_waiters(struct core *c) {
    for (u32 i = 0; i < c->nslots; i++)
        if (c->slots[i].w && c->fronts[i].account.set & (1u << STALL_ATOMIC_ORDER | 1u << STALL_MEMBAR)) slot_look(c, i, c->now);
}

static void atomic_done(struct core *c, u32 index) {
    struct atomic_packet *p = c->atomic_pool.at[index];
    u32 id = p->memop;
    struct memop *m = &c->memops.at[id];
    struct slot *s = &c->slots[m->slot];
    bool mine = s->w && s->age == m->age;
    p->memop = UINT32_MAX;
    c->atomics_out--;
    if (mine) s->atomics--;
    atomic_deliver(c, p);
    writeback_part(c, id, c->now);
    wake_atomic_waiters(c);
}

static void response(struct core *c, const struct mresp *r) {
    u32 index = r->token & 0xFFFFFFF;
    enum token_kind kind = (enum token_kind)(r->token >> 28);
    /* what core_idle waits for; loads end with their block */
    if (kind == TOKEN_STORE || kind == TOKEN_ATOMIC || kind == TOKEN_EVICT) c->quiet_cy = c->now + 1;
    if (c->reexec.n) reexec_wake(c);
    switch (kind) {
    case TOKEN_MSHR:
        if (--c->mshr_responses[index] == 0) l1_fill(c, (int)index);
        break;
    case TOKEN_BYPASS: writeback_part(c, index, c->now); break;
    case TOKEN_STORE: store_done(c, index); break;
    case TOKEN_ATOMIC: atomic_done(c, index); break;
    case TOKEN_INST: fetch_filled(c, index); break;
    case TOKEN_CONST: const_fill(c, (int)index); break;
    case TOKEN_EVICT: c->stores_out--; break;
    }
}

/* Core cycle in which the first response of the inbox has come through the port, and when the port is free then */
static u64 eject_cycle(const struct core *c, u64 *free_at) {
    const struct mresp *r = &c->inbox.at[c->inbox_at].r;
    if (c->cfg->noc_ideal) {
        *free_at = 0;
        return r->cycle;
    }
    u64 start = MAX(r->cycle * c->clk.core, c->eject_free);
    *free_at = start + flits(c, r->data_b) * c->clk.noc;
    return (*free_at - 1) / c->clk.core; /* the last flit comes in this cycle */
}

static void receive(struct core *c) {
    while (c->credits_at < c->credits_in.n && c->credits_in.at[c->credits_at] <= c->now) {
        c->credits_at++;
        c->credits++;
        c->in_network--;
    }
    if (c->credits_at == c->credits_in.n) c->credits_at = c->credits_in.n = 0;
    while (c->inbox_at < c->inbox.n) {
        u64 free_at, cy = eject_cycle(c, &free_at);
        if (cy > c->now) break;
        struct mresp r = c->inbox.at[c->inbox_at++].r;
        c->eject_free = MAX(c->eject_free, free_at);
        c->stats.eject_wait_cycles += cy - r.cycle;
        response(c, &r);
    }
    if (c->inbox_at == c->inbox.n) c->inbox_at = c->inbox.n = 0;
}

void port_stage(struct core *c) {
    receive(c);
    inject(c);
}

u64 port_next(const struct core *c) {
    u64 next = NEVER, free_at;
    if (c->inbox_at < c->inbox.n) next = eject_cycle(c, &free_at);
    if (c->credits_at < c->credits_in.n) next = MIN(next, c->credits_in.at[c->credits_at]);
    if (c->missq_n && (c->credits || c->cfg->noc_ideal))
        next = MIN(next, c->cfg->noc_ideal ? c->now : MAX(c->now, c->inject_free / c->clk.core));
    return MAX(next, c->now);
}

void port_skip(struct core *c, u64 n) {
    if (c->missq_n && !c->credits && !c->cfg->noc_ideal) c->stats.credit_wait_cycles += n;
}

/* --- between windows */

static void insert_response(struct core *c, const struct mresp *r, u32 order) {
    struct arrival a = {*r, order};
    VEC_PUSH(&c->inbox, a);
    u32 i = c->inbox.n - 1;
    for (; i > c->inbox_at; i--) {
        const struct arrival *b = &c->inbox.at[i - 1];
        if (b->r.cycle < r->cycle || (b->r.cycle == r->cycle && b->order <= order)) break;
        c->inbox.at[i] = *b;
    }
    c->inbox.at[i] = a;
}

static void insert_credit(struct core *c, u64 cycle) {
    VEC_PUSH(&c->credits_in, cycle);
    u32 i = c->credits_in.n - 1;
    for (; i > c->credits_at && c->credits_in.at[i - 1] > cycle; i--) c->credits_in.at[i] = c->credits_in.at[i - 1];
    c->credits_in.at[i] = cycle;
}

void core_receive(struct core *c, u32 partition, const struct inbox *in) {
    if (in->at.n && c->inbox_at > 4096) {
        memmove(c->inbox.at, c->inbox.at + c->inbox_at, (c->inbox.n - c->inbox_at) * sizeof(*c->inbox.at));
        c->inbox.n -= c->inbox_at;
        c->inbox_at = 0;
    }
    for (u32 i = 0; i < in->at.n; i++) {
        const struct mresp *r = &in->at.at[i];
        CHECK(r->cycle >= c->now); /* D4: nothing arrives in the window that made it */
        if (r->kind == MRESP_CREDIT) insert_credit(c, r->cycle);
        else insert_response(c, r, partition);
    }
}
