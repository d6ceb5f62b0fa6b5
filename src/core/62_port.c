/* The SM's side of the interconnect: a miss queue that feeds one port to the network, and one port through
 * which responses come.
 *
 * A packet leaves when a credit is there and the port is free; the port is taken one noc cycle a flit.
 * Credits come back noc.credit_cy after a slice has taken a packet. Responses of all partitions come through
 * one port too, one flit a noc cycle, in order of (cycle, partition, order in the partition). Out of a mesh
 * they come flit by flit already, and their cycle is that of the last flit.
 *
 * Lines that a fill without reservation (sm.l1.stream) throws out must go too; their packets may stand beyond
 * the queue's length, and hold others back.
 *
 * Invariants: N1 credits + packets not yet credited = noc.credits; N2 at most sm.l1.miss_queue packets wait,
 * and one for each MSHR; N3 wake_cy and starved are what port_settle makes of the rest. */
#include "core/port.h"

#include <stdlib.h>
#include <string.h>

/* --- building */

void port_init(struct core *c) {
    struct port *p = c->port = base_alloc(sizeof(*p));
    p->clk = clocks_of(c->cfg);
    p->credits = c->cfg->noc_credits;
    p->cap = c->cfg->miss_queue + c->cfg->l1_mshrs;
    p->mask = ring_mask(p->cap);
    p->queue = base_alloc(sizeof(*p->queue) * (p->mask + 1));
    p->first_cy = p->wake_cy = NEVER;
    p->outs = base_alloc(sizeof(*p->outs) * c->cfg->partitions);
}

void port_free(struct core *c) {
    struct port *p = c->port;
    for (u32 i = 0; i < c->cfg->partitions; i++) free(p->outs[i].at.at);
    free(p->queue);
    free(p->outs);
    free(p->inbox.at);
    free(p->credits_in.at);
    free(p);
}

void port_launch(struct core *c) { c->port->quiet_cy = c->now; }

void port_abandon(struct core *c) {
    struct port *p = c->port;
    p->n = p->head = 0;
    p->inbox.n = p->inbox_at = p->credits_in.n = p->credits_at = 0;
    p->credits = c->cfg->noc_credits;
    p->in_network = p->stores_out = 0;
    p->inject_free = p->eject_free = p->inject_cy = 0;
    p->first_cy = p->wake_cy = NEVER;
    p->starved = false;
}

/* When the stage has to do something next. To be called when anything of the port has changed */
static u64 find_wake(const struct core *c, const struct port *p) {
    u64 next = p->first_cy;
    if (p->credits_at < p->credits_in.n) next = MIN(next, p->credits_in.at[p->credits_at]);
    if (p->n && (p->credits || c->cfg->noc_ideal)) next = MIN(next, c->cfg->noc_ideal ? 0 : p->inject_cy);
    return next;
}
static bool is_starved(const struct core *c, const struct port *p) { return p->n && !p->credits && !c->cfg->noc_ideal; }

static void port_settle(const struct core *c, struct port *p) {
    p->wake_cy = find_wake(c, p);
    p->starved = is_starved(c, p);
}

/* --- packets */

bool port_room(const struct core *c, u32 packets) { return c->port->n + packets <= c->cfg->miss_queue; }

u32 port_queued(const struct core *c) { return c->port->n; }

void port_send(struct core *c, struct mreq req) {
    struct port *p = c->port;
    enum token_kind kind = (enum token_kind)(req.token >> 28);
    CHECK(p->n < p->cap);
    req.sm = (u16)c->id;
    p->stores_out += kind == TOKEN_STORE || kind == TOKEN_EVICT;
    if (kind == TOKEN_INST) lsu_wake(c, LSU_QUEUE_TAKEN);
    u32 partition = c->cfg->partitions == 1 ? 0 : map_slice(c->cfg, req.line) / c->cfg->slices;
    p->queue[(p->head + p->n++) & p->mask] = (struct packet){req, c->now, partition};
    if (p->n == 1) port_settle(c, p);
    WATCH(c, MEM_QUEUED, .line = req.line);
}

static u64 flits(const struct core *c, u32 data_b) {
    return MAX(1u, fast_div(c->cfg->noc_header_b + data_b + c->cfg->flit_b - 1, c->cfg->flit_b));
}

static bool can_inject(const struct core *c, const struct port *p) {
    if (!p->n) return false;
    if (c->cfg->noc_ideal) return true;
    return p->credits && p->inject_cy <= c->now;
}

static void inject_first(struct core *c, struct port *p) {
    struct packet *first = &p->queue[p->head];
    u64 start = MAX(c->now * p->clk.core, p->inject_free);
    p->inject_free = start + flits(c, first->req.data_b) * p->clk.noc;
    p->inject_cy = periods_in(p->inject_free, &p->clk.by.core);
    first->req.cycle = c->now;
    c->stats.packets_out++;
    c->stats.inject_wait_cycles += c->now - first->since;
    VEC_PUSH(&p->outs[first->partition].at, first->req);
    p->sent++;
    p->head = (p->head + 1) & p->mask;
    p->n--;
    lsu_wake(c, LSU_QUEUE_ROOM);
    WATCH(c, MEM_GONE, .line = first->req.line);
    if (c->cfg->noc_ideal) return;
    p->credits--;
    p->in_network++;
}

static void inject(struct core *c, struct port *p) {
    while (can_inject(c, p)) inject_first(c, p);
    if (is_starved(c, p)) c->stats.credit_wait_cycles++;
}

/* --- responses */

static void response(struct core *c, const struct mresp *r) {
    u32 index = r->token & 0xFFFFFFF;
    enum token_kind kind = (enum token_kind)(r->token >> 28);
    /* what core_idle waits for; loads end with their block */
    if (kind == TOKEN_STORE || kind == TOKEN_ATOMIC || kind == TOKEN_EVICT) c->port->quiet_cy = c->now + 1;
    c->port->stores_out -= kind == TOKEN_STORE || kind == TOKEN_EVICT;
    lsu_wake(c, LSU_RESPONSE);
    WATCH(c, MEM_RESPONSE, .line = 0);
    switch (kind) {
    case TOKEN_MSHR: c->vcache ? vcache_response(c, index) : l1_response(c, (int)index); break;
    case TOKEN_BYPASS: writeback_part(c, index, c->now); break;
    case TOKEN_STORE: writeback_stored(c, index); break;
    case TOKEN_ATOMIC: writeback_atomic(c, index); break;
    case TOKEN_INST: c->vfetch ? vfetch_filled(c, index) : fetch_filled(c, index); break;
    case TOKEN_CONST: const_response(c, (int)index); break;
    case TOKEN_TEX: texture_response(c, (int)index); break;
    case TOKEN_EVICT: break;
    }
}

/* The inbox has another first response, or the port another time at which it is free */
static void expect_first(const struct core *c, struct port *p) {
    if (p->inbox_at == p->inbox.n) {
        p->first_cy = NEVER;
        return;
    }
    const struct mresp *r = &p->inbox.at[p->inbox_at].r;
    u64 start = MAX(r->cycle * p->clk.core, p->eject_free);
    bool whole = c->cfg->noc_ideal || c->cfg->noc_kind == NOC_MESH;
    p->first_free = whole ? 0 : start + flits(c, r->data_b) * p->clk.noc;
    p->first_cy = whole ? r->cycle : periods_in(p->first_free - 1, &p->clk.by.core); /* the last flit comes in this cycle */
}

static void take_credits(struct core *c, struct port *p) {
    while (p->credits_at < p->credits_in.n && p->credits_in.at[p->credits_at] <= c->now) {
        p->credits_at++;
        p->credits++;
        p->in_network--;
    }
    if (p->credits_at == p->credits_in.n) p->credits_at = p->credits_in.n = 0;
}

static __attribute__((noinline)) void take_responses(struct core *c, struct port *p) {
    while (p->first_cy <= c->now) {
        struct mresp r = p->inbox.at[p->inbox_at++].r;
        p->eject_free = MAX(p->eject_free, p->first_free);
        c->stats.eject_wait_cycles += p->first_cy - r.cycle;
        expect_first(c, p);
        response(c, &r);
    }
    if (p->inbox_at == p->inbox.n) p->inbox_at = p->inbox.n = 0;
}

static __attribute__((noinline)) void run_port(struct core *c, struct port *p) {
    if (p->credits_at < p->credits_in.n) take_credits(c, p);
    if (p->first_cy <= c->now) take_responses(c, p);
    if (p->n) inject(c, p);
    port_settle(c, p);
}

void port_stage(struct core *c) {
    if ((c->port->wake_cy <= c->now) | c->port->starved) run_port(c, c->port);
}

u64 port_next(const struct core *c) { return MAX(c->port->wake_cy, c->now); }

void port_skip(struct core *c, u64 n) {
    if (c->port->starved) c->stats.credit_wait_cycles += n;
}

/* --- between windows */

static void insert_response(struct port *p, const struct mresp *r, u32 order) {
    struct arrival a = {*r, order};
    VEC_PUSH(&p->inbox, a);
    u32 i = p->inbox.n - 1;
    for (; i > p->inbox_at; i--) {
        const struct arrival *b = &p->inbox.at[i - 1];
        if (b->r.cycle < r->cycle || (b->r.cycle == r->cycle && b->order <= order)) break;
        p->inbox.at[i] = *b;
    }
    p->inbox.at[i] = a;
}

static void insert_credit(struct port *p, u64 cycle) {
    VEC_PUSH(&p->credits_in, cycle);
    u32 i = p->credits_in.n - 1;
    for (; i > p->credits_at && p->credits_in.at[i - 1] > cycle; i--) p->credits_in.at[i] = p->credits_in.at[i - 1];
    p->credits_in.at[i] = cycle;
}

/* What has been taken is forgotten now and then */
static void shorten(struct port *p) {
    memmove(p->inbox.at, p->inbox.at + p->inbox_at, (p->inbox.n - p->inbox_at) * sizeof(*p->inbox.at));
    p->inbox.n -= p->inbox_at;
    p->inbox_at = 0;
}

void port_receive(struct core *c, u32 partition, const struct inbox *in) {
    core_wake(c);
    if (in->at.n && c->port->inbox_at > 4096) shorten(c->port);
    for (u32 i = 0; i < in->at.n; i++) {
        const struct mresp *r = &in->at.at[i];
        CHECK(r->cycle >= c->now); /* D4: nothing arrives in the window that made it */
        if (r->kind == MRESP_CREDIT) insert_credit(c->port, r->cycle);
        else insert_response(c->port, r, partition);
    }
    if (in->at.n) expect_first(c, c->port);
    port_settle(c, c->port);
}

const struct outbox *port_outbox(const struct core *c, u32 partition) { return &c->port->outs[partition]; }

u32 port_sent(const struct core *c) { return c->port->sent; }

void port_empty_outboxes(struct core *c) {
    if (!c->port->sent) return;
    c->port->sent = 0;
    for (u32 k = 0; k < c->cfg->partitions; k++) c->port->outs[k].at.n = 0;
}

/* --- reports and checks */

bool port_idle(const struct core *c) {
    const struct port *p = c->port;
    return !p->stores_out && !p->n && p->inbox_at == p->inbox.n;
}

u64 port_quiet(const struct core *c) { return c->port->quiet_cy; }

void port_waits(const struct core *c, struct strbuf *out) {
    const struct port *p = c->port;
    if (p->n) strbuf_add(out, "\n  SM %u miss queue: %u packets, %u credits", c->id, p->n, p->credits);
}

void port_check(const struct core *c) {
    const struct port *p = c->port;
    CHECK(c->cfg->noc_ideal || p->credits + p->in_network == c->cfg->noc_credits); /* N1 */
    CHECK(p->n <= p->cap);                                                         /* N2 */
    CHECK(p->wake_cy == find_wake(c, p) && p->starved == is_starved(c, p));        /* N3 */
}
