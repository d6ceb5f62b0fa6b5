/* Units: an instruction enters its unit when its operands are read and the unit can take it, in order of
 * issue; the unit is taken for interval x beats cycles: a warp wider than the unit takes several beats, which
 * are worked out from the front's lanes (scale.c). Its latency counts from issue to the earliest issue of a
 * dependent instruction (D11); waiting on the way comes on top.
 *
 * Invariants: X1 a unit's reservations do not overlap: units.free only moves forward. */
#include "core/operands.h"

static inline u64 unit_take(struct units *x, u64 from, u32 busy) {
    u64 *best = x->free;
    for (u32 i = 1; i < x->n; i++)
        if (x->free[i] < *best) best = &x->free[i];
    u64 at = later(from, *best);
    *best = at + busy;
    *x->busy += busy;
    return at;
}

/* The same of a unit's shares that the slices of these lanes have: it is taken in all of them at once */
static u64 unit_take_shares(struct core *c, u32 sub, enum unit u, u64 lanes, u64 from, u32 busy) {
    struct operands *o = c->operands;
    u64 *best[VWS_SLICES], at = from;
    u32 n = 0;
    while (lanes) {
        struct units *x = slice_of(o, sub, &lanes)->of[u];
        best[n] = x->free;
        for (u32 i = 1; i < x->n; i++)
            if (x->free[i] < *best[n]) best[n] = &x->free[i];
        at = later(at, *best[n++]);
    }
    for (u32 i = 0; i < n; i++) *best[i] = at + busy;
    *o->subs[sub]->of[u]->busy += whole_of_shares(o, &o->share[u], (u64)busy * n);
    return at;
}

static void collectors_free_at(struct core *c, u32 sub, enum unit u, u64 lanes, u64 cy) {
    while (lanes) pool_free_at(slice_of(c->operands, sub, &lanes)->of[u]->pool, cy);
}

/* The places an instruction takes on its way: operands, unit, write */
struct way {
    u32 busy;
    u64 read, at;        /* last operand read; enters the unit */
    u64 result, written; /* leaves it; in its bank */
};

/* The same where warps are divided into slices */
static __attribute__((noinline)) struct way take_way_of_slices(struct core *c, u32 slot, const struct tinst *t,
                                                               const struct crew *w) {
    const struct config *g = c->cfg;
    u32 sub = issue_sub(c, slot);
    u64 lanes = crew_lanes(w), read = operands_read(c, sub, w, t), ready = read + g->operand_depth;
    u64 at = unit_take_shares(c, sub, (enum unit)t->unit, lanes, ready, t->busy);
    c->stats.unit_wait_cycles += at - ready;
    if (!g->operands_ideal) collectors_free_at(c, sub, (enum unit)t->unit, lanes, at);
    u64 result = at + t->latency - (g->issue_depth + g->operand_depth + !g->operands_ideal);
    return (struct way){t->busy, read, at, result, operands_write(c, sub, w, t, result)};
}

static inline struct way take_way(struct core *c, u32 slot, const struct tinst *t, u64 lanes, const struct crew *w) {
    const struct config *cfg = c->cfg;
    u32 sub = issue_sub(c, slot);
    struct units *x = c->operands->subs[sub]->of[t->unit];
    struct pace pace = pace_of(c, cfg, t, lanes);
    if (cfg->warp_scale) c->stats.beats_spared += (t->busy - pace.busy) / t->interval;
    u64 read = operands_read(c, sub, w, t), ready = read + cfg->operand_depth;
    u64 at = unit_take(x, ready, pace.busy);
    c->stats.unit_wait_cycles += at - ready;
    if (!cfg->operands_ideal) pool_free_at(x->pool, at);
    u64 result = at + pace.latency - (cfg->issue_depth + cfg->operand_depth + !cfg->operands_ideal);
    return (struct way){pace.busy, read, at, result, operands_write(c, sub, w, t, result)};
}

/* Results of one home's threads are ready at that cycle */
static inline void home_results(struct home *s, const struct tinst *t, u64 lanes, u64 read, u64 ready) {
    const u16 *to = t->reg + t->nsrc;
    for (u32 i = 0; i < t->ndst; i++) sb_write(s, to[i], lanes, ready, WAIT_COMPUTE);
    home_drains(s, lanes, later(ready, read));
}

static inline void results(struct core *c, const struct tinst *t, const struct crew *w, u64 read, u64 ready) {
    const struct member *m = w->at;
    home_results(&c->homes[m->home], t, m->lanes, read, ready);
    for (u32 k = 1; __builtin_expect(k < w->n, 0); k++) home_results(&c->homes[m[k].home], t, m[k].lanes, read, ready);
}

static void tell_results(struct core *c, const struct step *st, const struct crew *w, u64 read, u64 ready) {
    CREW_TELL(c, w, .kind = EV_READ, .cycle = read);
    CREW_TELL(c, w, .kind = EV_READY, .cycle = ready, .mask = st->lanes);
}

static __attribute__((cold)) void tell_way(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w,
                                           const struct way *x) {
    tell_results(c, st, w, x->read, c->cfg->bypass ? x->result : x->written);
    CREW_TELL(c, w, .kind = EV_DISPATCH, .cycle = x->at, .cause = t->unit, .a = x->busy);
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = MAX(x->written, x->at + x->busy));
}

void execute_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w) {
    struct way x = __builtin_expect(c->gang != NULL, 0) ? take_way_of_slices(c, slot, t, w) : take_way(c, slot, t, st->lanes, w);
    c->operands->read_cy = x.read, c->operands->enter_cy = x.at;
    results(c, t, w, x.read, c->cfg->bypass ? x.result : x.written);
    if (__builtin_expect(c->tracing, 0)) tell_way(c, t, st, w, &x);
}

void execute_beside(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w) {
    const struct config *g = c->cfg;
    u64 read = c->operands->read_cy, at = c->operands->enter_cy;
    c->stats.operand_reads += t->nread;
    c->stats.operand_writes += t->nwrite;
    u64 ready = at + t->latency - (g->issue_depth + g->operand_depth + !g->operands_ideal);
    for (u32 k = 0; k < w->n; k++) {
        struct sbreg *sb = c->homes[w->at[k].home].sb;
        for (u32 i = 0; i < t->nsrc; i++) sb[t->reg[i]].read_cy = MAX(sb[t->reg[i]].read_cy, read);
    }
    results(c, t, w, read, ready);
    tell_results(c, st, w, read, ready);
    CREW_TELL(c, w, .kind = EV_DISPATCH, .cycle = at, .cause = t->unit);
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = ready);
}

void execute_link(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w) {
    u64 ready = c->now + c->cfg->branch_cy;
    results(c, t, w, c->now, ready);
    tell_results(c, st, w, c->now, ready);
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = ready);
}

u64 execute_entry(struct core *c, u32 slot, const struct tinst *t, u64 lanes, u64 uid, u64 *read) {
    struct member own = {.home = (u16)slot};
    struct way x = take_way(c, slot, t, lanes, &(struct crew){&own, 1, 1});
    *read = x.read;
    EMIT(c, .kind = EV_READ, .cycle = x.read, .uid = uid, .slot = (u16)slot);
    EMIT(c, .kind = EV_DISPATCH, .cycle = x.at, .uid = uid, .slot = (u16)slot, .cause = t->unit, .a = x.busy);
    return c->cfg->bypass ? x.result : x.written;
}

void execute_along(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w) {
    u64 ready = c->now + pace_of(c, c->cfg, t, st->lanes).latency;
    results(c, t, w, c->now, ready);
    tell_results(c, st, w, c->now, ready);
    CREW_TELL(c, w, .kind = EV_DISPATCH, .cycle = c->now, .cause = t->unit);
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = ready);
}
