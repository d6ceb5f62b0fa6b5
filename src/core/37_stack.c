/* The reconvergence stack of a squad (37_squad.c): entries of threads that go on together until they meet
 * those of the entry below, and whose turn it is.
 *
 * One entry runs at a time. Threads of an entry that have come to where they meet the others are the
 * parent's; when all entries above one are gone it is whole again, and has its turn. Parted entries with one
 * parent become one when they stand at one pc.
 *
 * Invariants (stack_check):
 *   T1 a thread of the squad that lives is in exactly one entry
 *   T2 the threads of the fronts are those of the entry that runs; all others have no place
 *   T3 an entry with children has as many as name it as their parent
 *   T4 one without children has threads, but for the one that runs, whose last may just have ended, and a
 *      group of a warp is in one entry */
#include "core/squad.h"

#include <string.h>

/* --- entries */

u32 stack_add(struct squad *t, const struct entry *like) {
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

u64 stack_lanes(const struct core *c, const struct entry *e, u32 home) {
    const struct warp *w = c->homes[home].w;
    return w ? e->lanes[home] & warp_enabled(w) : 0;
}

bool stack_has_threads(const struct core *c, const struct squad *t, const struct entry *e) {
    for (u64 m = t->homes; m; m &= m - 1)
        if (stack_lanes(c, e, (u32)__builtin_ctzll(m))) return true;
    return false;
}

u64 stack_count(const struct core *c, const struct squad *t, const struct entry *e) {
    u64 n = 0;
    for (u64 m = t->homes; m; m &= m - 1) n += (u32)__builtin_popcountll(stack_lanes(c, e, (u32)__builtin_ctzll(m)));
    return n;
}

/* Nobody is left in an entry: it goes, and so do those below it that it was the last of */
void stack_drop(const struct core *c, struct squad *t, i32 i) {
    while (i != NONE && !t->at.at[i].children && !stack_has_threads(c, t, &t->at.at[i])) {
        i32 parent = t->at.at[i].parent;
        t->at.at[i].used = false;
        t->used--;
        if (parent != NONE) t->at.at[parent].children--;
        i = parent;
    }
}

u64 stack_takes(const struct core *c, struct squad *t, u32 home) {
    u64 on = warp_enabled(c->homes[home].w), known = 0;
    for (u32 i = 0; i < t->at.n; i++) {
        if (!t->at.at[i].used) continue;
        t->at.at[i].lanes[home] &= on;
        known |= t->at.at[i].lanes[home];
    }
    t->at.at[t->running].lanes[home] |= on & ~known;
    return on & ~known;
}

void stack_forgets(const struct core *c, struct squad *t, u32 home) {
    for (u32 i = 0; i < t->at.n; i++) t->at.at[i].lanes[home] = 0;
    for (u32 i = 0; i < t->at.n; i++)
        if (t->at.at[i].used && (i32)i != t->running) stack_drop(c, t, (i32)i);
}

u32 stack_depth(const struct warp *w, const struct group *g) { return w->frames.at[g->frame].depth; }

bool stack_at_meeting(const struct entry *e, i32 pc, u32 depth) { return e->meets_pc == pc && e->meets_depth == depth; }

/* Where the entry's threads stand: the first of them, and whether all do there (true), and go on or wait
 * alike */
bool stack_stands(const struct core *c, const struct squad *t, const struct entry *e, i32 *pc, u32 *depth, bool *waits) {
    bool some = false, same = true;
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = stack_lanes(c, e, h);
        for (u32 i = 0; lanes && i < w->groups.n; i++) {
            const struct group *g = &w->groups.at[i];
            bool stays = g->state != GROUP_READY;
            if (!(g->mask & lanes)) continue;
            if (some) same = same && g->pc == *pc && stack_depth(w, g) == *depth && stays == *waits;
            else *pc = g->pc, *depth = stack_depth(w, g), *waits = stays, some = true;
        }
    }
    return some && same;
}

/* The group can go on from here, or has to wait: what comes next is an instruction of the program, or a
 * meeting point */
static bool is_settled(const struct core *c, const struct warp *w, const struct group *g, const struct entry *e, i32 meets_pc,
                       u32 meets_depth) {
    u32 depth = stack_depth(w, g);
    if (g->state != GROUP_READY || !c->prog->at[g->pc].pseudo || stack_at_meeting(e, g->pc, depth)) return true;
    return g->pc == meets_pc && depth == meets_depth;
}

bool stack_settle_lanes(struct core *c, u32 home, u64 lanes, const struct entry *e, i32 meets_pc, u32 meets_depth) {
    struct warp *w = c->homes[home].w;
    for (u32 gi = 0; gi < w->groups.n;) {
        const struct group *g = &w->groups.at[gi];
        if (!(g->mask & lanes) || is_settled(c, w, g, e, meets_pc, meets_depth)) {
            gi++;
            continue;
        }
        bool gathers = is_collective(c, g->pc);
        if (!form_step_over(c, home, gi, lanes)) return false;
        if (gathers && c->form->one.counted) squad_stir(c, squad_of(c, home), c->now + 1); /* some waited for these */
        gi = 0;
    }
    return true;
}

bool stack_settle(struct core *c, const struct squad *t, const struct entry *e, i32 meets_pc, u32 meets_depth) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        u64 lanes = stack_lanes(c, e, h);
        if (lanes && !stack_settle_lanes(c, h, lanes, e, meets_pc, meets_depth)) return false;
    }
    return true;
}

/* Threads of an entry that have come to where they meet the others are the parent's */
void stack_arrive(struct squad *t, i32 i, u32 home, u64 lanes) {
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
        u64 lanes = stack_lanes(c, &e, h);
        for (u32 g = 0; lanes && g < w->groups.n; g++) {
            const struct group *x = &w->groups.at[g];
            if (x->mask & lanes && x->state == GROUP_READY && stack_at_meeting(&e, x->pc, stack_depth(w, x)))
                stack_arrive(t, (i32)i, h, x->mask);
        }
    }
}

/* Threads of entry i that do not stand there leave it for entry `to` */
void stack_part(const struct core *c, struct squad *t, u32 i, struct stand s, u32 to) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = stack_lanes(c, &t->at.at[i], h);
        for (u32 g = 0; lanes && g < w->groups.n; g++) {
            const struct group *x = &w->groups.at[g];
            if (!(x->mask & lanes) || (x->pc == s.pc && stack_depth(w, x) == s.depth && (x->state != GROUP_READY) == s.waits))
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
    while (stack_has_threads(c, t, &t->at.at[part]) && !stack_stands(c, t, &t->at.at[part], &s.pc, &s.depth, &s.waits)) {
        u32 rest = stack_add(t, &t->at.at[part]);
        stack_part(c, t, part, s, rest);
        part = rest;
    }
    stack_drop(c, t, (i32)i);
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
        if (!is_leaf(e) || !stack_stands(c, t, e, &s.pc, &s.depth, &s.waits) || s.waits != waiting) continue;
        if (best == NONE || goes_before(e, s.pc, &t->at.at[best], best_pc, turns)) best = (i32)i, best_pc = s.pc;
    }
    return best;
}

/* The topmost entry whose threads wait at a meeting point; NONE */
static i32 find_parked(const struct core *c, const struct squad *t) {
    i32 best = NONE;
    for (u32 i = 0; i < t->at.n; i++) {
        const struct entry *e = &t->at.at[i];
        if (!e->used || !e->children || !stack_has_threads(c, t, e)) continue;
        if (best == NONE || e->level > t->at.at[best].level) best = (i32)i;
    }
    return best;
}

/* Those threads wait no longer: they are an entry beside the one they were in */
static i32 let_go(struct squad *t, i32 parked) {
    if (parked == NONE) return NONE;
    u32 i = stack_add(t, &t->at.at[parked]);
    memcpy(t->at.at[i].lanes, t->at.at[parked].lanes, sizeof(t->at.at[i].lanes));
    memset(t->at.at[parked].lanes, 0, sizeof(t->at.at[parked].lanes));
    return (i32)i;
}

/* Entries beside the one that runs, at its pc, become part of it */
static void join_entries(const struct core *c, struct squad *t) {
    struct entry *e = &t->at.at[t->running];
    struct stand s, x;
    stack_stands(c, t, e, &s.pc, &s.depth, &s.waits);
    for (u32 i = 0; i < t->at.n; i++) {
        struct entry *o = &t->at.at[i];
        if (o == e || !is_leaf(o) || o->parent != e->parent || s.waits) continue;
        if (o->meets_pc != e->meets_pc || o->meets_depth != e->meets_depth) continue;
        if (!stack_stands(c, t, o, &x.pc, &x.depth, &x.waits) || x.pc != s.pc || x.depth != s.depth || x.waits) continue;
        for (u64 m = t->homes; m; m &= m - 1) {
            u32 h = (u32)__builtin_ctzll(m);
            e->lanes[h] |= o->lanes[h];
            o->lanes[h] = 0;
        }
        stack_drop(c, t, (i32)i);
    }
}

/* Somebody's turn: the entry on top that can run, or in `turns` another than the last; else threads at a
 * meeting point, else one that waits */
void stack_choose(struct core *c, struct squad *t, u32 self, bool turns) {
    for (u32 i = 0; i < t->at.n; i++) { /* new ones are behind, or stand together */
        if (!is_leaf(&t->at.at[i])) continue;
        if (!stack_settle(c, t, &t->at.at[i], NONE, 0)) return;
        entry_part(c, t, i);
    }
    i32 last = t->running;
    t->running = choose_ready(c, t, turns, false);
    bool other = t->running != NONE && !(turns && t->running == last);
    if (!other && (!turns || t->polls >= SQUAD_POLLS_LONG)) {
        i32 free = let_go(t, find_parked(c, t));
        if (free != NONE && !stack_settle(c, t, &t->at.at[free], NONE, 0)) return;
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

/* --- invariants */

void stack_check(const struct core *c, const struct squad *t, u32 i, u64 *seen) {
    const struct entry *e = &t->at.at[i];
    u32 children = 0;
    for (u32 k = 0; k < t->at.n; k++) children += t->at.at[k].used && t->at.at[k].parent == (i32)i;
    CHECK(children == e->children);                                           /* T3 */
    CHECK(e->children || (i32)i == t->running || stack_has_threads(c, t, e)); /* T4 */
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        const struct warp *w = c->homes[h].w;
        u64 lanes = stack_lanes(c, e, h);
        CHECK(!(seen[h] & lanes)); /* T1 */
        seen[h] |= lanes;
        for (u32 g = 0; lanes && g < w->groups.n; g++)
            CHECK(!(w->groups.at[g].mask & lanes) || !(w->groups.at[g].mask & ~lanes)); /* T4 */
        for (u64 x = lanes; x; x &= x - 1)
            CHECK((c->form->place[h][__builtin_ctzll(x)] != NO_PLACE) == ((i32)i == t->running)); /* T2 */
    }
}
