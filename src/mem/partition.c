/* partition: L2 slices and their DRAM channel, an island (D4): runs windows of core cycles from outboxes to
 * inboxes.
 *
 * Time: a packet stamped with core cycle c is in the network at tick c * core. Whatever happens at tick t
 * belongs to core cycle t / core, rounded down, for the question which window it is in, and carries t / core,
 * rounded up, as its stamp. Each clock acts at multiples of its period only.
 *
 * Order, fixed: packets by (cycle, SM, place in the outbox). Units that act in the same tick by stage
 * (partition.h), then slice. In an inbox by cycle, credits before packets; each of the two kinds rises in
 * cycle over all windows.
 *
 * Invariants, walked by partition_check:
 *  1. Nothing is scheduled before `now`.
 *  2. Every packet in use is in exactly one place: in the network, in a queue (and then perhaps waiting too,
 *     for those of its lines already looked at), waiting at an MSHR, or on its way out.
 *  3. A port or slice has something scheduled exactly when it has something to do.
 *  4. The first turn of a stage is the earliest of its slices', and `busy` has those that have one;
 *     `nblocked` counts the slices that wait. */
#include "mem/partition.h"

#include <stdlib.h>

void ring_grow(struct ring *r) {
    u32 cap = r->cap ? r->cap * 2 : 16;
    struct timed *at = base_alloc((size_t)cap * sizeof(*at));
    for (u32 i = 0; i < r->n; i++) at[i] = ring_at(r, i);
    free(r->at);
    r->at = at;
    r->cap = cap;
    r->head = 0;
}

/* --- birth and death */

static struct turns no_turns(void) {
    struct turns u = {.first = NEVER};
    for (u32 s = 0; s < MAX_SLICES; s++) u.at[s] = NEVER;
    return u;
}

struct partition *partition_new(const struct config *c, u32 index) {
    struct partition *p = base_alloc(sizeof(*p));
    p->c = *c;
    p->clk = clocks_of(c);
    p->index = index;
    p->free_packet = NO_ID;
    p->line_pieces = c->l2_line_b / PIECE_B;
    u32 sector_pieces = MIN(c->l2_sector_b, c->l2_line_b) / PIECE_B;
    for (u32 m = 0; m < ARRAY_LEN(p->sectors_of); m++)
        for (u32 i = 0; i < 4; i++) {
            if (!(m >> i & 1)) continue;
            p->sectors_of[m] |= (u8)(1u << i / sector_pieces);
            p->bits_of[m]++;
        }
    p->noc_way = (u64)c->noc_cy * p->clk.noc;
    p->l2_way = (u64)c->l2_cy * p->clk.l2;
    p->in_turns = p->l2_turns = p->out_turns = no_turns();
    p->data_at = p->command_at = NEVER;
    p->slice = base_alloc((size_t)c->slices * sizeof(*p->slice));
    for (u32 s = 0; s < c->slices; s++) l2_init(p, s);
    dram_init(p);
    p->credits = base_alloc((size_t)c->sms * sizeof(*p->credits));
    p->told = base_alloc((size_t)c->sms * sizeof(*p->told));
    return p;
}

void partition_free(struct partition *p) {
    if (!p) return;
    for (u32 s = 0; s < p->c.slices; s++) l2_free(&p->slice[s]);
    for (u32 i = 0; i < p->c.sms; i++) free(p->credits[i].at.at);
    dram_free(&p->channel);
    free(p->slice);
    free(p->credits);
    free(p->told);
    free(p->packet);
    free(p->performed.at);
    free(p->bucket.at);
    free(p->sorted.at);
    free(p);
}

/* --- a window */

/* Packets of the window: how many, and their cycles */
static u32 survey(u64 to, const struct outbox *const *outs, u32 nouts, u64 *first, u64 *last) {
    u32 n = 0;
    *first = NEVER, *last = 0;
    for (u32 box = 0; box < nouts; box++) {
        const struct outbox *o = outs[box];
        if (!o->at.n || o->at.at[0].cycle >= to) continue;
        u32 k = o->at.n;
        while (o->at.at[k - 1].cycle >= to) k--;
        n += k;
        *first = MIN(*first, o->at.at[0].cycle);
        *last = MAX(*last, o->at.at[k - 1].cycle);
    }
    return n;
}

/* Counting sort by cycle; what comes first by SM and place stays first */
static void sort(struct partition *p, u64 to, const struct outbox *const *outs, u32 nouts, u64 first, u32 range) {
    memset(p->bucket.at, 0, (range + 1) * sizeof(*p->bucket.at));
    for (u32 box = 0; box < nouts; box++)
        for (u32 i = 0; i < outs[box]->at.n && outs[box]->at.at[i].cycle < to; i++)
            p->bucket.at[outs[box]->at.at[i].cycle - first + 1]++;
    for (u32 i = 1; i <= range; i++) p->bucket.at[i] += p->bucket.at[i - 1];
    for (u32 box = 0; box < nouts; box++)
        for (u32 i = 0; i < outs[box]->at.n && outs[box]->at.at[i].cycle < to; i++)
            p->sorted.at[p->bucket.at[outs[box]->at.at[i].cycle - first]++] = &outs[box]->at.at[i];
}

#define ROOM(v, want)                                                                                                            \
    do {                                                                                                                         \
        if ((v)->cap < (want)) (v)->at = base_realloc((v)->at, (size_t)((v)->cap = (want) * 2) * sizeof(*(v)->at));              \
    } while (0)

static void collect(struct partition *p, u64 from, u64 to, const struct outbox *const *outs, u32 nouts) {
    u64 first, last;
    u32 n = survey(to, outs, nouts, &first, &last);
    if (!n) return;
    CHECK(first >= from && last - first < UINT32_MAX / 8);
    if (nouts == 1) {
        for (u32 i = 0; i < n; i++) noc_send(p, &outs[0]->at.at[i]);
        return;
    }
    u32 range = (u32)(last - first) + 1;
    ROOM(&p->bucket, range + 1);
    ROOM(&p->sorted, n);
    sort(p, to, outs, nouts, first, range);
    for (u32 i = 0; i < n; i++) noc_send(p, p->sorted.at[i]);
}

static u64 next_tick(const struct partition *p) {
    u64 t = MIN(MIN(p->in_turns.first, p->l2_turns.first), p->out_turns.first);
    return MIN(t, MIN(p->data_at, p->command_at));
}

/* A stage at tick t: each of its slices whose turn that is. One may bring another, and `first`, forward */
static inline void step_slices(struct partition *p, struct turns *u, u64 t, void (*act)(struct partition *p, u32 s, u64 t)) {
    if (u->first != t) return;
    u->first = NEVER;
    for (u32 rest = u->busy; rest;) {
        u32 s = (u32)__builtin_ctz(rest);
        if (u->at[s] == t) act(p, s, t);
        sooner(&u->first, u->at[s]);
        rest = u->busy & ~((2u << s) - 1);
    }
}

void partition_step(struct partition *p, u64 t) {
    step_slices(p, &p->in_turns, t, noc_in);
    if (p->data_at == t) dram_data(p, t);
    step_slices(p, &p->l2_turns, t, l2_step);
    if (p->command_at == t) dram_command(p, t);
    step_slices(p, &p->out_turns, t, noc_out);
}

/* Counters that count time: when somebody wants them */
static void charge(struct partition *p) {
    u64 begin = p->charged * p->clk.core, end = p->now * p->clk.core;
    p->charged = p->now;
    p->stats.l2_cycles += (cycles_before(end, &p->clk.by.l2) - cycles_before(begin, &p->clk.by.l2)) * p->c.slices;
    p->stats.dram_cycles += cycles_before(end, &p->clk.by.dram) - cycles_before(begin, &p->clk.by.dram);
    p->stats.noc_wait_in = periods_in(p->wait_in, &p->clk.by.core);
    p->stats.noc_wait_out = periods_in(p->wait_out, &p->clk.by.core);
    for (u32 s = 0; p->nblocked && s < p->c.slices; s++) l2_charge(p, s, end);
    dram_charge(p, end);
}

/* Credits into an inbox that has its packets, from the back, so that each message moves once */
static void merge_credits(struct inbox *in, struct inbox *credits) {
    u32 packets = in->at.n, left = credits->at.n;
    if (!left) return;
    ROOM(&in->at, packets + left);
    in->at.n = packets + left;
    for (u32 i = in->at.n; left;) {
        if (packets && in->at.at[packets - 1].cycle >= credits->at.at[left - 1].cycle) in->at.at[--i] = in->at.at[--packets];
        else in->at.at[--i] = credits->at.at[--left];
    }
    credits->at.n = 0;
}

void partition_begin(struct partition *p, u64 from, u64 to, struct inbox *in) {
    CHECK(from >= p->now && to >= from);
    p->performed.n = 0;
    if (in == p->in)
        for (u32 i = 0; i < p->ntold; i++) in[p->told[i]].at.n = 0;
    else
        for (u32 sm = 0; sm < p->c.sms; sm++) in[sm].at.n = 0;
    p->in = in;
    p->ntold = 0;
}

void partition_end(struct partition *p, u64 to) {
    p->now = to;
    for (u32 i = 0; i < p->ntold; i++) merge_credits(&p->in[p->told[i]], &p->credits[p->told[i]]);
}

u64 partition_tick(const struct partition *p) { return next_tick(p); }

void partition_run(struct partition *p, u64 from, u64 to, const struct outbox *const *outs, u32 nouts, struct inbox *in) {
    partition_begin(p, from, to, in);
    if (nouts) collect(p, from, to, outs, nouts);
    u64 end = to * p->clk.core;
    for (u64 t; (t = next_tick(p)) < end;) partition_step(p, t);
    partition_end(p, to);
}

/* --- what others ask */

u32 partition_told(const struct partition *p, const u16 **sms) {
    *sms = p->told;
    return p->ntold;
}

u32 partition_performed(const struct partition *p, const struct performed **at) {
    *at = p->performed.at;
    return p->performed.n;
}

u64 partition_next(const struct partition *p, u64 now) {
    u64 t = next_tick(p);
    return t == NEVER ? NEVER : MAX(periods_in(t, &p->clk.by.core), now);
}

void partition_flush(struct partition *p) {
    CHECK(next_tick(p) == NEVER);
    for (u32 s = 0; s < p->c.slices; s++) tags_clear(&p->slice[s].tags);
}

void partition_put(struct partition *p, struct place at) {
    struct tags *t = &p->slice[at.slice % p->c.slices].tags;
    u64 line = at.inside & ~(u64)(p->c.l2_line_b - 1);
    u32 way;
    struct victim v;
    CHECK(next_tick(p) == NEVER);
    tags_insert(t, line, (1u << p->c.l2_line_b / p->c.l2_sector_b) - 1, &way, &v);
}

void partition_warm(struct partition *p, struct place at, u32 pieces, bool write) {
    struct tags *t = &p->slice[at.slice % p->c.slices].tags;
    u64 line = at.inside & ~(u64)(p->c.l2_line_b - 1);
    u32 way, sectors = p->sectors_of[pieces];
    struct victim v;
    if (p->c.l2_ideal || !tags_insert(t, line, 0, &way, &v)) return; /* all ways wait for fetches */
    sectors &= ~(u32)t->pending[way];
    t->valid[way] |= (u8)sectors;
    if (write) t->dirty[way] |= (u8)sectors;
}

void partition_mark(struct partition *p) {
    for (u32 s = 0; s < p->c.slices; s++) p->slice[s].mark = p->slice[s].tags.clock;
}

u64 partition_lines(const struct partition *p) { return (u64)p->c.slices * p->c.l2_sets * p->c.l2_ways; }

u64 partition_old_lines(const struct partition *p) {
    u64 n = 0, each = (u64)p->c.l2_sets * p->c.l2_ways;
    for (u32 s = 0; s < p->c.slices; s++)
        for (u64 i = 0; i < each; i++) n += p->slice[s].tags.stamp[i] <= p->slice[s].mark;
    return n;
}

const struct mem_stats *partition_stats(struct partition *p) {
    charge(p);
    return &p->stats;
}

void partition_stats_reset(struct partition *p) {
    charge(p);
    p->stats = (struct mem_stats){0};
    p->wait_in = p->wait_out = 0;
}

/* --- invariants */

static u32 packets_in_use(const struct partition *p) {
    u32 spare = 0;
    for (u32 i = p->free_packet; i != NO_ID; i = p->packet[i].next_free) CHECK(++spare <= p->packets);
    return p->packets - spare;
}

/* Packets of a slice that are somewhere, a packet whose lines were all looked at and that waits for several
 * of them counted once */
static u32 packets_of_slice(const struct partition *p, const struct slice *l) {
    u32 n = l->coming.n + l->queue.n + l->hits.n + l->refills.n, waiters;
    u64 line;
    for (u32 e = 0; e < p->c.l2_mshrs; e++) {
        if (!mshr_get(l->mshr, e, &line, l->tokens, &waiters)) continue;
        for (u32 i = 0; i < waiters; i++) {
            const struct packet *k = &p->packet[l->tokens[i]];
            CHECK(k->left);
            n += !k->todo && k->left == 1;
        }
    }
    return n;
}

static void turns_check(const struct turns *u) {
    u64 first = NEVER;
    for (u32 s = 0; s < MAX_SLICES; s++) {
        first = MIN(first, u->at[s]);
        CHECK((u->busy >> s & 1) == (u->at[s] != NEVER));
    }
    CHECK(u->first == first);
}

void partition_check(const struct partition *p) {
    CHECK(next_tick(p) >= p->now * p->clk.core);                                      /* 1 */
    turns_check(&p->in_turns), turns_check(&p->l2_turns), turns_check(&p->out_turns); /* 4 */
    u32 nblocked = 0;
    u32 found = p->in_mesh, in_use = packets_in_use(p), split = 0;
    for (u32 s = 0; s < p->c.slices; s++) {
        const struct slice *l = &p->slice[s];
        l2_check(p, s);
        nblocked += l->blocked != BLOCK_NONE;
        found += packets_of_slice(p, l);
        bool may_enter = l->coming.n && (p->c.noc_ideal || p->mesh || l->queue.n < p->c.l2_queue);
        CHECK(may_enter == (p->in_turns.at[s] != NEVER)); /* 3 */
        CHECK((l->hits.n || l->refills.n) == (p->out_turns.at[s] != NEVER));
        CHECK(p->l2_turns.at[s] == MIN(l->take, MIN(ring_tick(&l->fills), ring_tick(&l->performing))));
    }
    for (u32 i = 0; i < p->packets; i++) split += p->packet[i].left > 1 && !p->packet[i].todo;
    CHECK(found + split == in_use); /* 2 */
    CHECK(nblocked == p->nblocked); /* 4 */
    dram_check(p);
}

/* --- a report for deadlocks */

static const char *const kind_names[MREQ_KINDS] = {"read", "write", "atomic", "reduction"};
static const char *const blocked_names[] = {"nothing", "an MSHR", "a way of its set", "room in the DRAM queue"};
enum { WAITS_SHOWN = 8 };

static void show_ring(const struct partition *p, const struct ring *r, const char *where, struct strbuf *out) {
    for (u32 i = 0; i < r->n && i < WAITS_SHOWN; i++) {
        const struct packet *k = &p->packet[ring_at(r, i).id];
        strbuf_add(out, "    %s: %s of SM %u, token %u, line 0x%llx inside the slice, since core cycle %llu\n", where,
                   kind_names[k->kind], k->sm, k->token, (unsigned long long)k->base,
                   (unsigned long long)(ring_at(r, i).tick / p->clk.core));
    }
    if (r->n > WAITS_SHOWN) strbuf_add(out, "    %s: %u more\n", where, r->n - WAITS_SHOWN);
}

static void show_mshrs(const struct partition *p, const struct slice *l, struct strbuf *out) {
    u32 shown = 0, n;
    u64 line;
    for (u32 e = 0; e < p->c.l2_mshrs && shown < WAITS_SHOWN; e++) {
        if (!mshr_get(l->mshr, e, &line, l->tokens, &n)) continue;
        strbuf_add(out, "    outstanding: line 0x%llx, %u waiting", (unsigned long long)line, n);
        if (n) strbuf_add(out, ", the first a %s of SM %u", kind_names[p->packet[l->tokens[0]].kind], p->packet[l->tokens[0]].sm);
        strbuf_add(out, "\n");
        shown++;
    }
}

void partition_waits(const struct partition *p, struct strbuf *out) {
    for (u32 s = 0; s < p->c.slices; s++) {
        const struct slice *l = &p->slice[s];
        u32 out_n = l->hits.n + l->refills.n;
        if (!l->coming.n && !l->queue.n && !mshr_used(l->mshr) && !out_n) continue;
        strbuf_add(
            out,
            "  partition %u slice %u: %u in the network, %u queued (the first waits for %s), %u lines outstanding, %u answers\n",
            p->index, s, l->coming.n, l->queue.n, blocked_names[l->blocked], mshr_used(l->mshr), out_n);
        show_ring(p, &l->coming, "in the network", out);
        show_ring(p, &l->queue, "queued", out);
        show_mshrs(p, l, out);
    }
    const struct channel *d = &p->channel;
    if (d->used || d->back.n)
        strbuf_add(out, "  partition %u DRAM: %u bursts queued, %u fetches on their way back\n", p->index, d->used, d->back.n);
}
