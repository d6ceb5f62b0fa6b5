/* Operands: register banks and collectors of a sub-core.
 *
 * An issued instruction takes a collector and reads its source registers from their banks, one access a port
 * and cycle. The banks have a calendar: an access takes the first free place from its earliest cycle on.
 * Results reserve their write when they leave for their unit, long before reads of the same cycle are asked
 * for, so writes go first. A collector is free again when its instruction enters a unit, or the memory
 * stage's queue.
 *
 * Not modelled: reads of one register by two instructions at once are two reads; predicates are not in banks.
 *
 * Results that come later than the calendar reaches (FAR_CY) take no place in it.
 *
 * With sm.pipe = one a sub-core has one pipe before all units: an instruction takes it for as many cycles as
 * it has beats (scale.c), and what comes back from memory may take it too (sm.pipe.return_first). Deviation:
 * in Jin's machine a result that is written before the pipe's also delays those that are in the pipe; here it
 * delays what is issued next.
 *
 * Where warps are divided into slices (43_gang.c) each slice has its share of the sub-core: banks, collectors
 * and units that know nothing of other slices'. An instruction of several slices takes its places in all of
 * them; it goes on when the last is there. The one pipe is divided by its SIMD lanes: a slice has as many of
 * them as it has of the warp's lanes, so that it takes its share for as many beats as a whole warp takes all
 * of the pipe. (Of a pipe with fewer SIMD lanes than there are slices they have one by turns, which takes as
 * long.)
 *
 * Collectors of a pool are all alike, so a pool is a count of free ones and a queue of times.
 *
 * Invariants: O1 no bank serves more than sm.bank_ports accesses in a cycle; O2 all reservations lie less
 * than BANK_WINDOW cycles ahead. */
#include "core/operands.h"

#include <stdlib.h>
#include <string.h>

enum { FAR_CY = BANK_WINDOW - 128 }; /* further conflicts still find a place in the window */

/* 64 cycles of the calendar that lie in the past become the future's. */
static __attribute__((noinline)) void banks_advance(const struct core *c, struct subcore *sub) {
    u64 word = c->now / 64, ports = c->cfg->bank_ports;
    for (u64 w = MAX(sub->bank_word, word > BANK_WORDS ? word - BANK_WORDS : 0); w < word; w++)
        memset(&sub->bank[w % BANK_WORDS * 64 * ports], 0, sizeof(u64) * 64 * ports);
    sub->bank_word = word;
}

static u64 bank_take(const struct core *c, struct subcore *sub, u32 bank, u64 from) {
    u32 ports = c->cfg->bank_ports;
    for (u64 t = from;; t++) {
        u64 *taken = &sub->bank[t % BANK_WINDOW * ports];
        for (u32 p = 0; p < ports; p++) {
            if (taken[p] >> bank & 1) continue;
            taken[p] |= 1ull << bank;
            return t;
        }
    }
}

static u32 bank_of(const struct core *c, u32 home, u32 reg) { return (reg + home) % c->cfg->banks; }

/* The banks of home 0's registers, for the same ones of that home */
static inline u64 banks_turned(const struct operands *o, u64 banks, u32 home) {
    u32 by = o->turn[home];
    return (banks << by | banks >> 1 >> (o->last_bank - by)) & o->all_banks;
}

static void make_pools(struct operands *o, const struct collectors *x) {
    const u64 all = (1ull << UNIT_NONE) - 1;
    o->npools = x->separated ? 3 : 1;
    o->pool_size[0] = x->separated ? x->alu : x->generic;
    o->pool_size[1] = x->sfu, o->pool_size[2] = x->mem;
    o->pool_units[0] = x->separated ? all & ~(1ull << UNIT_SFU | 1ull << UNIT_MEM) : all;
    o->pool_units[1] = 1ull << UNIT_SFU, o->pool_units[2] = 1ull << UNIT_MEM;
    if (x->separated) o->pool_of[UNIT_SFU] = 1, o->pool_of[UNIT_MEM] = 2;
}

static u64 *unit_counter(struct sm_stats *s, enum unit u) {
    switch (u) {
    case UNIT_INT: return &s->unit_busy_int;
    case UNIT_SFU: return &s->unit_busy_sfu;
    case UNIT_FP64: return &s->unit_busy_fp64;
    case UNIT_TENSOR: return &s->unit_busy_tensor;
    default: return &s->unit_busy_alu;
    }
}

static struct subcore *subcore_new(struct core *c) {
    const struct config *g = c->cfg;
    const u32 n[UNIT_COUNT] = {g->alu_units, g->int_units, g->sfu_units, g->fp64_units, g->tensor_units, 1, 0};
    struct subcore *s = base_alloc(sizeof(*s));
    s->bank = base_alloc(sizeof(u64) * BANK_WINDOW * g->bank_ports);
    for (u32 u = 0; u < UNIT_COUNT; u++) {
        s->of[u] = &s->units[u];
        s->units[u] =
            (struct units){.n = n[u], .pool = &s->pools[c->operands->pool_of[u]], .busy = unit_counter(&c->stats, (enum unit)u)};
    }
    return s;
}

void operands_init(struct core *c) {
    const struct config *g = c->cfg;
    struct operands *o = c->operands = base_alloc(sizeof(*o));
    o->last_bank = g->banks - 1;
    o->all_banks = ~0ull >> (64 - g->banks);
    for (u32 i = 0; i < MAX_SLOTS; i++) o->turn[i] = (u8)(i % g->banks);
    o->pooled = !g->operands_ideal && g->pipe != PIPE_ONE && g->pipeline != PIPELINE_VORTEX;
    make_pools(o, &g->collectors);
    o->shares = c->pol.diverge->slices ? c->pol.diverge->slices(g) : 1;
    operands_divide(c, o->shares);
    for (u32 i = 0; i < g->subcores * o->shares; i++) o->subs[i] = subcore_new(c);
}

void operands_divide(struct core *c, u32 slices) {
    struct operands *o = c->operands;
    o->slices = slices;
    o->slice = c->cfg->warp_size / slices;
}

void operands_free(struct core *c) {
    for (u32 i = 0; i < c->cfg->subcores * c->operands->shares; i++) free(c->operands->subs[i]->bank), free(c->operands->subs[i]);
    free(c->operands);
}

void operands_launch(struct core *c) {
    for (u32 i = 0; i < c->cfg->subcores * c->operands->shares; i++) {
        struct subcore *s = c->operands->subs[i];
        for (u32 u = 0; u < UNIT_COUNT; u++) memset(s->units[u].free, 0, sizeof(s->units[u].free));
        for (u32 k = 0; k < c->operands->npools; k++) s->pools[k] = (struct pool){.free = c->operands->pool_size[k]};
        memset(s->bank, 0, sizeof(u64) * BANK_WINDOW * c->cfg->bank_ports);
        s->bank_word = c->now / 64;
        s->unavailable_to = 0;
        s->pipe_free = 0;
    }
    memset(c->operands->share, 0, sizeof(c->operands->share));
    c->operands->pipe_share = c->operands->return_share = 0;
    c->operands->round_cy = NEVER;
    c->operands->round_beats = c->operands->common_beats = 0;
}

u32 operands_collectors(const struct core *c) {
    u32 n = 0;
    for (u32 k = 0; k < c->operands->npools; k++) n += c->operands->pool_size[k];
    return n * c->cfg->subcores * c->operands->shares;
}

/* Those whose time has come are free */
static inline void pool_settle(struct pool *p, u64 now) {
    for (; p->nbusy && p->busy[p->first] <= now; p->nbusy--, p->free++) p->first = (p->first + 1) % MAX_COLLECTORS;
}

static inline void pool_take(struct subcore *s, struct pool *p, u64 now) {
    pool_settle(p, now);
    CHECK(p->free);
    if (--p->free == 0) s->unavailable_to = 0;
}

void operands_hold(struct core *c, u32 sub, i32 pool, u64 lanes) {
    if (c->operands->slices == 1) c->operands->subs[sub]->pools[pool].held++;
    else
        while (lanes) slice_of(c->operands, sub, &lanes)->pools[pool].held++;
}

u32 operands_shares(const struct core *c, u64 lanes) {
    u32 n = c->operands->slices == 1;
    while (c->operands->slices > 1 && lanes) slice_of(c->operands, 0, &lanes), n++;
    return n;
}

u32 operands_held(const struct core *c) {
    u32 held = 0;
    for (u32 i = 0; i < c->cfg->subcores * c->operands->slices; i++)
        for (u32 k = 0; k < c->operands->npools; k++) held += c->operands->subs[i]->pools[k].held;
    return held;
}

static void let_go(struct subcore *s, i32 pool) {
    struct pool *p = &s->pools[pool];
    p->held--;
    p->free++;
    s->unavailable_to = 0;
}

void operands_let_go(struct core *c, u32 sub, i32 pool, u64 lanes) {
    if (c->operands->slices == 1) let_go(c->operands->subs[sub], pool);
    else
        while (lanes) let_go(slice_of(c->operands, sub, &lanes), pool);
}

static bool unit_free_now(const struct core *c, const struct subcore *s, enum unit u) {
    u64 at = c->now + c->cfg->issue_depth + c->cfg->operand_depth;
    const struct units *x = s->of[u];
    for (u32 i = 0; i < x->n; i++)
        if (x->free[i] <= at) return true;
    return false;
}

/* --- the one pipe */

static bool share_is_taken(const struct core *c, const struct subcore *s) {
    return __builtin_expect(c->cfg->pipe == PIPE_ONE, 0) && s->pipe_free > c->now;
}

static bool pipe_is_taken(const struct core *c, u32 sub) { return share_is_taken(c, c->operands->subs[sub]); }

void pipe_take(struct core *c, u32 sub, u64 lanes) {
    struct operands *o = c->operands;
    u32 beats = scale_lanes(c, lanes), n = 0;
    for (; lanes; n++) slice_of(o, sub, &lanes)->pipe_free = c->now + beats;
    c->stats.pipe_cycles += whole_of_shares(o, &o->pipe_share, (u64)beats * n);
    o->round_beats = o->round_cy == c->now ? MAX(o->round_beats, beats) : beats;
    o->round_cy = c->now;
}

void pipe_returns(struct core *c, u32 sub, u64 lanes) {
    struct operands *o = c->operands;
    u32 beats = scale_lanes(c, lanes), n = 0;
    for (; lanes; n++) {
        u64 *free = &slice_of(o, sub, &lanes)->pipe_free;
        *free = MAX(*free, c->now) + beats;
    }
    c->stats.return_cycles += whole_of_shares(o, &o->return_share, (u64)beats * n);
}

u32 pipe_common(const struct core *c) { return c->operands->common_beats; }

u32 core_round(const struct core *c, u64 cycle) { return c->operands->round_cy == cycle ? c->operands->round_beats : 0; }

void core_end_round(struct core *c, u64 cycle, u32 beats) {
    struct operands *o = c->operands;
    o->common_beats = beats;
    if (o->round_cy == cycle) c->stats.lockstep_cycles += beats - o->round_beats;
    for (u32 i = 0; i < c->cfg->subcores; i++) o->subs[i]->pipe_free = MAX(o->subs[i]->pipe_free, cycle + beats);
}

static bool has_room(const struct core *c, const struct subcore *s, enum unit u) {
    if (u == UNIT_NONE) return true;
    if (!c->cfg->operands_ideal) {
        struct pool *p = s->of[u]->pool;
        pool_settle(p, c->now);
        return p->free;
    }
    if (u == UNIT_MEM) return lsu_room(c);
    return unit_free_now(c, s, u);
}

bool operands_room(const struct core *c, u32 sub, enum unit u) {
    if (c->vunits) return u == UNIT_NONE || !(vunits_unavailable(c) >> u & 1);
    return has_room(c, c->operands->subs[sub], u);
}

bool operands_fit(const struct core *c, u32 sub, enum unit u, u64 lanes) {
    while (lanes) {
        const struct subcore *s = slice_of(c->operands, sub, &lanes);
        if (share_is_taken(c, s) || !has_room(c, s, u)) return false;
    }
    return true;
}

bool operands_available(const struct core *c, u32 sub, enum unit u) { return !pipe_is_taken(c, sub) && operands_room(c, sub, u); }

/* Units whose pool has no collector; holds until one is taken, let go or free again */
static u64 find_unavailable(const struct core *c, struct subcore *s) {
    const struct operands *o = c->operands;
    s->unavailable = 0;
    s->unavailable_to = NEVER;
    for (u32 k = 0; k < o->npools; k++) {
        struct pool *p = &s->pools[k];
        pool_settle(p, c->now);
        if (p->free) continue;
        s->unavailable |= o->pool_units[k];
        if (p->nbusy) s->unavailable_to = MIN(s->unavailable_to, p->busy[p->first]);
    }
    return s->unavailable;
}

/* Units that no slice has room for */
static u64 find_unavailable_shares(const struct core *c, u32 sub) {
    const struct operands *o = c->operands;
    u64 mask = 0;
    for (u32 u = 0; u <= UNIT_NONE; u++) {
        bool room = false;
        for (u32 i = 0; i < o->slices && !room; i++) {
            const struct subcore *s = o->subs[sub * o->slices + i];
            bool asked = s->units[u].n || u == UNIT_MEM || !c->cfg->operands_ideal;
            room = !share_is_taken(c, s) && (!asked || has_room(c, s, (enum unit)u));
        }
        if (!room) mask |= 1ull << u;
    }
    return mask;
}

u64 operands_unavailable(const struct core *c, u32 sub) {
    if (__builtin_expect(c->operands->slices > 1, 0)) return find_unavailable_shares(c, sub);
    struct subcore *s = c->operands->subs[sub];
    u64 mask = 0;
    if (c->operands->pooled) return c->now < s->unavailable_to ? s->unavailable : find_unavailable(c, s);
    if (c->vunits) return vunits_unavailable(c);
    if (pipe_is_taken(c, sub)) return (1ull << UNIT_COUNT) - 1;
    if (!c->cfg->operands_ideal) return c->now < s->unavailable_to ? s->unavailable : find_unavailable(c, s);
    for (u32 u = 0; u < UNIT_NONE; u++)
        if ((s->units[u].n || u == UNIT_MEM) && !operands_available(c, sub, (enum unit)u)) mask |= 1ull << u;
    return mask;
}

static u64 next_free(const struct core *c, struct subcore *s) {
    u64 next = s->pipe_free > c->now ? s->pipe_free : NEVER;
    if (!c->cfg->operands_ideal) {
        for (u32 k = 0; k < c->operands->npools; k++) {
            struct pool *p = &s->pools[k];
            pool_settle(p, c->now);
            if (p->nbusy) next = MIN(next, p->busy[p->first]);
        }
        return next;
    }
    u64 way = c->cfg->issue_depth + c->cfg->operand_depth;
    for (u32 u = 0; u < UNIT_MEM; u++)
        for (u32 i = 0; i < s->units[u].n; i++)
            if (s->units[u].free[i] > c->now + way) next = MIN(next, s->units[u].free[i] - way);
    return next;
}

u64 operands_next(const struct core *c, u32 sub) {
    const struct operands *o = c->operands;
    u64 next = NEVER;
    for (u32 i = 0; i < o->slices; i++) next = earlier(next, next_free(c, o->subs[sub * o->slices + i]));
    return next;
}

/* One register of all members: each bank that has it of some home is asked once for each pass. Lanes of one
 * pass are read together, whatever rows they are in: each SIMD lane has its own decoder. When the last is
 * there, from cycle `first` on. */
static u64 reach(const struct core *c, struct subcore *x, const struct crew *w, u32 reg, u64 first) {
    u64 last = first, seen = 0;
    for (u32 i = 0; i < w->n; i++) {
        u32 bank = bank_of(c, w->at[i].home, reg);
        if (seen >> bank & 1) continue;
        seen |= 1ull << bank;
        u64 at = bank_take(c, x, bank, first);
        for (u32 k = 1; k < w->passes; k++) at = bank_take(c, x, bank, at + 1);
        last = MAX(last, at);
    }
    return last;
}

/* The same of n registers */
static __attribute__((noinline)) u64 reach_each(const struct core *c, struct subcore *x, const struct crew *w, const u16 *reg,
                                                u32 n, u64 first) {
    u64 last = first;
    for (u32 i = 0; i < n; i++) last = later(last, reach(c, x, w, reg[i], first));
    return last;
}

/* n registers of all members, which lie in these banks of home 0. Mostly they are of one home and in banks of
 * their own, whose first ports are free at once. */
static inline u64 reach_all(const struct core *c, struct subcore *x, const struct crew *w, const u16 *reg, u32 n, u64 banks,
                            u64 first) {
    if (x->bank_word != c->now / 64) banks_advance(c, x);
    u64 mine = banks_turned(c->operands, banks, w->at[0].home), *taken = &x->bank[first % BANK_WINDOW * c->cfg->bank_ports];
    if (w->n > 1 || w->passes > 1 || banks == BANKS_SHARED || *taken & mine) return reach_each(c, x, w, reg, n, first);
    *taken |= mine;
    return first;
}

i32 operands_pool(const struct core *c, const struct tinst *t) {
    return c->cfg->operands_ideal ? NONE : c->operands->pool_of[t->unit];
}

/* Their sources are read up to cycle `last` */
static __attribute__((noinline)) void keep_reads(struct core *c, const struct crew *w, const struct tinst *t, u64 last) {
    for (u32 k = 0; k < w->n; k++) {
        struct home *s = &c->homes[w->at[k].home];
        s->read_cy = later(s->read_cy, last);
        for (u32 i = 0; i < t->nsrc; i++) s->sb[t->reg[i]].read_cy = later(s->sb[t->reg[i]].read_cy, last);
    }
}

/* The sources of an instruction from their banks, or its results to theirs, in each of its slices; a
 * collector of each, where it reads */
static u64 reach_slices(struct core *c, u32 sub, const struct crew *w, const struct tinst *t, u64 first, bool reads) {
    u64 last = first, lanes = crew_lanes(w);
    while (lanes) {
        struct subcore *x = slice_of(c->operands, sub, &lanes);
        if (reads) pool_take(x, x->of[t->unit]->pool, c->now);
        u64 at = reads ? reach_all(c, x, w, t->reg, t->nread, t->read_banks, first)
                       : reach_all(c, x, w, t->reg + t->nsrc, t->nwrite, t->write_banks, first);
        last = later(last, at);
    }
    return last;
}

u64 operands_read(struct core *c, u32 sub, const struct crew *w, const struct tinst *t) {
    struct operands *o = c->operands;
    u64 first = c->now + c->cfg->issue_depth, last = first;
    if (!c->cfg->operands_ideal && o->slices > 1) last = reach_slices(c, sub, w, t, ++first, true);
    else if (!c->cfg->operands_ideal) {
        struct subcore *x = o->subs[sub];
        pool_take(x, x->of[t->unit]->pool, c->now);
        last = reach_all(c, x, w, t->reg, t->nread, t->read_banks, ++first);
    }
    c->stats.operand_reads += t->nread;
    c->stats.bank_conflict_cycles += last - first;
    if (last - c->now >= c->prog->soonest_cy) keep_reads(c, w, t, last);
    return last;
}

u64 operands_write(struct core *c, u32 sub, const struct crew *w, const struct tinst *t, u64 at) {
    c->stats.operand_writes += t->nwrite;
    if (c->cfg->operands_ideal || at - c->now >= FAR_CY) return at;
    u64 last = c->operands->slices > 1 ? reach_slices(c, sub, w, t, at, false)
                                       : reach_all(c, c->operands->subs[sub], w, t->reg + t->nsrc, t->nwrite, t->write_banks, at);
    c->stats.writeback_conflict_cycles += last - at;
    return last;
}
