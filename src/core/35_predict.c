/* Hazard prediction (Turner 2012, chapter 6): loads that are expected to miss do not issue while what a miss
 * needs is not free.
 *
 * A predictor says whether a load will need the tracked resource (an MSHR of its cache, or a place in the
 * miss queue): known misses (replays refused for MSHR, COMQ or RSV) always, others by sm.hazard.predictor. A
 * tracker says whether one will be free: `naive` looks at how many are in use (sm.hazard.tracker_cy ago);
 * `credit` hands out credits. There are as many credits as resources, one pool a cache. A load that is
 * expected to miss leaves issue with a credit or not at all; the credit goes to the resource it takes and
 * comes back when that is free, or at once when the access does not need it or is refused and leaves. An
 * access that takes a resource without a credit gets a virtual one, and the pool may become negative.
 *
 * The counter predictor's table is the chip's, trained by all SMs (gpu/ merges at multiples of the window, in
 * order of (cycle, SM); an SM sees its own outcomes at once), or the SM's own.
 *
 * Deviation: the document's chip table is instantaneous. A credit covers one line access; further lines of
 * the same issue (stall, retain) are virtual.
 *
 * Invariants: T1 (predict_check) pool + credits held by loads in the pipe + resources in use = resources; T2
 * (predict_issue) a credit is given only when the pool is positive; T3 (refused) a load with a credit is
 * refused an MSHR only if another took one without a credit after it was issued. So under `hit` a line access
 * is replayed for an MSHR once, when it is not yet known to miss, and again only when it was robbed: the
 * document's "once per load (barring MSHR tracking errors)", which its virtual credits allow (6.0.1). T3
 * follows from T1: at issue free MSHRs = pool + held >= 1, and only a virtual credit takes one from those
 * that are held. */
#include "core/predict.h"

#include <stdlib.h>
#include <string.h>

/* --- what the next access is */

static bool is_tracked(const struct tinst *t) { return t->mshr_of; }

static u32 cache_of(const struct tinst *t) { return t->mshr_of == 1 + CACHE_DATA ? CACHE_DATA : CACHE_CONST; }

static u32 index_of(const struct core *c, const struct tinst *t) { return (u32)t->pc & (c->cfg->counter_entries - 1); }

/* The line of the first access that is left, before it has been issued or of a replay */
static bool next_line_present(const struct core *c, u32 slot, const struct tinst *t) {
    u64 addr[MAX_WARP];
    i32 again = replay_first(c, slot);
    if (again != NONE) {
        const struct memop *m = &flight_at(c, (u32)again)->mem;
        return m->next >= m->nlines || l1_has(c, m->is_const ? CACHE_CONST : CACHE_DATA, m->lines.at[m->next].line);
    }
    const struct part *p = &c->fronts[slot].part[0];
    const struct warp *w = c->homes[p->home].w;
    const struct group *g = part_group(c, p);
    u64 mask = warp_guard(w, g, t->in);
    if (!mask || t->in->space == SPACE_PARAM || !access_addresses(w, g, t->in, mask, addr)) return true;
    return l1_has(c, cache_of(t), addr[__builtin_ctzll(mask)]);
}

struct asked { /* the view, and what its `present` needs */
    struct predict_view v;
    const struct core *c;
    const struct tinst *t;
    u32 slot;
};

static bool present(const struct predict_view *v) {
    const struct asked *a = (const struct asked *)v;
    return next_line_present(a->c, a->slot, a->t);
}

static bool expects_miss(const struct core *c, u32 slot, const struct tinst *t) {
    i32 again = replay_first(c, slot);
    if (again != NONE && replay_known_miss(c, (u32)again)) return true;
    struct asked a = {{c->predict->counters[index_of(c, t)], c->cfg->counter_bits, present}, c, t, slot};
    return c->pol.predictor->expects_miss(&a.v);
}

/* --- trackers */

static u32 capacity(const struct core *c, u32 cache) {
    if (c->cfg->tracked == TRACK_COMQ) return c->cfg->miss_queue;
    return cache == CACHE_CONST ? c->cfg->const_mshrs : c->cfg->l1_mshrs;
}

static u32 in_use(const struct core *c, u32 cache) {
    if (c->cfg->tracked == TRACK_COMQ) return MIN(port_queued(c), c->cfg->miss_queue);
    return l1_mshrs_used(c, cache);
}

static struct track_view view_of(const struct core *c, u32 cache) {
    return (struct track_view){c->cfg, c->now, in_use(c, cache), capacity(c, cache)};
}

/* The number in use has changed */
static void levels(struct core *c) {
    for (u32 cache = 0; c->pol.tracker->changed && cache < CACHES; cache++) {
        struct track_view v = view_of(c, cache);
        c->pol.tracker->changed(&c->predict->track[cache], &v);
    }
}

u64 predict_next(const struct core *c) {
    u64 next = NEVER;
    for (u32 cache = 0; c->pol.tracker->next && cache < CACHES; cache++) {
        u64 cy = c->pol.tracker->next(&c->predict->track[cache], c->now);
        next = MIN(next, cy);
    }
    return next;
}

/* Places of the miss queue are taken and freed by packets of all kinds. */
static void queue(struct core *c, i32 by) {
    if (c->cfg->tracked != TRACK_COMQ) return;
    if (c->pol.tracker->gives_credits) c->predict->track[CACHE_DATA].pool -= by;
    levels(c);
}

static bool is_free(struct core *c, u32 cache) {
    if (c->cfg->tracked == TRACK_COMQ) cache = CACHE_DATA;
    struct track_view v = view_of(c, cache);
    return c->pol.tracker->is_free(&c->predict->track[cache], &v);
}

static bool holds(const struct core *c, u32 slot, const bool free[CACHES]) {
    const struct tinst *t = c->fronts[slot].shown;
    return is_tracked(t) && !free[cache_of(t)] && expects_miss(c, slot, t);
}

void predict_restricted(struct core *c, const u64 *ready, u64 *held) {
    bool free[CACHES] = {is_free(c, CACHE_DATA), is_free(c, CACHE_CONST)};
    if (free[CACHE_DATA] && free[CACHE_CONST]) return;
    SET_EACH (slot, ready, c->words)
        if (holds(c, slot, free)) set_add(held, slot);
}

bool predict_holds(struct core *c, u32 slot) {
    bool free[CACHES] = {is_free(c, CACHE_DATA), is_free(c, CACHE_CONST)};
    return holds(c, slot, free);
}

/* --- credits */

static struct predict_op *op_of(const struct core *c, const struct flight *f) { return &c->predict->op.at[f->id]; }

static struct track *pool_of(const struct core *c, const struct flight *f) { /* the miss queue is one */
    return &c->predict->track[f->mem.is_const && c->cfg->tracked == TRACK_MSHR ? CACHE_CONST : CACHE_DATA];
}

static void give_back(struct core *c, const struct flight *f) {
    struct predict_op *o = op_of(c, f);
    if (!o->credit) return;
    o->credit = false;
    pool_of(c, f)->pool++;
}

/* --- outcomes */

bool predict_chip_learns(const struct core *c) {
    return c->predict && c->pol.predictor->learn && c->cfg->counter_scope == SCOPE_CHIP;
}

void predict_train(const struct core *c, u8 *table, const struct trained *t) {
    c->pol.predictor->learn(&table[t->index], c->cfg->counter_bits, t->missed);
}

static void learn(struct core *c, const struct flight *f, bool missed) {
    struct trained t = {c->now, index_of(c, f->t), missed};
    predict_train(c, c->predict->counters, &t);
    if (predict_chip_learns(c)) VEC_PUSH(&c->predict->trained, t);
}

static void outcome(struct core *c, const struct flight *f, bool missed) {
    struct predict_op *o = op_of(c, f);
    if (o->judged || !is_tracked(f->t)) return;
    o->judged = true;
    u64 *cell = o->predicted ? (missed ? &c->stats.predicted_miss_missed : &c->stats.predicted_miss_hit)
                             : (missed ? &c->stats.predicted_hit_missed : &c->stats.predicted_hit_hit);
    ++*cell;
    if (c->pol.predictor->learn) learn(c, f, missed);
    if (!missed) give_back(c, f);
}

/* --- issue, and what the memory stages tell */

bool predict_expects(const struct core *c, u32 slot) {
    const struct tinst *t = c->fronts[slot].shown;
    return c->predict && t && is_tracked(t) && expects_miss(c, slot, t);
}

void predict_issue(struct core *c, const struct flight *f, bool expects) {
    struct predict *p = c->predict;
    struct track *t = pool_of(c, f);
    while (p->op.n <= f->id) VEC_PUSH(&p->op, (struct predict_op){0});
    p->op.at[f->id] = (struct predict_op){.predicted = expects};
    if (!c->pol.tracker->gives_credits || !expects) return;
    CHECK(t->pool > 0); /* T2 */
    p->op.at[f->id].credit = true;
    p->op.at[f->id].without_before = t->without;
    t->pool--;
}

static void goes_past(struct core *c, const struct flight *f) {
    outcome(c, f, c->cfg->tracked == TRACK_COMQ);
    give_back(c, f); /* where the queue is tracked its packet takes one as every packet does */
}

static void refused(struct core *c, const struct flight *f, enum hazard why) {
    const struct predict_op *o = op_of(c, f);
    if (o->credit && why == HAZARD_MSHR && c->cfg->tracked == TRACK_MSHR) {
        CHECK(pool_of(c, f)->without > o->without_before); /* T3 */
        c->stats.mshr_robbed++;
    }
    give_back(c, f);
}

static void acquired(struct core *c, const struct flight *f, u32 cache) {
    struct predict_op *o = op_of(c, f);
    struct track *t = &c->predict->track[cache];
    levels(c);
    if (!c->pol.tracker->gives_credits) return;
    if (c->cfg->tracked == TRACK_COMQ) {
        give_back(c, f); /* its packet takes one as every packet does */
        return;
    }
    if (o->credit) o->credit = false; /* it is the MSHR's now */
    else t->pool--, t->without++, c->stats.virtual_credits++;
}

static void freed(struct core *c, u32 cache) {
    levels(c);
    if (c->pol.tracker->gives_credits && c->cfg->tracked == TRACK_MSHR) c->predict->track[cache].pool++;
}

static void seen(struct core *c, const struct mem_event *e) {
    switch (e->kind) {
    case MEM_LOOKED_UP: outcome(c, e->f, e->flag); break;
    case MEM_PAST: goes_past(c, e->f); break;
    case MEM_ACCEPTED: give_back(c, e->f); break; /* it made no access, or one that no cache saw */
    case MEM_REFUSED: refused(c, e->f, e->why); break;
    case MEM_MSHR_TAKEN: acquired(c, e->f, e->cache); break;
    case MEM_MSHR_FREED: freed(c, e->cache); break;
    case MEM_QUEUED: queue(c, 1); break;
    case MEM_GONE: queue(c, -1); break;
    default: break;
    }
}

static const struct watcher watcher = {1u << MEM_LOOKED_UP | 1u << MEM_PAST | 1u << MEM_ACCEPTED | 1u << MEM_REFUSED |
                                           1u << MEM_MSHR_TAKEN | 1u << MEM_MSHR_FREED | 1u << MEM_QUEUED | 1u << MEM_GONE,
                                       seen};

/* --- what the chip learns of all SMs */

u32 predict_learnt(const struct core *c, const struct trained **at) {
    *at = c->predict->trained.at;
    return c->predict->trained.n;
}

void predict_adopt(struct core *c, const u8 *table) {
    memcpy(c->predict->counters, table, c->cfg->counter_entries);
    c->predict->trained.n = 0;
}

/* --- building, the launch, and the invariant */

void predict_init(struct core *c) {
    if (!c->pol.tracker->is_free) return;
    c->predict = base_alloc(sizeof(*c->predict));
    c->predict->counters = base_alloc(c->cfg->counter_entries);
}

void predict_free(struct core *c) {
    struct predict *p = c->predict;
    if (!p) return;
    free(p->op.at);
    free(p->counters);
    free(p->trained.at);
    for (u32 i = 0; i < CACHES; i++) free(p->track[i].past.at);
    free(p);
}

void predict_launch(struct core *c) {
    if (!c->predict) return;
    watch_add(c, &watcher);
    memset(c->predict->counters, 0, c->cfg->counter_entries);
    c->predict->trained.n = 0;
    for (u32 i = 0; i < CACHES; i++) {
        struct track *t = &c->predict->track[i];
        t->pool = (i32)capacity(c, i) - (i32)in_use(c, i);
        t->past_at = t->past.n = 0;
        t->used = in_use(c, i);
    }
}

void predict_check(const struct core *c) {
    if (!c->predict || !c->pol.tracker->gives_credits) return;
    i32 held[CACHES] = {0};
    i32 used[CACHES] = {(i32)in_use(c, CACHE_DATA), (i32)in_use(c, CACHE_CONST)};
    EACH_FLIGHT (c, f)
        if (op_of(c, f)->credit) held[pool_of(c, f) - c->predict->track]++;
    if (c->cfg->tracked == TRACK_COMQ)
        used[CACHE_DATA] = (i32)port_queued(c); /* lines on their way out may stand beyond its end */
    for (u32 i = 0; i < (c->cfg->tracked == TRACK_COMQ ? 1u : CACHES); i++)
        CHECK(c->predict->track[i].pool + held[i] + used[i] == (i32)capacity(c, i)); /* T1 */
}
