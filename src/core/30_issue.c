/* Issue: which front goes. 29_look.c has found who waits for what.
 *
 * Each scheduler, in turn: which units' instructions can leave issue (a collector, or with ideal operands the
 * unit itself, is free), the policy picks, the instruction is executed (func/) and takes its places in the
 * stages behind. Up to sm.issue_width consecutive instructions of the warp go in a cycle. */
#include "core/flight.h"
#include "core/issue.h"
#include "core/order_policy.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

void issue_init(struct core *c) {
    c->issue = base_alloc(sizeof(*c->issue));
    c->issue->wheel = base_alloc(sizeof(u64) * WHEEL * c->words);
    sched_init(c);
}

void issue_launch(struct core *c) {
    struct issue *x = c->issue;
    memset(x->wheel, 0, sizeof(u64) * WHEEL * c->words);
    x->wheel_any = x->parked = 0;
    x->last_cy = c->now;
    x->restricts = c->predict || c->reexec || c->pol.sched->held;
    x->renews = c->prog->k->first_warps;
    x->steady = !x->restricts && !c->pol.sched->skip && !c->window && !c->gang;
    x->may_be_still = !x->restricts && c->pol.sched->moves && !c->window && !c->gang && !x->shared && c->words == 1;
    x->next_only = !c->replay && !c->window && !c->form;
    x->plain = x->next_only && !c->vunits && !x->renews;
    x->lone = x->plain && !c->predict && !c->pol.sched->event && !c->pol.diverge->joint && !c->weave && c->cfg->issue_width == 1;
    x->timed = !c->window && !c->pol.order->earliest;
    sched_launch(c);
}

void issue_free(struct core *c) {
    sched_free(c);
    step_free(&c->issue->step), step_free(&c->issue->pseudo);
    free(c->issue->wheel);
    free(c->issue);
}

u64 issue_last(const struct core *c) { return c->issue->last_cy; }
void issue_happened(struct core *c) { c->issue->last_cy = c->now; }
u32 issue_sub(const struct core *c, u32 slot) { return slot_sub(c, slot); }

/* --- after an instruction: who is next */

static void fault_now(struct core *c) {
    if (c->fault_cy == NEVER) c->fault_cy = c->now;
}

/* Dispatch: the next instruction of a front's threads is executed. False after a fault. */
static bool dispatch(struct core *c, struct front *f, struct step *st) {
    struct part *p = &f->part[0];
    bool ok = c->form ? form_dispatch(c, f, st) : warp_step(c->homes[p->home].w, p->group, c->now, st);
    if (!c->form) p->group = (u16)st->group;
    if (!ok) fault_now(c);
    return ok;
}

/* Who takes part in what was dispatched */
static inline struct crew crew_at(struct core *c, u32 slot, const struct step *st, struct member *own) {
    return __builtin_expect(c->form != NULL, 0) ? form_crew(c) : crew_of(c, slot, st, ++c->uid, own);
}

void front_squeeze(struct core *c, struct front *f) {
    if (!c->cfg->squeeze || f->lanes == f->squeezed) return;
    f->squeezed = f->lanes;
    c->stats.squeeze_moves += scale_moves(f->squeezed, c->cfg->warp_size, c->cfg->alu_width, c->cfg->squeeze);
}

/* The front's lanes come to an instruction of the program */
static inline void front_shall(struct core *c, struct front *f, const struct tinst *t, u64 lanes) {
    f->part[0].lanes = f->lanes = lanes;
    f->head = t;
    if (c->weave) weave_presents(c, f);
    f->fence_seq = atomics_made(c);
    front_squeeze(c, f);
    c->issue->parked &= ~(1ull << f->slot);
    if (t->pc != f->ib.next) ibuffer_flush(c, f, t->pc);
}

/* The same where there may be something to choose, or nothing can run */
static __attribute__((noinline)) void choose_next(struct core *c, u32 slot) {
    struct home *s = &c->homes[slot];
    struct front *f = &c->fronts[slot];
    f->head = NULL;
    while (s->w->live && !c->view.faulted) {
        if (!front_choose(c, f)) break;
        const struct group *g = part_group(c, &f->part[0]);
        const struct tinst *t = &c->prog->at[g->pc];
        if (!t->pseudo) {
            front_shall(c, f, t, g->mask);
            return;
        }
        f->part[0].lanes = f->lanes = g->mask;
        if (!dispatch(c, f, &c->issue->pseudo)) return; /* not in the program: costs nothing */
    }
    c->issue->parked |= 1ull << slot;
    if (!s->w->live && !s->ended) cta_warp_ended(c, slot, f->lanes);
}

void slot_next(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    const struct group *g = &c->homes[slot].w->groups.at[0];
    if (front_goes_on(c, f) && !c->prog->at[g->pc].pseudo && !c->view.faulted) {
        front_is_whole(c, f);
        front_shall(c, f, &c->prog->at[g->pc], g->mask);
    } else choose_next(c, slot);
}

/* The text changes: its threads come to the instruction as it is now, which is fetched again */
void front_text(struct core *c, u32 slot, const struct text_change *y) {
    struct front *f = &c->fronts[slot];
    f->shown = text_now(y, f->shown);
    if (!f->nparts) return;
    if (f->head) f->head = &c->prog->at[f->head->pc];
    if (f->ib.next != NONE) ibuffer_flush(c, f, f->ib.next);
    slot_look(c, slot, c->now);
}

/* --- issuing */

/* The front's instruction has been executed: what is next */
static void step_on(struct core *c, u32 slot) {
    if (__builtin_expect(c->form != NULL, 0)) c->squads ? squad_ran(c, slot) : c->gang ? gang_ran(c, slot) : form_ran(c, slot);
    else slot_next(c, slot);
}

/* Lanes there are in the warp's place: those of a block that does not fill its last warp, all of a warp that
 * the program starts itself */
static u32 lanes_there(const struct core *c, const struct warp *w) {
    u32 size = c->cfg->warp_size, threads = w->launch->threads;
    return c->prog->k->first_warps || threads >= w->tid0 + size ? size : threads - w->tid0;
}

/* The home of an instruction's threads, and the lanes they have there, not positions in a formed front; or
 * that they are of several */
struct crew_home {
    const struct warp *w;
    u64 lanes;
    bool several;
};

static struct crew_home crew_home_of(const struct core *c, const struct crew *w) {
    struct crew_home h = {.w = c->homes[w->at[0].home].w};
    for (u32 i = 0; i < w->n; i++) {
        h.lanes |= w->at[i].lanes; /* parts of a home may come to a front one by one */
        h.several |= w->at[i].home != w->at[0].home;
    }
    return h;
}

/* Why lanes of an instruction do not work. In a front of several homes, lanes of its place that nobody takes
 * are those of threads elsewhere. */
static __attribute__((noinline)) void count_missing(struct core *c, const struct crew *w, u32 lanes) {
    struct lane_stats *x = &c->lane_stats;
    struct crew_home h = crew_home_of(c, w);
    u32 size = c->cfg->warp_size;
    u32 there = h.several ? size : lanes_there(c, h.w);
    u32 live = h.several ? size : (u32)__builtin_popcountll(h.w->live | h.lanes); /* those that end with it are in it */
    x->lost[LOST_ABSENT] += size - there;
    x->lost[LOST_EXITED] += there - MIN(live, there);
    x->lost[LOST_PARTED] += MIN(live, there) - lanes;
}

static inline void count_issue(struct core *c, const struct step *st, const struct crew *w) {
    struct sm_stats *x = &c->stats;
    u32 lanes = st->lanes == 0xFFFFFFFFu ? 32 : (u32)__builtin_popcountll(st->lanes);
    u32 active = st->active == st->lanes ? lanes : (u32)__builtin_popcountll(st->active);
    struct pc_stats *p = &c->pcs[st->pc];
    x->warp_instructions += st->counted;
    x->thread_instructions += lanes;
    x->runtime_instructions += (st->in->flags & INST_RUNTIME) != 0 && st->counted;
    x->active_lanes += active;
    x->lanes[active]++;
    c->lane_stats.occupied[lanes]++;
    c->lane_stats.control += st->in->iclass == ICLASS_BRANCH;
    if (lanes != active) c->lane_stats.lost[LOST_GUARDED] += lanes - active;
    if (lanes < c->cfg->warp_size) count_missing(c, w, lanes);
    p->issues += st->counted;
    p->lanes += active;
    c->view.instructions += st->counted;
    c->issue->last_cy = c->now;
}

/* Threads of the blocks whose threads have issued a barrier or exit may go on */
static void wake_blocks(struct core *c, const struct crew *w, u64 cy) {
    const struct cta_place *last = NULL;
    for (u32 i = 0; i < w->n; i++) {
        const struct cta_place *p = c->homes[w->at[i].home].place;
        if (p != last) slot_wake_block(c, p, cy);
        last = p;
    }
}

static void issue_control(struct core *c, u32 slot, const struct tinst *t, const struct crew *w, u64 lanes) {
    struct front *f = &c->fronts[slot];
    bool rules = c->prog->k->first_warps && t->in->flags & INST_TURN; /* warps, or lanes of one */
    if (rules) cta_renewed(c, c->homes[w->at[0].home].place);
    u64 open = c->now + scaled(c, c->cfg, c->cfg->barrier_cy, lanes);
    if (t->kind == T_BARRIER) {
        c->stats.barriers++;
        wake_blocks(c, w, open);
        if (f->head) f->release_cy = open; /* it opened the barrier, or only arrived */
        return;
    }
    if (t->kind == T_EXIT || rules) wake_blocks(c, w, open);
    if (c->vfetch) return; /* which waits for the unit */
    f->resolve_cy = c->now + scaled(c, c->cfg, c->cfg->branch_cy, lanes);
    fetch_unresolved(c, slot);
}

static void issue_fence(struct core *c) {
    c->stats.fences++;
    c->pauses |= c->view.rewritten.n != 0;
}

static void issue_vortex(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid) {
    if (t->kind == T_FENCE) issue_fence(c);
    if (t->unit == UNIT_MEM) vlsu_issue(c, slot, t, st, uid);
    else vunits_issue(c, slot, t, st, uid);
}

static void issue_timing(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w,
                         bool expects_miss) {
    if (c->vunits) {
        issue_vortex(c, slot, t, st, w->at[0].uid);
        return;
    }
    switch (t->kind) {
    case T_ALU: execute_issue(c, slot, t, st, w); return;
    case T_MEM: lsu_issue(c, slot, t, st, w, expects_miss); return;
    case T_FENCE: issue_fence(c); break;
    case T_BARRIER: /* what it counted is there when it opens, which its threads wait for */
        if (t->ndst) CREW_TELL(c, w, .kind = EV_READY, .cycle = c->now + 1, .mask = st->lanes);
        break;
    case T_BRANCH:
        if (!t->ndst) break;
        execute_link(c, t, st, w);
        return;
    default: break;
    }
    CREW_TELL(c, w, .kind = EV_DONE, .cycle = c->now + 1);
}

/* Each member's part of an instruction that issues is told as an instruction of its home */
static __attribute__((cold)) void tell_members(struct core *c, u32 slot, const struct step *st, const struct crew *w) {
    if (c->form)
        EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .pc = st->pc, .mask = st->lanes, .cause = FRONT_ISSUES);
    for (u32 i = 0; i < w->n; i++) {
        const struct member *m = &w->at[i];
        EMIT(c, .kind = EV_ISSUE, .cycle = c->now, .uid = m->uid, .slot = m->home, .pc = st->pc, .mask = m->active, .a = m->lanes,
             .b = (u64)m->frame);
    }
}

static inline void tell_issue(struct core *c, u32 slot, const struct step *st, const struct crew *w) {
    if (__builtin_expect(c->tracing, 0)) tell_members(c, slot, st, w);
    count_issue(c, st, w);
}

void front_issued(struct core *c, u32 slot, u64 uid, const struct step *st) {
    EMIT(c, .kind = EV_ISSUE, .cycle = c->now, .uid = uid, .slot = (u16)slot, .pc = st->pc, .mask = st->active, .a = st->lanes,
         .b = (u64)st->frame, .cause = 1);
    struct member own = {.lanes = st->lanes, .home = (u16)slot};
    if (st->counted) count_issue(c, st, &(struct crew){&own, 1, 1});
    else issue_happened(c); /* again */
}

/* What has been executed is sent on its way. False when the warp has to stop (fault). */
static bool issue_one(struct core *c, u32 slot, const struct step *st, bool expects_miss) {
    struct front *f = &c->fronts[slot];
    const struct tinst *t = f->head;
    struct member own;
    struct crew w = crew_at(c, slot, st, &own);
    tell_issue(c, slot, st, &w);
    c->stats.divergent_branches += st->diverged;
    ibuffer_pop(c, f);
    issue_timing(c, slot, t, st, &w, expects_miss);
    step_on(c, slot);
    if (t->in->flags & INST_CONTROL) issue_control(c, slot, t, &w, st->lanes);
    if (c->window) window_stops(c, slot, t);
    return !c->view.faulted;
}

const struct step *front_dispatch(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    dispatch(c, f, &c->issue->step);
    CHECK(c->issue->step.counted);
    ibuffer_pop(c, f);
    return &c->issue->step;
}

/* The scheduler, or its own accesses in the re-execution queue, keep this memory instruction back */
static bool held_back(const struct core *c, u32 slot, const struct tinst *t) {
    if (!sched_holds(c) || t->unit != UNIT_MEM || t->in->space == SPACE_SHARED) return false;
    return sched_holds_one(c, slot, t->mshr_of == 1 + CACHE_DATA);
}

bool issue_held_back(const struct core *c, u32 slot, const struct tinst *t) { return held_back(c, slot, t); }

/* One group of the warp that goes along with the one that was chosen; false when it cannot */
static bool issue_along(struct core *c, u32 slot, u32 gi) {
    struct home *s = &c->homes[slot];
    struct front *f = &c->fronts[slot];
    const struct group *g = &s->w->groups.at[gi];
    const struct tinst *t = &c->prog->at[g->pc];
    struct step *st = &c->issue->step;
    bool memory = t->kind == T_MEM, plain = t->kind == T_ALU || t->kind == T_BRANCH || t->kind == T_NOP || t->pseudo;
    if ((!plain && !memory) || held_back(c, slot, t)) return false;
    if (!t->pseudo && waits_for_registers(c, s, t, g->mask)) return false;
    f->part[0].group = (u16)gi;
    if (memory && (!operands_room(c, slot_sub(c, slot), UNIT_MEM) || waits_for_others(c, f, t))) return false;
    if (!dispatch(c, f, st) || t->pseudo || !st->counted) return true;
    struct member own;
    struct crew w = crew_of(c, slot, st, ++c->uid, &own);
    tell_issue(c, slot, st, &w);
    if (t->kind == T_ALU) execute_along(c, t, st, &w);
    else issue_timing(c, slot, t, st, &w, false);
    return true;
}

/* Can the group's next instruction, which is none that lanes or warps wait at, issue now beside another? */
static bool group_can_issue(struct core *c, u32 slot, u32 gi, const struct tinst *t) {
    struct front *f = &c->fronts[slot];
    const struct home *s = &c->homes[slot];
    u64 lanes = s->w->groups.at[gi].mask;
    u16 presented = f->part[0].group;
    if (waits_for_order(c, f) || waits_for_registers(c, s, t, lanes) || held_back(c, slot, t)) return false;
    f->part[0].group = (u16)gi;
    bool waits = waits_for_others(c, f, t);
    f->part[0].group = presented;
    return !waits;
}

const struct step *issue_group(struct core *c, u32 slot, u32 gi, bool rides) {
    struct front *f = &c->fronts[slot];
    const struct tinst *t = &c->prog->at[c->homes[slot].w->groups.at[gi].pc];
    struct step *st = &c->issue->step;
    if (!group_can_issue(c, slot, gi, t)) return NULL;
    f->part[0].group = (u16)gi;
    if (!dispatch(c, f, st)) return NULL;
    struct member own;
    struct crew w = crew_of(c, slot, st, ++c->uid, &own);
    tell_issue(c, slot, st, &w);
    c->stats.divergent_branches += st->diverged;
    if (rides) execute_beside(c, t, st, &w);
    else issue_timing(c, slot, t, st, &w, false);
    return st;
}

const struct step *issue_rider(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    const struct tinst *t = f->head;
    struct step *st = &c->issue->step;
    struct member own;
    account_issue(c, slot);
    if (dispatch(c, f, st)) {
        struct crew w = crew_at(c, slot, st, &own);
        tell_issue(c, slot, st, &w);
        ibuffer_pop(c, f);
        execute_beside(c, t, st, &w);
        step_on(c, slot);
        sched_event(c, SCHED_STEP, slot, 0);
    }
    slot_look(c, slot, c->now + 1);
    return c->view.faulted ? NULL : st;
}

/* mimd: every other group of the warp whose next instruction waits for nothing issues with the chosen one and
 * costs nothing; fetch is free for them. */
static void issue_joint(struct core *c, u32 slot, u64 done) {
    struct warp *w = c->homes[slot].w;
    struct part *p = &c->fronts[slot].part[0];
    u64 chosen_lanes = w->groups.n ? w->groups.at[p->group].mask : 0;
    for (u32 i = 0; w->live && i < w->groups.n && !c->view.faulted; i++) {
        u64 lanes = w->groups.at[i].mask;
        if (w->groups.at[i].state != GROUP_READY || lanes & done) continue;
        done |= lanes;
        if (issue_along(c, slot, i)) i = (u32)-1; /* groups may have changed places */
    }
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].mask & chosen_lanes) p->group = (u16)i;
}

/* A second, third ... instruction of the same warp in this cycle */
static u32 issue_more(struct core *c, u32 slot, u32 sub) {
    struct front *f = &c->fronts[slot];
    u32 n = 1;
    for (; n < c->cfg->issue_width && f->nparts && f->head; n++) {
        if (replay_first(c, slot) != NONE) break; /* that one goes first, from the next cycle on */
        if (c->squads && squad_holds(c, f)) break;
        if (front_waits(c, f) || !operands_available(c, sub, (enum unit)f->head->unit)) break;
        f->shown = f->head;
        if (f->head->unit == UNIT_MEM && c->predict && predict_holds(c, slot)) break;
        if (held_back(c, slot, f->head)) break;
        bool expects_miss = predict_expects(c, slot);
        if (!dispatch(c, f, &c->issue->step)) break;
        if (!c->issue->step.counted) {
            step_on(c, slot); /* it waits for lanes: nothing has issued */
            break;
        }
        if (!issue_one(c, slot, &c->issue->step, expects_miss)) break;
        sched_event(c, SCHED_STEP, slot, 0);
    }
    return n;
}

/* Ready memory instructions that hazard prediction, the scheduler or the re-execution queue hold back; those
 * whose unit is not free are not asked */
static const u64 *find_restricted(struct core *c, const struct sched *sc, u64 unavailable, u64 *held) { /* held, or NULL: none */
    u64 ready[SET_WORDS], memory[SET_WORDS], loads[SET_WORDS];
    if (unavailable >> UNIT_MEM & 1 || !unit_wanted(c, sc, UNIT_MEM)) return NULL;
    for (u32 w = 0; w < c->words; w++) {
        ready[w] = sc->at[w].ready[UNIT_MEM];
        memory[w] = ready[w] & ~sc->at[w].ready_shared;
        loads[w] = sc->at[w].ready_loads;
        held[w] = 0;
    }
    if (c->predict) predict_restricted(c, ready, held);
    if (sched_holds(c)) sched_held(c, memory, loads, held);
    return set_any(held, c->words) ? held : NULL;
}

static inline const u64 *restricted_of(struct core *c, const struct sched *sc, u64 unavailable, u64 *held) {
    return c->issue->restricts ? find_restricted(c, sc, unavailable, held) : NULL;
}

/* Units for which nothing of the scheduler can leave issue now */
static u64 unavailable_of(const struct core *c, const struct sched *sc) {
    u64 units = operands_unavailable(c, sc->sub);
    if (__builtin_expect(!c->gang, 1)) return units;
    for (u32 u = 0; u <= UNIT_NONE; u++) {
        bool fits = false, wanted = unit_wanted(c, sc, u);
        for (u32 w = 0; w < c->words && wanted && !fits; w++)
            for (u64 m = sc->at[w].ready[u]; m && !fits; m &= m - 1)
                fits = operands_fit(c, sc->sub, (enum unit)u, c->fronts[w * 64 + (u32)__builtin_ctzll(m)].lanes);
        if (wanted) units = fits ? units & ~(1ull << u) : units | 1ull << u;
    }
    return units;
}

/* Those whose slices have what they need, and none of which is taken in this cycle; false: none */
static bool find_fitting(const struct core *c, const struct sched *sc, u64 taken, u64 *set) {
    SET_EACH (slot, set, c->words) {
        const struct front *f = &c->fronts[slot];
        if (taken & gang_lanes(c, slot) || !operands_fit(c, sc->sub, (enum unit)f->account.unit, f->lanes)) set_drop(set, slot);
    }
    return set_any(set, c->words);
}

/* Ready ones whose unit is free and that nothing holds back; false: none */
static bool find_candidates(const struct core *c, const struct sched *sc, u64 unavailable, const u64 *restricted, u64 *set) {
    u64 some = 0;
    u32 words = c->words;
    for (u32 w = 0; w < words; w++) {
        u64 can = sc->at[w].all_ready;
        for (u64 m = unavailable; m; m &= m - 1) can &= ~sc->at[w].ready[__builtin_ctzll(m)];
        if (restricted) can &= ~restricted[w];
        set[w] = can;
        some |= can;
    }
    return some && (__builtin_expect(!c->gang, 1) || find_fitting(c, sc, 0, set));
}

/* What the scheduler's policy is shown, with these candidates */
static inline const struct sched_view *shown_view(const struct core *c, const struct sched *sc, const u64 *candidates) {
    struct sched_view *v = sched_look(c, sc);
    set_copy(v->candidates, candidates, c->words);
    return v;
}

/* One scheduler in one cycle: what could not issue, and what could */
struct turn {
    struct sched *sched;
    u32 sub;
    u64 unavailable;       /* units, by 1 << enum unit */
    const u64 *restricted; /* a set, or NULL */
    u64 *candidates;
};

/* An instruction of these lanes issues from the slot; those of the front may be others by now */
static void charge_issue(struct core *c, const struct turn *t, u32 slot, u64 lanes) {
    account_issue(c, slot);
    if (c->cfg->pipe == PIPE_ONE) pipe_take(c, t->sub, lanes);
    account_cycle(c, t->sched, 1, t->unavailable, t->restricted, true, 1);
}

/* The instruction found that lanes it needs are elsewhere: nothing has issued, and the cycle is lost to
 * that. */
static void charge_waiting(struct core *c, const struct turn *t, u32 slot) {
    account_state(c, slot, 1u << STALL_WARP_SYNC, UNIT_NONE, c->now);
    set_drop(t->candidates, slot);
    account_cycle(c, t->sched, 0, t->unavailable, t->restricted, set_any(t->candidates, c->words), 1);
}

/* The slot's next instruction, executed, charged and sent on its way; false when nothing issued (lanes wait
 * for lanes) or the program faulted */
static inline bool issue_head(struct core *c, const struct turn *t, u32 slot, bool expects_miss) {
    struct front *f = &c->fronts[slot];
    struct step *st = &c->issue->step;
    bool ok = dispatch(c, f, st);
    if (__builtin_expect(ok && !st->counted, 0)) {
        charge_waiting(c, t, slot);
        step_on(c, slot);
        return false;
    }
    charge_issue(c, t, slot, f->lanes);
    return ok && issue_one(c, slot, st, expects_miss);
}

/* The same of what the slot shows: a replay, an entry of its window, or its next instruction */
static bool issue_first(struct core *c, const struct turn *t, u32 slot) {
    bool expects_miss = predict_expects(c, slot);
    if (c->issue->renews && front_renewed(c, &c->fronts[slot])) { /* by a warp of another scheduler, in this cycle */
        charge_waiting(c, t, slot);
        return false;
    }
    if (replay_first(c, slot) != NONE) {
        charge_issue(c, t, slot, flight_at(c, (u32)replay_first(c, slot))->lanes);
        replay_issue(c, slot, expects_miss);
        return true;
    }
    if (window_ready(c, slot)) {
        charge_issue(c, t, slot, window_lanes(c, slot));
        window_issue(c, slot);
        return true;
    }
    return issue_head(c, t, slot, expects_miss);
}

/* After the first instruction of the cycle: others of the same warp, by width or as groups that go along */
static void issue_rest(struct core *c, const struct turn *t, u32 slot, u64 lanes) {
    if (c->cfg->issue_width > 1 && (c->window ? window_issue_more(c, slot, t->sub) : issue_more(c, slot, t->sub)) > 1) {
        t->sched->stats->cycles[SCHED_ISSUE1]--;
        t->sched->stats->cycles[SCHED_ISSUE2]++;
    }
    if (!c->pol.diverge->joint || !c->fronts[slot].nparts) return;
    issue_joint(c, slot, lanes);
    if (!c->view.faulted) slot_next(c, slot);
}

/* interweave: what goes beside the first instruction of the cycle */
static void issue_woven(struct core *c, const struct turn *t, u32 slot, const struct tinst *first, u64 lanes) {
    u64 *cycles = t->sched->stats->cycles;
    if (c->view.faulted || !weave_issue(c, slot, first, lanes, t->candidates)) return;
    cycles[SCHED_ISSUE1]--, cycles[SCHED_ISSUE2]++;
}

static void issue_any(struct core *c, const struct turn *t, u32 slot) {
    u64 lanes = c->fronts[slot].lanes;
    const struct tinst *first = c->fronts[slot].shown;
    bool ok = issue_first(c, t, slot);
    if (ok || c->view.faulted) {
        c->pol.sched->issued(t->sched->state, (int)slot);
        sched_event(c, SCHED_STEP, slot, 0);
    }
    if (ok) issue_rest(c, t, slot, lanes);
    if (ok && c->weave) issue_woven(c, t, slot, first, lanes);
}

/* The same for an instruction that is alone in its cycle */
static inline void issue_lone(struct core *c, const struct turn *t, u32 slot) {
    if (issue_head(c, t, slot, false) || c->view.faulted) c->pol.sched->issued(t->sched->state, (int)slot);
}

static inline void issue_from(struct core *c, const struct turn *t, u32 slot) {
    if (c->issue->lone) issue_lone(c, t, slot);
    else issue_any(c, t, slot);
    slot_look(c, slot, c->now + 1);
}

/* The policy's choice among these; a policy that will have none of the gangs it is offered first chooses from
 * all */
static int pick_gang(const struct core *c, const struct sched *sc, const u64 *can, const struct sched_view **seen) {
    u64 first[SET_WORDS];
    set_copy(first, can, c->words);
    gang_offers(c, first);
    *seen = shown_view(c, sc, first);
    int slot = c->pol.sched->pick(sc->state, *seen);
    if (slot != NONE || set_same(first, can, c->words)) return slot;
    *seen = shown_view(c, sc, can);
    return c->pol.sched->pick(sc->state, *seen);
}

/* One more instruction in this cycle, in slices that others have left free; false: lanes wait for lanes,
 * their warp has just been ended, or a fault */
static bool issue_slices(struct core *c, const struct turn *t, u32 slot) {
    struct step *st = &c->issue->step;
    if (c->issue->renews && front_renewed(c, &c->fronts[slot])) return false;
    bool ok = dispatch(c, &c->fronts[slot], st);
    if (ok && !st->counted) {
        account_state(c, slot, 1u << STALL_WARP_SYNC, UNIT_NONE, c->now);
        step_on(c, slot);
        return false;
    }
    account_issue(c, slot);
    if (c->cfg->pipe == PIPE_ONE) pipe_take(c, t->sub, c->fronts[slot].lanes);
    ok = ok && issue_one(c, slot, st, false);
    c->pol.sched->issued(t->sched->state, (int)slot);
    return ok;
}

/* vws: after the first instruction of the cycle, gangs of the scheduler that have no slice with it, or with
 * each other, in common */
static void issue_beside(struct core *c, const struct turn *t, u64 taken) {
    u64 *cycles = t->sched->stats->cycles;
    bool more = false;
    while (!c->view.faulted && find_fitting(c, t->sched, taken, t->candidates)) {
        const struct sched_view *v;
        int slot = pick_gang(c, t->sched, t->candidates, &v);
        if (slot == NONE) break;
        CHECK(set_has(t->candidates, (u32)slot));
        u32 home = c->fronts[slot].part[0].home;
        u64 lanes = gang_lanes(c, (u32)slot);
        set_drop(t->candidates, (u32)slot);
        if (issue_slices(c, t, (u32)slot)) {
            EMIT(c, .kind = EV_WEAVE, .cycle = c->now, .slot = (u16)home, .uid = c->uid, .mask = lanes, .a = taken, .pc = -1);
            c->stats.slices_beside++;
            taken |= lanes;
            more = true;
        }
        slot_look(c, (u32)slot, c->now + 1);
    }
    if (more) cycles[SCHED_ISSUE1]--, cycles[SCHED_ISSUE2]++;
}

/* Fronts with a window whose instruction cannot leave issue, and another of which might */
static u64 held_windows(const struct core *c, const struct sched *sc, u64 unavailable) {
    u64 held = 0;
    for (u64 m = unavailable; m; m &= m - 1) held |= sc->at[0].ready[__builtin_ctzll(m)];
    return held ? held & window_others(c, unavailable) : 0;
}

static void present_windows(struct core *c, const struct sched *sc, u64 unavailable) {
    for (u64 m = held_windows(c, sc, unavailable); m; m &= m - 1) window_present(c, (u32)__builtin_ctzll(m), unavailable);
}

/* They will, in the turn of their scheduler and not before: others count what is ready until then */
static bool will_present(const struct core *c, const struct sched *sc, u64 unavailable) {
    for (u64 m = held_windows(c, sc, unavailable); m; m &= m - 1)
        if (window_has_other(c, (u32)__builtin_ctzll(m), unavailable)) return true;
    return false;
}

/* Nothing issues in this cycle, though there may be candidates; the policy has seen v */
static void charge_nothing(struct core *c, const struct turn *t, bool candidates, const struct sched_view *v) {
    if (c->pol.sched->moves && !t->restricted) account_moving(c, t->sched, t->unavailable, candidates, v, 1);
    else account_cycle(c, t->sched, 0, t->unavailable, t->restricted, candidates, 1);
}

static __attribute__((noinline)) void schedule(struct core *c, struct sched *sc, u64 unavailable) {
    u64 held[SET_WORDS], can[SET_WORDS];
    const struct sched_policy *policy = c->pol.sched;
    struct turn t = {.sched = sc, .sub = sc->sub, .unavailable = unavailable, .candidates = can};
    if (c->window && t.unavailable) present_windows(c, sc, t.unavailable);
    if (!sc->nready && !policy->skip) {
        account_cycle(c, sc, 0, t.unavailable, NULL, false, 1);
        return;
    }
    t.restricted = restricted_of(c, sc, t.unavailable, held);
    bool some = find_candidates(c, sc, t.unavailable, t.restricted, can);
    if (!some) {
        if (sc->silence.n && policy->moves) account_silence(c, sc);
        const struct sched_view *v = policy->skip ? shown_view(c, sc, can) : NULL;
        if (v) policy->skip(sc->state, v, 1);
        charge_nothing(c, &t, false, v);
        return;
    }
    if (sc->silence.n) account_silence(c, sc);
    const struct sched_view *v = c->gang ? NULL : shown_view(c, sc, can);
    int slot = c->gang ? pick_gang(c, sc, can, &v) : policy->pick(sc->state, v);
    if (slot == NONE) {
        c->stats.formed_choice_cycles += policy->deliberates;
        charge_nothing(c, &t, true, v);
        return;
    }
    CHECK(set_has(can, (u32)slot));
    u64 issued = c->gang ? c->stats.warp_instructions : 0, lanes = c->gang ? gang_lanes(c, (u32)slot) : 0;
    issue_from(c, &t, (u32)slot);
    if (!c->gang) return;
    set_drop(can, (u32)slot);
    if (c->stats.warp_instructions != issued && gang_front_each(c)) issue_beside(c, &t, lanes);
}

void issue_stage(struct core *c) {
    if (c->pol.sched->begin) sched_begin(c, 1);
    for (u32 i = 0; i < c->cfg->schedulers && !c->view.faulted; i++) {
        struct sched *sc = &c->issue->scheds[i];
        u64 unavailable = unavailable_of(c, sc);
        if (stays_silent(c, sc, unavailable)) account_again(c, sc, 1);
        else schedule(c, sc, unavailable);
    }
}

bool issue_blocked(struct core *c) {
    if (c->pol.sched->begin && !sched_settled(c)) return false;
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        const struct sched *sc = &c->issue->scheds[i];
        u64 held[SET_WORDS], can[SET_WORDS];
        if (!sc->nready) continue;
        u64 unavailable = unavailable_of(c, sc);
        if (stays_silent(c, sc, unavailable)) continue;
        if (c->window && unavailable && will_present(c, sc, unavailable)) return false;
        if (find_candidates(c, sc, unavailable, restricted_of(c, sc, unavailable, held), can)) return false;
    }
    return true;
}

/* The same where who is preferred moves: each position that comes round is charged with its cycles */
static void skip_moving(struct core *c, struct sched *sc, const struct sched_view *v, u64 unavailable, const u64 *restricted,
                        u64 n) {
    const struct sched_policy *p = c->pol.sched;
    u64 round = MIN(n, (u64)p->moves(v));
    if (c->issue->may_be_still) {
        p->skip(sc->state, v, 1);
        account_moving(c, sc, unavailable, false, v, 1);
        account_again(c, sc, n - 1);
        return;
    }
    for (u64 k = 0; k < round; k++) {
        u64 cycles = n / round + (k < n % round);
        p->skip(sc->state, v, 1);
        if (restricted) account_cycle(c, sc, 0, unavailable, restricted, false, cycles);
        else account_moving(c, sc, unavailable, false, v, cycles);
    }
    if (n > round) p->skip(sc->state, v, n - round);
}

void issue_skip(struct core *c, u64 n) {
    if (c->pol.sched->begin) sched_begin(c, n);
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        struct sched *sc = &c->issue->scheds[i];
        struct sched_view *v = NULL;
        u64 unavailable = unavailable_of(c, sc), held[SET_WORDS];
        if (stays_silent(c, sc, unavailable)) {
            account_again(c, sc, n);
            continue;
        }
        const u64 *restricted = restricted_of(c, sc, unavailable, held);
        if (sc->silence.n && c->pol.sched->moves) account_silence(c, sc);
        if (c->pol.sched->skip) v = sched_look(c, sc), set_clear(v->candidates, c->words);
        if (!c->pol.sched->moves) {
            if (v) c->pol.sched->skip(sc->state, v, n);
            account_cycle(c, sc, 0, unavailable, restricted, false, n);
            continue;
        }
        skip_moving(c, sc, v, unavailable, restricted, n);
    }
}

/* Availability changes at these times, and with it who is blamed: jumps end there. */
u64 issue_next(const struct core *c) {
    u64 next = NEVER;
    for (u32 i = 0; i < c->cfg->subcores; i++)
        if (c->gang || operands_unavailable(c, i)) next = earlier(next, operands_next(c, i));
    if (c->predict) next = earlier(next, predict_next(c));
    if (c->pol.sched->wakes) next = earlier(next, sched_wakes(c));
    return next;
}

/* Threads, or what they have left to be issued again */
static bool has_something(const struct core *c, const struct front *f) { return f->nparts || replay_first(c, f->slot) != NONE; }

/* C1 and C2 of 64 fronts of a scheduler; how many are ready */
static u32 check_word(const struct core *c, const struct sched *s, u32 w, u32 *waiting) {
    const struct sched_word *x = &s->at[w];
    u64 all = 0;
    for (u32 u = 0; u < UNIT_COUNT; u++) {
        CHECK(!(all & x->ready[u]));
        all |= x->ready[u];
    }
    CHECK(all == x->all_ready && !(all & ~x->slots));
    for (u64 m = x->slots; m; m &= m - 1) {
        u32 k = (u32)__builtin_ctzll(m);
        const struct front *f = &c->fronts[w * 64 + k];
        const struct account *a = &f->account;
        CHECK((a->set == 0) == (all >> k & 1));                                           /* C1 */
        CHECK(a->set || (has_something(c, f) && f->shown && x->ready[a->unit] >> k & 1)); /* C1 */
        CHECK(!c->form || !f->nparts == !(x->valid >> k & 1));                            /* sched_vacant */
        *waiting += a->set != 0;
    }
    return (u32)__builtin_popcountll(all);
}

/* Where fronts are formed every place that counts is among those of one class, or looked at singly */
static void check_formed(const struct core *c, const struct sched *s) {
    u32 places = 0, numbered = 0;
    for (u32 w = 0; w < set_words(c->nfronts); w++) {
        CHECK(!(s->at[w].singly & ~s->at[w].counted)); /* C3 */
        places += (u32)__builtin_popcountll(s->at[w].counted & ~s->at[w].singly);
    }
    for (u32 k = 0; k < CPI_COUNT; k++) numbered += s->formed[k];
    CHECK(places == numbered); /* C3 */
}

void issue_check(const struct core *c) {
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        const struct sched *s = &c->issue->scheds[i];
        u32 waiting = 0, counted = 0, ready = 0;
        for (u32 w = 0; w < set_words(c->nfronts); w++) ready += check_word(c, s, w, &waiting);
        for (u32 k = 1; k < CPI_COUNT; k++) counted += s->pop[k];
        CHECK(waiting == counted && ready == s->nready); /* C2 */
        if (c->form) check_formed(c, s);
    }
    for (u64 m = c->vfetch && !c->view.faulted ? vfetch_buffered(c) : 0; m; m &= m - 1)
        CHECK(!(c->issue->parked & m & -m) == !!c->fronts[__builtin_ctzll(m)].head); /* I3 of 29_look.c */
}
