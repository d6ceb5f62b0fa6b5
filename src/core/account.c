/* Who owns each cycle (D6).
 *
 * Every slot carries the set of causes that keep it from issuing, or is ready. Nothing is counted per cycle
 * and slot: a slot's time is charged when its state changes, from the cycle of the last change on. What
 * happened meanwhile (cycles without an issue, cycles in which a unit's instructions could not issue) is the
 * difference of two counts the scheduler keeps. So charging is exact in integers and costs a few additions a
 * change.
 *
 *   warp time       dt x 6 / |set| to each cause; a ready slot: throttled cycles to the structural cause, the
 *                   others to not_selected
 *   proportional    the cycles without an issue among them, to the causes' classes; with a structural part in
 *                   cycles whose unit was not available (Aurud 5.3)
 *   gsi, selected   per cycle without an issue, from the populations and from the policy's preferred slot; one that
 *                   awaits a result while its unit takes nothing is of a class of its own (Aurud 5.2)
 *
 * Where fronts are formed there are more places than warp slots. The first, one for each warp slot, count
 * always; those beyond count while they hold a front. The time of the latter (formed_beyond_cycles) comes on
 * top of cycles x slots in warp time. A cycle of a CPI stack is as much as on any machine: in a cycle without
 * an issue the places that count share it (charge_formed).
 *
 * Cycles without an issue in which nothing changes are only counted (struct silence) and charged together
 * before anything that they are charged by does: a state, who is valid, what is shown, the policy's own
 * state. Policies whose preference moves with time, or with what the schedulers share, are asked in every
 * cycle.
 *
 * A state holds from cycle `at` on, before that cycle's issue. The slot that issues in a cycle owns it as
 * `selected`; its next state starts one later. */
#include "core/issue.h"

#include <string.h>

static enum stall structural(const struct core *c, const struct front *f, enum unit u) {
    if (u != UNIT_MEM) return c->cfg->operands_ideal ? STALL_MATH : STALL_DISPATCH;
    u8 space = f->shown ? f->shown->in->space : SPACE_GLOBAL;
    return space == SPACE_SHARED || space == SPACE_CONST || space == SPACE_PARAM ? STALL_MIO : STALL_LG;
}

static u32 classes_of(u32 set) {
    if (!(set & (set - 1))) return 1u << stall_table[__builtin_ctz(set)].cpi;
    u32 classes = 0;
    for (; set; set &= set - 1) classes |= 1u << stall_table[__builtin_ctz(set)].cpi;
    return classes;
}

static enum cpi strongest(u32 set) {
    if (!(set & (set - 1))) return (enum cpi)stall_table[__builtin_ctz(set)].cpi;
    enum cpi best = CPI_MISSED;
    for (u32 m = classes_of(set); m; m &= m - 1) {
        enum cpi x = (enum cpi)__builtin_ctz(m);
        if (cpi_table[x].strong < cpi_table[best].strong) best = x;
    }
    return best;
}

static void add_time(struct core *c, struct sched_stats *ss, const struct account *a, enum stall cause, u64 sixths) {
    ss->warp_time[cause] += sixths;
    if (a->pc >= 0) c->pcs[a->pc].time[cause] += sixths;
}

/* Shares of a whole among k: the floor each, and what is left one unit each to the first */
static u64 share_of(u64 whole, u32 k, u32 i) { return whole / k + (i < whole % k); }

static void add_classes(u64 *cpi, u32 classes, u64 sixths) {
    if (!(classes & (classes - 1))) {
        cpi[__builtin_ctz(classes)] += sixths;
        return;
    }
    u32 k = (u32)__builtin_popcount(classes), i = 0;
    for (; classes; classes &= classes - 1) cpi[__builtin_ctz(classes)] += share_of(sixths, k, i++);
}

/* What passed since a front's state began: cycles, those without an issue, those in which its unit could take
 * nothing, and those of both kinds */
struct span {
    u64 dt, noissue, unavail, noissue_unavail;
};

/* The proportional stack, which a place adds to by itself unless fronts are formed (charge_formed) */
static inline u64 *proportional(const struct core *c, struct sched_stats *ss) {
    return c->form ? c->issue->formed_apart : ss->cpi[CPI_PROPORTIONAL];
}

static void charge_ready(struct core *c, const struct front *f, struct sched_stats *ss, const struct span *d) {
    const struct account *a = &f->account;
    u64 *cpi = proportional(c, ss), dt = d->dt, dn = d->noissue;
    if (d->unavail) {
        enum stall why = structural(c, f, (enum unit)a->unit);
        add_time(c, ss, a, why, d->unavail * 6);
        cpi[stall_table[why].cpi] += d->noissue_unavail * 6;
        dt -= d->unavail, dn -= d->noissue_unavail;
    }
    if (a->restricted) {
        add_time(c, ss, a, STALL_RESTRICT, a->restricted * 6);
        cpi[stall_table[STALL_RESTRICT].cpi] += a->restricted_noissue * 6;
        dt -= a->restricted, dn -= a->restricted_noissue;
    }
    add_time(c, ss, a, STALL_NOT_SELECTED, dt * 6);
    cpi[CPI_MISSED] += dn * 6;
}

/* One cause, whose class is the strongest; its cycles without an issue found the unit available */
static inline void charge_one(struct core *c, struct sched_stats *ss, const struct account *a, const struct span *d) {
    add_time(c, ss, a, (enum stall)__builtin_ctz(a->set), d->dt * 6);
    proportional(c, ss)[a->strongest] += d->noissue * 6;
}

/* Waits for results, and for nothing else */
static bool only_data(u32 classes) { return !(classes & ~(1u << CPI_MEMORY_DATA | 1u << CPI_COMPUTE_DATA)); }

static void charge_set(struct core *c, const struct front *f, struct sched_stats *ss, const struct span *d) {
    const struct account *a = &f->account;
    u32 classes = classes_of(a->set);
    u64 *cpi = proportional(c, ss);
    if (!(a->set & (a->set - 1))) add_time(c, ss, a, (enum stall)__builtin_ctz(a->set), d->dt * 6);
    else {
        u32 k = (u32)__builtin_popcount(a->set), i = 0;
        for (u32 m = a->set; m; m &= m - 1) add_time(c, ss, a, (enum stall)__builtin_ctz(m), share_of(d->dt * 6, k, i++));
    }
    add_classes(cpi, classes, (d->noissue - d->noissue_unavail) * 6);
    if (!d->noissue_unavail) return;
    if (only_data(classes)) classes |= 1u << stall_table[structural(c, f, (enum unit)a->unit)].cpi;
    add_classes(cpi, classes, d->noissue_unavail * 6);
}

/* Its time is somebody's: a place beyond those of warp slots has time only with a front in it */
static inline bool counts(const struct core *c, const struct front *f) {
    return !c->form || f->account.set != 1u << STALL_EMPTY || front_index(c, f) < c->nslots;
}

/* Time of a front of scheduler si from its last change up to cycle `at`, exclusive */
static inline void charge(struct core *c, struct front *f, u32 si, u64 at) {
    struct account *a = &f->account;
    if (at == a->since) return;
    const struct sched *sc = &c->issue->scheds[si];
    struct span d = {at - a->since, sc->noissue - a->since_noissue, sc->unavail[a->unit] - a->since_unavail,
                     sc->noissue_unavail[a->unit] - a->since_noissue_unavail};
    if (!counts(c, f)) {
    } else if (a->set && !(a->set & (a->set - 1)) && !d.noissue_unavail) charge_one(c, &c->stats.sched[si], a, &d);
    else if (a->set) charge_set(c, f, &c->stats.sched[si], &d);
    else charge_ready(c, f, &c->stats.sched[si], &d);
    EMIT(c, .kind = c->form ? EV_FRONT : EV_STALL, .slot = (u16)front_index(c, f), .a = a->since, .cycle = at,
         .mask = a->set ? a->set : 1u << STALL_NOT_SELECTED, .pc = a->pc, .cause = FRONT_STALLS);
    a->since = at;
}

static void snapshot(struct account *a, const struct sched *sc, u64 at) {
    a->since = at;
    a->restricted = a->restricted_noissue = 0;
    a->since_noissue = sc->noissue;
    a->since_unavail = sc->unavail[a->unit];
    a->since_noissue_unavail = sc->noissue_unavail[a->unit];
}

/* Waits that last: two-level scheduling lets such warps leave the active set */
static const u32 waits_long = 1u << STALL_LONG | 1u << STALL_BARRIER | 1u << STALL_MEMBAR | 1u << STALL_ATOMIC_ORDER;

static void leave_population(struct core *c, const struct account *a, struct sched *sc, u32 slot) {
    struct sched_word *x = &sc->at[slot / 64];
    u64 bit = set_bit(slot);
    if (!a->set) {
        x->all_ready &= ~bit;
        x->ready[a->unit] &= ~bit;
        sc->nready--;
        if (a->unit != UNIT_MEM) return;
        x->ready_loads &= ~bit;
        x->ready_shared &= ~bit;
        c->issue->ready_loads[a->load]--;
        return;
    }
    if (--sc->pop[a->strongest] == 0) sc->present &= ~(1u << a->strongest);
    if (!(a->set & waits_long)) return;
    x->waits_long &= ~bit;
    x->waits_load &= ~bit, x->waits_barrier &= ~bit, x->waits_fence &= ~bit;
}

static void join_population(struct core *c, struct account *a, const struct tinst *shown, struct sched *sc, u32 slot) {
    struct sched_word *x = &sc->at[slot / 64];
    u64 bit = set_bit(slot);
    if (!a->set) {
        x->all_ready |= bit;
        x->ready[a->unit] |= bit;
        sc->nready++;
        if (a->unit != UNIT_MEM) return;
        a->load = shown->mshr_of;
        c->issue->ready_loads[a->load]++;
        if (a->load == 1 + CACHE_DATA) x->ready_loads |= bit;
        if (shown->in->space == SPACE_SHARED) x->ready_shared |= bit;
        return;
    }
    a->strongest = (u8)strongest(a->set);
    sc->pop[a->strongest]++;
    sc->present |= 1u << a->strongest;
    if (!(a->set & waits_long)) return;
    x->waits_long |= bit;
    if (a->set & (1u << STALL_LONG | 1u << STALL_ATOMIC_ORDER)) x->waits_load |= bit;
    if (a->set & 1u << STALL_BARRIER) x->waits_barrier |= bit;
    if (a->set & 1u << STALL_MEMBAR) x->waits_fence |= bit;
}

/* A place beyond those of warp slots begins or ceases to count at that cycle. `beyond_cy` is the sum of ends
 * less the sum of beginnings: with an end now for those that count, it is their time since the last settling
 * */
static void count_place(struct core *c, struct sched *sc, u32 slot, u64 at) {
    struct sched_word *x = &sc->at[slot / 64];
    bool was = x->counted & set_bit(slot), is = counts(c, &c->fronts[slot]);
    if (was == is) return;
    x->counted ^= set_bit(slot);
    if (is) c->issue->beyond++, c->issue->beyond_cy -= at;
    else c->issue->beyond--, c->issue->beyond_cy += at;
}

void account_state(struct core *c, u32 slot, u32 set, enum unit unit, u64 at) {
    struct front *f = &c->fronts[slot];
    struct account *a = &f->account;
    i32 pc = f->shown ? f->shown->pc : -1;
    if (set == a->set && pc == a->pc && unit == a->unit) return;
    u32 si = slot_sched(c, slot);
    struct sched *sc = &c->issue->scheds[si];
    if (sc->silence.n) account_silence(c, si);
    charge(c, f, si, at);
    leave_population(c, a, sc, slot);
    a->set = set;
    a->unit = (u8)unit;
    a->pc = pc;
    join_population(c, a, f->shown, sc, slot);
    if (slot >= c->nslots) count_place(c, sc, slot, at);
    snapshot(a, sc, at);
}

void account_issue(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    u32 si = slot_sched(c, slot);
    if (c->issue->scheds[si].silence.n) account_silence(c, si);
    charge(c, f, si, c->now);
    add_time(c, &c->stats.sched[si], &f->account, STALL_SELECTED, 6);
    f->account.since = c->now + 1;
    f->account.pc = -2; /* what follows is another state, even when a window shows the same instruction again */
}

/* --- cycles of a scheduler */

static enum cpi gsi_class(const struct core *c, const struct sched *sc, const struct silence *q) {
    u32 present = sc->present | (q->candidates ? 1u << CPI_MISSED : 0) | (q->held ? 1u << CPI_MEMORY_STRUCTURAL : 0);
    for (u64 m = q->unavailable; m; m &= m - 1) {
        u32 u = (u32)__builtin_ctzll(m);
        if (unit_wanted(c, sc, u)) present |= 1u << (u == UNIT_MEM ? CPI_MEMORY_STRUCTURAL : CPI_COMPUTE_STRUCTURAL);
    }
    enum cpi best = CPI_IDLE;
    for (; present; present &= present - 1) {
        enum cpi x = (enum cpi)__builtin_ctz(present);
        if (cpi_table[x].weak < cpi_table[best].weak) best = x;
    }
    return best;
}

static int preferred_now(const struct core *c, u32 si) {
    struct sched_view v;
    sched_look(c, si, &v);
    set_clear(v.candidates, c->words);
    return c->pol.sched->preferred(c->issue->scheds[si].state, &v);
}

/* The warp that the policy would have taken has all of the scheduler's cycles */
static void charge_selected(struct core *c, u32 si, const struct silence *q, int slot, u64 n) {
    u64 *cpi = c->stats.sched[si].cpi[CPI_SELECTED], units = 6ull * c->issue->scheds[si].nslots * n;
    if (slot < 0) {
        cpi[CPI_IDLE] += units;
        return;
    }
    const struct front *f = &c->fronts[slot];
    u32 classes = f->account.set ? classes_of(f->account.set) : 0;
    bool unavailable = q->unavailable >> f->account.unit & 1;
    if (classes && only_data(classes) && unavailable) cpi[CPI_DATA_STRUCTURAL] += units;
    else if (classes) add_classes(cpi, classes, units);
    else if (q->held && set_has(q->restricted, (u32)slot)) cpi[stall_table[STALL_RESTRICT].cpi] += units;
    else if (unavailable) cpi[stall_table[structural(c, f, (enum unit)f->account.unit)].cpi] += units;
    else cpi[CPI_MISSED] += units;
}

/* Classes that a front is in during a silence, as the proportional stack has them */
static u32 formed_classes(const struct core *c, u32 slot, const struct silence *q) {
    const struct front *f = &c->fronts[slot];
    u32 classes = f->account.set ? classes_of(f->account.set) : 0;
    u32 unit = q->unavailable >> f->account.unit & 1 ? 1u << stall_table[structural(c, f, (enum unit)f->account.unit)].cpi : 0;
    if (classes) return only_data(classes) ? classes | unit : classes;
    if (unit) return unit;
    return q->held && set_has(q->restricted, slot) ? 1u << stall_table[STALL_RESTRICT].cpi : 1u << CPI_MISSED;
}

/* The proportional stack where fronts are formed: each place that counts has an equal share of a cycle, and
 * its classes have equal shares of that, rounded down; what is left goes to the heaviest class. Rounded by
 * the cycle, so that it does not matter where a silence is cut. */
static void charge_formed(const struct core *c, const struct sched *sc, struct sched_stats *ss, const struct silence *q, u64 n) {
    enum { WHOLE = 60 }; /* divides by the number of classes of a place */
    u64 weight[CPI_COUNT] = {0}, places = 0, left = 6ull * sc->nslots;
    u32 heaviest = 0;
    for (u32 w = 0; w < c->words; w++)
        for (u64 m = sc->at[w].counted; m; m &= m - 1, places++)
            add_classes(weight, formed_classes(c, w * 64 + (u32)__builtin_ctzll(m), q), WHOLE);
    for (u32 k = 0; k < CPI_COUNT && places; k++) {
        u64 share = 6ull * sc->nslots * weight[k] / (WHOLE * places);
        ss->cpi[CPI_PROPORTIONAL][k] += share * n;
        left -= share;
        if (weight[k] > weight[heaviest]) heaviest = k;
    }
    ss->cpi[CPI_PROPORTIONAL][heaviest] += left * n;
}

static enum sched_cycle cycle_kind(const struct core *c, const struct sched *sc, const struct silence *q) {
    for (u64 m = q->unavailable; m; m &= m - 1)
        if (unit_wanted(c, sc, (u32)__builtin_ctzll(m))) return SCHED_STALL;
    if (q->held) return SCHED_RESTRICT;
    return sc->pop[CPI_MEMORY_DATA] || sc->pop[CPI_COMPUTE_DATA] ? SCHED_RAW : SCHED_IDLE;
}

/* Turner's measures of an SM's cycles. Blocked (3.5): arithmetic finds no collector while the memory stage is
 * full and a memory instruction waits in one. Usable (figure 7.12): an MSHR is free and a load that could
 * take it, kernel parameters left out, is ready to issue or in the pipe. */
static void count_turner(struct core *c, u64 unavailable, u64 n) {
    bool blocked = unavailable >> UNIT_ALU & 1 && !c->cfg->operands_ideal && lsu_blocks_collectors(c);
    u32 data = lsu_loads(c, CACHE_DATA) + c->issue->ready_loads[1 + CACHE_DATA];
    u32 constant = lsu_loads(c, CACHE_CONST) + c->issue->ready_loads[1 + CACHE_CONST];
    if (blocked) c->stats.collector_blocked_cycles += n;
    if ((data && l1_mshr_free(c, CACHE_DATA)) || (constant && l1_mshr_free(c, CACHE_CONST))) c->stats.mshr_usable_cycles += n;
}

static void charge_held(struct core *c, struct sched *sc, u32 issued, u64 unavailable, const u64 *restricted, u64 n) {
    for (u64 m = unavailable; m; m &= m - 1) {
        sc->unavail[__builtin_ctzll(m)] += n;
        if (!issued) sc->noissue_unavail[__builtin_ctzll(m)] += n;
    }
    if (!restricted) return;
    SET_EACH (slot, restricted, c->words) {
        c->fronts[slot].account.restricted += n;
        if (!issued) c->fronts[slot].account.restricted_noissue += n;
        c->stats.restricted_warps += n;
    }
}

/* The cycles of a silence, through which the policy preferred that slot */
static void charge_silence(struct core *c, u32 si, int slot) {
    struct sched *sc = &c->issue->scheds[si];
    struct sched_stats *ss = &c->stats.sched[si];
    const struct silence *q = &sc->silence;
    u64 n = q->n;
    sc->silence.n = 0;
    charge_held(c, sc, 0, q->unavailable, q->held ? q->restricted : NULL, n);
    sc->noissue += n;
    ss->cycles[cycle_kind(c, sc, q)] += n;
    ss->cpi[CPI_GSI][gsi_class(c, sc, q)] += 6ull * sc->nslots * n;
    charge_selected(c, si, q, slot, n);
    if (c->form) charge_formed(c, sc, ss, q, n);
}

void account_silence(struct core *c, u32 si) { charge_silence(c, si, preferred_now(c, si)); }

void account_change(struct core *c, u32 slot) {
    u32 si = slot_sched(c, slot);
    if (c->issue->scheds[si].silence.n) account_silence(c, si);
}

static bool same_held(const struct core *c, const struct silence *q, const u64 *restricted) {
    return restricted ? q->held && set_same(q->restricted, restricted, c->words) : !q->held;
}

void account_charge(struct core *c, u32 slot, u64 at) {
    struct front *f = &c->fronts[slot];
    struct sched *sc = &c->issue->scheds[slot_sched(c, slot)];
    if (at <= f->account.since) return;
    charge(c, f, slot_sched(c, slot), at);
    snapshot(&f->account, sc, at);
}

void account_cycle(struct core *c, u32 si, u32 issued, u64 unavailable, const u64 *restricted, bool candidates, u64 n) {
    struct sched *sc = &c->issue->scheds[si];
    struct silence *q = &sc->silence;
    if (si == 0) count_turner(c, unavailable, n);
    if (issued) {
        charge_held(c, sc, 1, unavailable, restricted, n);
        c->stats.sched[si].cycles[SCHED_ISSUE1] += n; /* `base` of the stacks is made of these, in account_settle */
        return;
    }
    if (q->n && q->unavailable == unavailable && q->candidates == candidates && same_held(c, q, restricted)) {
        q->n += n;
        return;
    }
    if (q->n) account_silence(c, si);
    q->n = n, q->unavailable = unavailable, q->candidates = candidates, q->held = restricted;
    if (restricted) set_copy(q->restricted, restricted, c->words);
    if (c->pol.sched->moves || c->issue->shared) account_silence(c, si);
}

void account_moving(struct core *c, u32 si, u64 unavailable, bool candidates, const struct sched_view *v, u64 n) {
    struct sched *sc = &c->issue->scheds[si];
    if (si == 0) count_turner(c, unavailable, n);
    sc->silence.n = n, sc->silence.unavailable = unavailable, sc->silence.candidates = candidates, sc->silence.held = false;
    charge_silence(c, si, c->pol.sched->preferred(sc->state, v));
}

void account_again(struct core *c, u32 si, u64 n) {
    struct silence *q = &c->issue->scheds[si].silence;
    if (si == 0) count_turner(c, q->unavailable, n);
    q->n += n;
}

/* --- levels, the end, the sums */

void account_levels(struct core *c, u64 at) {
    u64 dt = at - c->issue->levels_cy;
    if (!dt) return;
    c->stats.mshr_cycles += dt * l1_mshrs_used(c, CACHE_DATA);
    c->stats.warp_cycles += dt * cta_resident_warps(c);
    if (cta_resident(c)) c->stats.sm_active_cycles += dt;
    c->issue->levels_cy = at;
}

void account_settle(struct core *c, u64 at) {
    for (u32 i = 0; i < c->nfronts; i++) {
        struct sched *sc = &c->issue->scheds[slot_sched(c, i)];
        account_change(c, i);
        charge(c, &c->fronts[i], slot_sched(c, i), at);
        snapshot(&c->fronts[i].account, sc, at);
        if (c->replay) replay_levels(c, &c->fronts[i], at);
    }
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        struct sched_stats *ss = &c->stats.sched[i];
        u64 issued = ss->cycles[SCHED_ISSUE1] + ss->cycles[SCHED_ISSUE2];
        for (u32 m = 0; m < CPI_METHODS; m++) ss->cpi[m][CPI_BASE] = 6ull * c->issue->scheds[i].nslots * issued;
    }
    c->stats.formed_beyond_cycles += c->issue->beyond_cy + c->issue->beyond * at;
    c->issue->beyond_cy = 0 - c->issue->beyond * at;
    account_levels(c, at);
}

void account_init(struct core *c) {
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        struct sched *sc = &c->issue->scheds[i];
        memset(sc->pop, 0, sizeof(sc->pop));
        for (u32 w = 0; w < c->words; w++) sc->at[w] = (struct sched_word){.slots = sc->at[w].slots, .valid = sc->at[w].valid};
        sc->nready = 0;
        sc->silence.n = 0;
        sc->present = 1u << CPI_IDLE;
    }
    for (u32 i = 0; i < c->nfronts; i++) {
        struct front *f = &c->fronts[i];
        struct sched *sc = &c->issue->scheds[slot_sched(c, i)];
        sc->pop[CPI_IDLE]++;
        if (i < c->nslots) sc->at[i / 64].counted |= set_bit(i);
        f->account.set = 1u << STALL_EMPTY;
        f->account.strongest = CPI_IDLE;
        f->account.unit = UNIT_NONE;
        f->account.pc = -1;
        snapshot(&f->account, sc, c->now);
    }
    c->issue->beyond = c->issue->beyond_cy = 0;
    memset(c->issue->ready_loads, 0, sizeof(c->issue->ready_loads));
    c->issue->levels_cy = c->now;
}

/* SMs run to the end of a window; what lies behind the launch's end is idle and is taken back. */
void core_trim(const struct core *c, u64 end, struct sm_stats *stats) {
    if (c->now <= end || c->view.faulted) return;
    u64 extra = c->now - end;
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        struct sched_stats *s = &stats->sched[i];
        u64 units = 6ull * c->issue->scheds[i].nslots * extra;
        s->warp_time[STALL_EMPTY] -= units;
        s->cycles[SCHED_IDLE] -= extra;
        for (u32 m = 0; m < CPI_METHODS; m++) s->cpi[m][CPI_IDLE] -= units;
    }
}

void core_check_sums(const struct core *c, const struct sm_stats *stats, u64 cycles) {
    u64 time = 0, kinds = 0;
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        const struct sched_stats *ss = &stats->sched[i];
        for (u32 k = 0; k < STALL_COUNT; k++) time += ss->warp_time[k];
        for (u32 k = 0; k < SCHED_CYCLES; k++) kinds += ss->cycles[k];
        for (u32 m = 0; m < CPI_METHODS; m++) {
            u64 sum = 0;
            for (u32 k = 0; k < CPI_COUNT; k++) sum += ss->cpi[m][k];
            CHECK(sum == 6 * c->issue->scheds[i].nslots * cycles); /* S2 */
        }
    }
    CHECK(time == 6 * (cycles * c->nslots + stats->formed_beyond_cycles)); /* S1 */
    CHECK(kinds == cycles * c->cfg->schedulers);                           /* S3 */
}
