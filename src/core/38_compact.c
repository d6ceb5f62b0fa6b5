/* Compaction: the threads of a squad's entry (37_squad.c) become as few fronts as their lanes allow.
 *
 * Each position has a queue of the threads whose home lane it is, warp by warp, as a priority encoder for
 * each lane would read them; front i takes the i-th of each queue. Fronts are formed for each scheduler
 * apart, of the warps whose registers it can reach, and sit in the places of these. A whole entry thus
 * gives its warps back as they were. Threads at a collective sit at home instead, each warp a front.
 *
 * Forming takes time: of the fronts of a scheduler the first is there squad_shape.form_cy cycles after the
 * entry's turn has come, each further one as much later.
 *
 * Papers: Fung, Aamodt (HPCA 2011), section 4: the thread compactor; Narasiman and others (MICRO 2011),
 * section 3: sub-warps.
 *
 * Invariants (compact_check): P1 threads of one home and call that sit in one front are one group of their
 * warp, and no group is in two fronts; P2 a scheduler's fronts are never more than its warps of the squad. */
#include "core/squad.h"

#include <string.h>

/* Groups of one warp that stand together, in the same call, become one */
static void join_groups(struct warp *w, u64 lanes) {
    for (u32 i = 0; i < w->groups.n; i++)
        for (u32 k = w->groups.n - 1; k > i; k--) {
            const struct group *g = &w->groups.at[i];
            const struct group *h = &w->groups.at[k];
            if (!(g->mask & lanes) || !(h->mask & lanes) || g->state != GROUP_READY || h->state != GROUP_READY) continue;
            if (g->pc != h->pc || g->frame != h->frame) continue;
            group_join(w, i, k);
        }
}

/* Columns of a scheduler's fronts: how many threads each position has by now */
struct columns {
    u8 n[MAX_WARP];
};

/* Lanes of a group by the front they go to */
static void sort_lanes(const struct core *c, u32 home, u64 lanes, struct columns *x, u64 *by_front) {
    memset(by_front, 0, sizeof(*by_front) * MAX_SLOTS);
    for (u64 m = lanes; m; m &= m - 1) {
        u32 seat = c->form->seat[home][__builtin_ctzll(m)];
        by_front[x->n[seat]++] |= m & -m;
    }
}

/* The i-th home of those of a scheduler in a squad */
static u32 place_of(const struct core *c, const struct squad *t, u32 sched, u32 i) {
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 home = (u32)__builtin_ctzll(m);
        if (home % c->cfg->schedulers == sched && !i--) return home;
    }
    CHECK(!"a scheduler's fronts are no more than its warps"); /* P2 */
    return 0;
}

static void sit_down(const struct core *c, u32 place, u32 home, u32 group, u64 lanes) {
    struct piece *x = &c->squads->pieces[place];
    for (u64 m = lanes; m; m &= m - 1) x->seats |= 1ull << c->form->seat[home][__builtin_ctzll(m)];
    x->part[x->n++] = (struct part){.home = (u16)home, .group = (u16)group, .lanes = lanes};
}

/* The threads of one group take their seats; those of other fronts than the first become groups of their
 * own */
static void seat_group(struct core *c, const struct squad *t, u32 home, u32 gi, struct columns *x) {
    struct warp *w = c->homes[home].w;
    u64 by_front[MAX_SLOTS], lanes = w->groups.at[gi].mask;
    i32 pc = w->groups.at[gi].pc;
    sort_lanes(c, home, lanes, x, by_front);
    for (u32 i = 0; lanes; i++) {
        if (!by_front[i]) continue;
        lanes &= ~by_front[i];
        u32 at = gi;
        if (by_front[i] != w->groups.at[gi].mask) {
            at = w->groups.n;
            group_split_to(w, &w->groups.at[gi], by_front[i], pc);
        }
        sit_down(c, place_of(c, t, home % c->cfg->schedulers, i), home, at, by_front[i]);
    }
}

/* Everybody of a home takes a seat: in its own place, or where the columns say */
static void seat_home(struct core *c, const struct squad *t, u32 home, u64 lanes, struct columns *x) {
    struct warp *w = c->homes[home].w;
    join_groups(w, lanes);
    u32 n = w->groups.n;
    for (u32 i = 0; i < n; i++) {
        if (!(w->groups.at[i].mask & lanes)) continue;
        if (x) seat_group(c, t, home, i, x);
        else sit_down(c, home, home, i, w->groups.at[i].mask);
    }
}

/* Of the pieces: each is of one home, and no home is in two */
static bool are_at_home(const struct core *c, const struct squad *t) {
    u64 seen = 0;
    for (u64 m = t->homes; m; m &= m - 1) {
        const struct piece *x = &c->squads->pieces[__builtin_ctzll(m)];
        for (u32 i = 1; i < x->n; i++)
            if (x->part[i].home != x->part[0].home) return false;
        if (x->n && seen >> x->part[0].home & 1) return false;
        if (x->n) seen |= 1ull << x->part[0].home;
    }
    return true;
}

static void front_leaves(struct core *c, struct squad *t, u32 place) {
    front_ends(c, place);
    t->fronts &= ~(1ull << place);
}

static void forget_places(const struct core *c, const struct squad *t) {
    for (u64 m = t->homes; m; m &= m - 1) memset(c->form->place[__builtin_ctzll(m)], 0xFF, sizeof(*c->form->place));
}

/* The front of a place is the piece's, and goes on after so many cycles */
static void front_forms(struct core *c, struct squad *t, u32 place, u64 wait_cy) {
    const struct piece *x = &c->squads->pieces[place];
    if (t->fronts >> place & 1) account_change(c, place);
    else front_begins(c, place, c->homes[place].age);
    t->fronts |= 1ull << place;
    front_takes(c, place, x);
    front_shows(c, place, x->waits ? NONE : x->pc);
    t->by[place] = NONE;
    set_drop(c->form->at_barrier, place);
    if (x->waits) t->waits |= 1ull << place, set_add(c->form->at_barrier, place);
    struct front *f = &c->fronts[place];
    f->release_cy = 0;
    f->resolve_cy = wait_cy ? c->now + wait_cy : 0;
    if (wait_cy) fetch_unresolved(c, place);
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)place, .pc = x->pc, .mask = x->seats, .a = x->seats,
         .cause = FRONT_COMES);
}

void squad_dissolve(struct core *c, struct squad *t) {
    forget_places(c, t);
    for (u64 m = t->fronts; m; m &= m - 1) {
        front_leaves(c, t, (u32)__builtin_ctzll(m));
        slot_look(c, (u32)__builtin_ctzll(m), c->now);
    }
    t->came = t->waits = t->held = 0;
}

static void seat_all(struct core *c, struct squad *t, bool home, i32 pc, bool waits) {
    const struct entry *e = &t->at.at[t->running];
    struct columns columns[MAX_SCHEDULERS] = {0};
    t->formed = 0;
    for (u64 m = t->homes; m; m &= m - 1) {
        struct piece *x = &c->squads->pieces[__builtin_ctzll(m)];
        x->pc = pc, x->waits = waits, x->n = 0, x->seats = 0;
    }
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 h = (u32)__builtin_ctzll(m);
        u64 lanes = stack_lanes(c, e, h);
        if (!lanes) continue;
        t->formed += (u32)__builtin_popcountll(lanes);
        seat_home(c, t, h, lanes, home ? NULL : &columns[h % c->cfg->schedulers]);
    }
    t->at_home = home || are_at_home(c, t);
    t->forced = home;
}

static void count_formed(struct core *c, const struct squad *t) {
    const struct entry *e = &t->at.at[t->running];
    u32 homes = 0, fronts = 0;
    for (u64 m = t->homes; m; m &= m - 1) {
        homes += stack_lanes(c, e, (u32)__builtin_ctzll(m)) != 0;
        fronts += c->squads->pieces[__builtin_ctzll(m)].n != 0;
    }
    c->stats.squad_formed += fronts;
    c->stats.squad_saved += homes - MIN(homes, fronts);
}

void squad_form(struct core *c, struct squad *t, u32 self) {
    i32 pc = NONE;
    u32 depth, before[MAX_SCHEDULERS] = {0};
    bool waits = false;
    u64 were = t->fronts;
    stack_stands(c, t, &t->at.at[t->running], &pc, &depth, &waits);
    bool home = waits || c->prog->k->code[pc].flags & INST_COLLECTIVE;
    seat_all(c, t, home, pc, waits);
    count_formed(c, t);
    forget_places(c, t);
    t->came = t->waits = 0;
    lockstep_begins(t);
    for (u64 m = t->homes; m; m &= m - 1) {
        u32 place = (u32)__builtin_ctzll(m);
        if (c->squads->pieces[place].n)
            front_forms(c, t, place, (u64)++before[place % c->cfg->schedulers] * c->squads->shape.form_cy);
        else if (t->fronts >> place & 1) front_leaves(c, t, place);
    }
    for (u64 m = were | t->fronts; m; m &= m - 1)
        if ((u32)__builtin_ctzll(m) != self) slot_look(c, (u32)__builtin_ctzll(m), c->now);
}

/* --- invariants */

/* P1, of fronts at an instruction: those whose threads part are formed anew. That their groups are whole, so
 * that none is in two fronts, is G3 of 33_form.c */
static void check_parts(const struct front *f, const struct core *c) {
    for (u32 i = 0; i < f->nparts; i++)
        for (u32 k = i + 1; k < f->nparts; k++)
            CHECK(f->part[i].home != f->part[k].home ||
                  form_group(c, &f->part[i])->frame != form_group(c, &f->part[k])->frame); /* P1 */
}

void compact_check(const struct core *c, const struct squad *t) {
    CHECK(!(t->fronts & ~t->homes)); /* P2 */
    for (u64 m = t->fronts; m; m &= m - 1)
        if (c->fronts[__builtin_ctzll(m)].head) check_parts(&c->fronts[__builtin_ctzll(m)], c);
}
