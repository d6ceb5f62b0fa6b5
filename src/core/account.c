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
 * state. A policy whose preference moves from cycle to cycle is told of them then too, where it moves in the
 * same way as long as nothing happens (may_be_still); others, and those whose preference hangs on what the
 * schedulers share, are asked in every cycle.
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

static inline void add_time(const struct account *a, enum stall cause, u64 sixths) {
    a->sched->stats->warp_time[cause] += sixths;
    a->time[cause] += sixths;
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

static struct span span_of(const struct account *a, u64 at) {
    const struct sched *sc = a->sched;
    return (struct span){at - a->since, sc->noissue - a->since_noissue, sc->unavail[a->unit] - a->since_unavail,
                         sc->noissue_unavail[a->unit] - a->since_noissue_unavail};
}

static __attribute__((noinline)) void charge_ready(const struct core *c, const struct front *f, u64 at) {
    const struct account *a = &f->account;
    struct span d = span_of(a, at);
    u64 *cpi = a->sched->proportional;
    if (d.unavail) {
        enum stall why = structural(c, f, (enum unit)a->unit);
        add_time(a, why, d.unavail * 6);
        cpi[stall_table[why].cpi] += d.noissue_unavail * 6;
        d.dt -= d.unavail, d.noissue -= d.noissue_unavail;
    }
    if (a->restricted) {
        add_time(a, STALL_RESTRICT, a->restricted * 6);
        cpi[stall_table[STALL_RESTRICT].cpi] += a->restricted_noissue * 6;
        d.dt -= a->restricted, d.noissue -= a->restricted_noissue;
    }
    add_time(a, STALL_NOT_SELECTED, d.dt * 6);
    cpi[CPI_MISSED] += d.noissue * 6;
}

/* Waits for results, and for nothing else */
static bool only_data(u32 classes) { return !(classes & ~(1u << CPI_MEMORY_DATA | 1u << CPI_COMPUTE_DATA)); }

static __attribute__((noinline)) void charge_set(const struct core *c, const struct front *f, u64 at) {
    const struct account *a = &f->account;
    struct span d = span_of(a, at);
    u32 classes = classes_of(a->set), k = (u32)__builtin_popcount(a->set), i = 0;
    u64 *cpi = a->sched->proportional;
    if (k == 1) add_time(a, (enum stall)__builtin_ctz(a->set), d.dt * 6);
    else
        for (u32 m = a->set; m; m &= m - 1) add_time(a, (enum stall)__builtin_ctz(m), share_of(d.dt * 6, k, i++));
    add_classes(cpi, classes, (d.noissue - d.noissue_unavail) * 6);
    if (!d.noissue_unavail) return;
    if (only_data(classes)) classes |= 1u << stall_table[structural(c, f, (enum unit)a->unit)].cpi;
    add_classes(cpi, classes, d.noissue_unavail * 6);
}

/* Its time is somebody's: a place beyond those of warp slots has time only with a front in it */
static inline bool counts(const struct core *c, const struct front *f) {
    return __builtin_expect(!c->form, 1) || f->account.set != 1u << STALL_EMPTY || f->slot < c->nslots;
}

static __attribute__((cold)) void tell_charged(struct core *c, const struct front *f, u64 at) {
    const struct account *a = &f->account;
    EMIT(c, .kind = c->form ? EV_FRONT : EV_STALL, .slot = (u16)f->slot, .a = a->since, .cycle = at,
         .mask = a->set ? a->set : 1u << STALL_NOT_SELECTED, .pc = a->pc, .cause = FRONT_STALLS);
}

/* Time of a front from its last change up to cycle `at`, exclusive. Mostly there was one cause, whose class
 * is the strongest, and its cycles without an issue found the unit available. */
static inline void charge(struct core *c, struct front *f, u64 at) {
    struct account *a = &f->account;
    const struct sched *sc = a->sched;
    if (at == a->since) return;
    if (!counts(c, f)) {
    } else if (!a->set) charge_ready(c, f, at);
    else if (a->set & (a->set - 1) || sc->noissue_unavail[a->unit] != a->since_noissue_unavail) charge_set(c, f, at);
    else {
        add_time(a, (enum stall)__builtin_ctz(a->set), (at - a->since) * 6);
        sc->proportional[a->strongest] += (sc->noissue - a->since_noissue) * 6;
    }
    if (__builtin_expect(c->tracing, 0)) tell_charged(c, f, at);
    a->since = at;
}

static inline void snapshot(struct account *a, u64 at) {
    const struct sched *sc = a->sched;
    a->since = at;
    a->restricted = a->restricted_noissue = 0;
    a->since_noissue = sc->noissue;
    a->since_unavail = sc->unavail[a->unit];
    a->since_noissue_unavail = sc->noissue_unavail[a->unit];
}

/* Waits that last: two-level scheduling lets such warps leave the active set */
static const u32 waits_long = 1u << STALL_LONG | 1u << STALL_BARRIER | 1u << STALL_MEMBAR | 1u << STALL_ATOMIC_ORDER;

static inline void leave_population(struct core *c, const struct account *a) {
    struct sched_word *x = a->word;
    struct sched *sc = a->sched;
    u64 others = ~a->bit;
    if (!a->set) {
        x->all_ready &= others;
        x->ready[a->unit] &= others;
        sc->nready--;
        if (a->unit != UNIT_MEM) return;
        x->ready_loads &= others;
        x->ready_shared &= others;
        c->issue->ready_loads[a->load]--;
        return;
    }
    if (--sc->pop[a->strongest] == 0) sc->present &= ~(1u << a->strongest);
    if (!(a->set & waits_long)) return;
    x->waits_long &= others;
    x->waits_load &= others, x->waits_barrier &= others, x->waits_fence &= others;
}

static inline void join_population(struct core *c, struct account *a, const struct tinst *shown) {
    struct sched_word *x = a->word;
    struct sched *sc = a->sched;
    u64 bit = a->bit;
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
static void count_place(struct core *c, const struct front *f, u64 at) {
    struct sched_word *x = f->account.word;
    bool was = x->counted & f->account.bit, is = counts(c, f);
    if (was == is) return;
    x->counted ^= f->account.bit;
    if (is) c->issue->beyond++, c->issue->beyond_cy -= at;
    else c->issue->beyond--, c->issue->beyond_cy += at;
}

static const enum cpi awaited[2] = {CPI_MEMORY_DATA, CPI_COMPUTE_DATA};

/* A place joins the numbers that charge_formed reads (by = 1), or leaves them (by = -1) */
static void count_formed(const struct account *a, i32 by) {
    u32 classes = a->set ? classes_of(a->set) : 0;
    if (!(a->word->counted & a->bit)) return;
    if (!classes || classes & (classes - 1)) {
        a->word->singly ^= a->bit;
        return;
    }
    a->sched->formed[__builtin_ctz(classes)] += (u32)by;
    for (u32 i = 0; i < 2; i++)
        if (classes == 1u << awaited[i]) a->sched->formed_unit[i][a->unit] += (u32)by;
}

static inline void set_pc(const struct core *c, struct account *a, i32 pc) {
    if (pc == a->pc) return;
    a->pc = pc;
    a->time = pc >= 0 ? c->pcs[pc].time : c->issue->no_pc;
}

void account_state(struct core *c, u32 slot, u32 set, enum unit unit, u64 at) {
    struct front *f = &c->fronts[slot];
    struct account *a = &f->account;
    i32 pc = f->shown ? f->shown->pc : -1;
    if (set == a->set && pc == a->pc && unit == a->unit) return;
    if (a->sched->silence.n) account_silence(c, a->sched);
    charge(c, f, at);
    leave_population(c, a);
    if (c->form) count_formed(a, -1);
    a->set = set;
    a->unit = (u8)unit;
    set_pc(c, a, pc);
    join_population(c, a, f->shown);
    if (slot >= c->nslots) count_place(c, f, at);
    if (c->form) count_formed(a, 1);
    snapshot(a, at);
}

void account_issue(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    if (f->account.sched->silence.n) account_silence(c, f->account.sched);
    charge(c, f, c->now);
    add_time(&f->account, STALL_SELECTED, 6);
    f->account.since = c->now + 1;
    f->account.pc = -2; /* what follows is another state, even when a window shows the same instruction again */
}

/* --- cycles of a scheduler */

/* Asked every cycle without an issue, and the same again and again */
static enum cpi weakest(struct sched *sc, u32 present) {
    if (present == sc->asked) return (enum cpi)sc->answer;
    sc->asked = present;
    enum cpi best = CPI_IDLE;
    for (; present; present &= present - 1) {
        enum cpi x = (enum cpi)__builtin_ctz(present);
        if (cpi_table[x].weak < cpi_table[best].weak) best = x;
    }
    sc->answer = best;
    return best;
}

static enum cpi gsi_class(const struct core *c, struct sched *sc, const struct silence *q) {
    u32 present = sc->present | (q->candidates ? 1u << CPI_MISSED : 0) | (q->held ? 1u << CPI_MEMORY_STRUCTURAL : 0);
    for (u64 m = q->unavailable; m; m &= m - 1) {
        u32 u = (u32)__builtin_ctzll(m);
        if (unit_wanted(c, sc, u)) present |= 1u << (u == UNIT_MEM ? CPI_MEMORY_STRUCTURAL : CPI_COMPUTE_STRUCTURAL);
    }
    return weakest(sc, present);
}

static int preferred_now(const struct core *c, const struct sched *sc) {
    struct sched_view *v = sched_look(c, sc);
    set_clear(v->candidates, c->words);
    return c->pol.sched->preferred(sc->state, v);
}

/* The warp that the policy would have taken has all of the scheduler's cycles */
static void charge_selected(struct core *c, const struct sched *sc, const struct silence *q, int slot, u64 n) {
    u64 *cpi = sc->stats->cpi[CPI_SELECTED], units = 6ull * sc->nslots * n;
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
 * the cycle, so that it does not matter where a silence is cut. Places that wait in one class are known by
 * number; of those that wait for results, half is their unit's while it takes nothing. */
enum { FORMED_WHOLE = 60 }; /* of a place; divides by the number of its classes */
_Static_assert(6ull * MAX_SLOTS * FORMED_WHOLE * MAX_FRONTS <= UINT32_MAX, "shares are divided in 32 bits, which is faster");

/* Ready fronts, none of which is held back: their unit's while it takes nothing, else they were missed */
static u32 weigh_ready(const struct core *c, const struct sched *sc, const struct silence *q, u64 *weight) {
    u32 missed = sc->nready;
    for (u64 m = sc->nready ? q->unavailable : 0; m; m &= m - 1) {
        u32 u = (u32)__builtin_ctzll(m), n = 0;
        for (u32 w = 0; w < c->words; w++)
            if (sc->at[w].ready[u]) n += (u32)__builtin_popcountll(sc->at[w].ready[u]);
        weight[u == UNIT_MEM ? CPI_MEMORY_STRUCTURAL : CPI_COMPUTE_STRUCTURAL] += (u64)n * FORMED_WHOLE;
        missed -= n;
    }
    weight[CPI_MISSED] += (u64)missed * FORMED_WHOLE;
    return sc->nready;
}

static u64 weigh_formed(const struct core *c, const struct sched *sc, const struct silence *q, u64 *weight) {
    u64 places = 0;
    for (u32 k = 0; k < CPI_COUNT; k++) weight[k] = (u64)sc->formed[k] * FORMED_WHOLE, places += sc->formed[k];
    for (u64 m = q->unavailable; m; m &= m - 1) {
        u32 u = (u32)__builtin_ctzll(m), why = u == UNIT_MEM ? CPI_MEMORY_STRUCTURAL : CPI_COMPUTE_STRUCTURAL;
        for (u32 i = 0; i < 2; i++) {
            u64 half = (u64)sc->formed_unit[i][u] * (FORMED_WHOLE / 2);
            weight[awaited[i]] -= half, weight[why] += half;
        }
    }
    if (!q->held) places += weigh_ready(c, sc, q, weight);
    for (u32 w = 0; w < c->words; w++)
        for (u64 m = q->held ? sc->at[w].singly : sc->at[w].singly & ~sc->at[w].all_ready; m; m &= m - 1, places++)
            add_classes(weight, formed_classes(c, w * 64 + (u32)__builtin_ctzll(m), q), FORMED_WHOLE);
    return places;
}

static void charge_formed(const struct core *c, const struct sched *sc, const struct silence *q, u64 n) {
    u64 weight[CPI_COUNT], whole = 6ull * sc->nslots, left = whole, places = weigh_formed(c, sc, q, weight);
    u32 heaviest = 0;
    for (u32 k = 0; k < CPI_COUNT && places; k++) {
        if (!weight[k]) continue;
        u64 share = (u32)(whole * weight[k]) / (u32)(FORMED_WHOLE * places);
        sc->stats->cpi[CPI_PROPORTIONAL][k] += share * n;
        left -= share;
        if (weight[k] > weight[heaviest]) heaviest = k;
    }
    sc->stats->cpi[CPI_PROPORTIONAL][heaviest] += left * n;
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

/* What cycles of a silence are to all methods but `selected` */
static void charge_silence(struct core *c, struct sched *sc, u64 n) {
    struct sched_stats *ss = sc->stats;
    const struct silence *q = &sc->silence;
    charge_held(c, sc, 0, q->unavailable, q->held ? q->restricted : NULL, n);
    sc->noissue += n;
    ss->cycles[cycle_kind(c, sc, q)] += n;
    ss->cpi[CPI_GSI][gsi_class(c, sc, q)] += 6ull * sc->nslots * n;
    if (c->form) charge_formed(c, sc, q, n);
}

/* The turns that a policy gave in a silence: the first to the slot known, then n to one slot after the other,
 * until they come round. It is told of them only now. */
static void charge_turns(struct core *c, struct sched *sc, u64 n) {
    const struct sched_policy *p = c->pol.sched;
    const struct silence *q = &sc->silence;
    u64 round = MIN(n, (u64)q->round);
    charge_selected(c, sc, q, q->slot, 1);
    if (!n) return;
    struct sched_view *v = sched_look(c, sc);
    v->buffered[0] = q->buffered;
    set_clear(v->candidates, c->words);
    for (u64 k = 0; k < round; k++) {
        p->skip(sc->state, v, 1);
        charge_selected(c, sc, q, p->preferred(sc->state, v), n / round + (k < n % round));
    }
    if (n > round) p->skip(sc->state, v, n - round);
}

void account_silence(struct core *c, struct sched *sc) {
    const struct silence *q = &sc->silence;
    u64 n = q->n;
    sc->silence.n = 0;
    charge_silence(c, sc, n);
    if (!q->still) charge_selected(c, sc, q, preferred_now(c, sc), n);
    else if (q->round == 1) charge_selected(c, sc, q, q->slot, n);
    else charge_turns(c, sc, n - 1);
}

void account_change(struct core *c, u32 slot) {
    struct sched *sc = c->fronts[slot].account.sched;
    if (sc->silence.n) account_silence(c, sc);
}

static bool same_held(const struct core *c, const struct silence *q, const u64 *restricted) {
    return restricted ? q->held && set_same(q->restricted, restricted, c->words) : !q->held;
}

void account_charge(struct core *c, u32 slot, u64 at) {
    struct front *f = &c->fronts[slot];
    if (at <= f->account.since) return;
    charge(c, f, at);
    snapshot(&f->account, at);
}

void account_cycle(struct core *c, struct sched *sc, u32 issued, u64 unavailable, const u64 *restricted, bool candidates, u64 n) {
    struct silence *q = &sc->silence;
    if (sc->index == 0) count_turner(c, unavailable, n);
    if (issued) {
        charge_held(c, sc, 1, unavailable, restricted, n);
        sc->stats->cycles[SCHED_ISSUE1] += n; /* `base` of the stacks is made of these, in account_settle */
        return;
    }
    if (q->n && !q->still && q->unavailable == unavailable && q->candidates == candidates && same_held(c, q, restricted)) {
        q->n += n;
        return;
    }
    if (q->n) account_silence(c, sc);
    q->n = n, q->unavailable = unavailable, q->candidates = candidates, q->held = restricted, q->still = false;
    if (restricted) set_copy(q->restricted, restricted, c->words);
    if (c->pol.sched->moves || c->issue->shared) account_silence(c, sc);
}

void account_moving(struct core *c, struct sched *sc, u64 unavailable, bool candidates, const struct sched_view *v, u64 n) {
    struct silence *q = &sc->silence;
    if (sc->index == 0) count_turner(c, unavailable, n);
    CHECK(!q->n);
    q->n = n, q->unavailable = unavailable, q->candidates = candidates, q->held = false;
    q->slot = c->pol.sched->preferred(sc->state, v), q->buffered = v->buffered[0];
    q->still = c->issue->may_be_still && !candidates && n == 1;
    q->round = c->pol.sched->moves(v);
    if (q->still) return;
    q->n = 0;
    charge_silence(c, sc, n);
    charge_selected(c, sc, q, q->slot, n);
}

void account_again(struct core *c, struct sched *sc, u64 n) {
    struct silence *q = &sc->silence;
    if (sc->index == 0) count_turner(c, q->unavailable, n);
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
        account_change(c, i);
        charge(c, &c->fronts[i], at);
        snapshot(&c->fronts[i].account, at);
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
        memset(sc->formed, 0, sizeof(sc->formed)), memset(sc->formed_unit, 0, sizeof(sc->formed_unit));
        for (u32 w = 0; w < c->words; w++) sc->at[w] = (struct sched_word){.slots = sc->at[w].slots, .valid = sc->at[w].valid};
        sc->nready = 0;
        sc->silence.n = 0;
        sc->present = 1u << CPI_IDLE;
        sc->asked = 0, sc->answer = CPI_IDLE;
        sc->stats = &c->stats.sched[i];
        sc->proportional = c->form ? c->issue->formed_apart : sc->stats->cpi[CPI_PROPORTIONAL];
    }
    for (u32 i = 0; i < c->nfronts; i++) {
        struct front *f = &c->fronts[i];
        struct sched *sc = &c->issue->scheds[i % c->cfg->schedulers];
        sc->pop[CPI_IDLE]++;
        if (i < c->nslots) sc->at[i / 64].counted |= set_bit(i), sc->formed[CPI_IDLE]++;
        f->account = (struct account){.sched = sc, .word = &sc->at[i / 64], .bit = set_bit(i), .set = 1u << STALL_EMPTY};
        f->account.strongest = CPI_IDLE;
        f->account.unit = UNIT_NONE;
        f->account.pc = -1;
        f->account.time = c->issue->no_pc;
        snapshot(&f->account, c->now);
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
