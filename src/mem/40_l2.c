/* l2: a slice of the L2 cache.
 *
 * Takes the packets of its queue in order, one access (one L2 line) every l2.interval_cy. A read, atomic or
 * reduction that finds its sectors is answered l2.latency_cy later. One that does not fetches the missing
 * ones, needing an MSHR (or room in the line's own), a way of its set when the line is absent, and room in
 * the channel's queue for the fetch and the victim's dirty sectors; while one of these is missing the whole
 * queue waits. Its answer leaves l2.latency_cy after the last sector it wants is here, as a hit's would.
 * Writes are write-back and bring whole sectors: these become valid and dirty without a fetch.
 *
 * Atomics: a packet keeps the slice busy l2.atomic_cy for each lane that meets others at the same address,
 * and is performed when the last of these begins; its answer follows l2.latency_cy after that. One that
 * missed is performed at the fill, after what waited before it, and is answered l2.latency_cy later.
 *
 * Within a tick: fills, then the queue, then what is performed.
 *
 * Not modelled: banks of the data array, bandwidth of fills and evictions, bytes within a sector.
 *
 * Invariants, walked by l2_check:
 *  1. A line has an MSHR exactly when it has pending sectors.
 *  2. Whatever a waiter wants of its line is valid or pending.
 *  3. The first of the queue is scheduled or blocked, or both when it was woken; an empty queue is neither.
 *  4. A slice is blocked for DRAM exactly when it stands in the channel's list of those who wait. */
#include "mem/partition.h"

#include <stdlib.h>

void l2_init(struct partition *p, u32 s) {
    const struct config *c = &p->c;
    struct slice *l = &p->slice[s];
    tags_init(&l->tags, c->l2_sets, c->l2_ways, c->l2_line_b, c->l2_sector_b, c->l2_replace == REPLACE_FIFO);
    l->mshr = mshr_new(c->l2_mshrs, c->l2_merge);
    l->tokens = base_alloc((size_t)c->l2_merge * sizeof(*l->tokens));
    l->take = NEVER;
    l->taken = INT64_MIN / 2;
}

void l2_free(struct slice *l) {
    tags_free(&l->tags);
    mshr_free(l->mshr);
    free(l->tokens);
    free(l->coming.at);
    free(l->queue.at);
    free(l->fills.at);
    free(l->performing.at);
    free(l->hits.at);
    free(l->refills.at);
}

static u64 cycles(const struct partition *p, u64 n) { return n * p->clk.l2; }

static u32 pieces_of_line(const struct partition *p, u32 nth) { return ((1u << p->line_pieces) - 1) << nth * p->line_pieces; }

u32 l2_sectors(const struct partition *p, const struct packet *k, u64 line) {
    u32 nth = (u32)(line - k->base) / p->c.l2_line_b;
    return p->sectors_of[(k->pieces & pieces_of_line(p, nth)) >> nth * p->line_pieces];
}

/* --- when it acts next */

static void schedule(struct partition *p, u32 s) {
    const struct slice *l = &p->slice[s];
    u64 next = MIN(l->take, ring_tick(&l->fills));
    turns_set(&p->l2_turns, s, MIN(next, ring_tick(&l->performing)));
}

static void schedule_take(const struct partition *p, struct slice *l, u64 tick) {
    l->take = edge_at(MAX(tick, l->free), &p->clk.by.l2);
}

void l2_arrived(struct partition *p, u32 s, u64 t) {
    struct slice *l = &p->slice[s];
    if (l->blocked || l->take != NEVER) return;
    schedule_take(p, l, t);
    turns_sooner(&p->l2_turns, s, l->take);
}

void l2_wake(struct partition *p, u32 s, u64 tick) {
    struct slice *l = &p->slice[s];
    if (!l->blocked) return;
    sooner(&l->take, edge_at(MAX(tick, l->free), &p->clk.by.l2));
    turns_sooner(&p->l2_turns, s, l->take);
}

void l2_charge(struct partition *p, u32 s, u64 end) {
    struct slice *l = &p->slice[s];
    if (!l->blocked || end <= l->blocked_since) return;
    u64 edge = edge_at(end, &p->clk.by.l2), n = periods_in(edge - l->blocked_since, &p->clk.by.l2);
    u64 *counters[] = {NULL, &p->stats.l2_mshr_full, &p->stats.l2_set_full, &p->stats.l2_dram_full};
    *counters[l->blocked] += n;
    l->blocked_since = edge;
}

/* --- accesses */

struct access {
    u64 line, t;
    u32 slice, packet, sectors;
};

/* One access of a packet is done; the last one answers */
static void done(struct partition *p, u32 s, u32 packet, u64 ready, bool refill) {
    struct slice *l = &p->slice[s];
    struct packet *k = &p->packet[packet];
    k->ready = MAX(k->ready, ready);
    if (refill) k->hit = 0;
    if (--k->left == 0) noc_answer(p, s, refill ? &l->refills : &l->hits, k->ready, packet);
}

/* Performs an atomic from `start` on, when the slice is free; returns the tick at which it is performed */
static u64 perform(struct partition *p, struct slice *l, u32 packet, u64 start) {
    const struct packet *k = &p->packet[packet];
    u64 each = cycles(p, p->c.l2_atomic_cy), at = start + each * (k->same - 1u);
    l->free = start + each * k->same;
    if (k->left == 1) ring_push(&l->performing, at, packet);
    return at;
}

static void hit(struct partition *p, const struct access *a, u32 at) {
    struct slice *l = &p->slice[a->slice];
    const struct packet *k = &p->packet[a->packet];
    u64 ready = a->t;
    if (!p->c.l2_ideal) tags_touch(&l->tags, at);
    if (k->kind >= MREQ_ATOMIC) {
        ready = perform(p, l, a->packet, a->t);
        if (l->free < a->t + cycles(p, p->c.l2_interval)) l->free = a->t + cycles(p, p->c.l2_interval);
        if (!p->c.l2_ideal) l->tags.dirty[at] |= (u8)a->sectors;
    }
    p->stats.l2_hits++;
    done(p, a->slice, a->packet, ready + p->l2_way, false);
}

/* The victim's dirty sectors go to the channel */
static void evict(struct partition *p, const struct access *a, const struct victim *v) {
    if (!v->had) return;
    p->stats.l2_evictions++;
    p->stats.l2_writebacks += p->bits_of[v->dirty];
    if (v->dirty) dram_write(p, a->slice, v->line, v->dirty, a->t);
}

static enum blocked write_line(struct partition *p, const struct access *a, enum tag_result found, u32 at) {
    struct slice *l = &p->slice[a->slice];
    if (found == TAG_MISS) {
        struct victim v;
        if (!tags_peek(&l->tags, a->line, &at, &v)) return BLOCK_SET;
        if (!dram_ask(&p->channel, a->slice, dram_room(&p->channel, v.dirty))) return BLOCK_DRAM;
        tags_take(&l->tags, a->line, at);
        evict(p, a, &v);
    } else {
        tags_touch(&l->tags, at);
    }
    l->tags.valid[at] |= (u8)a->sectors;
    l->tags.dirty[at] |= (u8)a->sectors;
    if (found == TAG_HIT) p->stats.l2_hits++;
    else p->stats.l2_validated++;
    done(p, a->slice, a->packet, a->t + p->l2_way, false);
    return BLOCK_NONE;
}

/* Fetches what is neither here nor on its way */
static enum blocked fetch(struct partition *p, const struct access *a, enum tag_result found, u32 at) {
    struct slice *l = &p->slice[a->slice];
    struct victim v = {0};
    u32 missing = a->sectors;
    if (found == TAG_SECTOR_MISS) missing &= ~(u32)(l->tags.valid[at] | l->tags.pending[at]);
    else if (!tags_peek(&l->tags, a->line, &at, &v)) return BLOCK_SET;
    u32 room = dram_room(&p->channel, missing) + dram_room(&p->channel, v.dirty);
    if (!dram_ask(&p->channel, a->slice, room)) return BLOCK_DRAM;
    if (found == TAG_SECTOR_MISS) tags_touch(&l->tags, at);
    else tags_take(&l->tags, a->line, at);
    l->tags.pending[at] |= (u8)missing;
    dram_read(p, a->slice, a->line, missing, a->t);
    evict(p, a, &v);
    return BLOCK_NONE;
}

static enum blocked miss(struct partition *p, const struct access *a, enum tag_result found, u32 at) {
    struct slice *l = &p->slice[a->slice];
    int entry = mshr_find(l->mshr, a->line);
    if (entry >= 0 ? !mshr_can_merge(l->mshr, entry) : mshr_full(l->mshr)) return BLOCK_MSHR;
    if (found == TAG_HIT_RESERVED) {
        tags_touch(&l->tags, at);
        p->stats.l2_merged++;
    } else {
        enum blocked why = fetch(p, a, found, at);
        if (why) return why;
        p->stats.l2_misses++;
    }
    if (entry < 0) entry = mshr_alloc(l->mshr, a->line);
    mshr_wait(l->mshr, entry, a->packet);
    return BLOCK_NONE;
}

static enum blocked access_line(struct partition *p, const struct access *a) {
    struct slice *l = &p->slice[a->slice];
    const struct packet *k = &p->packet[a->packet];
    bool is_write = k->kind == MREQ_WRITE;
    u32 at = 0;
    enum tag_result found = p->c.l2_ideal ? TAG_HIT : tags_look(&l->tags, a->line, a->sectors, &at);
    l->free = a->t + cycles(p, p->c.l2_interval);
    if (found == TAG_HIT && (!is_write || p->c.l2_ideal)) {
        hit(p, a, at);
        return BLOCK_NONE;
    }
    return is_write ? write_line(p, a, found, at) : miss(p, a, found, at);
}

/* --- the queue */

static void count_access(struct partition *p, u8 kind) {
    p->stats.l2_accesses++;
    p->stats.l2_reads += kind == MREQ_READ;
    p->stats.l2_writes += kind == MREQ_WRITE;
    p->stats.l2_atomics += kind >= MREQ_ATOMIC;
}

static void block(struct partition *p, u32 s, enum blocked why, u64 t) {
    struct slice *l = &p->slice[s];
    l->free = t;
    l->take = NEVER;
    l->blocked = why;
    l->blocked_since = t;
}

static void take(struct partition *p, u32 s, u64 t) {
    struct slice *l = &p->slice[s];
    u32 id = ring_first(&l->queue).id, nth = (u32)__builtin_ctz(p->packet[id].todo) / p->line_pieces;
    u64 line = p->packet[id].base + (u64)nth * p->c.l2_line_b;
    struct access a = {.line = line, .t = t, .slice = s, .packet = id, .sectors = l2_sectors(p, &p->packet[id], line)};
    u8 kind = p->packet[id].kind;
    l2_charge(p, s, t);
    enum blocked was = l->blocked, why = access_line(p, &a);
    p->nblocked = p->nblocked + (why != BLOCK_NONE) - (was != BLOCK_NONE);
    if (was == BLOCK_DRAM && why != BLOCK_DRAM) dram_wait_done(p, s, t);
    if (why) {
        block(p, s, why, t);
        return;
    }
    l->blocked = BLOCK_NONE;
    count_access(p, kind);
    p->stats.l2_busy += periods_in(l->free - t, &p->clk.by.l2);
    p->packet[id].todo &= (u8)~pieces_of_line(p, nth);
    if (!p->packet[id].todo) {
        ring_pop(&l->queue);
        if (p->in_turns.at[s] == NEVER) noc_in_wake(p, s, t);
    }
    l->take = NEVER;
    if (l->queue.n) schedule_take(p, l, t);
}

/* --- fills */

/* A waiter whose sectors are all here; returns the tick from which the next one is served */
static u64 serve(struct partition *p, u32 s, u32 at, u32 packet, u32 sectors, u64 t) {
    struct slice *l = &p->slice[s];
    if (p->packet[packet].kind == MREQ_READ) {
        done(p, s, packet, t + p->l2_way, true);
        return t;
    }
    u64 performed = perform(p, l, packet, MAX(t, l->free));
    p->stats.l2_busy += (u64)p->c.l2_atomic_cy * p->packet[packet].same;
    l->tags.dirty[at] |= (u8)sectors;
    done(p, s, packet, performed + p->l2_way, true);
    return l->free;
}

static void fill(struct partition *p, u32 s, u32 fetch_id, u64 t) {
    struct slice *l = &p->slice[s];
    u64 line = p->channel.fetch[fetch_id].line;
    u32 at = tags_fill(&l->tags, line, p->channel.fetch[fetch_id].sectors);
    dram_fetch_free(&p->channel, fetch_id);
    u32 n = mshr_done(l->mshr, mshr_find(l->mshr, line), l->tokens);
    int again = l->tags.pending[at] ? mshr_alloc(l->mshr, line) : -1;
    for (u32 i = 0; i < n; i++) {
        u32 packet = l->tokens[i], sectors = l2_sectors(p, &p->packet[packet], line);
        if (sectors & ~(u32)l->tags.valid[at]) mshr_wait(l->mshr, again, packet); /* for a later fetch */
        else t = serve(p, s, at, packet, sectors, t);
    }
}

static void fills(struct partition *p, u32 s, u64 t) {
    struct slice *l = &p->slice[s];
    if (ring_tick(&l->fills) > t) return;
    do {
        u32 id = ring_first(&l->fills).id;
        ring_pop(&l->fills);
        fill(p, s, id, t);
    } while (ring_tick(&l->fills) <= t);
    if (l->blocked) schedule_take(p, l, t);
    else if (l->take != NEVER) schedule_take(p, l, l->take);
}

static void performed(struct partition *p, struct slice *l, u64 t) {
    while (ring_tick(&l->performing) <= t) {
        struct timed first = ring_first(&l->performing);
        ring_pop(&l->performing);
        struct performed done_now = {.cycle = cycles_before(first.tick, &p->clk.by.core), .atomic = p->packet[first.id].atomic};
        VEC_PUSH(&p->performed, done_now);
    }
}

void l2_step(struct partition *p, u32 s, u64 t) {
    struct slice *l = &p->slice[s];
    fills(p, s, t);
    if (l->take <= t) take(p, s, t);
    performed(p, l, t);
    schedule(p, s);
}

/* --- invariants */

static void check_mshrs(const struct partition *p, u32 s) {
    const struct slice *l = &p->slice[s];
    u32 *tokens = l->tokens, n, lines = 0, at;
    u64 line;
    for (u32 e = 0; e < p->c.l2_mshrs; e++) {
        if (!mshr_get(l->mshr, e, &line, tokens, &n)) continue;
        CHECK(tags_look(&l->tags, line, 0, &at) == TAG_HIT && l->tags.pending[at]); /* 1 */
        for (u32 i = 0; i < n; i++) {
            u32 wanted = l2_sectors(p, &p->packet[tokens[i]], line);
            CHECK(!(wanted & ~(u32)(l->tags.valid[at] | l->tags.pending[at]))); /* 2 */
        }
    }
    for (u32 i = 0; i < p->c.l2_sets * p->c.l2_ways; i++) lines += l->tags.pending[i] != 0;
    CHECK(lines == mshr_used(l->mshr)); /* 1 */
}

void l2_check(const struct partition *p, u32 s) {
    const struct slice *l = &p->slice[s];
    tags_check(&l->tags);
    mshr_check(l->mshr);
    check_mshrs(p, s);
    CHECK(l->queue.n ? l->blocked || l->take != NEVER : !l->blocked && l->take == NEVER); /* 3 */
    bool waits = false;
    for (u32 i = 0; i < p->channel.waiters; i++) waits |= p->channel.waiting[i] == s;
    CHECK(waits == (l->blocked == BLOCK_DRAM)); /* 4 */
}
