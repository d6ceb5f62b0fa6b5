/* mesh: a rectangle of routers between SMs and memory partitions (noc.kind = mesh), in place of the crossbar.
 *
 * An SM or a partition has a node, a router with five ports: one of its own and four to the neighbours. There
 * are two networks of the same shape, one for requests and one for answers, so that neither waits for the
 * other. Packets are cut into flits of noc.flit_b bytes. Routing is in order of dimension: along the row to
 * the column of the destination, then along the column. Flow control is wormhole: the first flit of a packet
 * takes an output, the others follow, and the output is free after the last; who takes a free output is
 * decided packet by packet, in turn over the inputs.
 *
 * Time, in cycles of the noc. A flit that leaves a source or a router at t can leave the next router at t +
 * link_cy + router_cy at the earliest, and an output moves one flit a cycle. An input holds `buffer` flits. A
 * flit leaves only when the input it goes to has a place, and a place that is freed at t is known to the
 * router before it at t + link_cy: the credit's way back. A packet that has left its last router is at its SM
 * or slice noc.latency_cy later (the network interface).
 *
 *     first flit, nothing in the way     (links + 1) * (link_cy + router_cy) + noc.latency_cy
 *     last flit                          flits - 1 cycles after the first
 *     a link at most                     min(1, buffer / (2 * link_cy + router_cy)) flits a cycle
 *
 * Ends. An SM's packets wait in front of its router, at most noc.credits of them: the credit of a packet
 * starts back when its last flit has entered. A partition takes a packet when the slice's queue has a place
 * for it, which is taken with the first flit. Answers wait in front of the partition's router, any number of
 * them, and SMs take what comes.
 *
 * Windows. All that passes between a router and what is outside of it takes a cycle of the noc or more, so
 * the order of routers within a cycle does not matter. Partitions and routers of a window run together, tick
 * by tick, on one thread: they wait for each other within a cycle.
 *
 * Head of line: an input is one queue. A packet whose output is taken, or has no place behind it, stops those
 * behind it, whichever outputs they want; so under uniform traffic links saturate below the bound above, the
 * more the fewer flits an input holds. Request and answer networks do not stop each other.
 *
 * Not modelled: virtual channels, adaptive routing, a router's pipeline beyond its latency, broken links.
 *
 * Invariants, walked by mesh_check:
 *  M1 an input holds at most `buffer` flits, and they are the newest that entered
 *  M2 an output is taken by an input exactly while that input has the rest of a packet to send through it
 *  M3 flits that have entered and not left are in the inputs' buffers
 *  M4 something is scheduled exactly when a packet is somewhere */
#include "mem/partition.h"

#include <stdlib.h>

enum port { PORT_OWN, PORT_EAST, PORT_WEST, PORT_SOUTH, PORT_NORTH, PORTS };
enum { REQUESTS, ANSWERS, NETS };
enum { NOBODY = -1 };

struct flit {
    u64 ready; /* cycle from which it can leave the router */
    u32 packet;
    bool first, last; /* of its packet */
};
struct inlet {         /* of a router, with its buffer */
    struct flit *at;   /* [buffer]: flit number n at n mod buffer */
    u64 *freed;        /* [buffer]: cycle in which flit number n left, at n mod buffer */
    u64 entered, left; /* flits so far */
};
struct outlet {
    i32 taken; /* input whose packet goes through it, NOBODY */
    u32 turn;  /* input that is asked first for the next packet */
    u64 flits; /* moved, since statistics count */
};
struct router {
    struct inlet in[PORTS];
    struct outlet out[PORTS];
};
struct source { /* packets in front of a router, oldest first; NO_ID */
    u32 first, last;
};
struct message {           /* a packet in the mesh */
    u64 start;             /* cycle from which its first flit can enter */
    u32 node;              /* destination */
    u32 next;              /* in its source, or free */
    u16 flits;             /* all of it */
    u16 entered;           /* flits that have */
    u16 links;             /* between routers, on its way */
    u16 partition;         /* it goes to or comes from */
    u16 sm;                /* the same */
    u8 slice;              /* requests */
    u32 packet;            /* requests: the partition's */
    struct mresp response; /* answers */
};
struct net {
    struct router *at;
    struct source *source; /* [nodes] */
    u64 *busy, *waiting;   /* sets of nodes: flits in the router; packets in front of it */
    u64 inside, queued;    /* flits in routers; packets in front of them */
};
struct mesh {
    struct config c;
    struct clocks clk;
    struct partition **parts;
    u32 nodes, words;
    u16 *sm_node, *part_node;
    struct net net[NETS];
    struct message *message; /* pool */
    u32 messages, free;
    u64 next;                        /* cycle in which something can move; NEVER */
    u64 peak;                        /* flits of the busiest output to a neighbour, since statistics count */
    u64 noc_way;                     /* ticks */
    VEC(const struct mreq *) sorted; /* one SM's packets of a window */
};

/* --- where everything is */

static void place_nodes(struct mesh *m) {
    u8 *taken = base_alloc(m->nodes);
    for (u32 k = 0; k < m->c.partitions; k++) {
        m->part_node[k] = (u16)mesh_memory_node(&m->c, k);
        CHECK(m->part_node[k] < m->nodes && !taken[m->part_node[k]]);
        taken[m->part_node[k]] = 1;
    }
    u32 node = 0;
    for (u32 i = 0; i < m->c.sms; i++) {
        while (taken[node]) node++;
        CHECK(node < m->nodes);
        m->sm_node[i] = (u16)node++;
    }
    free(taken);
}

static u32 apart(u32 a, u32 b) { return a > b ? a - b : b - a; }

static u32 links_between(const struct mesh *m, u32 a, u32 b) {
    u32 w = m->c.mesh_width;
    return apart(a % w, b % w) + apart(a / w, b / w);
}

/* Which output of a router leads to a node */
static enum port route(const struct mesh *m, u32 at, u32 to) {
    u32 w = m->c.mesh_width;
    if (at % w != to % w) return at % w < to % w ? PORT_EAST : PORT_WEST;
    if (at != to) return at < to ? PORT_SOUTH : PORT_NORTH;
    return PORT_OWN;
}

/* The input at the other end of an output; not of PORT_OWN */
static struct inlet *beyond(const struct mesh *m, struct net *n, u32 node, enum port out) {
    u32 w = m->c.mesh_width;
    switch (out) {
    case PORT_EAST: return &n->at[node + 1].in[PORT_WEST];
    case PORT_WEST: return &n->at[node - 1].in[PORT_EAST];
    case PORT_SOUTH: return &n->at[node + w].in[PORT_NORTH];
    default: return &n->at[node - w].in[PORT_SOUTH];
    }
}

static u32 neighbour(const struct mesh *m, u32 node, enum port out) {
    u32 w = m->c.mesh_width;
    return out == PORT_EAST ? node + 1 : out == PORT_WEST ? node - 1 : out == PORT_SOUTH ? node + w : node - w;
}

/* --- birth and death */

static void net_init(const struct mesh *m, struct net *n) {
    u32 depth = m->c.mesh_buffer;
    n->at = base_alloc((size_t)m->nodes * sizeof(*n->at));
    n->source = base_alloc((size_t)m->nodes * sizeof(*n->source));
    n->busy = base_alloc(2 * (size_t)m->words * sizeof(u64));
    n->waiting = n->busy + m->words;
    for (u32 i = 0; i < m->nodes; i++) {
        n->source[i] = (struct source){NO_ID, NO_ID};
        for (u32 p = 0; p < PORTS; p++) {
            n->at[i].out[p].taken = NOBODY;
            n->at[i].in[p].at = base_alloc((size_t)depth * sizeof(struct flit));
            n->at[i].in[p].freed = base_alloc((size_t)depth * sizeof(u64));
        }
    }
}

static void net_free(const struct mesh *m, struct net *n) {
    for (u32 i = 0; i < m->nodes; i++)
        for (u32 p = 0; p < PORTS; p++) {
            free(n->at[i].in[p].at);
            free(n->at[i].in[p].freed);
        }
    free(n->at);
    free(n->source);
    free(n->busy);
}

struct mesh *mesh_new(const struct config *c, struct partition **parts) {
    struct mesh *m = base_alloc(sizeof(*m));
    m->c = *c;
    m->clk = clocks_of(c);
    m->parts = parts;
    m->nodes = c->mesh_width * c->mesh_height;
    m->words = (m->nodes + 63) / 64;
    m->sm_node = base_alloc(c->sms * sizeof(*m->sm_node));
    m->part_node = base_alloc(c->partitions * sizeof(*m->part_node));
    m->free = NO_ID;
    m->next = NEVER;
    m->noc_way = (u64)c->noc_cy * m->clk.noc;
    place_nodes(m);
    for (u32 i = 0; i < NETS; i++) net_init(m, &m->net[i]);
    for (u32 k = 0; k < c->partitions; k++) parts[k]->mesh = m;
    return m;
}

void mesh_free(struct mesh *m) {
    if (!m) return;
    for (u32 i = 0; i < NETS; i++) net_free(m, &m->net[i]);
    free(m->sm_node);
    free(m->part_node);
    free(m->message);
    free(m->sorted.at);
    free(m);
}

/* --- messages */

static void messages_grow(struct mesh *m) {
    u32 n = m->messages ? m->messages * 2 : 64;
    m->message = base_realloc(m->message, (size_t)n * sizeof(*m->message));
    for (u32 i = n; i-- > m->messages;) {
        m->message[i] = (struct message){.next = m->free};
        m->free = i;
    }
    m->messages = n;
}

static void message_free(struct mesh *m, u32 id) {
    m->message[id].next = m->free;
    m->free = id;
}

/* Behind all others in front of its router */
static void message_send(struct mesh *m, u32 net, u32 from, struct message x) {
    struct net *n = &m->net[net];
    struct source *s = &n->source[from];
    if (m->free == NO_ID) messages_grow(m);
    u32 id = m->free;
    m->free = m->message[id].next;
    x.links = (u16)links_between(m, from, x.node);
    x.next = NO_ID;
    m->message[id] = x;
    if (s->first == NO_ID) s->first = id;
    else m->message[s->last].next = id;
    s->last = id;
    n->waiting[from / 64] |= 1ull << from % 64;
    n->queued++;
    m->next = MIN(m->next, x.start);
}

static void send_request(struct mesh *m, const struct mreq *r, u32 partition) {
    struct partition *p = m->parts[partition];
    u32 slice, packet = noc_packet(p, r, &slice);
    p->in_mesh++;
    message_send(m, REQUESTS, m->sm_node[r->sm],
                 (struct message){.start = edge_at(r->cycle * m->clk.core, &m->clk.by.noc) / m->clk.noc,
                                  .node = m->part_node[partition],
                                  .flits = (u16)noc_flits(&m->c, r->data_b),
                                  .partition = (u16)partition,
                                  .sm = r->sm,
                                  .slice = (u8)slice,
                                  .packet = packet});
}

void mesh_answer(struct mesh *m, const struct partition *p, u32 sm, const struct mresp *r, u64 t) {
    message_send(m, ANSWERS, m->part_node[p->index],
                 (struct message){.start = t / m->clk.noc,
                                  .node = m->sm_node[sm],
                                  .flits = (u16)noc_flits(&m->c, r->data_b),
                                  .partition = (u16)p->index,
                                  .sm = (u16)sm,
                                  .response = *r});
}

/* --- a cycle */

/* Whether the sender knows in cycle t of a place for one more flit */
static bool has_place(const struct mesh *m, const struct inlet *in, u64 t) {
    u32 depth = m->c.mesh_buffer;
    if (in->entered < depth) return true;
    return in->left > in->entered - depth && in->freed[in->entered % depth] + m->c.mesh_link_cy <= t;
}

static void put_flit(struct mesh *m, struct net *n, u32 node, struct inlet *in, u32 packet, bool first, bool last, u64 t) {
    u64 ready = t + m->c.mesh_link_cy + m->c.mesh_router_cy;
    in->at[in->entered++ % m->c.mesh_buffer] = (struct flit){ready, packet, first, last};
    n->busy[node / 64] |= 1ull << node % 64;
    n->inside++;
}

/* A packet of an SM has entered its router: the SM may send another */
static void give_credit(struct mesh *m, const struct message *x, u64 t) {
    struct mresp credit = {.cycle = cycles_before(t * m->clk.noc, &m->clk.by.core) + m->c.credit_cy, .kind = MRESP_CREDIT};
    tell_credit(m->parts[x->partition], x->sm, credit);
}

/* One flit from in front of the router into it */
static void enter(struct mesh *m, u32 net, u32 node, u64 t) {
    struct net *n = &m->net[net];
    struct source *s = &n->source[node];
    struct inlet *in = &n->at[node].in[PORT_OWN];
    u32 id = s->first;
    struct message *x = &m->message[id];
    if (x->start > t || !has_place(m, in, t)) return;
    x->entered++;
    bool last = x->entered == x->flits;
    put_flit(m, n, node, in, id, x->entered == 1, last, t);
    if (!last) return;
    s->first = x->next;
    n->queued--;
    if (s->first == NO_ID) n->waiting[node / 64] &= ~(1ull << node % 64);
    if (net == REQUESTS) give_credit(m, x, t);
}

/* Ticks a packet waited on its way: its last flit leaves the last router in cycle t */
static u64 waited(const struct mesh *m, const struct message *x, u64 t) {
    u64 hop = m->c.mesh_link_cy + m->c.mesh_router_cy;
    return (t - x->start - (x->links + 1) * hop - (x->flits - 1u)) * m->clk.noc;
}

static void deliver(struct mesh *m, u32 net, u32 id, u64 t) {
    struct message *x = &m->message[id];
    struct partition *p = m->parts[x->partition];
    u64 tick = t * m->clk.noc + m->noc_way;
    if (net == REQUESTS) {
        p->wait_in += waited(m, x, t);
        p->in_mesh--;
        noc_arrives(p, x->slice, (struct timed){.tick = tick, .id = x->packet, .flits = x->flits});
    } else {
        p->wait_out += waited(m, x, t);
        x->response.cycle = cycles_before(tick, &m->clk.by.core);
        tell_response(p, x->sm, x->response);
    }
    message_free(m, id);
}

/* A place for this flit behind the output; of a slice's queue it is taken here, with the first flit */
static bool obtain_place(struct mesh *m, u32 net, u32 node, enum port out, const struct flit *f, u64 t) {
    if (out != PORT_OWN) return has_place(m, beyond(m, &m->net[net], node, out), t);
    if (net == ANSWERS || !f->first) return true;
    const struct message *x = &m->message[f->packet];
    return noc_grant(m->parts[x->partition], x->slice);
}

static void move(struct mesh *m, u32 net, u32 node, u32 from, enum port out, u64 t) {
    struct net *n = &m->net[net];
    struct router *r = &n->at[node];
    struct inlet *in = &r->in[from];
    struct outlet *o = &r->out[out];
    u64 at = in->left % m->c.mesh_buffer;
    struct flit f = in->at[at];
    in->freed[at] = t;
    in->left++;
    n->inside--;
    o->flits++;
    o->taken = f.last ? NOBODY : (i32)from;
    if (f.last) o->turn = (from + 1) % PORTS;
    if (out == PORT_OWN) {
        if (f.last) deliver(m, net, f.packet, t);
        return;
    }
    m->parts[m->message[f.packet].partition]->stats.mesh_hops++;
    m->peak = MAX(m->peak, o->flits);
    put_flit(m, n, neighbour(m, node, out), beyond(m, n, node, out), f.packet, f.first, f.last, t);
}

/* The input whose flit goes through an output in this cycle, if it may: who has taken it, or the next in turn
 * */
static i32 choose(const struct outlet *o, u32 wants) {
    if (o->taken != NOBODY) return wants >> o->taken & 1 ? o->taken : NOBODY;
    for (u32 i = 0; i < PORTS; i++) {
        u32 from = (o->turn + i) % PORTS;
        if (wants >> from & 1) return (i32)from;
    }
    return NOBODY;
}

static struct flit *front(const struct mesh *m, const struct inlet *in) {
    return in->left == in->entered ? NULL : &in->at[in->left % m->c.mesh_buffer];
}

static void run_router(struct mesh *m, u32 net, u32 node, u64 t) {
    struct router *r = &m->net[net].at[node];
    u8 wants[PORTS] = {0};
    for (u32 i = 0; i < PORTS; i++) {
        const struct flit *f = front(m, &r->in[i]);
        if (f && f->ready <= t) wants[route(m, node, m->message[f->packet].node)] |= (u8)(1u << i);
    }
    for (u32 out = 0; out < PORTS; out++) {
        i32 from = wants[out] ? choose(&r->out[out], wants[out]) : NOBODY;
        if (from == NOBODY || !obtain_place(m, net, node, (enum port)out, front(m, &r->in[from]), t)) continue;
        move(m, net, node, (u32)from, (enum port)out, t);
    }
}

/* The next cycle after t in which a flit of the router may leave; clears the router's bit when it has none */
static u64 router_next(const struct mesh *m, struct net *n, u32 node, u64 t) {
    u64 next = NEVER;
    for (u32 i = 0; i < PORTS; i++) {
        const struct flit *f = front(m, &n->at[node].in[i]);
        if (f) next = MIN(next, MAX(f->ready, t + 1));
    }
    if (next == NEVER) n->busy[node / 64] &= ~(1ull << node % 64);
    return next;
}

static u64 net_next(const struct mesh *m, struct net *n, u64 t) {
    u64 next = NEVER;
    for (u32 w = 0; w < m->words; w++) {
        for (u64 b = n->busy[w]; b; b &= b - 1) {
            u64 at = router_next(m, n, w * 64 + (u32)__builtin_ctzll(b), t);
            next = MIN(next, at);
        }
        for (u64 b = n->waiting[w]; b; b &= b - 1) {
            u64 start = m->message[n->source[w * 64 + (u32)__builtin_ctzll(b)].first].start;
            next = MIN(next, MAX(start, t + 1));
        }
    }
    return next;
}

/* Flits that enter or move in this cycle can move again from the next on, so nothing here sees another's move
 * */
static void run_cycle(struct mesh *m, u64 t) {
    m->next = NEVER;
    for (u32 i = 0; i < NETS; i++) {
        struct net *n = &m->net[i];
        for (u32 w = 0; w < m->words && n->inside; w++)
            for (u64 b = n->busy[w]; b; b &= b - 1) run_router(m, i, w * 64 + (u32)__builtin_ctzll(b), t);
        for (u32 w = 0; w < m->words && n->queued; w++)
            for (u64 b = n->waiting[w]; b; b &= b - 1) enter(m, i, w * 64 + (u32)__builtin_ctzll(b), t);
    }
    for (u32 i = 0; i < NETS; i++)
        if (m->net[i].inside || m->net[i].queued) {
            u64 next = net_next(m, &m->net[i], t);
            m->next = MIN(m->next, next);
        }
}

/* --- a window */

/* An SM's packets of the window in order of (cycle, partition, place in the outbox) */
static void collect_sm(struct mesh *m, u32 sm, u64 to, const struct outbox *const *const *outs) {
    m->sorted.n = 0;
    for (u32 k = 0; k < m->c.partitions; k++)
        for (u32 i = 0; i < outs[k][sm]->at.n && outs[k][sm]->at.at[i].cycle < to; i++) {
            const struct mreq *r = &outs[k][sm]->at.at[i];
            VEC_PUSH(&m->sorted, r);
            u32 at = m->sorted.n - 1;
            for (; at && m->sorted.at[at - 1]->cycle > r->cycle; at--) m->sorted.at[at] = m->sorted.at[at - 1];
            m->sorted.at[at] = r;
        }
    for (u32 i = 0; i < m->sorted.n; i++) send_request(m, m->sorted.at[i], map_slice(&m->c, m->sorted.at[i]->line) / m->c.slices);
}

static u64 mesh_tick(const struct mesh *m) { return m->next == NEVER ? NEVER : m->next * m->clk.noc; }

void mesh_run(struct mesh *m, u64 from, u64 to, const struct outbox *const *const *outs, struct inbox *const *in) {
    u32 n = m->c.partitions;
    for (u32 k = 0; k < n; k++) partition_begin(m->parts[k], from, to, in[k]);
    for (u32 i = 0; i < m->c.sms; i++) collect_sm(m, i, to, outs);
    for (u64 end = to * m->clk.core;;) {
        u64 t = mesh_tick(m);
        for (u32 k = 0; k < n; k++) t = MIN(t, partition_tick(m->parts[k]));
        if (t >= end) break;
        for (u32 k = 0; k < n; k++)
            if (partition_tick(m->parts[k]) == t) partition_step(m->parts[k], t);
        if (mesh_tick(m) == t) run_cycle(m, t / m->clk.noc);
    }
    m->parts[0]->stats.mesh_link_peak = m->peak;
    for (u32 k = 0; k < n; k++) partition_end(m->parts[k], to);
}

u64 mesh_next(const struct mesh *m, u64 now) {
    u64 t = mesh_tick(m);
    return t == NEVER ? NEVER : MAX(t / m->clk.core, now);
}

void mesh_stats_reset(struct mesh *m) {
    m->peak = 0;
    for (u32 i = 0; i < NETS; i++)
        for (u32 k = 0; k < m->nodes; k++)
            for (u32 p = 0; p < PORTS; p++) m->net[i].at[k].out[p].flits = 0;
}

u32 mesh_links(const struct config *c) {
    u32 w = c->mesh_width, h = c->mesh_height;
    return NETS * 2 * ((w - 1) * h + (h - 1) * w);
}

/* --- invariants */

static void check_output(const struct mesh *m, const struct router *r, u32 node, u32 out) {
    if (r->out[out].taken == NOBODY) return;
    const struct flit *f = front(m, &r->in[r->out[out].taken]);
    CHECK(!f || (!f->first && route(m, node, m->message[f->packet].node) == out)); /* M2 */
}

static u64 check_router(const struct mesh *m, const struct router *r, u32 node) {
    u64 inside = 0;
    for (u32 p = 0; p < PORTS; p++) {
        const struct inlet *in = &r->in[p];
        CHECK(in->left <= in->entered && in->entered - in->left <= m->c.mesh_buffer); /* M1 */
        inside += in->entered - in->left;
        check_output(m, r, node, p);
    }
    return inside;
}

void mesh_check(const struct mesh *m) {
    u64 all = 0;
    for (u32 i = 0; i < NETS; i++) {
        const struct net *n = &m->net[i];
        u64 inside = 0;
        for (u32 k = 0; k < m->nodes; k++) {
            u64 here = check_router(m, &n->at[k], k);
            CHECK(!here || n->busy[k / 64] >> k % 64 & 1);
            CHECK((n->source[k].first != NO_ID) == (n->waiting[k / 64] >> k % 64 & 1));
            inside += here;
        }
        CHECK(inside == n->inside); /* M3 */
        all += inside + n->queued;
    }
    CHECK((all != 0) == (m->next != NEVER)); /* M4 */
}

void mesh_waits(const struct mesh *m, struct strbuf *out) {
    static const char *const names[NETS] = {"requests", "answers"};
    for (u32 i = 0; i < NETS; i++)
        if (m->net[i].inside || m->net[i].queued)
            strbuf_add(out, "  mesh, %s: %llu flits in routers, %llu packets in front of them\n", names[i],
                       (unsigned long long)m->net[i].inside, (unsigned long long)m->net[i].queued);
}
