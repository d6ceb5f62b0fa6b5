/* The functional machine: blocks one after the other, the warps of a block in turns, a group at a time.
 *
 * A warp runs until it waits, ends or has had its slice; a block until it ends or has had its slice, after
 * which later blocks start beside it, so that programs whose blocks wait for each other finish. Everything is
 * in a fixed order: two runs of a program are the same run. */
#include "func/func.h"
#include "func/rowops.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#ifdef HEDDLE_TORTURE /* short turns, and every invariant checked after each: make CFLAGS=-DHEDDLE_TORTURE B=build-torture unit */
enum { WARP_SLICE = 3, PASS_SLICES = 1, POLL_PATIENCE = 1, TORTURE = 1 };
#else
enum {
    WARP_SLICE = 32,     /* instructions before another warp of the block gets its turn: few, so that warps keep step */
    PASS_SLICES = 256,   /* turns of each warp before it is asked whether they only poll */
    POLL_PATIENCE = 256, /* polling instructions before other lanes of the warp get their turn */
    TORTURE = 0,
};
#endif
enum {
    CTA_SLICE = 1 << 22,    /* instructions before another block does */
    IDLE_PASSES = 8,        /* passes in which all warps only poll, likewise */
    MAX_RESIDENT = 4096,    /* unfinished blocks kept at once */
    RUN_PATIENCE = 1 << 20, /* instructions before other lanes of the warp get their turn: for loops that poll with plain loads */
};

static void trace(const struct warp *w, const struct inst *in, u64 mask) {
    struct launch *l = w->launch;
    if (l->trace_cta != NONE && (u64)l->trace_cta != w->cta->linear) return;
    if (l->trace_warp != NONE && (u64)l->trace_warp != w->id) return;
    if (in->flags & INST_PSEUDO) return;
    fprintf(l->trace, "%s cta %llu warp %u pc %td mask %08llx %s\n", l->k->name, (unsigned long long)w->cta->linear, w->id,
            in - l->k->code, (unsigned long long)mask, inst_text(in->src));
}

/* The lanes a collective instruction names, as `lane` gives it: all that are on when it has no mask operand
 * */
static u64 collective_members(const struct warp *w, const struct group *g, const struct inst *in, u32 lane) {
    if (in->q.absent) return w->launch->k->gathers ? g->wait_mask : warp_enabled(w);
    return ((const u32 *)(const void *)opnd_row(w, g, &in->q, 0, w->launch->k->pool))[lane];
}

static u64 lanes_naming(const struct warp *w, const struct group *g, const struct inst *in, u64 lanes, u64 members) {
    u64 same = 0;
    if (in->q.absent || in->q.in == OPND_IN_POOL) return lanes;
    for (u64 m = lanes; m; m &= m - 1)
        if (collective_members(w, g, in, (u32)__builtin_ctzll(m)) == members) same |= m & -m;
    return same;
}

/* One instruction of a group of `lanes`, of which `active` take part */
static inline void count(struct warp *w, const struct inst *in, u64 lanes, u64 active) {
    struct launch *l = w->launch;
    struct pc_count *c = &l->counts[in - l->k->code];
    u64 n = lanes == 0xFFFFFFFFu ? SLAB_LANES : (u64)__builtin_popcountll(lanes);
    c->warps++;
    c->lanes += n;
    w->retired++;
    w->retired_lanes += n;
    if (l->trace) trace(w, in, active);
}

/* An instruction on rows alone (INST_PLAIN), of all live lanes of a warp of one slab: straight into its
 * destination */
static inline void run_plain(const struct inst *in, u8 *regs, u8 *pool) {
    u8 *const from[2] = {regs, pool};
    in->lane(regs + in->d.off, from[in->s[0].in] + in->s[0].off, from[in->s[1].in] + in->s[1].off,
             from[in->s[2].in] + in->s[2].off, NULL, in->aux);
}

/* Straight code, one instruction after the other: most of most programs. Returns how many instructions it
 * did. */
static inline u64 run_straight(struct launch *l, struct warp *w, struct group *g, u64 n) {
    const struct inst *const code = l->k->code, *in = &code[g->pc];
    if (!(in->flags & INST_STRAIGHT) || l->trace) return 0;
    u8 *const regs = g->regs;
    const u64 lanes = (u64)__builtin_popcountll(g->mask);
    const bool in_place = g->mask == w->live && w->nslabs == 1; /* no live lane, on or off, is elsewhere: straight into rows */
    struct pc_count *c = &l->runs[in - code];
    u64 done = 0;
    c->warps++;
    c->lanes += lanes;
    if (in_place) do {
            if (in->flags & INST_PLAIN) run_plain(in, regs, l->k->pool);
            else in->exec(w, g, in, g->mask);
            in++;
        } while (++done < n && in->flags & INST_STRAIGHT && !l->faulted);
    else do {
            in->exec(w, g, in, g->mask);
            in++;
        } while (++done < n && in->flags & INST_STRAIGHT && !l->faulted);
    c = &l->runs[in - code];
    c->warps--;
    c->lanes -= lanes;
    g->pc = (i32)(in - code);
    w->retired += done;
    w->retired_lanes += done * lanes;
    return done;
}

void pc_count_settle(struct pc_count *counts, struct pc_count *runs, u32 n) {
    struct pc_count sum = {0};
    for (u32 pc = 0; pc < n; pc++) {
        sum.warps += runs[pc].warps;
        sum.lanes += runs[pc].lanes;
        counts[pc].warps += sum.warps;
        counts[pc].lanes += sum.lanes;
        runs[pc] = (struct pc_count){0};
    }
}

/* `lanes` of group *gi need lanes that are elsewhere: how many instructions it counted for when those have
 * come already, else 0. */
static u32 run_waiting(struct warp *w, u32 *gi, const struct inst *in, u64 lanes) {
    struct group *g = &w->groups.at[*gi];
    u64 members = collective_members(w, g, in, (u32)__builtin_ctzll(lanes)), mine = lanes_naming(w, g, in, lanes, members);
    if (mine != lanes) group_split_to(w, g, lanes & ~mine, g->pc);
    struct meeting m;
    if (!group_meet(w, *gi, mine, members, &m)) return 0;
    if (m.apart) {
        for (u32 i = 0; i < m.n; i++)
            count(w, &w->launch->k->code[w->groups.at[m.part[i].group].pc], m.part[i].lanes, m.part[i].lanes);
        collective_joint(w, &m);
    } else {
        count(w, in, m.lanes, m.lanes);
        in->exec(w, g, in, m.lanes);
    }
    *gi = group_leave(w, &m);
    return m.apart ? m.n : 1;
}

/* One that sets the pc itself: of all lanes that are to be together, as one group */
static u32 run_gathered(struct warp *w, u32 *gi, const struct inst *in, bool *waits) {
    *waits = !group_gather(w, gi);
    if (*waits) return 0;
    struct group *g = &w->groups.at[*gi];
    count(w, in, g->mask, g->mask);
    in->exec(w, g, in, g->mask);
    return 1;
}

/* A collective instruction: how many instructions it counted for, 0 when all lanes have to wait; *waits when
 * some have to. Lanes that name different lanes take their turns; those that name exactly themselves need not
 * leave the group for it. */
static u32 run_collective(struct warp *w, u32 *gi, const struct inst *in, u64 mask, bool *waits) {
    struct group *g = &w->groups.at[*gi];
    u64 waiting = 0;
    if (in->flags & INST_CONTROL) return run_gathered(w, gi, in, waits);
    for (u64 rest = mask; rest;) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u64 members = collective_members(w, g, in, lane), same = lanes_naming(w, g, in, rest, members);
        if (same & ~members) {
            fault_at(w, in, (int)lane, "lane mask 0x%llx does not name the lanes that execute it (0x%llx)",
                     (unsigned long long)members, (unsigned long long)same);
            *waits = true;
            return 0;
        }
        rest &= ~same;
        if (members & warp_enabled(w) & ~same) waiting |= same;
        else in->exec(w, g, in, same);
    }
    bool some = waiting != mask || !mask;
    if (some) count(w, in, g->mask & ~waiting, mask & ~waiting);
    if (!waiting) {
        g->pc++;
        *waits = false;
        return 1;
    }
    u32 met = run_waiting(w, gi, in, waiting);
    *waits = !met;
    return met + some;
}

u64 warp_guard(const struct warp *w, const struct group *g, const struct inst *in) {
    (void)w;
    if (in->guard == NONE) return g->mask;
    return g->mask & (in->guard_negate ? ~g->preds[in->guard] : g->preds[in->guard]);
}

static void step_run(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    count(w, in, g->mask, mask);
    if (in->flags & INST_PLAIN && mask == w->live && !(mask >> SLAB_LANES)) {
        run_plain(in, g->regs, w->launch->k->pool);
        g->pc++;
    } else if (in->flags & INST_CONTROL) in->exec(w, g, in, mask);
    else {
        if (mask) in->exec(w, g, in, mask);
        g->pc++;
        if (in->flags & INST_SYNC_POLL) w->polled++;
    }
}

/* Ahead of their use: the rows an instruction reads, so that the first loads of its function find them. What
 * stands for a row of the pool is another row, which does no harm. */
static inline void rows_fetch(const struct group *g, const struct inst *in) {
    for (u32 i = 0; i < 2; i++) {
        __builtin_prefetch(g->regs + in->s[i].off);
        __builtin_prefetch(g->regs + in->s[i].off + ROW_B / 2);
    }
}

bool warp_step(struct warp *w, u32 gi, u64 clock, struct step *s) {
    struct launch *l = w->launch;
    struct group *g = &w->groups.at[gi];
    const struct inst *in = &l->k->code[g->pc];
    rows_fetch(g, in);
    u64 mask = warp_guard(w, g, in);
    bool waits;
    s->clock = clock, s->in = in, s->pc = g->pc, s->frame = g->frame, s->group = gi, s->lanes = g->mask, s->active = mask;
    s->counted = 1, s->diverged = false, s->probe.at.n = s->deferred.n = 0;
    w->ran++;
    w->step = s;
    if (in->flags & INST_COLLECTIVE) s->counted = run_collective(w, &s->group, in, mask, &waits);
    else step_run(w, g, in, mask);
    w->step = NULL;
    if (s->group >= w->groups.n) s->group = 0;
    s->faulted = l->faulted;
    return !l->faulted;
}

void step_free(struct step *s) {
    free(s->probe.at.at);
    free(s->deferred.at);
}

/* Runs the current group until it changes, waits, ends, or n instructions are done. Returns how many were. */
static u64 run_group(struct warp *w, u64 n) {
    struct launch *l = w->launch;
    const struct inst *code = l->k->code;
    struct group *g = &w->groups.at[w->current];
    u64 done = 0;
    for (;;) {
        done += run_straight(l, w, g, n - done);
        if (done >= n || l->faulted) return done;
        const struct inst *in = &code[g->pc];
        u32 flags = in->flags;
        if (flags & INST_RECONV && !group_arrive(w, w->current)) return done;
        u64 mask = warp_guard(w, g, in);
        done++;
        if (!(flags & (INST_CONTROL | INST_COLLECTIVE))) {
            count(w, in, g->mask, mask);
            if (mask) in->exec(w, g, in, mask);
            g->pc++;
            if (l->faulted) return done;
            if (flags & INST_SYNC_POLL && ++w->polled - w->turn_polled > POLL_PATIENCE) return done;
        } else if (flags & INST_COLLECTIVE) {
            bool waits;
            run_collective(w, &w->current, in, mask, &waits);
            if (waits || l->faulted || flags & INST_CONTROL) return done;
            g = &w->groups.at[w->current];
        } else {
            u32 groups = w->groups.n;
            count(w, in, g->mask, mask);
            in->exec(w, g, in, mask);
            if (l->faulted || w->groups.n != groups || flags & INST_TURN) return done;
            if (g->state != GROUP_READY) return done;
        }
    }
}

/* The group has run or polled for long: another one's turn, or that of lanes parked behind it for as long.
 * True when there is none in this warp. Ready groups take turns freely; parked lanes are let go only when
 * nobody came to them for long, for they may not meet the others again soon. */
static bool change_turn(struct warp *w) {
    u32 was = w->current;
    bool only = !(warp_pick(w) && w->current != was) && !(warp_release_overdue(w, POLL_PATIENCE, RUN_PATIENCE) && warp_pick(w));
    w->turn_polled = w->polled;
    w->turn_ran = w->ran;
    return only;
}

/* Runs a warp for at most n instructions; *polls when it stopped because all it does is poll. The one that
 * opens a barrier does not run ahead of the others. */
static u64 warp_run(struct warp *w, u64 n, bool *polls) {
    struct launch *l = w->launch;
    u64 done = 0, opened = w->cta->opened;
    *polls = false;
    while (done < n && w->live && !l->faulted && w->cta->opened == opened) {
        bool ready = w->groups.n && w->groups.at[w->current].state == GROUP_READY;
        if (!ready && !warp_pick(w)) {
            if (!warp_release_parked(w, false) || !warp_pick(w)) break;
        }
        u64 ran = run_group(w, n - done);
        done += ran;
        w->ran += ran;
        if (TORTURE) warp_check(w);
        if (w->groups.n == 0 && w->live && !warp_release_overdue(w, 0, 0)) break;
        if ((w->polled - w->turn_polled > POLL_PATIENCE || w->ran - w->turn_ran > RUN_PATIENCE) && change_turn(w)) {
            *polls = true; /* for another warp, or another block */
            break;
        }
    }
    return done;
}

/* --- blocks */

static void warp_thread_ids(const struct launch *l, struct warp *w) {
    for (u32 lane = 0; lane < MAX_WARP; lane++) {
        u32 t = w->id * l->warp_size + lane;
        w->tid[0][lane] = t % l->block[0];
        w->tid[1][lane] = t / l->block[0] % l->block[1];
        w->tid[2][lane] = t / l->block[0] / l->block[1];
    }
}

static void warp_init(struct cta *c, struct warp *w, u32 id) {
    struct launch *l = c->launch;
    const struct kernel *k = l->k;
    w->cta = c;
    w->launch = l;
    w->id = id;
    w->nslabs = l->warp_size > SLAB_LANES ? 2 : 1;
    w->rows = MAX(k->rows_per_warp, 4u);
    w->npreds = MAX(k->preds_per_thread, 1u);
    w->local_cap = MAX(k->local_b, 16u);
    w->regs = base_alloc_aligned((size_t)w->rows * ROW_B * w->nslabs);
    w->preds = base_alloc(w->npreds * sizeof(*w->preds));
    w->local = base_alloc((size_t)w->local_cap * MAX_WARP);
    warp_thread_ids(l, w);
    if (k->warp_state_b) w->state = base_alloc(k->warp_state_b);
}

static i64 warp_held(const struct warp *w) { return (i64)w->rows * ROW_B * w->nslabs + (i64)w->local_cap * MAX_WARP; }

struct cta *cta_new(struct launch *l) {
    struct cta *c = base_alloc(sizeof(*c));
    c->launch = l;
    c->nwarps = (l->threads + l->warp_size - 1) / l->warp_size;
    c->warps = base_alloc_aligned(c->nwarps * sizeof(*c->warps));
    c->shared = base_alloc_aligned(l->shared_b);
    for (u32 i = 0; i < c->nwarps; i++) {
        warp_init(c, &c->warps[i], i);
        stack_hold(warp_held(&c->warps[i]));
    }
    if (!stack_fits()) fault_memory(l);
    return c;
}

void cta_goes_on(struct cta *c, struct launch *l) {
    c->launch = l;
    for (u32 i = 0; i < c->nwarps; i++) c->warps[i].launch = l;
}

void cta_free(struct cta *c) {
    for (u32 i = 0; i < c->nwarps; i++) {
        struct warp *w = &c->warps[i];
        stack_hold(-warp_held(w));
        free(w->regs);
        free(w->preds);
        free(w->local);
        free(w->frames.at);
        free(w->convs.at);
        free(w->state);
    }
    for (u32 i = 0; i < CTA_BARRIERS; i++) free(c->bars[i].by_warp);
    free(c->warps);
    free(c->shared);
    free(c);
}

static u64 warp_lanes(const struct launch *l, u32 id) { /* those its block has threads for */
    u32 threads = MIN(l->threads - id * l->warp_size, l->warp_size);
    return threads == 64 ? ~0ull : (1ull << threads) - 1;
}

static void warp_clear(struct warp *w, const struct kernel *k) {
    for (u32 s = 0; s < w->nslabs; s++) memset(w->regs + (size_t)s * w->rows * ROW_B, 0, (size_t)k->funcs[0].rows * ROW_B);
    memset(w->preds, 0, w->npreds * sizeof(*w->preds));
}

/* Registers, local and shared memory start as zeros: what a program reads before writing is at least the same
 * in every run. */
static void warp_begin(struct warp *w, i32 pc, u64 on, bool fresh) {
    const struct launch *l = w->launch;
    const struct kernel *k = l->k;
    w->starts++;
    w->tid0 = w->id * l->warp_size;
    w->live = warp_lanes(l, w->id);
    w->off = w->live & ~on;
    CHECK(warp_enabled(w)); /* a warp without a group could do nothing */
    if (fresh) warp_clear(w, k);
    if (k->local_b && w->cta->begun) memset(w->local, 0, (size_t)w->local_cap * MAX_WARP);
    warp_reset(w);
    w->groups.at[0].pc = pc;
    w->cta->live_warps++;
    w->cta->live_threads += (u32)__builtin_popcountll(warp_enabled(w));
    if (k->begin) k->begin(w);
}

bool warp_start(struct cta *c, u32 id, i32 pc, u64 lanes) {
    if (id >= c->nwarps || c->warps[id].live || !(lanes & warp_lanes(c->launch, id))) return false;
    warp_begin(&c->warps[id], pc, lanes, !c->launch->k->keeps_registers);
    return true;
}

void cta_start(struct cta *c, u64 linear) {
    struct launch *l = c->launch;
    const struct kernel *k = l->k;
    c->linear = linear;
    c->index[0] = (u32)(linear % l->grid[0]);
    c->index[1] = (u32)(linear / l->grid[0] % l->grid[1]);
    c->index[2] = (u32)(linear / l->grid[0] / l->grid[1]);
    c->live_threads = c->live_warps = 0;
    memset(c->shared, 0, l->shared_b);
    for (u32 i = 0; i < CTA_BARRIERS; i++) {
        struct barrier *b = &c->bars[i];
        if (b->by_warp) memset(b->by_warp, 0, c->nwarps * sizeof(*b->by_warp));
        *b = (struct barrier){.by_warp = b->by_warp, .red_and = true};
    }
    for (u32 i = 0; i < c->nwarps; i++) {
        struct warp *w = &c->warps[i];
        w->live = w->off = w->groups.n = w->retired = w->retired_lanes = w->starts = 0;
        if (k->warp_state_b) memset(w->state, 0, k->warp_state_b);
        if (k->keeps_registers) warp_clear(w, k);
        if (!k->first_warps) warp_begin(w, 0, ~0ull, true);
        else if (i < k->first_warps) warp_begin(w, k->funcs[0].entry_pc, k->first_lanes, true);
    }
    c->begun = true;
}

bool cta_release_stuck(struct cta *c) {
    for (u32 i = 0; i < c->nwarps; i++)
        if (c->warps[i].live && warp_release_parked(&c->warps[i], true)) return true;
    return false;
}

static void launch_report(struct launch *l) {
    if (l->tick) l->tick(l->tick_user, l, l->ctas_done, l->ctas);
    if (l->stop && *l->stop && !l->faulted) l->stopped = l->faulted = true;
}

/* One turn of every warp that has not given way in this pass. Returns the instructions run, the launch's
 * limit included. */
static u64 cta_turn(struct cta *c, u64 left) {
    u64 done = 0;
    for (u32 i = 0; i < c->nwarps && done < left && !c->launch->faulted; i++) {
        struct warp *w = &c->warps[i];
        if (w->gave_way) continue;
        u64 ran = warp_run(w, MIN((u64)WARP_SLICE, left - done), &w->gave_way);
        w->pass_ran += ran;
        done += ran;
    }
    return done;
}

/* Some turns of all warps; *works when one did something else than poll */
static u64 cta_pass(struct cta *c, u64 left, bool *works) {
    u64 done = 0, ran = 1;
    for (u32 i = 0; i < c->nwarps; i++) c->warps[i].pass_ran = 0, c->warps[i].gave_way = false;
    for (u32 turn = 0; turn < PASS_SLICES && ran && done < left && !c->launch->faulted; turn++)
        done += ran = cta_turn(c, left - done);
    *works = false;
    for (u32 i = 0; i < c->nwarps; i++) *works = *works || (c->warps[i].pass_ran && !c->warps[i].gave_way);
    return done;
}

/* Runs a block for at most n instructions, the launch's limit included, or until all its warps have only
 * polled or waited for some time. */
static void cta_run(struct cta *c, u64 n) {
    struct launch *l = c->launch;
    u64 done = 0;
    u32 idle = 0; /* passes without other work, one after the other */
    while (c->live_warps && done < n && idle < IDLE_PASSES && !l->faulted) {
        bool works;
        u64 left = l->max_instructions - l->instructions, pass = cta_pass(c, left + (left < UINT64_MAX), &works);
        done += pass;
        l->instructions += pass;
        l->clock += pass;
        if (l->instructions > l->max_instructions) fault_limit(l, c);
        launch_report(l);
        idle = works ? 0 : idle + 1;
        if (!pass && c->live_warps && !cta_release_stuck(c)) fault_deadlock(c);
    }
}

struct run { /* a launch on its way */
    struct launch *l;
    u64 next;                   /* block to start */
    VEC(struct cta *) resident; /* started, not finished */
    struct cta *spare;
};

static void run_done(struct run *r, struct cta *c) {
    r->l->ctas_done++;
    if (r->spare) cta_free(c);
    else r->spare = c;
}

static void run_start_next(struct run *r) {
    struct cta *c = r->spare ? r->spare : cta_new(r->l);
    r->spare = NULL;
    cta_start(c, r->next++);
    cta_run(c, CTA_SLICE);
    if (c->live_warps && !r->l->faulted) VEC_PUSH(&r->resident, c);
    else run_done(r, c);
}

static void run_residents(struct run *r) {
    for (u32 i = 0; i < r->resident.n && !r->l->faulted;) {
        struct cta *c = r->resident.at[i];
        cta_run(c, CTA_SLICE);
        if (c->live_warps) {
            i++;
            continue;
        }
        run_done(r, c);
        memmove(&r->resident.at[i], &r->resident.at[i + 1], (--r->resident.n - i) * sizeof(*r->resident.at));
    }
}

bool launch_run_part(struct launch *l, u64 first, u64 end, struct cta **started, u32 n) {
    struct run r = {.l = l, .next = first};
    fenv_t host; /* lane functions expect round-to-nearest; whatever the caller had comes back afterwards */
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    for (u32 i = 0; i < n; i++) VEC_PUSH(&r.resident, started[i]);
    run_residents(&r);
    while (!l->faulted && (r.next < end || r.resident.n)) {
        if (r.next < end && r.resident.n < MAX_RESIDENT) run_start_next(&r);
        else run_residents(&r);
    }
    fesetenv(&host);
    for (u32 i = 0; i < r.resident.n; i++) cta_free(r.resident.at[i]);
    free(r.resident.at);
    if (r.spare) cta_free(r.spare);
    return !l->faulted;
}

bool launch_run(struct launch *l) {
    l->ctas = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    return launch_run_part(l, 0, l->ctas, NULL, 0);
}
