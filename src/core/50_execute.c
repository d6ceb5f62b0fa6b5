/* Units: an instruction enters its unit when its operands are read and the unit can take it, in order of
 * issue; the unit is taken for interval x beats cycles: a warp wider than the unit takes several beats, which
 * are worked out from the front's lanes (scale.c). Its latency counts from issue to the earliest issue of a
 * dependent instruction (D11); waiting on the way comes on top.
 *
 * Invariants: X1 a unit's reservations do not overlap: unit_free only moves forward. */
#include "core/operands.h"

static u64 *unit_counter(struct sm_stats *s, enum unit u) {
    switch (u) {
    case UNIT_INT: return &s->unit_busy_int;
    case UNIT_SFU: return &s->unit_busy_sfu;
    case UNIT_FP64: return &s->unit_busy_fp64;
    case UNIT_TENSOR: return &s->unit_busy_tensor;
    default: return &s->unit_busy_alu;
    }
}

static u64 unit_take(struct core *c, u32 sub, enum unit u, u64 from, u32 busy) {
    struct subcore *s = &c->operands->subs[sub];
    u32 best = 0;
    for (u32 i = 1; i < s->units[u]; i++)
        if (s->unit_free[u][i] < s->unit_free[u][best]) best = i;
    u64 at = MAX(from, s->unit_free[u][best]);
    s->unit_free[u][best] = at + busy;
    *unit_counter(&c->stats, u) += busy;
    return at;
}

/* The places an instruction takes on its way: operands, unit, write */
struct way {
    struct pace pace;
    u64 read, at;        /* last operand read; enters the unit */
    u64 result, written; /* leaves it; in its bank */
};

static struct way take_way(struct core *c, u32 slot, const struct tinst *t, u64 lanes, const struct crew *w) {
    const struct config *cfg = c->cfg;
    u32 sub = issue_sub(c, slot);
    i32 pool;
    struct way x;
    x.pace = pace_of(c, cfg, t, lanes);
    if (cfg->warp_scale) c->stats.beats_spared += (t->busy - x.pace.busy) / t->interval;
    x.read = operands_read(c, sub, w, t, &pool);
    x.at = unit_take(c, sub, (enum unit)t->unit, x.read + cfg->operand_depth, x.pace.busy);
    c->stats.unit_wait_cycles += x.at - (x.read + cfg->operand_depth);
    if (pool != NONE) pool_free_at(&c->operands->subs[sub].pools[pool], x.at);
    x.result = x.at + x.pace.latency - (cfg->issue_depth + cfg->operand_depth + !cfg->operands_ideal);
    x.written = operands_write(c, sub, w, t, x.result);
    return x;
}

static void results(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w, u64 read, u64 ready) {
    for (u32 k = 0; k < w->n; k++) {
        struct home *s = &c->homes[w->at[k].home];
        for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) sb_write(s, t->reg[i], w->at[k].lanes, ready, WAIT_COMPUTE);
        s->drain_cy = MAX(s->drain_cy, MAX(ready, read));
    }
    CREW_TELL(c, w, .kind = EV_READ, .cycle = read);
    CREW_TELL(c, w, .kind = EV_READY, .cycle = ready, .mask = st->lanes);
}

void execute_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w) {
    struct way x = take_way(c, slot, t, st->lanes, w);
    results(c, t, st, w, x.read, c->cfg->bypass ? x.result : x.written);
    CREW_TELL(c, w, .kind = EV_DISPATCH, .cycle = x.at, .cause = t->unit, .a = x.pace.busy);
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = MAX(x.written, x.at + x.pace.busy));
}

void execute_link(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w) {
    u64 ready = c->now + c->cfg->branch_cy;
    results(c, t, st, w, c->now, ready);
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = ready);
}

u64 execute_entry(struct core *c, u32 slot, const struct tinst *t, u64 lanes, u64 uid, u64 *read) {
    struct member own = {.home = (u16)slot};
    struct way x = take_way(c, slot, t, lanes, &(struct crew){&own, 1, 1});
    *read = x.read;
    EMIT(c, .kind = EV_READ, .cycle = x.read, .uid = uid, .slot = (u16)slot);
    EMIT(c, .kind = EV_DISPATCH, .cycle = x.at, .uid = uid, .slot = (u16)slot, .cause = t->unit, .a = x.pace.busy);
    return c->cfg->bypass ? x.result : x.written;
}

void execute_along(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w) {
    u64 ready = c->now + pace_of(c, c->cfg, t, st->lanes).latency;
    results(c, t, st, w, c->now, ready);
    CREW_TELL(c, w, .kind = EV_DISPATCH, .cycle = c->now, .cause = t->unit);
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = ready);
}
