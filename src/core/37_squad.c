/* Squads: warps that share one reconvergence stack, and whose threads are compacted into fronts at
 * branches.
 *
 * The squad of thread block compaction is a block, that of large warps some warps of a block and
 * scheduler. One entry of the stack runs at a time: its threads are fronts (38_compact.c), in the places
 * of the squad's warps. A front that has run a branch whose lanes may part (a guard, a table, a call of
 * several functions) waits until all fronts of the entry have, and is resolved with the last. Then
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
 * Invariants (squad_check):
 *   T1 a thread of the squad that lives is in exactly one entry
 *   T2 the threads of the fronts are those of the entry that runs; all others have no place
 *   T3 an entry with children has as many as name it as their parent
 *   T4 one without children has threads, but for the one that runs, whose last may just have ended, and a
 *      group of a warp is in one entry
 *   T5 the fronts that came, those that wait and those that are held are of the squad's, and none both came
 *      and waits */
#include "core/squad.h"

#include <stdlib.h>
#include <string.h>

enum { SQUAD_POLLS = 256, SQUAD_POLLS_LONG = 1024 };

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
        t->homes = 0, t->at.n = 0, t->due = false;
    }
}

static struct squad *squad_of(const struct core *c, u32 home) { return &c->squads->at[c->squads->of[home]]; }

/* --- entries */

static u32 entry_new(struct squad *t, const struct entry *like) {
    u32 i = 0;
    struct entry e = *like;
    e.used = true, e.children = 0, e.turn = t->turns;
    memset(e.lanes, 0, sizeof(e.lanes));
    while (i < t->at.n && t->at.at[i].used) i++;
    if (i == t->at.n) VEC_PUSH(&t->at, e);
    else t->at.at[i] = e;
    t->used++;
    if (e.parent != NONE) t->at.at[e.parent].children++;
    return i;
}

u64 squad_lanes(const struct core *c, const struct entry *e, u32 home) {
    const struct warp *w = c->homes[home].w;
    return w ? e->lanes[home] & warp_enabled(w) : 0;
}

static bool has_threads(const struct core *c, const struct squad *t, const struct entry *e) {
    for (u64 m = t->homes; m; m &= m - 1)
        if (squad_lanes(c, e, (u32)__builtin_ctzll(m))) return true;
    return false;
}

static u64 count_threads(const struct core *c, const struct squad *t, const struct entry *e) {
    u64 n = 0;
    for (u64 m = t->homes; m; m &= m - 1) n += (u32)__builtin_popcountll(squad_lanes(c, e, (u32)__builtin_ctzll(m)));
    return n;
}

/* Nobody is left in an entry: it goes, and so do those below it that it was the last of */
static void entry_done(const struct core *c, struct squad *t, i32 i) {
    while (i != NONE && !t->at.at[i].children && !has_threads(c, t, &t->at.at[i])) {
        i32 parent = t->at.at[i].parent;
        t->at.at[i].used = false;
        t->used--;
        if (parent != NONE) t->at.at[parent].children--;
        i = parent;
    }
}

static u32 depth_of(const struct warp *w, const struct group *g) { return w->frames.at[g->frame].depth; }

static bool at_meeting(const struct entry *e, i32 pc, u32 depth) { return e->meets_pc == pc && e->meets_depth == depth; }

/* Where the entry's threads stand: the first of them, and whether all do there (true), and go on or wait
 * alike */
bool squad_stands(const struct core *c, const struct squad *t, const struct entry *e, i32 *pc, u32 *depth, bool *waits) {
    bool some = false, same = true;
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = squad_lanes(c, e, h);
        for (u32 i = 0; lanes && i < w->groups.n; i++) {
            const struct group *g = &w->groups.at[i];
            bool stays = g->state != GROUP_READY;
            if (!(g->mask & lanes)) continue;
            if (some) same = same && g->pc == *pc && depth_of(w, g) == *depth && stays == *waits;
            else *pc = g->pc, *depth = depth_of(w, g), *waits = stays, some = true;
        }
    }
    return some && same;
}

/* Instructions that are not in the program are passed, but at a meeting point. False after a fault */
static bool settle_group(struct core *c, struct warp *w, u64 lanes, const struct entry *e, i32 meets_pc, u32 meets_depth) {
    for (;;) {
        u32 gi = 0;
        while (gi < w->groups.n && !(w->groups.at[gi].mask & lanes)) gi++;
        if (gi == w->groups.n) return true;
        const struct group *g = &w->groups.at[gi];
        if (g->state != GROUP_READY || !c->prog->at[g->pc].pseudo || at_meeting(e, g->pc, depth_of(w, g))) return true;
        if (g->pc == meets_pc && depth_of(w, g) == meets_depth) return true;
        if (!warp_step(w, gi, c->now, &c->form->one)) {
            c->fault_cy = MIN(c->fault_cy, c->now);
            return false;
        }
    }
}

static bool settle_lanes(struct core *c, struct warp *w, u64 left, const struct entry *e, i32 meets_pc, u32 meets_depth) {
    while (left &= warp_enabled(w)) {
        u32 gi = 0;
        while (!(w->groups.at[gi].mask & left)) gi++;
        u64 lanes = w->groups.at[gi].mask & left;
        if (!settle_group(c, w, lanes, e, meets_pc, meets_depth)) return false;
        left &= ~lanes;
    }
    return true;
}

static bool settle(struct core *c, const struct squad *t, const struct entry *e, i32 meets_pc, u32 meets_depth) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        if (!settle_lanes(c, c->homes[h].w, squad_lanes(c, e, h), e, meets_pc, meets_depth)) return false;
    }
    return true;
}

/* Threads of an entry that have come to where they meet the others are the parent's */
static void arrive(struct squad *t, i32 i, u32 home, u64 lanes) {
    t->at.at[i].lanes[home] &= ~lanes;
    t->at.at[t->at.at[i].parent].lanes[home] |= lanes;
    t->polls = 0;
}

/* Threads of entry i that stand at its meeting point leave it */
static void leave_at_meeting(const struct core *c, struct squad *t, u32 i) {
    const struct entry e = t->at.at[i];
    if (e.parent == NONE || e.meets_pc == NONE) return;
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = squad_lanes(c, &e, h);
        for (u32 g = 0; lanes && g < w->groups.n; g++) {
            const struct group *x = &w->groups.at[g];
            if (x->mask & lanes && x->state == GROUP_READY && at_meeting(&e, x->pc, depth_of(w, x)))
                arrive(t, (i32)i, h, x->mask);
        }
    }
}

struct stand { /* where threads are */
    i32 pc;
    u32 depth;
    bool waits;
};

/* Threads of entry i that do not stand there leave it for entry `to` */
static void leave_unlike(const struct core *c, struct squad *t, u32 i, struct stand s, u32 to) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = squad_lanes(c, &t->at.at[i], h);
        for (u32 g = 0; lanes && g < w->groups.n; g++) {
            const struct group *x = &w->groups.at[g];
            if (!(x->mask & lanes) || (x->pc == s.pc && depth_of(w, x) == s.depth && (x->state != GROUP_READY) == s.waits))
                continue;
            t->at.at[i].lanes[h] &= ~x->mask;
            t->at.at[to].lanes[h] |= x->mask;
        }
    }
}

/* An entry without others above it is parted by where its threads stand, so that those of each stand
 * together */
static void entry_part(const struct core *c, struct squad *t, u32 i) {
    struct stand s;
    leave_at_meeting(c, t, i);
    u32 part = i;
    while (has_threads(c, t, &t->at.at[part]) && !squad_stands(c, t, &t->at.at[part], &s.pc, &s.depth, &s.waits)) {
        u32 rest = entry_new(t, &t->at.at[part]);
        leave_unlike(c, t, part, s, rest);
        part = rest;
    }
    entry_done(c, t, (i32)i);
}

/* --- whose turn it is */

static bool is_leaf(const struct entry *e) { return e->used && !e->children; }

/* Goes a before b? Who ran last, or was made of who did, is on top; of several the one at the lowest pc. In
 * turns: who has not had one for longest. */
static bool goes_before(const struct entry *a, i32 pc_a, const struct entry *b, i32 pc_b, bool turns) {
    if (a->turn != b->turn) return turns == (a->turn < b->turn);
    return pc_a < pc_b;
}

static i32 choose_ready(const struct core *c, const struct squad *t, bool turns, bool waiting) {
    i32 best = NONE, best_pc = NONE;
    for (u32 i = 0; i < t->at.n; i++) {
        const struct entry *e = &t->at.at[i];
        struct stand s;
        if (!is_leaf(e) || !squad_stands(c, t, e, &s.pc, &s.depth, &s.waits) || s.waits != waiting) continue;
        if (best == NONE || goes_before(e, s.pc, &t->at.at[best], best_pc, turns)) best = (i32)i, best_pc = s.pc;
    }
    return best;
}

/* The topmost entry whose threads wait at a meeting point; NONE */
static i32 find_parked(const struct core *c, const struct squad *t) {
    i32 best = NONE;
    for (u32 i = 0; i < t->at.n; i++) {
        const struct entry *e = &t->at.at[i];
        if (!e->used || !e->children || !has_threads(c, t, e)) continue;
        if (best == NONE || e->level > t->at.at[best].level) best = (i32)i;
    }
    return best;
}

/* Those threads wait no longer: they are an entry beside the one they were in */
static i32 let_go(struct squad *t, i32 parked) {
    if (parked == NONE) return NONE;
    u32 i = entry_new(t, &t->at.at[parked]);
    memcpy(t->at.at[i].lanes, t->at.at[parked].lanes, sizeof(t->at.at[i].lanes));
    memset(t->at.at[parked].lanes, 0, sizeof(t->at.at[parked].lanes));
    return (i32)i;
}

/* Entries beside the one that runs, at its pc, become part of it */
static void join_entries(const struct core *c, struct squad *t) {
    struct entry *e = &t->at.at[t->running];
    struct stand s, x;
    squad_stands(c, t, e, &s.pc, &s.depth, &s.waits);
    for (u32 i = 0; i < t->at.n; i++) {
        struct entry *o = &t->at.at[i];
        if (o == e || !is_leaf(o) || o->parent != e->parent || s.waits) continue;
        if (o->meets_pc != e->meets_pc || o->meets_depth != e->meets_depth) continue;
        if (!squad_stands(c, t, o, &x.pc, &x.depth, &x.waits) || x.pc != s.pc || x.depth != s.depth || x.waits) continue;
        for (u64 m = t->homes; m; m &= m - 1) {
            u32 h = (u32)__builtin_ctzll(m);
            e->lanes[h] |= o->lanes[h];
            o->lanes[h] = 0;
        }
        entry_done(c, t, (i32)i);
    }
}

/* Somebody's turn: the entry on top that can run, or in `turns` another than the last; else threads at a
 * meeting point, else one that waits */
static void choose(struct core *c, struct squad *t, u32 self, bool turns) {
    for (u32 i = 0; i < t->at.n; i++) { /* new ones are behind, or stand together */
        if (!is_leaf(&t->at.at[i])) continue;
        if (!settle(c, t, &t->at.at[i], NONE, 0)) return;
        entry_part(c, t, i);
    }
    i32 last = t->running;
    t->running = choose_ready(c, t, turns, false);
    bool other = t->running != NONE && !(turns && t->running == last);
    if (!other && (!turns || t->polls >= SQUAD_POLLS_LONG)) {
        i32 free = let_go(t, find_parked(c, t));
        if (free != NONE && !settle(c, t, &t->at.at[free], NONE, 0)) return;
        if (free != NONE) t->running = free;
    }
    if (t->running == NONE) t->running = choose_ready(c, t, false, true);
    t->polls = t->running == last && turns ? t->polls : 0;
    if (t->running == NONE) {
        squad_dissolve(c, t);
        return;
    }
    t->at.at[t->running].turn = ++t->turns;
    join_entries(c, t);
    c->stats.squad_entries_peak = MAX(c->stats.squad_entries_peak, t->used);
    squad_form(c, t, self);
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
    u32 above = entry_new(t, &like);
    s.waits = false;
    leave_unlike(c, t, below, s, above);
    t->running = (i32)above;
    if (!has_threads(c, t, &t->at.at[above])) entry_done(c, t, (i32)above), t->running = (i32)below;
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
    if (!settle(c, t, e, meets.pc, meets.depth)) return;
    bool together = squad_stands(c, t, e, &s.pc, &s.depth, &s.waits), turns = t->polls >= SQUAD_POLLS && t->used > 1;
    bool goes_on = together && !s.waits && !at_meeting(e, s.pc, s.depth) && !turns;
    bool as_they_are = t->formed == count_threads(c, t, e) && (t->at_home || !(c->prog->k->code[s.pc].flags & INST_COLLECTIVE));
    if (goes_on && as_they_are && !t->forced) {
        go_on_together(c, t, s.pc, self);
        return;
    }
    if (goes_on) {
        squad_form(c, t, self);
        return;
    }
    bool inner = meets.pc != NONE && !at_meeting(e, meets.pc, meets.depth);
    if (!together && inner) push_entry(c, t, meets);
    choose(c, t, self, turns);
}

/* --- threads that wait for threads */

static bool some_ready(const struct core *c, const struct squad *t, const struct entry *e) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = squad_lanes(c, e, h);
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
    choose(c, t, self, false);
}

/* What a front's wait, or its end, may mean for the others of the squad: all have come to a branch, the
 * entry has nobody left, or all wait for threads that have no turn */
static void review(struct core *c, struct squad *t, u32 self) {
    t->due = false;
    if (t->running == NONE) return;
    if (!t->fronts) {
        entry_done(c, t, t->running);
        t->running = NONE;
        choose(c, t, self, false);
    } else if (t->came == t->fronts) branch_done(c, t, self);
    else if ((t->came | t->waits) == t->fronts) yield_places(c, t, self);
}

/* --- a front */

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
        u32 depth = depth_of(part_home(c, &f->part[i])->w, g);
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
        arrive(t, t->running, p.home, p.lanes);
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
        if (!settle_lanes(c, part_home(c, &f->part[i])->w, f->part[i].lanes, e, NONE, 0)) return;
    if (!gather(c, slot)) {
        front_ends(c, slot);
        t->fronts &= ~bit;
        return;
    }
    bool together = front_stands(c, f, &s);
    if (together && !s.waits && at_meeting(e, s.pc, s.depth)) front_is_done(c, t, slot);
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
    return slot < c->nslots && c->homes[slot].w && squad_of(c, slot)->homes && squad_of(c, slot)->due;
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

/* The lowest home of its squad: the block's, or that of so many of its warps of one scheduler */
static u32 leader_of(const struct core *c, u32 home) {
    u32 n = 0, leader = home;
    u64 slots = cta_slots(c->homes[home].place);
    if (!c->squads->shape.warps) return (u32)__builtin_ctzll(slots);
    for (u64 m = slots; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        if (h % c->cfg->schedulers != home % c->cfg->schedulers || h > home) continue;
        if (n++ % c->squads->shape.warps == 0) leader = h;
    }
    return leader;
}

void squad_starts(struct core *c, u32 home) {
    u32 leader = leader_of(c, home);
    struct squad *t = &c->squads->at[leader];
    if (leader == home) {
        struct entry *room = t->at.at;
        u32 cap = t->at.cap;
        *t = (struct squad){.at = {room, 0, cap}};
        t->running = (i32)entry_new(t, &(struct entry){.parent = NONE, .meets_pc = NONE});
        t->at_home = true;
    }
    c->squads->of[home] = (u8)leader;
    t->homes |= 1ull << home, t->fronts |= 1ull << home;
    t->by[home] = NONE;
    t->at.at[t->running].lanes[home] = c->homes[home].w->live;
    t->formed += (u32)__builtin_popcountll(c->homes[home].w->live);
    form_starts(c, home);
}

/* --- after an issue: nothing of other fronts changes before the next cycle (I1 of 30_issue.c) */

/* Fronts that wait look again then */
static void stir(struct core *c, struct squad *t, u64 cy) {
    for (u64 m = t->waits; m; m &= m - 1) slot_alarm(c, (u32)__builtin_ctzll(m), cy);
    t->waits = 0;
}

void squad_wake_block(struct core *c, const struct cta_place *p, u64 cy) {
    for (u64 m = cta_slots(p); m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        struct squad *t = squad_of(c, slot);
        struct front *f = &c->fronts[slot];
        if (!t->homes || !(t->fronts & ~t->came & 1ull << slot) || f->head || !set_has(c->form->at_barrier, slot)) continue;
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
    if (in->flags & INST_EXIT || !(in->flags & (INST_JUMP | INST_TABLE | INST_CALL | INST_LEAVE))) return false;
    if (in->guard != NONE || in->flags & INST_TABLE) return true;
    return in->flags & INST_CALL && call->func == NONE && call->builtin == NONE;
}

/* Calls deep the front stood when it ran the instruction at pc */
static u32 depth_at(const struct core *c, const struct front *f, const struct inst *in, i32 pc) {
    const struct group *g = form_group(c, &f->part[0]);
    u32 depth = depth_of(part_home(c, &f->part[0])->w, g);
    return in->flags & INST_CALL && g->pc != pc && g->pc != pc + 1 ? depth - 1 : depth;
}

/* Straight on: all threads stand at the next instruction */
static void go_on(struct core *c, struct squad *t, u32 slot) {
    struct stand s = {.pc = NONE};
    const struct inst *in = front_advances(c, slot);
    if (!in) return;
    front_stands(c, &c->fronts[slot], &s);
    bool stops = in->flags & INST_PSEUDO || at_meeting(&t->at.at[t->running], s.pc, s.depth);
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
        if (turns) stir(c, t, c->now + 1);
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
    if (in->flags & (INST_EXIT | INST_COLLECTIVE)) stir(c, t, c->now + 1);
    lockstep_issued(c, t, slot);
    homes_end(c, was, n, lanes);
}

bool squad_polls(struct core *c, const struct front *f) {
    squad_of(c, f->slot)->polls++;
    return false;
}

/* --- invariants */

static void check_entry(const struct core *c, const struct squad *t, u32 i, u64 *seen) {
    const struct entry *e = &t->at.at[i];
    u32 children = 0;
    for (u32 k = 0; k < t->at.n; k++) children += t->at.at[k].used && t->at.at[k].parent == (i32)i;
    CHECK(children == e->children);                                     /* T3 */
    CHECK(e->children || (i32)i == t->running || has_threads(c, t, e)); /* T4 */
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = squad_lanes(c, e, h);
        CHECK(!(seen[h] & lanes)); /* T1 */
        seen[h] |= lanes;
        for (u32 g = 0; lanes && g < w->groups.n; g++)
            CHECK(!(w->groups.at[g].mask & lanes) || !(w->groups.at[g].mask & ~lanes)); /* T4 */
        for (u64 x = lanes; x; x &= x - 1)
            CHECK((c->form->place[h][__builtin_ctzll(x)] != NO_PLACE) == ((i32)i == t->running)); /* T2 */
    }
}

void squad_check(const struct core *c) {
    if (!c->squads) return;
    for (u32 i = 0; i < c->nslots; i++) {
        const struct squad *t = &c->squads->at[i];
        u64 seen[MAX_SLOTS] = {0};
        form_check_front(c, i);
        if (!t->homes || !c->homes[i].w || c->squads->of[i] != i) continue;
        for (u32 k = 0; k < t->at.n; k++)
            if (t->at.at[k].used) check_entry(c, t, k, seen);
        CHECK(!((t->came | t->waits | t->held) & ~t->fronts) && !(t->came & t->waits)); /* T5 */
        compact_check(c, t);
        lockstep_check(c, t);
        for (u64 m = t->homes; m; m &= m - 1) {
            const struct warp *w = c->homes[__builtin_ctzll(m)].w;
            CHECK(!w || seen[__builtin_ctzll(m)] == warp_enabled(w)); /* T1 */
        }
    }
}
