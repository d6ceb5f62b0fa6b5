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
 * The pool's entries. Where dwf.pool bounds them, a front has one from its coming to the pool until its
 * threads part, wait or end. Threads that find none wait outside, in the order in which they came
 * (pool_full): they can neither issue nor be joined, and come to the pool anew when it is their turn. A front
 * that comes again has given its entry back, so that those who wait go first and threads that poll do not
 * keep others out.
 *
 * Positions. A thread starts in its home lane, or (dwf.permute) in that XOR its home's turn among those
 * of its scheduler (form_home_seat), and keeps it. With dwf.conflict = move (en-DWF) a thread whose
 * position is taken moves to one that is free in both, of the same SIMD lane, the lowest beat first. With
 * dwf.lanes = free any position will do, and registers of lanes that share a SIMD lane at home are read
 * one after the other (crew.passes). With sm.squeeze pieces are squeezed before they join others, or
 * (dwf.squeeze = after) fronts when they issue.
 *
 * Barriers: a thread counts for its own block, and goes on when that block's barrier lets it (`opens`):
 * threads of a front whose barrier has opened leave the others in that cycle. Threads of different blocks
 * part at a barrier, as in the authors' simulator, and come from it block by block; together they would find
 * no room beside the rest of their warps. Collectives: lanes go home first, which means that at such an
 * instruction only lanes of one warp join.
 *
 * Papers: Fung, Sham, Yuan, Aamodt (MICRO 2007; TACO 2009); Jin (2012), 3.6 and 4.4; Rhu, Erez (ISCA 2013)
 * for the permutation. Deviations: the papers' threads come back to the pool after each instruction, here
 * after those that may change who goes together; atomics of different homes to one line are not combined;
 * threads of different schedulers do not meet (the papers have one).
 *
 * Invariants (form_check):
 *   G1 a thread that lives is in exactly one front, the one that `place` says
 *   G2 positions of a front (`seat`) are disjoint, and together are its `lanes`
 *   G3 a front that can run has parts that stand at its head's pc, each a whole group of its warp
 *   G4 with dwf.pool: a front that can run has an entry, one outside has none, and no more are in use than
 *      there are */
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
    x->depths = c->pol.diverge->by_depth && c->pol.diverge->by_depth(g);
    x->parts = base_alloc(sizeof(*x->parts) * c->nfronts * g->warp_size);
    x->place = base_alloc(sizeof(*x->place) * c->nslots);
    x->seat = base_alloc(sizeof(*x->seat) * c->nslots);
    x->opens = base_alloc(sizeof(*x->opens) * c->nslots);
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
    free(x->turn), free(x->seen.pc), free(x->seen.threads), free(x->seen.depth);
    step_free(&x->one);
    free(x);
}

void form_launch(struct core *c) {
    struct form *x = c->form;
    if (!x) return;
    set_clear(x->in_pool, c->words), set_clear(x->at_barrier, c->words);
    set_clear(x->holds, c->words), set_clear(x->outside, c->words);
    memset(x->entries, 0, sizeof(x->entries));
    memset(x->place, 0xFF, sizeof(*x->place) * c->nslots);
    memset(x->opens, 0, sizeof(*x->opens) * c->nslots);
    for (u32 i = 0; i < c->cfg->schedulers * c->cfg->dwf_table; i++) x->table[i] = (struct look_up){.pc = NONE};
    for (u32 i = 0; i < c->nfronts; i++) {
        x->entered[i] = x->polled_at[i] = x->seen.threads[i] = x->seen.depth[i] = 0;
        x->seen.pc[i] = NONE;
    }
    x->uses = x->polls = x->used = 0;
}

const struct sched_fronts *form_seen(const struct core *c) { return c->form ? &c->form->seen : NULL; }

/* --- threads and their groups */

struct group *form_group(const struct core *c, const struct part *p) {
    struct warp *w = c->homes[p->home].w;
    if (p->group < w->groups.n && w->groups.at[p->group].mask & p->lanes) return &w->groups.at[p->group];
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].mask & p->lanes) return &w->groups.at[i];
    CHECK(!"lanes of a front are in a group");
    return NULL;
}

/* Rhu and Erez permute so that the same lane of different warps sits in different positions. Warps that meet
 * are those of one scheduler, of any block: the number within the block would leave blocks of one warp as
 * they are, and the home's number alone would give a scheduler of several only some of the positions. */
u32 form_home_seat(const struct core *c, u32 home, u32 lane) {
    return c->cfg->dwf_permute ? lane ^ (home / c->cfg->schedulers & (c->cfg->warp_size - 1)) : lane;
}

static u64 seats_of(const struct core *c, const struct part *p) {
    u64 seats = 0;
    for (u64 m = p->lanes; m; m &= m - 1) seats |= 1ull << c->form->seat[p->home][__builtin_ctzll(m)];
    return seats;
}

/* Lanes of one warp that stand together, in the same call and on the way to the same meeting point, become
 * one group; true when they did */
static bool join_groups(const struct core *c, struct part *a, const struct part *b) {
    if (a->home != b->home) return false;
    struct warp *w = c->homes[a->home].w;
    struct group *g = form_group(c, a), *h = form_group(c, b);
    if (g == h || g->state != GROUP_READY || h->state != GROUP_READY || g->frame != h->frame || g->conv != h->conv) return false;
    g->mask |= h->mask;
    a->lanes |= b->lanes;
    group_remove(w, (u32)(h - w->groups.at));
    return true;
}

void form_add_part(const struct core *c, struct part *at, u32 *n, struct part p) {
    for (u32 i = 0; i < *n; i++)
        if (join_groups(c, &at[i], &p)) return;
    CHECK(*n < c->cfg->warp_size);
    at[(*n)++] = p;
}

/* --- places */

static void show_front(struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    struct sched_fronts *s = &c->form->seen;
    s->pc[slot] = f->head ? f->head->pc : NONE;
    s->threads[slot] = (u16)__builtin_popcountll(f->lanes);
    s->depth[slot] = 0;
    for (u32 i = 0; c->form->depths && f->head && i < f->nparts; i++) {
        u32 d = diverge_depth(part_home(c, &f->part[i])->w, form_group(c, &f->part[i]));
        s->depth[slot] = (u16)MAX(s->depth[slot], MIN(d, (u32)UINT16_MAX));
    }
}

static u32 place_take(const struct core *c, u32 like) { /* a free one of the same scheduler */
    u32 step = c->cfg->schedulers;
    if (!c->fronts[like].nparts) return like;
    for (u32 p = like % step; p < c->nfronts; p += step)
        if (!c->fronts[p].nparts) return p;
    CHECK(!"there is a place for each thread");
    return NO_PLACE;
}

/* --- entries of the pool */

/* It waits outside, and how many of its scheduler came before it are not fewer than entries are free */
bool form_outside(const struct core *c, u32 slot) {
    const struct form *x = c->form;
    u32 before = 0, s = slot % c->cfg->schedulers;
    if (!set_has(x->outside, slot)) return false;
    SET_EACH (other, x->outside, c->words) before += other % c->cfg->schedulers == s && x->turn[other] < x->turn[slot];
    return before + x->entries[s] >= c->cfg->dwf_pool;
}

/* Of those of a scheduler that wait outside, the first that came after that turn; NO_PLACE */
static u32 next_outside(const struct core *c, u32 s, u64 turn) {
    const struct form *x = c->form;
    u32 first = NO_PLACE;
    SET_EACH (slot, x->outside, c->words)
        if (slot % c->cfg->schedulers == s && x->turn[slot] > turn && (first == NO_PLACE || x->turn[slot] < x->turn[first]))
            first = slot;
    return first;
}

/* Those whose turn it is, as many as entries are free, come to the pool anew in the next cycle */
static void wake_outside(struct core *c, u32 s) {
    u64 turn = 0;
    for (u32 free = c->cfg->dwf_pool - c->form->entries[s]; free; free--) {
        u32 slot = next_outside(c, s, turn);
        if (slot == NO_PLACE) return;
        slot_alarm(c, slot, c->now + 1);
        turn = c->form->turn[slot];
    }
}

static void entry_give(struct core *c, u32 slot) {
    u32 s = slot % c->cfg->schedulers;
    set_drop(c->form->outside, slot);
    if (!set_has(c->form->holds, slot)) return;
    set_drop(c->form->holds, slot);
    c->form->entries[s]--;
    wake_outside(c, s);
}

/* A front whose threads come to the pool gets an entry; false: it waits outside for one */
static bool entry_take(struct core *c, u32 slot) {
    struct form *x = c->form;
    u32 s = slot % c->cfg->schedulers;
    if (!c->cfg->dwf_pool || set_has(x->holds, slot)) return true;
    if (!set_has(x->outside, slot)) x->turn[slot] = ++x->turns;
    set_add(x->outside, slot);
    if (form_outside(c, slot)) {
        c->stats.formed_outside++;
        return false;
    }
    set_drop(x->outside, slot);
    set_add(x->holds, slot);
    x->entries[s]++;
    return true;
}

/* Nobody is left in it: the place is free */
void front_ends(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    account_change(c, slot);
    f->nparts = 0;
    f->lanes = 0;
    f->head = f->shown = NULL;
    f->ib.fetch_pc = NONE;
    f->ib.n = 0;
    f->release_cy = f->resolve_cy = 0;
    ibuffer_want(c, f);
    sched_leaves(c, slot);
    set_drop(c->form->in_pool, slot), set_drop(c->form->at_barrier, slot);
    entry_give(c, slot);
    c->form->used--;
    show_front(c, slot);
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .cause = FRONT_ENDS);
}

void front_begins(struct core *c, u32 slot, u64 age) {
    struct front *f = &c->fronts[slot];
    account_change(c, slot);
    struct account account = f->account; /* time goes on through the change of threads */
    *f = (struct front){.slot = slot, .part = &c->form->parts[slot * c->cfg->warp_size], .ready_cy = NEVER, .account = account};
    f->ib.next = f->ib.fetch_pc = NONE;
    c->age[slot] = age;
    c->form->polled_at[slot] = c->form->polls;
    c->form->used++;
    c->stats.formed_peak = MAX(c->stats.formed_peak, c->form->used);
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .cause = FRONT_BEGINS);
}

static void settle_threads(struct core *c, u32 slot, const struct part *p) {
    for (u64 m = p->lanes; m; m &= m - 1) c->form->place[p->home][__builtin_ctzll(m)] = (u16)slot;
}

/* The threads of a piece are those of the front */
void front_takes(struct core *c, u32 slot, const struct piece *x) {
    struct front *f = &c->fronts[slot];
    f->nparts = x->n;
    f->lanes = x->seats;
    memcpy(f->part, x->part, sizeof(*x->part) * x->n);
    for (u32 i = 0; i < x->n; i++) settle_threads(c, slot, &x->part[i]);
    sched_arrives(c, slot, cta_number(part_home(c, &f->part[0])->place));
}

void front_shows(struct core *c, u32 slot, i32 pc) { /* NONE: it waits */
    struct front *f = &c->fronts[slot];
    f->head = pc == NONE ? NULL : &c->prog->at[pc];
    f->fence_seq = atomics_made(c);
    if (f->head && pc != f->ib.next) ibuffer_flush(c, f, pc);
    front_squeeze(c, f);
    show_front(c, slot);
}

/* --- the warp look-up table */

static struct look_up *table_of(const struct core *c, u32 slot) {
    return &c->form->table[slot % c->cfg->schedulers * c->cfg->dwf_table];
}

/* The front that waits at pc and may be joined, or NO_PLACE */
static u32 look_up(const struct core *c, u32 slot, i32 pc) {
    struct look_up *t = table_of(c, slot);
    for (u32 i = 0; i < c->cfg->dwf_table; i++) {
        if (t[i].pc != pc) continue;
        t[i].used = ++c->form->uses;
        const struct front *f = &c->fronts[t[i].front];
        return set_has(c->form->in_pool, t[i].front) && f->head && f->head->pc == pc ? t[i].front : NO_PLACE;
    }
    return NO_PLACE;
}

/* Threads that come to pc shall join this front; the entry that was asked for longest ago makes room */
static void look_up_set(const struct core *c, u32 slot, i32 pc) {
    struct look_up *t = table_of(c, slot), *at = t;
    for (u32 i = 0; i < c->cfg->dwf_table; i++) {
        if (t[i].pc == pc) {
            at = &t[i];
            break;
        }
        if (t[i].used < at->used) at = &t[i];
    }
    *at = (struct look_up){pc, (u16)slot, ++c->form->uses};
}

/* --- positions */

/* The thread of a piece that sits there gets another position */
static void reseat(const struct core *c, struct piece *x, u32 from, u32 to) {
    for (u32 i = 0; i < x->n; i++)
        for (u64 m = x->part[i].lanes; m; m &= m - 1) {
            u8 *seat = &c->form->seat[x->part[i].home][__builtin_ctzll(m)];
            if (*seat != from) continue;
            *seat = (u8)to;
            x->seats = (x->seats & ~(1ull << from)) | 1ull << to;
            return;
        }
}

u32 form_moves(u64 there, u64 come, u32 size, u32 width, u8 *from, u8 *to) {
    u32 n = 0;
    for (u32 lane = 0; lane < width; lane++) {
        u64 taken = there | come;
        for (u32 s = lane; s < size; s += width) {
            if (!(there >> s & come >> s & 1)) continue;
            u32 free = lane;
            while (free < size && taken >> free & 1) free += width;
            if (free >= size) return UINT32_MAX;
            taken |= 1ull << free;
            from[n] = (u8)s, to[n++] = (u8)free;
        }
    }
    return n;
}

/* en-DWF: whoever meets somebody in its position moves within its SIMD lane; false, and nothing done: there
 * is no room */
static bool move_apart(struct core *c, struct piece *x, u64 there) {
    u8 from[MAX_WARP], to[MAX_WARP];
    u32 n = form_moves(there, x->seats, c->cfg->warp_size, c->form->width, from, to);
    if (n == UINT32_MAX) return false;
    for (u32 i = 0; i < n; i++) reseat(c, x, from[i], to[i]);
    c->stats.formed_moves += n;
    return true;
}

/* dwf.lanes = free: any position will do */
static bool sit_anywhere(const struct core *c, struct piece *x, u64 there) {
    u64 all = c->cfg->warp_size == 64 ? ~0ull : (1ull << c->cfg->warp_size) - 1, taken = there | x->seats;
    if (__builtin_popcountll(there) + __builtin_popcountll(x->seats) > (int)c->cfg->warp_size) return false;
    for (u64 m = there & x->seats; m; m &= m - 1) {
        u32 to = (u32)__builtin_ctzll(all & ~taken);
        reseat(c, x, (u32)__builtin_ctzll(m), to);
        taken |= 1ull << to;
    }
    return true;
}

static bool finds_seats(struct core *c, struct piece *x, u64 there) {
    if (!(there & x->seats)) return true;
    c->stats.formed_conflicts++;
    if (c->cfg->dwf_lanes == DWF_FREE) return sit_anywhere(c, x, there);
    return c->cfg->dwf_conflict == DWF_MOVE && move_apart(c, x, there);
}

/* Jin 4.1 for a piece that comes to the pool: its threads move to the beats that have most of them */
static void squeeze_piece(struct core *c, struct piece *x) {
    u8 order[MAX_WARP], rank_of[MAX_WARP];
    u32 width = c->form->width;
    u64 before = x->seats;
    c->stats.squeeze_moves += scale_place(before, c->cfg->warp_size, width, c->form->squeezes, rank_of);
    scale_rank(before, width, c->form->beats, order);
    x->seats = 0;
    for (u32 i = 0; i < x->n; i++)
        for (u64 m = x->part[i].lanes; m; m &= m - 1) {
            u8 *seat = &c->form->seat[x->part[i].home][__builtin_ctzll(m)];
            *seat = (u8)(order[rank_of[*seat]] * width + *seat % width);
            x->seats |= 1ull << *seat;
        }
}

/* --- coming to the pool */

static void go_home(const struct core *c, struct piece *x) { /* lanes of one warp: their positions are free */
    x->seats = 0;
    for (u32 i = 0; i < x->n; i++) {
        for (u64 m = x->part[i].lanes; m; m &= m - 1) {
            u32 lane = (u32)__builtin_ctzll(m);
            c->form->seat[x->part[i].home][lane] = (u8)form_home_seat(c, x->part[i].home, lane);
        }
        x->seats |= seats_of(c, &x->part[i]);
    }
}

static bool is_collective(const struct core *c, i32 pc) { return c->prog->k->code[pc].flags & INST_COLLECTIVE; }

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
    u32 to = look_up(c, slot, x->pc);
    if (to == NO_PLACE || to == slot) return false;
    struct front *f = &c->fronts[to];
    if (!may_join(c, f, x) || !finds_seats(c, x, f->lanes)) return false;
    account_change(c, to);
    for (u32 i = 0; i < x->n; i++) {
        settle_threads(c, to, &x->part[i]);
        form_add_part(c, f->part, &f->nparts, x->part[i]);
    }
    f->lanes |= x->seats;
    c->age[to] = MIN(c->age[to], c->age[slot]);
    c->stats.formed_merges++;
    front_squeeze(c, f);
    show_front(c, to);
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
    if (!is_full(c, x) || look_up(c, slot, x->pc) == NO_PLACE) look_up_set(c, slot, x->pc);
}

/* The piece gets a front: the one it comes from, if that has no others, or a new one */
static void piece_goes(struct core *c, u32 slot, bool stays, struct piece *x) {
    u32 at = stays ? slot : place_take(c, slot);
    if (!stays) front_begins(c, at, c->age[slot]);
    front_takes(c, at, x);
    bool enters = !x->waits && entry_take(c, at);
    front_shows(c, at, enters ? x->pc : NONE);
    if (enters) enter_pool(c, at, x);
    else set_drop(c->form->in_pool, at);
    if (!enters && !x->waits) tell_coming(c, at, x, COMES_NOT_IN);
    if (x->opens != NEVER) c->fronts[at].release_cy = x->opens;
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

/* When the barrier that they stood at last lets all of these lanes go */
static u64 opens_of(const struct core *c, u16 home, u64 lanes) {
    u64 last = 0;
    for (; lanes; lanes &= lanes - 1) last = later(last, c->form->opens[home][__builtin_ctzll(lanes)]);
    return last;
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
            if (!warp_step(w, gi, c->now, &c->form->one)) c->fault_cy = MIN(c->fault_cy, c->now);
            warp_pass(w);
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

/* Warps whose last threads were in these parts, of a front of these lanes, and have ended */
void homes_end(struct core *c, const struct part *at, u32 n, u64 lanes) {
    for (u32 i = 0; i < n; i++) {
        const struct home *s = &c->homes[at[i].home];
        if (s->w && !s->w->live && !s->ended) cta_warp_ended(c, at[i].home, lanes);
    }
}

/* A piece of the front on its way: it joins others, or stays, or goes to a place of its own. True: it stays
 * */
static bool piece_comes(struct core *c, u32 slot, bool stays, struct piece *x) {
    if (!x->waits && is_collective(c, x->pc)) go_home(c, x);
    else if (!x->waits && c->form->squeezes) squeeze_piece(c, x);
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
    if (set_has(c->form->holds, slot)) entry_give(c, slot);
    c->form->parting = true;
    u32 keep = who_stays(c, f, n);
    bool stays = false;
    for (u32 i = 0; i < n; i++) stays |= piece_comes(c, slot, i == keep, &c->form->pieces[i]);
    c->form->parting = false;
    if (!stays) front_ends(c, slot);
    homes_end(c, was, nwas, lanes);
}

void form_starts(struct core *c, u32 home) {
    u32 slot = place_take(c, home);
    const struct warp *w = c->homes[home].w;
    for (u64 m = w->live; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctzll(m);
        c->form->seat[home][lane] = (u8)form_home_seat(c, home, lane);
    }
    struct piece x = {.waits = true, .n = 1, .part[0] = {.home = (u16)home, .lanes = w->live}};
    x.seats = seats_of(c, &x.part[0]);
    front_begins(c, slot, c->homes[home].age);
    front_takes(c, slot, &x);
    slot_look(c, slot, c->now);
}

/* --- after an issue. Nothing of other fronts changes before the next cycle (I1 of 29_look.c), but that
 * lanes may have been taken from those that waited for a collective. */

/* A thread that waited at a barrier may go on from cycle `cy`; its front looks then, or sooner, when another
 * of its threads may */
static void let_go(struct core *c, u32 slot, u64 *opens, u64 cy) {
    struct front *f = &c->fronts[slot];
    if (*opens > c->now || f->release_cy == c->now) return; /* it may already, or its front parts in this cycle */
    *opens = cy;
    if (f->release_cy > c->now && f->release_cy <= cy) return;
    f->release_cy = cy;
    slot_alarm(c, slot, cy);
}

/* Threads of the home that wait, at a barrier or for lanes, and need not any longer go on then */
static void wake_waiting(struct core *c, u32 home, u64 cy, bool barrier) {
    const struct warp *w = c->homes[home].w;
    for (u32 i = 0; w && i < w->groups.n; i++) {
        if (w->groups.at[i].state != GROUP_READY) continue;
        for (u64 m = w->groups.at[i].mask; m; m &= m - 1) {
            u32 lane = (u32)__builtin_ctzll(m), slot = c->form->place[home][lane];
            const struct front *f = &c->fronts[slot];
            if (f->head || f->resolve_cy > c->now || barrier != set_has(c->form->at_barrier, slot)) continue;
            if (barrier) let_go(c, slot, &c->form->opens[home][lane], cy);
            else slot_alarm(c, slot, cy);
        }
    }
}

void form_wake_block(struct core *c, const struct cta_place *p, u64 cy) {
    for (u64 m = cta_slots(p); m; m &= m - 1) wake_waiting(c, (u32)__builtin_ctzll(m), cy, true);
}

/* Lanes that waited for a collective have become one group with those that came last, and go on with them */
static void take_from(struct core *c, u32 slot, struct part *p, u64 lanes) {
    for (u64 m = lanes; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctzll(m), other = c->form->place[p->home][lane];
        struct front *f = &c->fronts[other];
        CHECK(other != slot); /* its own lanes in the same call are one group already */
        for (u32 i = 0; i < f->nparts; i++)
            if (f->part[i].home == p->home) f->part[i].lanes &= ~(1ull << lane);
        f->lanes &= ~(1ull << c->form->seat[p->home][lane]);
        c->form->seat[p->home][lane] = (u8)form_home_seat(c, p->home, lane);
        u32 left = 0;
        for (u32 i = 0; i < f->nparts; i++)
            if (f->part[i].lanes) f->part[left++] = f->part[i];
        f->nparts = left;
        if (!left) front_ends(c, other), slot_alarm(c, other, c->now + 1);
    }
    p->lanes |= lanes;
    settle_threads(c, slot, p);
}

/* Lanes that have ended leave; those that a collective brought together come. False: nobody is left */
static bool gather(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    u32 left = 0;
    f->lanes = 0;
    for (u32 i = 0; i < f->nparts; i++) {
        struct part p = f->part[i];
        const struct warp *w = c->homes[p.home].w;
        p.lanes &= warp_enabled(w);
        for (u32 k = 0; k < w->groups.n; k++) {
            u64 mask = w->groups.at[k].mask;
            if (mask & p.lanes && mask & ~p.lanes && is_collective(c, f->head->pc)) take_from(c, slot, &p, mask & ~p.lanes);
        }
        if (!p.lanes) continue;
        f->lanes |= seats_of(c, &p);
        f->part[left++] = p;
    }
    f->nparts = left;
    return left;
}

static void changed_homes(struct core *c, const struct part *at, u32 n, u64 lanes) {
    for (u32 i = 0; i < n; i++)
        if (!c->homes[at[i].home].ended) wake_waiting(c, at[i].home, c->now + 1, false);
    homes_end(c, at, n, lanes);
}

/* All lanes of one warp, in their home positions: nobody could join them */
static bool is_whole(const struct core *c, const struct front *f) {
    return f->nparts == 1 && f->part[0].lanes == warp_enabled(part_home(c, &f->part[0])->w);
}

/* Instructions that are not in the program and do not set the pc; false after a fault */
static bool pass_pseudo(struct core *c, struct front *f) {
    for (;;) {
        const struct inst *in = &c->prog->k->code[form_group(c, &f->part[0])->pc];
        if (!(in->flags & INST_PSEUDO) || in->flags & (INST_CONTROL | INST_RECONV)) return true;
        for (u32 i = 0; i < f->nparts; i++) {
            struct warp *w = part_home(c, &f->part[i])->w;
            if (!warp_step(w, (u32)(form_group(c, &f->part[i]) - w->groups.at), c->now, &c->form->one)) return false;
        }
    }
}

const struct inst *front_advances(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    f->head = NULL;
    if (pass_pseudo(c, f)) return &c->prog->k->code[form_group(c, &f->part[0])->pc];
    c->fault_cy = MIN(c->fault_cy, c->now);
    return NULL;
}

/* Straight on: where branches meet, and at collectives, they come to the pool */
static void go_on(struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    const struct inst *in = front_advances(c, slot);
    if (!in) return;
    bool meets = in->flags & (INST_PSEUDO | INST_RECONV) || (in->flags & INST_COLLECTIVE && !is_whole(c, f));
    if (meets) slot_alarm(c, slot, c->now + 1);
    else front_shows(c, slot, (i32)(in - c->prog->k->code));
}

void form_ran(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    struct part was[MAX_WARP];
    u32 n = f->nparts, flags = f->head->in->flags;
    u64 lanes = f->lanes;
    if (c->view.faulted) return;
    bool together = flags & INST_COLLECTIVE && is_whole(c, f) && form_group(c, &f->part[0])->state == GROUP_READY;
    if (!(flags & (INST_CONTROL | INST_COLLECTIVE)) || together) {
        go_on(c, slot);
        return;
    }
    if (f->head->kind == T_BARRIER) set_add(c->form->at_barrier, slot);
    f->release_cy = 0;
    memcpy(was, f->part, sizeof(*was) * n);
    bool some = gather(c, slot);
    f->head = NULL;
    show_front(c, slot);
    if (some) slot_alarm(c, slot, c->now + 1);
    else front_ends(c, slot);
    changed_homes(c, was, n, lanes);
}

void form_issued(struct core *c, u32 slot) {
    struct form *x = c->form;
    x->polled_at[slot] = x->polls;
    if (!set_has(x->in_pool, slot)) return;
    set_drop(x->in_pool, slot);
    c->stats.formed_wait_max = MAX(c->stats.formed_wait_max, c->now - x->entered[slot]);
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
        if (i == n) at[n++] = slot;
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

void form_check(const struct core *c) {
    if (!c->form || c->squads || c->gang) return;
    u64 threads = 0, live = 0;
    for (u32 i = 0; i < c->nfronts; i++) {
        form_check_front(c, i);
        threads += (u32)__builtin_popcountll(c->fronts[i].lanes);
    }
    for (u32 i = 0; i < c->nslots; i++)
        if (c->homes[i].w) live += (u32)__builtin_popcountll(warp_enabled(c->homes[i].w));
    CHECK(threads == live); /* G1 */
    u32 held[MAX_SCHEDULERS] = {0};
    SET_EACH (slot, c->form->holds, c->words) held[slot % c->cfg->schedulers]++;
    for (u32 s = 0; s < c->cfg->schedulers; s++) CHECK(held[s] == c->form->entries[s] && held[s] <= c->cfg->dwf_pool); /* G4 */
}
