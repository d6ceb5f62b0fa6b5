/* noc: the crossbar between SMs and L2 slices, as the ports on the slices' side. Latency is paid on the way,
 * bandwidth at the ports. With noc.kind = mesh (31_mesh.c) packets come out of the mesh and answers go into
 * it: the slices' ports then take what comes, since the mesh gave it a place before, and let out what is
 * ready.
 *
 * To the slices: an SM has a queue per slice, so that packets for one slice never wait behind those for
 * another; the SM models its own port and stamps a packet with the cycle in which its first flit leaves.
 * noc.latency_cy later that flit stands at the slice's port, and the others have followed `flits` - 1 cycles
 * after it. The port lets packets in by (cycle, SM, order in the outbox), one flit a cycle: a packet is
 * through `flits` cycles after the one before it at the earliest, and only when the slice's queue has room.
 * At that moment a credit starts its way back. A place the slice frees in a tick can be used from the next
 * noc edge. With noc.arbiter = lowest the port, when it is free and the queue has room, takes the packet of
 * the SM with the lowest number among those whose first flit has come, and keeps to it until it is through:
 * under load SMs get unequal shares. Packets of one SM keep their order.
 *
 * From the slices: answers leave one flit a cycle, those that were ready first first, refills before hits at
 * equal times. A response carries the cycle in which its first flit stands at the SM's port.
 *
 * With noc.ideal ports move any number of packets at once and the slice's queue has no end.
 *
 * Not modelled: switch arbitration inside the crossbar, and virtual channels beyond the two directions. */
#include "mem/partition.h"

u32 noc_flits(const struct config *c, u32 data_b) {
    return MAX((u32)fast_div(c->noc_header_b + data_b + c->flit_b - 1, c->flit_b), 1u);
}

/* --- packets */

static void packets_grow(struct partition *p) {
    u32 n = p->packets ? p->packets * 2 : 64;
    p->packet = base_realloc(p->packet, (size_t)n * sizeof(*p->packet));
    for (u32 i = n; i-- > p->packets;) {
        p->packet[i] = (struct packet){.next_free = p->free_packet};
        p->free_packet = i;
    }
    p->packets = n;
}

static u32 packet_new(struct partition *p) {
    if (p->free_packet == NO_ID) packets_grow(p);
    u32 id = p->free_packet;
    p->free_packet = p->packet[id].next_free;
    return id;
}

void packet_free(struct partition *p, u32 id) {
    p->packet[id].left = 0;
    p->packet[id].next_free = p->free_packet;
    p->free_packet = id;
}

static u8 count_lines(const struct partition *p, u32 pieces) {
    u8 n = 0;
    for (; pieces; pieces >>= p->line_pieces) n += (pieces & ((1u << p->line_pieces) - 1)) != 0;
    return n;
}

/* --- to the slices */

/* Tick at which the port can have let a packet in: not before it has arrived, nor before its flits have
 * followed those of the last */
static u64 through_at(const struct partition *p, const struct slice *l, struct timed one) {
    if (p->c.noc_ideal || p->mesh) return one.tick;
    return (u64)MAX((i64)one.tick, l->taken + (i64)one.flits * p->clk.noc);
}

/* Tick at which the port can have its first flit */
static u64 begun_at(const struct partition *p, const struct slice *l, struct timed one) {
    return through_at(p, l, one) - (u64)(one.flits - 1) * p->clk.noc;
}

/* The first packet has to be chosen before its flits go through the port */
static bool awaits_choice(const struct partition *p, const struct slice *l) {
    return p->c.noc_arbiter == ARBITER_LOWEST && !l->chosen;
}

/* When the first packet is through, or the port is to choose, when there is room. Packets are in order of
 * their first flits until one is chosen, so that nobody can begin before the first. */
static u64 in_next(const struct partition *p, const struct slice *l) {
    if (!l->coming.n) return NEVER;
    if (!p->c.noc_ideal && !p->mesh && l->queue.n >= p->c.l2_queue) return NEVER;
    return (awaits_choice(p, l) ? begun_at : through_at)(p, l, ring_first(&l->coming));
}

/* noc.arbiter = lowest: of those that can have begun the packet of the lowest SM, its first, comes to the
 * front. It has room, which nobody else can take, so the choice holds until it is let in. */
static void choose_lowest(struct partition *p, struct slice *l, u64 t) {
    struct ring *r = &l->coming;
    u32 best = 0;
    for (u32 i = 1; i < r->n; i++)
        if (p->packet[ring_at(r, i).id].sm < p->packet[ring_at(r, best).id].sm && begun_at(p, l, ring_at(r, i)) <= t) best = i;
    struct timed chosen = ring_at(r, best);
    for (u32 i = best; i; i--) r->at[(r->head + i) & (r->cap - 1)] = ring_at(r, i - 1);
    r->at[r->head] = chosen;
    l->chosen = true;
}

u32 noc_packet(struct partition *p, const struct mreq *m, u32 *slice) {
    struct place where = map_place_of(&p->c, m->sm, m->line);
    u32 s = where.slice - p->index * p->c.slices, id = packet_new(p);
    CHECK(s < p->c.slices && m->sm < p->c.sms && m->sectors);
    u64 base = where.inside & ~(u64)(p->c.l2_line_b - 1);
    u32 pieces = m->sectors << (where.inside - base) / PIECE_B;
    CHECK(pieces < ARRAY_LEN(p->bits_of));
    p->packet[id] = (struct packet){
        .base = base,
        .atomic = m->atomic,
        .token = m->token,
        .sm = m->sm,
        .data_b = m->data_b,
        .kind = m->kind,
        .same = (u8)MAX(m->same, 1),
        .pieces = (u8)pieces,
        .todo = (u8)pieces,
        .left = count_lines(p, pieces),
        .hit = 1,
    };
    *slice = s;
    return id;
}

void noc_arrives(struct partition *p, u32 s, struct timed packet) {
    struct slice *l = &p->slice[s];
    ring_put(&l->coming, packet);
    if (l->coming.n > 1) return;
    turns_set(&p->in_turns, s, in_next(p, l));
}

void noc_send(struct partition *p, const struct mreq *m) {
    u32 s, id = noc_packet(p, m, &s), flits = noc_flits(&p->c, m->data_b);
    u64 arrival =
        edge_at(m->cycle * p->clk.core, &p->clk.by.noc) + p->noc_way + (p->c.noc_ideal ? 0 : (u64)(flits - 1) * p->clk.noc);
    noc_arrives(p, s, (struct timed){.tick = arrival, .id = id, .flits = flits});
}

bool noc_grant(struct partition *p, u32 s) {
    struct slice *l = &p->slice[s];
    if (l->queue.n + l->granted >= p->c.l2_queue) return false;
    l->granted++;
    return true;
}

static void let_in(struct partition *p, u32 s, u64 t) {
    struct slice *l = &p->slice[s];
    struct timed first = ring_first(&l->coming);
    const struct packet *k = &p->packet[first.id];
    ring_pop(&l->coming);
    ring_push(&l->queue, t, first.id);
    l->taken = (i64)t;
    l->chosen = false;
    p->wait_in += t - first.tick;
    p->stats.noc_packets_in++;
    p->stats.noc_flits_in += first.flits;
    if (p->mesh) {
        l->granted--; /* its credit went back when it entered the mesh */
        return;
    }
    struct mresp credit = {.cycle = cycles_before(t, &p->clk.by.core) + p->c.credit_cy, .token = k->token, .kind = MRESP_CREDIT};
    tell_credit(p, k->sm, credit);
}

void noc_in(struct partition *p, u32 s, u64 t) {
    struct slice *l = &p->slice[s];
    bool some = false;
    u64 next;
    do {
        if (awaits_choice(p, l)) choose_lowest(p, l, t);
        if (through_at(p, l, ring_first(&l->coming)) > t) continue;
        let_in(p, s, t);
        some = true;
    } while ((next = in_next(p, l)) == t);
    turns_set(&p->in_turns, s, next);
    if (some) l2_arrived(p, s, t);
}

void noc_in_wake(struct partition *p, u32 s, u64 t) {
    u64 next = in_next(p, &p->slice[s]);
    if (next != NEVER && next <= t) next = edge_after(t, &p->clk.by.noc);
    turns_set(&p->in_turns, s, next);
}

/* --- from the slices */

void noc_answer(struct partition *p, u32 s, struct ring *answers, u64 ready, u32 packet) {
    struct slice *l = &p->slice[s];
    u64 tick = edge_at(ready, &p->clk.by.noc);
    if (answers->n) tick = MAX(tick, ring_at(answers, answers->n - 1).tick);
    ring_push(answers, tick, packet);
    turns_sooner(&p->out_turns, s, MAX(tick, l->port_free));
}

static u16 answer_b(const struct partition *p, const struct packet *k) {
    switch (k->kind) {
    case MREQ_READ: return (u16)(p->bits_of[k->pieces] * PIECE_B);
    case MREQ_ATOMIC: return k->data_b;
    default: return 0;
    }
}

static void let_out(struct partition *p, struct slice *l, struct ring *answers, u64 t) {
    struct timed first = ring_first(answers);
    const struct packet *k = &p->packet[first.id];
    u32 data_b = answer_b(p, k), flits = noc_flits(&p->c, data_b);
    ring_pop(answers);
    if (!p->c.noc_ideal && !p->mesh) l->port_free = t + (u64)flits * p->clk.noc;
    p->wait_out += t - first.tick;
    p->stats.noc_packets_out++;
    p->stats.noc_flits_out += flits;
    struct mresp r = {
        .cycle = cycles_before(t + p->noc_way, &p->clk.by.core),
        .token = k->token,
        .data_b = (u16)data_b,
        .kind = k->kind == MREQ_READ || k->kind == MREQ_ATOMIC ? MRESP_DATA : MRESP_ACK,
        .hit = k->hit,
    };
    if (p->mesh) mesh_answer(p->mesh, p, k->sm, &r, t);
    else tell_response(p, k->sm, r);
    packet_free(p, first.id);
}

void noc_out(struct partition *p, u32 s, u64 t) {
    struct slice *l = &p->slice[s];
    u64 next;
    for (;;) {
        u64 hit = ring_tick(&l->hits), refill = ring_tick(&l->refills);
        next = MIN(hit, refill);
        if (next > t || l->port_free > t) break;
        let_out(p, l, refill <= hit ? &l->refills : &l->hits, t);
    }
    turns_set(&p->out_turns, s, next == NEVER ? NEVER : MAX(next, l->port_free));
}
