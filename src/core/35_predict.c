/* Hazard prediction (Turner 2012, chapter 6): loads that are expected to miss do not issue while what a miss needs is not free.
 *
 * A predictor says whether a load will need the tracked resource (an MSHR of its cache, or a place in the miss queue): known misses (replays refused for MSHR, COMQ or RSV) always, others by
 * sm.hazard.predictor. A tracker says whether one will be free: `naive` looks at how many are in use (sm.hazard.tracker_cy ago); `credit` hands out credits. There are as many credits as
 * resources, one pool a cache. A load that is expected to miss leaves issue with a credit or not at all; the credit goes to the resource it takes and comes back when that is free, or at once when
 * the access does not need it or is refused and leaves. An access that takes a resource without a credit gets a virtual one, and the pool may become negative.
 *
 * The counter predictor's table is the chip's, trained by all SMs (gpu/ merges at multiples of the window, in order of (cycle, SM); an SM sees its own outcomes at once), or the SM's own.
 *
 * Deviation: the document's chip table is instantaneous. A credit covers one line access; further lines of the same issue (stall, retain) are virtual.
 *
 * Invariants: T1 (predict_check) pool + credits held by loads in the pipe + resources in use = resources; T2 (predict_issue) a credit is given only when the pool is positive;
 * T3 (predict_refused) a load with a credit is refused an MSHR only if another took one without a credit after it was issued. So under `hit` a line access is replayed for an MSHR once, when it is not yet known to
 * miss, and again only when it was robbed: the document's "once per load (barring MSHR tracking errors)", which its virtual credits allow (6.0.1). T3 follows from T1: at issue free MSHRs = pool + held >= 1, and only
 * a virtual credit takes one from those that are held. */
#include "core/core.h"

#include <string.h>

/* --- what the next access is */

static bool is_tracked(const struct tinst *t) { return t->mshr_of; }

static u32 cache_of(const struct tinst *t) { return t->mshr_of == 1 + CACHE_DATA ? CACHE_DATA : CACHE_CONST; }

static u32 index_of(const struct core *c, const struct tinst *t) {
    return (u32)(t->in - c->prog->k->code) & (c->cfg->counter_entries - 1);
}

static bool counter_says_miss(const struct core *c, const struct tinst *t) {
    return c->counters[index_of(c, t)] >> (c->cfg->counter_bits - 1);
}

/* The line of the first access that is left, before it has been issued or of a replay */
static bool next_line_present(struct core *c, const struct slot *s, const struct tinst *t) {
    u32 at;
    u64 line, addr[MAX_WARP];
    if (s->replay != NONE) {
        const struct memop *m = &c->memops.at[s->replay];
        if (m->next >= m->nlines) return true;
        line = m->lines.at[m->next].line;
        return tags_look(m->is_const ? &c->cc : &c->l1, line, m->is_const ? 1 : 0, &at) != TAG_MISS;
    }
    const struct group *g = part_group(c, &c->fronts[slot_index(c, s)].part[0]);
    u64 mask = warp_guard(s->w, g, t->in);
    if (!mask || t->in->space == SPACE_PARAM || !access_addresses(s->w, g, t->in, mask, addr)) return true;
    line = addr[__builtin_ctzll(mask)];
    if (cache_of(t) == CACHE_CONST) return tags_look(&c->cc, line & ~(u64)(c->cfg->const_line_b - 1), 1, &at) == TAG_HIT;
    return tags_look(&c->l1, line & ~(u64)(c->cfg->l1_line_b - 1), 0, &at) != TAG_MISS;
}

static bool expects_miss(struct core *c, const struct slot *s, const struct tinst *t) {
    if (s->replay != NONE && c->memops.at[s->replay].known_miss) return true;
    switch (c->cfg->predictor) {
    case PREDICT_MISS: return true;
    case PREDICT_COUNTER: return counter_says_miss(c, t);
    case PREDICT_ORACLE: return !next_line_present(c, s, t);
    default: return false;
    }
}

/* --- trackers */

static u32 capacity(const struct core *c, u32 cache) {
    if (c->cfg->tracked == TRACK_COMQ) return c->cfg->miss_queue;
    return cache == CACHE_CONST ? c->cfg->const_mshrs : c->cfg->l1_mshrs;
}

static u32 in_use(const struct core *c, u32 cache) {
    if (c->cfg->tracked == TRACK_COMQ) return MIN(port_queued(c), c->cfg->miss_queue);
    return mshr_used(cache == CACHE_CONST ? c->cc_mshr : c->mshr);
}

/* naive: what the scheduler sees */
static u32 seen_in_use(struct core *c, u32 cache) {
    struct tracker *t = &c->track[cache];
    if (!c->cfg->tracker_cy) return in_use(c, cache);
    while (t->past_at < t->past.n && t->past.at[t->past_at].cycle <= c->now) t->used = t->past.at[t->past_at++].used;
    if (t->past_at == t->past.n) t->past_at = t->past.n = 0;
    return t->used;
}

void predict_levels(struct core *c) {
    for (u32 cache = 0; c->cfg->tracker == TRACKER_NAIVE && c->cfg->tracker_cy && cache < CACHES; cache++) {
        struct seen x = {c->now + c->cfg->tracker_cy, in_use(c, cache)};
        VEC_PUSH(&c->track[cache].past, x);
    }
}

u64 predict_next(const struct core *c) {
    u64 next = NEVER;
    for (u32 cache = 0; cache < CACHES; cache++) {
        const struct tracker *t = &c->track[cache];
        if (t->past_at < t->past.n) next = MIN(next, MAX(c->now, t->past.at[t->past_at].cycle));
    }
    return next;
}

/* Places of the miss queue are taken and freed by packets of all kinds. */
void predict_queue(struct core *c, i32 by) {
    if (c->cfg->tracked == TRACK_COMQ && c->cfg->tracker == TRACKER_CREDIT) c->track[CACHE_DATA].pool -= by;
    if (c->cfg->tracked == TRACK_COMQ) predict_levels(c);
}

static bool is_free(struct core *c, u32 cache) {
    if (c->cfg->tracked == TRACK_COMQ) cache = CACHE_DATA;
    if (c->cfg->tracker == TRACKER_CREDIT) return c->track[cache].pool > 0;
    return seen_in_use(c, cache) < capacity(c, cache);
}

u64 predict_restricted(struct core *c, u64 ready) {
    bool free[CACHES] = {is_free(c, CACHE_DATA), is_free(c, CACHE_CONST)};
    u64 held = 0;
    if (free[CACHE_DATA] && free[CACHE_CONST]) return 0;
    for (; ready; ready &= ready - 1) {
        u32 slot = (u32)__builtin_ctzll(ready);
        const struct slot *s = &c->slots[slot];
        const struct tinst *t = c->fronts[slot].shown;
        if (is_tracked(t) && !free[cache_of(t)] && expects_miss(c, s, t)) held |= 1ull << slot;
    }
    return held;
}

/* --- credits */

static u32 pool_of(const struct core *c, const struct memop *m) {
    return m->is_const && c->cfg->tracked == TRACK_MSHR ? CACHE_CONST : CACHE_DATA; /* the miss queue is one */
}

static void give_back(struct core *c, struct memop *m) {
    if (!m->credit) return;
    m->credit = false;
    c->track[pool_of(c, m)].pool++;
}

bool predict_expects(struct core *c, u32 slot) {
    const struct slot *s = &c->slots[slot];
    const struct tinst *t = c->fronts[slot].shown;
    return c->cfg->tracker != TRACKER_NONE && t && is_tracked(t) && expects_miss(c, s, t);
}

void predict_issue(struct core *c, u32 id, bool expects) {
    struct memop *m = &c->memops.at[id];
    m->predicted = expects;
    m->judged = false;
    if (c->cfg->tracker != TRACKER_CREDIT || !m->predicted) return;
    CHECK(c->track[pool_of(c, m)].pool > 0); /* T2 */
    m->credit = true;
    m->without_before = c->track[pool_of(c, m)].without;
    c->track[pool_of(c, m)].pool--;
}

void predict_past(struct core *c, u32 id) {
    predict_outcome(c, id, c->cfg->tracked == TRACK_COMQ);
    give_back(c, &c->memops.at[id]); /* where the queue is tracked its packet takes one as every packet does */
}

void predict_refused(struct core *c, u32 id, enum hazard why) {
    struct memop *m = &c->memops.at[id];
    if (m->credit && why == HAZARD_MSHR && c->cfg->tracked == TRACK_MSHR) {
        CHECK(c->track[pool_of(c, m)].without > m->without_before); /* T3 */
        c->stats.mshr_robbed++;
    }
    give_back(c, m);
}

void predict_acquired(struct core *c, u32 id, u32 cache) {
    struct memop *m = &c->memops.at[id];
    predict_levels(c);
    if (c->cfg->tracker != TRACKER_CREDIT) return;
    if (c->cfg->tracked == TRACK_COMQ) {
        give_back(c, m); /* its packet takes one as every packet does */
        return;
    }
    if (m->credit) m->credit = false; /* it is the MSHR's now */
    else c->track[cache].pool--, c->track[cache].without++, c->stats.virtual_credits++;
}

void predict_freed(struct core *c, u32 cache) {
    predict_levels(c);
    if (c->cfg->tracker == TRACKER_CREDIT && c->cfg->tracked == TRACK_MSHR) c->track[cache].pool++;
}

/* --- outcomes */

void predict_train(u8 *table, const struct config *c, const struct trained *t) {
    u8 *x = &table[t->index], top = (u8)((1u << c->counter_bits) - 1);
    if (t->missed && *x < top) ++*x;
    if (!t->missed && *x) --*x;
}

static void learn(struct core *c, const struct memop *m, bool missed) {
    struct trained t = {c->now, index_of(c, m->t), missed};
    predict_train(c->counters, c->cfg, &t);
    if (c->cfg->counter_scope == SCOPE_CHIP) VEC_PUSH(&c->trained, t);
}

void predict_outcome(struct core *c, u32 id, bool missed) {
    struct memop *m = &c->memops.at[id];
    if (m->judged || !is_tracked(m->t)) return;
    m->judged = true;
    u64 *cell = m->predicted ? (missed ? &c->stats.predicted_miss_missed : &c->stats.predicted_miss_hit)
                             : (missed ? &c->stats.predicted_hit_missed : &c->stats.predicted_hit_hit);
    ++*cell;
    if (c->cfg->predictor == PREDICT_COUNTER) learn(c, m, missed);
    if (!missed) give_back(c, m);
}

/* --- the launch, and the invariant */

void predict_launch(struct core *c) {
    if (c->cfg->tracker == TRACKER_NONE) return;
    if (!c->counters) c->counters = base_alloc(c->cfg->counter_entries);
    memset(c->counters, 0, c->cfg->counter_entries);
    c->trained.n = 0;
    for (u32 i = 0; i < CACHES; i++) {
        c->track[i].pool = (i32)capacity(c, i) - (i32)in_use(c, i);
        c->track[i].past_at = c->track[i].past.n = 0;
        c->track[i].used = in_use(c, i);
    }
}

void predict_check(const struct core *c) {
    if (c->cfg->tracker != TRACKER_CREDIT) return;
    i32 held[CACHES] = {0};
    i32 used[CACHES] = {(i32)in_use(c, CACHE_DATA), (i32)in_use(c, CACHE_CONST)};
    for (u32 i = 0; i < c->memops.n; i++)
        if (c->memops.at[i].used && c->memops.at[i].credit) held[pool_of(c, &c->memops.at[i])]++;
    if (c->cfg->tracked == TRACK_COMQ) used[CACHE_DATA] = (i32)port_queued(c); /* lines on their way out may stand beyond its end */
    for (u32 i = 0; i < (c->cfg->tracked == TRACK_COMQ ? 1u : CACHES); i++)
        CHECK(c->track[i].pool + held[i] + used[i] == (i32)capacity(c, i)); /* T1 */
}
