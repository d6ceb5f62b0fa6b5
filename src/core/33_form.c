/* Fronts formed of threads of several warps: dynamic warp formation.
 *
 * Threads of the warps of one scheduler that stand at one pc, in positions (beat, SIMD lane) that are free,
 * become one front. Registers stay at home. A front goes on as it is through straight code. When it has run a
 * branch, call, return, barrier, exit or collective, or comes to a place where branches meet, its threads
 * part by pc, and each piece comes to the pool: the warp look-up table names the front that waits at its pc;
 * the piece joins that one if all its positions are free there, or else becomes a front of its own, which the
 * table names from then on, unless it is full and the other is not. A front is in the pool until its next
 * issue. A branch's threads come to the pool when it is resolved.
 *
 * Fronts and their places are 33_front.c's, positions 33_seats.c's, the pool's entries and the look-up table
 * 33_pool.c's; what an issue does to a front is in 33_issued.c.
 *
 * Barriers: a thread counts for its own block, and goes on when that block's barrier lets it (`opens`):
 * threads of a front whose barrier has opened leave the others in that cycle. Threads of different blocks
 * part at a barrier, as in the authors' simulator, and come from it block by block; together they would find
 * no room beside the rest of their warps. Collectives: lanes go home first, which means that at such an
 * instruction only lanes of one warp join.
 *
 * Papers: Fung, Sham, Yuan, Aamodt (MICRO 2007; TACO 2009); Jin (2012), 3.6 and 4.4. Deviations: the papers'
 * threads come back to the pool after each instruction, here after those that may change who goes together;
 * atomics of different homes to one line are not combined; threads of different schedulers do not meet (the
 * papers have one).
 *
 * Invariants (form_check):
 *   G1 a thread that lives is in exactly one front, the one that `place` says
 *   G2 positions of a front (`seat`) are disjoint, and together are its `lanes`
 *   G3 a front that can run has parts that stand at its head's pc, each a whole group of its warp
 *   G4 with dwf.pool: a front that can run has an entry, one outside has none, and no more are in use than
 *      there are
 *   G5 the number of threads at a pc that schedulers are told is that of the fronts that show it */
#include "core/form.h"

#include <stdlib.h>
#include <string.h>

/* --- building */

void form_init(struct core *c) {
    if (!c->pol.diverge->forms) return;
    const struct config *g = c->cfg;
    struct form *x = c->form = base_alloc(sizeof(*x));
    x->width = MIN(g->alu_width, g->warp_size);
    x->beats = (g->warp_size + x->width - 1) / x->width;
    x->squeezes = g->dwf_squeeze == DWF_BEFORE && !c->pol.diverge->squad ? g->squeeze : SQUEEZE_OFF;
    if (x->squeezes) { /* what issues is as wide as its positions say: the other stages squeeze nothing */
        x->cfg = *g;
        x->cfg.squeeze = SQUEEZE_OFF;
        c->cfg = &x->cfg;
    }
    x->at_home = c->pol.diverge->at_home && c->pol.diverge->at_home(g) && !x->squeezes;
    x->depths = c->pol.diverge->by_depth && c->pol.diverge->by_depth(g);
    x->parts = base_alloc(sizeof(*x->parts) * c->nfronts * g->warp_size);
    x->place = base_alloc(sizeof(*x->place) * c->nslots);
    x->seat = base_alloc(sizeof(*x->seat) * c->nslots);
    x->opens = base_alloc(sizeof(*x->opens) * c->nslots);
    x->opened = base_alloc(sizeof(u64) * c->nslots);
    x->entered = base_alloc(sizeof(u64) * c->nfronts);
    x->polled_at = base_alloc(sizeof(u64) * c->nfronts);
    x->turn = base_alloc(sizeof(u64) * c->nfronts);
    x->table = base_alloc(sizeof(*x->table) * g->schedulers * g->dwf_table);
    x->pieces = base_alloc(sizeof(*x->pieces) * MAX_WARP);
    x->seen.pc = base_alloc(sizeof(i32) * c->nfronts);
    x->seen.threads = base_alloc(sizeof(u16) * c->nfronts);
    x->seen.depth = base_alloc(sizeof(u16) * c->nfronts);
    x->seen.since = x->entered;
}

void form_free(struct core *c) {
    struct form *x = c->form;
    if (!x) return;
    free(x->parts), free(x->place), free(x->seat), free(x->opens), free(x->entered), free(x->polled_at), free(x->table),
        free(x->pieces);
    free(x->opened), free(x->turn), free(x->seen.at_pc), free(x->seen.pc), free(x->seen.threads), free(x->seen.depth);
    step_free(&x->one);
    free(x);
}

void form_launch(struct core *c) {
    struct form *x = c->form;
    if (!x) return;
    set_clear(x->in_pool, c->words), set_clear(x->at_barrier, c->words);
    set_clear(x->holds, c->words), set_clear(x->outside, c->words), set_clear(x->robbed, c->words);
    memset(x->entries, 0, sizeof(x->entries));
    memset(x->place, 0xFF, sizeof(*x->place) * c->nslots);
    memset(x->opens, 0, sizeof(*x->opens) * c->nslots), memset(x->opened, 0, sizeof(u64) * c->nslots);
    for (u32 i = 0; i < c->cfg->schedulers * c->cfg->dwf_table; i++) x->table[i] = (struct look_up){.pc = NONE};
    for (u32 i = 0; i < c->nfronts; i++) {
        x->entered[i] = x->polled_at[i] = x->seen.threads[i] = x->seen.depth[i] = 0;
        x->seen.pc[i] = NONE;
    }
    free(x->seen.at_pc);
    x->seen.pcs = c->prog->k->ninst;
    x->seen.at_pc = base_alloc(sizeof(u32) * c->cfg->schedulers * x->seen.pcs);
    x->uses = x->polls = x->used = 0;
}

const struct sched_fronts *form_seen(const struct core *c) { return c->form ? &c->form->seen : NULL; }

/* --- coming to the pool */

/* Threads at a collective join lanes of their own warp alone */
static bool may_join(const struct core *c, const struct front *f, const struct piece *x) {
    return !is_collective(c, x->pc) || f->part[0].home == x->part[0].home;
}

static void tell_coming(struct core *c, u32 slot, const struct piece *x, enum front_comes how) {
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .pc = x->pc, .mask = x->seats, .a = x->came, .b = how,
         .cause = FRONT_COMES);
}

/* The piece joins a front that waits where it stands; false: there is none, or no room in it */
static bool joins(struct core *c, u32 slot, struct piece *x) {
    u32 to = pool_finds(c, slot, x->pc);
    if (to == NO_PLACE || to == slot) return false;
    struct front *f = &c->fronts[to];
    if (!may_join(c, f, x) || !seats_find(c, x, f->lanes)) return false;
    account_change(c, to);
    for (u32 i = 0; i < x->n; i++) {
        front_settles(c, to, &x->part[i]);
        form_add_part(c, f->part, &f->nparts, x->part[i]);
    }
    f->lanes |= x->seats;
    c->age[to] = MIN(c->age[to], c->age[slot]);
    c->stats.formed_merges++;
    front_squeeze(c, f);
    front_presents(c, to);
    tell_coming(c, to, x, COMES_TO_OTHERS);
    slot_look(c, to, c->now);
    return true;
}

/* Nobody can join it: it leaves the table's entry to a front that has room */
static bool is_full(const struct core *c, const struct piece *x) {
    return (u32)__builtin_popcountll(x->seats) == c->cfg->warp_size;
}

static void enter_pool(struct core *c, u32 slot, const struct piece *x) {
    tell_coming(c, slot, x, COMES_ALONE);
    set_add(c->form->in_pool, slot);
    c->form->entered[slot] = c->now;
    if (!is_full(c, x) || pool_finds(c, slot, x->pc) == NO_PLACE) pool_names(c, slot, x->pc);
}

static bool some_ready(const struct core *c, const struct piece *x) {
    for (u32 i = 0; i < x->n; i++)
        if (form_group(c, &x->part[i])->state == GROUP_READY) return true;
    return false;
}

/* The piece gets a front: the one it comes from, if that has no others, or a new one */
static void piece_goes(struct core *c, u32 slot, bool stays, struct piece *x) {
    u32 at = stays ? slot : front_place(c, slot);
    if (!stays) front_begins(c, at, c->age[slot]);
    front_takes(c, at, x);
    bool enters = !x->waits && pool_takes(c, at);
    front_shows(c, at, enters ? x->pc : NONE);
    if (enters) enter_pool(c, at, x);
    else set_drop(c->form->in_pool, at);
    if (!enters && !x->waits) tell_coming(c, at, x, COMES_NOT_IN);
    if (x->opens != NEVER) c->fronts[at].release_cy = x->opens;
    else if (x->waits && some_ready(c, x)) slot_alarm(c, at, c->now + 1); /* others of the front have come since */
    if (x->waits && (x->opens != NEVER || form_waits(c, &c->fronts[at]) == 1u << STALL_BARRIER)) set_add(c->form->at_barrier, at);
    else set_drop(c->form->at_barrier, at);
    if (!stays) slot_look(c, at, c->now);
}

/* --- parting */

/* Threads of these homes go on together from the same pc: but of one warp at a collective, of one block from
 * a barrier */
static bool go_together(const struct core *c, i32 pc, u16 a, u16 b) {
    if (is_collective(c, pc)) return a == b;
    return !c->form->from_barrier || c->homes[a].place == c->homes[b].place;
}

static struct piece *piece_at(struct core *c, u32 *n, i32 pc, bool waits, u16 home) {
    for (u32 i = 0; i < *n; i++) {
        struct piece *x = &c->form->pieces[i];
        if (x->pc == pc && x->waits == waits && go_together(c, pc, x->part[0].home, home)) return x;
    }
    struct piece *x = &c->form->pieces[(*n)++];
    x->pc = pc, x->waits = waits, x->opens = NEVER, x->n = 0, x->seats = 0;
    return x;
}

/* When the barrier that they stood at last lets all of these lanes go; 0: it has */
static u64 opens_of(const struct core *c, u16 home, u64 lanes) {
    u64 last = 0;
    if (c->form->opened[home] <= c->now) return 0;
    for (; lanes; lanes &= lanes - 1) last = later(last, c->form->opens[home][__builtin_ctzll(lanes)]);
    return last;
}

/* Groups of these lanes that stand where group gi does become one with it, whose index is returned */
static u32 join_standing(struct warp *w, u32 gi, u64 lanes) {
    for (u32 i = w->groups.n; i-- > 0;) {
        const struct group *g = &w->groups.at[gi], *h = &w->groups.at[i];
        if (i != gi && h->mask & lanes && h->state == GROUP_READY && stands_with(h, g)) gi = group_join(w, gi, i);
    }
    return gi;
}

/* Groups that come together there part again behind it, for they are of different fronts */
bool form_step_over(struct core *c, u32 home, u32 gi, u64 with) {
    struct warp *w = c->homes[home].w;
    u64 were[MAX_WARP + 1];
    u32 n = w->groups.n;
    bool gathers = is_collective(c, w->groups.at[gi].pc);
    for (u32 i = 0; i < n && gathers; i++) were[i] = w->groups.at[i].mask;
    if (gathers) gi = join_standing(w, gi, with);
    if (!warp_step(w, gi, c->now, &c->form->one)) {
        c->fault_cy = MIN(c->fault_cy, c->now);
        return false;
    }
    for (u32 i = 0; i < n && gathers && c->form->one.counted; i++)
        for (u32 k = 0; k < w->groups.n; k++)
            if (w->groups.at[k].mask & were[i] && w->groups.at[k].mask & ~were[i])
                group_split_to(w, &w->groups.at[k], w->groups.at[k].mask & were[i], w->groups.at[k].pc);
    return true;
}

/* The same of a front's threads that part; those that waited for them are woken */
static void step_pseudo(struct core *c, u32 home, u32 gi) {
    struct warp *w = c->homes[home].w;
    bool gathers = is_collective(c, w->groups.at[gi].pc);
    if (form_step_over(c, home, gi, 0) && gathers && c->form->one.counted) form_wake_waiting(c, home, c->now + 1, false);
    warp_pass(w);
}

/* Lanes of one group go to the piece at their pc. False: they were at an instruction that is not in the
 * program, and stand elsewhere now. */
static bool sort_group(struct core *c, u16 home, u32 gi, u64 lanes, u32 *n) {
    struct warp *w = c->homes[home].w;
    struct group *g = &w->groups.at[gi];
    u64 opens = g->state == GROUP_READY ? opens_of(c, home, lanes) : 0;
    bool held = opens > c->now;
    if (g->state == GROUP_READY && !held) {
        if (c->prog->k->code[g->pc].flags & INST_RECONV) group_pass(w, gi);
        if (c->prog->at[g->pc].pseudo) {
            step_pseudo(c, home, gi);
            return false;
        }
    }
    struct piece *x = piece_at(c, n, g->pc, held || g->state != GROUP_READY, home);
    if (held) x->opens = MIN(x->opens, opens);
    struct part p = {.home = home, .group = (u16)gi, .lanes = lanes};
    x->seats |= seats_of(c, &p);
    if (x->waits) x->part[x->n++] = p;
    else form_add_part(c, x->part, &x->n, p);
    return true;
}

/* The threads of a part, by where they stand */
static void sort_part(struct core *c, struct part p, u32 *n) {
    struct warp *w = c->homes[p.home].w;
    u64 left = p.lanes & warp_enabled(w);
    while (left && !c->view.faulted) {
        u32 gi = 0;
        while (!(w->groups.at[gi].mask & left)) gi++;
        u64 lanes = w->groups.at[gi].mask & left;
        if (sort_group(c, p.home, gi, lanes, n)) left &= ~lanes;
        else left &= warp_enabled(w);
    }
}

/* The piece that stays: the one for which instructions have been fetched, or else the largest */
static u32 who_stays(const struct core *c, const struct front *f, u32 n) {
    const struct piece *x = c->form->pieces;
    u32 best = 0;
    for (u32 i = 0; i < n; i++) {
        if (!x[i].waits && x[i].pc == f->ib.next) return i;
        if (__builtin_popcountll(x[i].seats) > __builtin_popcountll(x[best].seats)) best = i;
    }
    return best;
}

/* A piece of the front on its way: it joins others, or stays, or goes to a place of its own. True: it stays
 * */
static bool piece_comes(struct core *c, u32 slot, bool stays, struct piece *x) {
    if (!x->waits && is_collective(c, x->pc)) seats_go_home(c, x);
    else if (!x->waits && c->form->squeezes) seats_squeeze(c, x);
    x->came = x->seats;
    if (!x->waits && joins(c, slot, x)) return false;
    piece_goes(c, slot, stays, x);
    return stays;
}

void form_regroup(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    struct part was[MAX_WARP];
    u32 nwas = f->nparts, n = 0;
    u64 lanes = f->lanes;
    if (c->form->parting) return; /* a piece of another front, which waits */
    account_change(c, slot);      /* cycles so far are charged by what the policy saw in them */
    memcpy(was, f->part, sizeof(*was) * nwas);
    c->form->from_barrier = set_has(c->form->at_barrier, slot);
    for (u32 i = 0; i < nwas && !c->view.faulted; i++) sort_part(c, was[i], &n);
    if (c->view.faulted) return;
    if (set_has(c->form->holds, slot)) pool_gives(c, slot);
    c->form->parting = true;
    u32 keep = who_stays(c, f, n);
    bool stays = false;
    for (u32 i = 0; i < n; i++) stays |= piece_comes(c, slot, i == keep, &c->form->pieces[i]);
    c->form->parting = false;
    if (!stays) front_ends(c, slot);
    homes_end(c, was, nwas, lanes);
}

void form_starts(struct core *c, u32 home) {
    u32 slot = front_place(c, home);
    const struct warp *w = c->homes[home].w;
    u64 lanes = warp_enabled(w);
    memset(c->form->opens[home], 0, sizeof(*c->form->opens)); /* barriers of those who were there before */
    c->form->opened[home] = 0;
    for (u64 m = lanes; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctzll(m);
        c->form->seat[home][lane] = (u8)form_home_seat(c, home, lane);
    }
    struct piece x = {.waits = true, .n = 1, .part[0] = {.home = (u16)home, .lanes = lanes}};
    x.seats = seats_of(c, &x.part[0]);
    front_begins(c, slot, c->homes[home].age);
    front_takes(c, slot, &x);
    slot_look(c, slot, c->now);
}

/* --- wake-ups */

u32 form_fronts(const struct core *c, u32 home, u16 *at) {
    const struct warp *w = c->homes[home].w;
    u32 n = 0;
    for (u64 m = w ? warp_enabled(w) : 0; m; m &= m - 1) {
        u16 slot = c->form->place[home][__builtin_ctzll(m)];
        u32 i = 0;
        if (slot == NO_PLACE) continue; /* it waits for its turn (37_squad.c) */
        while (i < n && at[i] != slot) i++;
        if (i < n) continue;
        at[n++] = slot;
        const struct front *f = &c->fronts[slot];
        if (f->nparts == 1 && f->part[0].home == home) m &= ~f->part[0].lanes | (m & -m); /* all that are in it */
    }
    return n;
}

u32 form_waits(const struct core *c, const struct front *f) {
    if (set_has(c->form->outside, f->slot)) return 1u << STALL_POOL;
    for (u32 i = 0; i < f->nparts; i++)
        if (form_group(c, &f->part[i])->state == GROUP_BARRIER) return 1u << STALL_BARRIER;
    return 1u << STALL_WARP_SYNC;
}

/* --- invariants */

void form_check_front(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    u64 seats = 0;
    for (u32 i = 0; i < f->nparts; i++) {
        const struct part *p = &f->part[i];
        const struct group *g = form_group(c, p);
        u64 mine = seats_of(c, p);
        CHECK(p->lanes && !(mine & seats) && __builtin_popcountll(mine) == __builtin_popcountll(p->lanes)); /* G2 */
        CHECK(!f->head || (g->pc == f->head->pc && g->mask == p->lanes && g->state == GROUP_READY));        /* G3 */
        for (u64 m = p->lanes; m; m &= m - 1) CHECK(c->form->place[p->home][__builtin_ctzll(m)] == slot);   /* G1 */
        seats |= mine;
    }
    CHECK(seats == f->lanes);                                                                                            /* G2 */
    if (c->cfg->dwf_pool) CHECK(set_has(c->form->outside, slot) ? !f->head : !f->head || set_has(c->form->holds, slot)); /* G4 */
}

static void check_threads(const struct core *c) { /* G5 */
    const struct sched_fronts *s = &c->form->seen;
    u64 told = 0, counted = 0;
    for (u32 i = 0; i < c->nfronts; i++) {
        u32 there = 0, sched = i % c->cfg->schedulers;
        if (s->pc[i] == NONE) continue;
        for (u32 k = sched; k < c->nfronts; k += c->cfg->schedulers)
            if (s->pc[k] == s->pc[i]) there += s->threads[k];
        CHECK(there == s->at_pc[sched * s->pcs + (u32)s->pc[i]]); /* G5 */
        told += s->threads[i];
    }
    for (u32 i = 0; i < c->cfg->schedulers * s->pcs; i++) counted += s->at_pc[i];
    CHECK(told == counted); /* G5 */
}

void form_check(const struct core *c) {
    if (!c->form || c->squads || c->gang) return;
    u64 threads = 0, live = 0;
    for (u32 i = 0; i < c->nfronts; i++) {
        const struct front *f = &c->fronts[i];
        if (!front_renewed(c, f)) form_check_front(c, i); /* else it forgets some in the next cycle */
        for (u32 k = 0; k < f->nparts; k++)
            if (!home_renewed(&c->homes[f->part[k].home])) threads += (u32)__builtin_popcountll(f->part[k].lanes);
    }
    check_threads(c);
    for (u32 i = 0; i < c->nslots; i++)
        if (c->homes[i].w && !home_renewed(&c->homes[i])) live += (u32)__builtin_popcountll(warp_enabled(c->homes[i].w));
    CHECK(threads == live); /* G1 */
    u32 held[MAX_SCHEDULERS] = {0};
    SET_EACH (slot, c->form->holds, c->words) held[slot % c->cfg->schedulers]++;
    for (u32 s = 0; s < c->cfg->schedulers; s++) CHECK(held[s] == c->form->entries[s] && held[s] <= c->cfg->dwf_pool); /* G4 */
}
