/* Squads: warps that share one reconvergence stack, and whose threads are compacted into fronts at
 * branches.
 *
 * The squad of thread block compaction is a block, that of large warps some warps of a block and scheduler;
 * of a program that starts its own warps, those that begin together. One entry of the stack runs at a time:
 * its threads are fronts (38_compact.c), in the places of the squad's warps. A front that has run a branch
 * whose lanes may part (a guard, a table, a call of several functions) waits until all fronts of the entry
 * have, and is resolved with the last. Then
 *   - if all go the same way they go on, the fronts as they are unless threads have ended;
 *   - else the entry's threads will meet at the branch's immediate post-dominator. An entry above it is
 *     made for each way that leads elsewhere, and the one at the lowest pc has the next turn. Its fronts
 *     end where they meet the others; when none is left the next entry has its turn, and after the last of
 *     them the one below, whole again.
 *
 * Straight code, jumps without a guard, calls, barriers and exits are not waited for. At a collective a
 * squad that is not at home comes together, and its threads go home until the next branch.
 *
 * Threads that wait for threads. A stack lets one entry run, and a program may have it wait (barrier,
 * collective) for threads of another. When every front of the squad waits, and not all for the branch,
 * they lose their places, the entry is parted by where its threads stand, and another gets its turn: one
 * that waits for its turn, or else threads that have come to a meeting point and wait there, which then do
 * so no longer. Threads that poll lose their turn to entries that can run after SQUAD_POLLS polls in which
 * nobody came or went, and to those at meeting points after SQUAD_POLLS_LONG. Parted entries with one
 * parent become one again when they stand at one pc.
 *
 * Not modelled: likely-convergence points (TBC+); bounds of the stack; prediction of whether compaction
 * will pay (CAPRI).
 *
 * Papers: Narasiman and others (MICRO 2011; 39_lockstep.c); Fung, Aamodt, "Thread Block Compaction for
 * Efficient SIMT Control Flow" (HPCA 2011), section 4. Deviations: the paper has one scheduler an SM, here
 * those of several compact apart (38_compact.c); the order of the sides, which it leaves open, is by pc;
 * collectives and what lets threads go on that wait for others are ours.
 *
 * Invariants (squad_check; T1 to T4 are the stack's, 37_stack.c):
 *   T5 the fronts that came, those that wait and those that are held are of the squad's, and none both came
 *      and waits */
#include "core/squad.h"

#include <stdlib.h>
#include <string.h>

/* --- building */

void squad_init(struct core *c) {
    if (!c->pol.diverge->squad) return;
    struct squads *x = c->squads = base_alloc(sizeof(*x));
    x->shape = c->pol.diverge->squad(c->cfg);
    x->pieces = base_alloc(sizeof(*x->pieces) * c->nslots);
}

void squad_free(struct core *c) {
    struct squads *x = c->squads;
    if (!x) return;
    for (u32 i = 0; i < MAX_SLOTS; i++) free(x->at[i].at.at);
    free(x->pieces);
    free(x);
}

void squad_launch(struct core *c) {
    for (u32 i = 0; c->squads && i < MAX_SLOTS; i++) {
        struct squad *t = &c->squads->at[i];
        *t = (struct squad){.at = {t->at.at, 0, t->at.cap}}; /* a launch may have been cut off */
    }
}

void squad_stir(struct core *c, struct squad *t, u64 cy) {
    for (u64 m = t->waits; m; m &= m - 1) slot_alarm(c, (u32)__builtin_ctzll(m), cy);
    t->waits = 0;
}

/* --- a branch that all have come to */

/* Where the threads of the branch that all fronts have run meet again; NONE: where they would have anyway, or
 * fronts have run different ones */
static struct stand branch_meets(const struct core *c, const struct squad *t) {
    u32 first = (u32)__builtin_ctzll(t->fronts);
    struct stand s = {.pc = NONE};
    for (u64 m = t->fronts; m; m &= m - 1)
        if (t->by[__builtin_ctzll(m)] != t->by[first]) return s;
    if (t->by[first] == NONE) return s;
    s.pc = c->prog->k->code[t->by[first]].reconv, s.depth = t->depth[first];
    return s;
}

/* The threads of the entry that runs which have not come to s are one above it */
static void push_entry(const struct core *c, struct squad *t, struct stand s) {
    u32 below = (u32)t->running;
    struct entry like = t->at.at[below];
    like.parent = (i32)below, like.meets_pc = s.pc, like.meets_depth = s.depth, like.level++;
    u32 above = stack_add(t, &like);
    s.waits = false;
    stack_part(c, t, below, s, above);
    t->running = (i32)above;
    if (!stack_has_threads(c, t, &t->at.at[above])) stack_drop(c, t, (i32)above), t->running = (i32)below;
}

/* Nobody has parted from anybody: the fronts go on as they are */
static void go_on_together(struct core *c, struct squad *t, i32 pc, u32 self) {
    t->came = 0;
    lockstep_begins(t);
    for (u64 m = t->fronts; m; m &= m - 1) {
        u32 place = (u32)__builtin_ctzll(m);
        t->by[place] = NONE;
        front_shows(c, place, pc);
        if (place != self) slot_look(c, place, c->now);
    }
}

static void branch_done(struct core *c, struct squad *t, u32 self) {
    struct entry *e = &t->at.at[t->running];
    struct stand meets = branch_meets(c, t), s = {0};
    c->stats.squad_syncs++;
    if (!stack_settle(c, t, e, meets.pc, meets.depth)) return;
    bool together = stack_stands(c, t, e, &s.pc, &s.depth, &s.waits), turns = t->polls >= SQUAD_POLLS && t->used > 1;
    bool goes_on = together && !s.waits && !stack_at_meeting(e, s.pc, s.depth) && !turns;
    bool as_they_are = t->formed == stack_count(c, t, e) && (t->at_home || !(c->prog->k->code[s.pc].flags & INST_COLLECTIVE));
    if (goes_on && as_they_are && !t->forced) {
        go_on_together(c, t, s.pc, self);
        return;
    }
    if (goes_on) {
        squad_form(c, t, self);
        return;
    }
    bool inner = meets.pc != NONE && !stack_at_meeting(e, meets.pc, meets.depth);
    if (!together && inner) push_entry(c, t, meets);
    stack_choose(c, t, self, turns);
}

/* --- threads that wait for threads */

static bool some_ready(const struct core *c, const struct squad *t, const struct entry *e) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = stack_lanes(c, e, h);
        for (u32 g = 0; lanes && g < w->groups.n; g++)
            if (w->groups.at[g].mask & lanes && w->groups.at[g].state == GROUP_READY) return true;
    }
    return false;
}

/* Every front waits: the places are for others that can go on, if there are some. Those at a meeting point
 * can, too. */
static void yield_places(struct core *c, struct squad *t, u32 self) {
    bool some = false;
    for (u32 i = 0; i < t->at.n; i++) some = some || (t->at.at[i].used && some_ready(c, t, &t->at.at[i]));
    if (!some) return;
    c->stats.squad_yields++;
    squad_dissolve(c, t);
    stack_choose(c, t, self, false);
}

/* What a front's wait, or its end, may mean for the others of the squad: all have come to a branch, the
 * entry has nobody left, or all wait for threads that have no turn */
static void review(struct core *c, struct squad *t, u32 self) {
    t->due = false;
    if (t->running == NONE) return;
    if (!t->fronts) {
        stack_drop(c, t, t->running);
        t->running = NONE;
        stack_choose(c, t, self, false);
    } else if (t->came == t->fronts) branch_done(c, t, self);
    else if ((t->came | t->waits) == t->fronts) yield_places(c, t, self);
}

/* --- a front */

/* Lanes of the home that the front has switched on are in it, in their home positions; those that it has
 * switched off are in none */
static u64 take_lanes(struct core *c, u32 slot, u32 home) {
    u64 on = warp_enabled(c->homes[home].w), come = stack_takes(c, squad_of(c, home), home);
    for (u32 lane = 0; lane < c->cfg->warp_size; lane++) {
        u64 bit = 1ull << lane;
        if (come & bit) c->form->seat[home][lane] = (u8)form_home_seat(c, home, lane), c->form->place[home][lane] = (u16)slot;
        else if (!(on & bit)) c->form->place[home][lane] = NO_PLACE;
    }
    return come;
}

/* Lanes that have ended leave the front; groups that lanes of others have joined, at a collective, part
 * again. False: nobody is left */
static bool gather(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    struct part was[MAX_WARP];
    u32 n = f->nparts;
    u64 done = 0;
    memcpy(was, f->part, sizeof(*was) * n);
    f->nparts = 0, f->lanes = 0;
    for (u32 i = 0; i < n; i++) {
        struct warp *w = c->homes[was[i].home].w;
        u64 lanes = 0;
        if (done >> was[i].home & 1) continue;
        done |= 1ull << was[i].home;
        for (u32 k = i; k < n; k++) lanes |= was[k].home == was[i].home ? was[k].lanes : 0;
        lanes &= warp_enabled(w);
        if (c->prog->k->gathers) lanes |= take_lanes(c, slot, was[i].home);
        for (u32 k = 0; lanes && k < w->groups.n; k++) {
            u64 mask = w->groups.at[k].mask;
            if (!(mask & lanes)) continue;
            if (mask & ~lanes) group_split_to(w, &w->groups.at[k], mask & ~lanes, w->groups.at[k].pc);
            f->part[f->nparts++] = (struct part){.home = was[i].home, .group = (u16)k, .lanes = mask & lanes};
        }
        for (; lanes; lanes &= lanes - 1) f->lanes |= 1ull << c->form->seat[was[i].home][__builtin_ctzll(lanes)];
    }
    return f->nparts;
}

/* Where the threads of a front stand; true: all together */
static bool front_stands(const struct core *c, const struct front *f, struct stand *s) {
    bool same = true;
    for (u32 i = 0; i < f->nparts; i++) {
        const struct group *g = form_group(c, &f->part[i]);
        u32 depth = stack_depth(part_home(c, &f->part[i])->w, g);
        bool waits = g->state != GROUP_READY;
        if (!i) *s = (struct stand){g->pc, depth, waits};
        same = same && g->pc == s->pc && depth == s->depth && waits == s->waits;
    }
    return same;
}

/* The front's threads have met those that wait for them, or have ended */
static void front_is_done(struct core *c, struct squad *t, u32 slot) {
    struct front *f = &c->fronts[slot];
    for (u32 i = 0; i < f->nparts; i++) {
        struct part p = f->part[i];
        stack_arrive(t, t->running, p.home, p.lanes);
        for (u64 m = p.lanes; m; m &= m - 1) c->form->place[p.home][__builtin_ctzll(m)] = NO_PLACE;
    }
    front_ends(c, slot);
    t->fronts &= ~(1ull << slot);
}

/* Warps of the squad whose last threads have ended */
static void homes_over(struct core *c, const struct squad *t) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct home *s = &c->homes[h];
        if (s->w && !s->w->live && !s->ended) cta_warp_ended(c, h, 1);
    }
}

static void front_goes(struct core *c, struct squad *t, u32 slot) {
    struct front *f = &c->fronts[slot];
    const struct entry *e = &t->at.at[t->running];
    struct stand s = {.pc = NONE};
    u64 bit = 1ull << slot;
    for (u32 i = 0; i < f->nparts; i++)
        if (!stack_settle_lanes(c, f->part[i].home, f->part[i].lanes, e, NONE, 0)) return;
    if (!gather(c, slot)) {
        front_ends(c, slot);
        t->fronts &= ~bit;
        return;
    }
    bool together = front_stands(c, f, &s);
    if (together && !s.waits && stack_at_meeting(e, s.pc, s.depth)) front_is_done(c, t, slot);
    else if (together && !s.waits && (t->at_home || !(c->prog->k->code[s.pc].flags & INST_COLLECTIVE))) {
        set_drop(c->form->at_barrier, slot);
        front_shows(c, slot, s.pc);
        EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .pc = s.pc, .mask = f->lanes, .a = f->lanes,
             .cause = FRONT_COMES);
    } else if (together && !s.waits) t->came |= bit; /* at the collective, which it has not run */
    else t->waits |= bit;
}

/* Before the issue of a cycle: a front whose instruction is resolved, or which is woken */
void squad_regroup(struct core *c, u32 slot) {
    struct squad *t = squad_of(c, slot);
    u64 bit = 1ull << slot;
    account_change(c, slot);
    if (t->fronts & ~t->came & bit) {
        t->waits &= ~bit;
        if (t->by[slot] != NONE) t->came |= bit;
        else front_goes(c, t, slot);
    }
    lockstep_changed(c, t);
    if (!c->view.faulted && !c->fronts[slot].head) review(c, t, slot);
    if (!c->view.faulted) homes_over(c, t);
}

bool squad_due(const struct core *c, u32 slot) {
    return slot < c->nslots && c->homes[slot].w && squad_of(c, slot)->homes >> slot & 1 && squad_of(c, slot)->due;
}

bool squad_holds(const struct core *c, const struct front *f) { return squad_of(c, f->slot)->held >> f->slot & 1; }

u64 squad_waiting(const struct core *c) {
    u64 fronts = 0;
    for (u32 i = 0; i < c->nslots; i++) fronts |= c->squads->at[i].came | c->squads->at[i].held;
    return fronts;
}

const u8 *squad_teams(const struct core *c) { return c->squads->shape.lockstep ? c->squads->of : NULL; }

u32 squad_waits(const struct core *c, const struct front *f) {
    const struct squad *t = squad_of(c, f->slot);
    return t->came >> f->slot & 1 ? 1u << STALL_WARP_SYNC : form_waits(c, f);
}

/* --- a warp comes */

/* The warp may be of that squad: its warps begin in one cycle, all of a block or so many of one scheduler */
static bool takes_home(const struct core *c, const struct squad *t, u32 home) {
    u32 first = (u32)__builtin_ctzll(t->homes), most = c->squads->shape.warps;
    if (t->begun_cy != c->now || c->homes[first].place != c->homes[home].place) return false;
    return !most || (first % c->cfg->schedulers == home % c->cfg->schedulers && (u32)__builtin_popcountll(t->homes) < most);
}

/* The squad of a warp that begins: one that others began in this cycle, or a new one */
static struct squad *squad_for(struct core *c, u32 home) {
    struct squad *free = NULL;
    for (u32 i = c->nslots; i-- > 0;) {
        struct squad *t = &c->squads->at[i];
        if (!t->homes) free = t;
        else if (takes_home(c, t, home)) return t;
    }
    *free = (struct squad){.at = {free->at.at, 0, free->at.cap}, .begun_cy = c->now, .at_home = true};
    free->running = (i32)stack_add(free, &(struct entry){.parent = NONE, .meets_pc = NONE});
    return free;
}

void squad_starts(struct core *c, u32 home) {
    u64 lanes = warp_enabled(c->homes[home].w);
    squad_forgets(c, home); /* in which it was before */
    squad_move(c);
    form_look_again(c);
    struct squad *t = squad_for(c, home);
    c->squads->of[home] = (u8)(t - c->squads->at);
    t->homes |= 1ull << home, t->fronts |= 1ull << home;
    t->by[home] = NONE;
    t->at.at[t->running].lanes[home] = lanes;
    t->formed += (u32)__builtin_popcountll(lanes);
    form_starts(c, home);
}

/* Its threads, if there are any left, leave, and its place is another squad's: squad_move is next */
void squad_forgets(struct core *c, u32 home) {
    struct squad *t = squad_of(c, home);
    u64 bit = 1ull << home;
    if (!(t->homes & bit)) return;
    form_forgets(c, home);
    for (u64 m = t->fronts; m; m &= m - 1)
        if (!c->fronts[__builtin_ctzll(m)].nparts) t->fronts &= ~(m & -m), t->due = true;
    t->came &= t->fronts, t->waits &= t->fronts, t->held &= t->fronts;
    stack_forgets(c, t, home);
    t->homes &= ~bit;
}

/* Squads that warps have left go on in the places they have yet, when all have left */
void squad_move(struct core *c) {
    for (u32 i = 0; i < c->nslots; i++) {
        struct squad *t = &c->squads->at[i];
        if (t->fronts & ~t->homes) {
            squad_dissolve(c, t);
            stack_choose(c, t, NO_PLACE, false);
        } else if (t->due && t->homes) slot_alarm(c, (u32)__builtin_ctzll(t->homes), c->now);
    }
}

/* --- after an issue: nothing of other fronts changes before the next cycle (I1 of 29_look.c) */

void squad_wake_block(struct core *c, const struct cta_place *p, u64 cy) {
    for (u64 m = cta_slots(p); m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        struct squad *t = squad_of(c, slot);
        struct front *f = &c->fronts[slot];
        if (!(t->fronts & ~t->came & 1ull << slot) || f->head || !set_has(c->form->at_barrier, slot)) continue;
        if (f->release_cy > c->now) continue;
        bool open = true;
        for (u32 i = 0; i < f->nparts; i++) open = open && form_group(c, &f->part[i])->state == GROUP_READY;
        if (open) f->release_cy = cy;
        if (open || t->waits >> slot & 1) slot_alarm(c, slot, cy);
        t->waits &= ~(1ull << slot);
    }
}

/* Its lanes may go different ways */
static bool may_part(const struct inst *in) {
    const struct call_info *call = in->info;
    if (in->flags & INST_WAYS) return true;
    if (in->flags & INST_EXIT || !(in->flags & (INST_JUMP | INST_TABLE | INST_CALL | INST_LEAVE))) return false;
    if (in->guard != NONE || in->flags & INST_TABLE) return true;
    return in->flags & INST_CALL && call->func == NONE && call->builtin == NONE;
}

/* Calls deep the front stood when it ran the instruction at pc */
static u32 depth_at(const struct core *c, const struct front *f, const struct inst *in, i32 pc) {
    const struct group *g = form_group(c, &f->part[0]);
    u32 depth = stack_depth(part_home(c, &f->part[0])->w, g);
    return in->flags & INST_CALL && g->pc != pc && g->pc != pc + 1 ? depth - 1 : depth;
}

/* Straight on: all threads stand at the next instruction */
static void go_on(struct core *c, struct squad *t, u32 slot) {
    struct stand s = {.pc = NONE};
    const struct inst *in = front_advances(c, slot);
    if (!in) return;
    front_stands(c, &c->fronts[slot], &s);
    bool stops = in->flags & INST_PSEUDO || stack_at_meeting(&t->at.at[t->running], s.pc, s.depth);
    if (stops || (in->flags & INST_COLLECTIVE && !t->at_home)) slot_alarm(c, slot, c->now + 1);
    else front_shows(c, slot, s.pc);
}

void squad_ran(struct core *c, u32 slot) {
    struct squad *t = squad_of(c, slot);
    struct front *f = &c->fronts[slot];
    const struct inst *in = f->head->in;
    struct stand s = {.pc = NONE};
    struct part was[MAX_WARP];
    u32 n = f->nparts;
    u64 lanes = f->lanes;
    i32 pc = f->head->pc;
    if (c->view.faulted) return;
    bool turns = in->flags & (INST_CONTROL | INST_COLLECTIVE);
    memcpy(was, f->part, sizeof(*was) * n);
    bool some = !turns || gather(c, slot);
    if (!turns || (some && !(in->flags & INST_CONTROL) && front_stands(c, f, &s) && !s.waits)) {
        go_on(c, t, slot);
        if (turns) squad_stir(c, t, c->now + 1);
        lockstep_issued(c, t, slot);
        return;
    }
    if (f->head->kind == T_BARRIER) set_add(c->form->at_barrier, slot);
    if (some && may_part(in)) t->by[slot] = pc, t->depth[slot] = depth_at(c, f, in, pc);
    f->head = NULL;
    if (!some) {
        front_ends(c, slot);
        t->fronts &= ~(1ull << slot);
        t->due = true;
    }
    slot_alarm(c, slot, c->now + 1);
    if (in->flags & (INST_EXIT | INST_COLLECTIVE)) squad_stir(c, t, c->now + 1);
    lockstep_issued(c, t, slot);
    homes_end(c, was, n, lanes);
}

bool squad_polls(struct core *c, const struct front *f) {
    squad_of(c, f->slot)->polls++;
    return false;
}

/* --- invariants */

/* It forgets their threads in the next cycle */
static bool some_renewed(const struct core *c, const struct squad *t) {
    for (u64 m = t->homes; m; m &= m - 1)
        if (home_renewed(&c->homes[__builtin_ctzll(m)])) return true;
    return false;
}

void squad_check(const struct core *c) {
    if (!c->squads) return;
    for (u32 i = 0; i < c->nslots; i++) {
        const struct squad *t = &c->squads->at[i];
        u64 seen[MAX_SLOTS] = {0};
        if (!front_renewed(c, &c->fronts[i])) form_check_front(c, i);
        if (!t->homes || !c->homes[__builtin_ctzll(t->homes)].w || some_renewed(c, t)) continue;
        for (u32 k = 0; k < t->at.n; k++)
            if (t->at.at[k].used) stack_check(c, t, k, seen);
        CHECK(!((t->came | t->waits | t->held) & ~t->fronts) && !(t->came & t->waits)); /* T5 */
        compact_check(c, t);
        lockstep_check(c, t);
        for (u64 m = t->homes; m; m &= m - 1) {
            const struct home *s = &c->homes[__builtin_ctzll(m)];
            CHECK(!s->w || seen[__builtin_ctzll(m)] == warp_enabled(s->w)); /* T1 */
        }
    }
}
