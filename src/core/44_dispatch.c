/* Dispatch: executes the next instruction of a warp (func/, in program order) and puts it into the warp's
 * window: it learns which entries it waits for, and takes its station and its registers. Each scheduler has
 * order.dispatch_width dispatches a cycle, for its warps in turn.
 *
 * Dispatch stops at instructions that are not for the window (tinst.window): barriers, fences, calls, exits,
 * collectives, atomics with a result and others that threads may wait with. They are presented when the
 * window is empty, dispatched and issued in one call like everything on an in-order machine, and dispatch
 * goes on when their results are there. It stops at a branch until that is resolved, unless the branch was
 * guessed right (order.speculate): then the next instruction can be dispatched as soon as it is fetched.
 *
 * A warp whose dispatch cannot go on sleeps. It is woken by time (its alarm: a branch is resolved, a fetched
 * instruction is decoded), by the issue of the branch or of what dispatch stopped at, by what leaves the
 * window or changes in it, and by a look at its slot that finds another next instruction or the buffer
 * filled. Those that wait for what other warps have (stations, atomics) are asked in every cycle. W7 and W8
 * of 45_window.c say what has to hold.
 *
 * Registers of a warp are renamed as a whole: an instruction that writes some lanes of a register needs what
 * the others hold, and waits for the writer before it unless it writes all lanes that one does.
 *
 * Not modelled: instructions fetched or dispatched on a wrong path. */
#include "core/window.h"

#include <string.h>

/* --- what it takes */

u32 *window_station(const struct core *c, u32 slot, const struct tinst *t) {
    u32 pool = c->cfg->shared_stations ? 0 : t->unit;
    return &c->window->stations[issue_sub(c, slot) * STATION_POOLS + pool];
}

void window_free_station(struct core *c, u32 slot, struct entry *e, u64 cycle) {
    u32 *station = window_station(c, slot, e->t);
    e->has_station = false;
    if (cycle <= c->now) {
        --*station;
        return;
    }
    struct release r = {cycle, (u32)(station - c->window->stations)};
    VEC_PUSH(&c->window->releases, r);
}

static u32 results_of(const struct core *c, const struct tinst *t) {
    u32 n = 0;
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) n += t->reg[i] < c->prog->nregs;
    return n;
}

/* --- may the next instruction be dispatched? */

/* Results of the last instruction that dispatch stopped at */
static u32 serial_waits(const struct core *c, u32 slot, struct window *w, u64 at, u64 *next) {
    const struct home *s = &c->homes[slot];
    const struct tinst *t = w->serial;
    u64 there = 0;
    u32 kind = WAIT_COMPUTE;
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) {
        if (s->sb[t->reg[i]].ready_cy < there) continue;
        there = s->sb[t->reg[i]].ready_cy;
        kind = s->sb[t->reg[i]].kind;
    }
    if (there <= at) return 0;
    if (there != NEVER) *next = there;
    return 1u << (kind == WAIT_COMPUTE ? STALL_WAIT : kind == WAIT_SHORT ? STALL_SHORT : STALL_LONG);
}

/* With other warps, which may take them */
static bool shares_stations(const struct core *c) { return c->window->how->stations && c->cfg->stations; }

/* What the window lacks for it */
static u32 room_waits(const struct core *c, u32 slot, const struct window *w, const struct tinst *t) {
    const struct order_window *how = c->window->how;
    struct window_view v = window_view_of(c, w, 0);
    if (w->n >= c->cfg->window || !how->may_dispatch(&v)) return 1u << STALL_WINDOW;
    if (shares_stations(c) && *window_station(c, slot, t) >= c->cfg->stations) return 1u << STALL_STATION;
    u32 most = how->registers ? c->cfg->rename_registers : 0;
    if (most && w->registers && w->registers + results_of(c, t) > most) return 1u << STALL_RENAME;
    return 0;
}

/* What keeps the front's next instruction from being dispatched at cycle `at`; *next: when that ends by time
 * alone */
static u32 dispatch_waits(struct core *c, u32 slot, u64 at, u64 *next) {
    struct front *f = &c->fronts[slot];
    struct window *w = window_of(c, slot);
    if (f->release_cy > at || f->resolve_cy > at) {
        bool barrier = f->release_cy > at;
        *next = barrier ? f->release_cy : f->resolve_cy;
        return 1u << (barrier ? STALL_BARRIER : STALL_BRANCH);
    }
    u64 there = f->ib.n ? f->ib.ready[f->ib.head] : NEVER;
    if (there > at) {
        if (!f->ib.n) ibuffer_want(c, f);
        *next = there;
        return 1u << STALL_NO_INSTRUCTION;
    }
    u32 set = w->serial ? serial_waits(c, slot, w, at, next) : 0;
    if (set) return set;
    w->serial = NULL;
    if (!f->head->window || fault_stops(w, f->head)) return 1u << STALL_DRAIN;
    set = room_waits(c, slot, w, f->head);
    if (set) return set;
    return f->head->kind == T_MEM && atomics_meet(c, &f->part[0], f->head->in) ? 1u << STALL_ATOMIC_ORDER : 0;
}

/* --- sleep */

static void dispatch_alarm(struct windows *x, u32 slot, u64 now, u64 cy) {
    u64 at = MIN(cy, now + NEAR - 1); /* too far: it tries on the way */
    x->alarm[at % NEAR] |= 1ull << slot;
    x->alarm_any |= 1ull << at % NEAR;
}

static void dispatch_alarms(struct windows *x, u64 now) {
    if (!(x->alarm_any >> now % NEAR & 1)) return;
    x->alarm_any &= ~(1ull << now % NEAR);
    x->asleep &= ~x->alarm[now % NEAR];
    x->alarm[now % NEAR] = 0;
}

/* Blocked without a time, and whatever ends it wakes the slot */
static bool is_woken(const struct core *c, u32 slot, const struct window *w) {
    const struct front *f = &c->fronts[slot];
    switch (w->blocked) {
    case 1u << STALL_BRANCH: return true;
    case 1u << STALL_NO_INSTRUCTION: return ibuffer_awaits(c, f);
    case 1u << STALL_DRAIN: return !f->head->window;
    case 1u << STALL_WINDOW: return true;
    case 1u << STALL_RENAME: return !shares_stations(c); /* which are asked for first */
    default: return false;                               /* others' stations, atomics and results: it is asked in every cycle */
    }
}

/* No other warp can take from it what its next instruction needs */
static bool stays_open(const struct core *c, u32 slot) {
    return !shares_stations(c) && (c->fronts[slot].head->kind != T_MEM || !c->prog->atomics);
}

/* Dispatch has tried; *next: when what blocks it ends by time alone */
static void dispatch_rests(struct core *c, u32 slot, const struct window *w, u64 next) {
    struct windows *x = c->window;
    u64 bit = 1ull << slot;
    if (w->asked && !w->blocked) {
        if (stays_open(c, slot)) x->open |= bit;
        return;
    }
    if (w->blocked == 1u << STALL_WINDOW && w->n >= c->cfg->window) {
        x->full |= bit;
        return;
    }
    if (next != NEVER) dispatch_alarm(x, slot, c->now, next);
    else if (w->asked && !is_woken(c, slot, w)) return;
    else if (w->blocked == 1u << STALL_NO_INSTRUCTION) x->unfed |= bit;
    x->asleep |= bit;
}

/* --- dispatch */

static bool reads(const struct tinst *t, u32 reg) {
    for (u32 i = 0; i < t->nsrc; i++)
        if (t->reg[i] == reg) return true;
    return false;
}

/* Entries that have yet to read a register that e writes */
static u64 readers_of(const struct window *w, u32 reg) {
    u64 found = 0;
    EACH_ENTRY(w->waiting, i)
    if (reads(w->at[i].t, reg)) found |= 1ull << i;
    return found;
}

static void name_source(const struct core *c, const struct home *s, struct window *w, struct entry *e, u32 id, u32 reg) {
    u64 ready = s->sb[reg].ready_cy;
    u32 writer = w->writer[reg], last = w->last[reg];
    bool guard = e->t->guard_cy && reg >= c->prog->nregs;
    if (writer) window_wait_for(w, id, writer - 1);
    if (last && guard) e->guards |= 1ull << (last - 1);
    if (last && c->window->takes_back) past_of(w, id)->deps |= 1ull << (last - 1);
    if (!ready) return;
    e->from_cy = MAX(e->from_cy, window_usable(c, ready) + (guard ? e->t->guard_cy : 0));
}

/* What it takes over of an older result, complete or not */
static void merge_result(struct window *w, u32 id, u32 last) {
    const struct entry_past *old = past_of(w, last);
    struct entry_past *p = past_of(w, id);
    if (!(old->merged & ~w->at[id].active)) return;
    p->deps |= 1ull << last;
    p->merged |= old->merged;
}

static void name_result(const struct core *c, const struct home *s, struct window *w, struct entry *e, u32 id, u32 reg) {
    u32 before = w->writer[reg], last = w->last[reg];
    w->writer[reg] = w->last[reg] = (u8)(id + 1);
    if (last && c->window->takes_back) merge_result(w, id, last - 1);
    if (!c->window->how->renames) {
        e->names |= readers_of(w, reg);
        if (s->sb[reg].ready_cy) e->from_cy = MAX(e->from_cy, window_usable(c, s->sb[reg].ready_cy));
        if (before) window_wait_for(w, id, before - 1);
        return;
    }
    if (!before || !(w->at[before - 1].covers & ~e->active)) return;
    window_wait_for(w, id, before - 1);
    e->covers |= w->at[before - 1].covers;
}

static void take_room(struct core *c, u32 slot, struct window *w, struct entry *e) {
    const struct order_window *how = c->window->how;
    e->has_station = how->stations;
    if (how->stations) ++*window_station(c, slot, e->t);
    e->registers = how->registers ? (u8)results_of(c, e->t) : 0;
    w->registers += e->registers;
}

/* The youngest: `oldest` moves back when it has come to the end of its room */
static void queue_youngest(struct window *w, u32 id) {
    if (w->oldest + w->n == w->order + sizeof(w->order)) {
        memmove(w->order, w->oldest, w->n);
        w->oldest = w->order;
    }
    w->oldest[w->n++] = (u8)id;
}

static void entry_begin(struct core *c, struct window *w, u32 id, const struct tinst *t, const struct step *st) {
    struct entry *e = &w->at[id];
    struct entry_past *p = past_of(w, id);
    e->waits = e->names = e->after = e->users = e->guards = 0;
    e->from_cy = c->now + 1, e->ready_cy = NEVER;
    e->uid = ++c->uid, e->t = t;
    e->active = e->covers = st->active, e->lanes = st->lanes, e->counted = st->counted, e->frame = st->frame;
    e->flight = UINT32_MAX;
    e->state = ENTRY_WAITING, e->kind = WAIT_COMPUTE, e->giver = e->tries = 0;
    e->certain = e->flies = e->faults = false;
    p->given = p->latency = p->deps = 0, p->merged = st->active;
}

static struct entry *entry_new(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u32 *id) {
    struct window *w = window_of(c, slot);
    const struct home *s = &c->homes[slot];
    u32 i = *id = (u32)__builtin_ctzll(~w->used);
    struct entry *e = &w->at[i];
    entry_begin(c, w, i, t, st);
    for (u32 k = 0; k < t->nsrc; k++) name_source(c, s, w, e, i, t->reg[k]);
    for (u32 k = t->nsrc; k < (u32)t->nsrc + t->ndst; k++) name_result(c, s, w, e, i, t->reg[k]);
    take_room(c, slot, w, e);
    queue_youngest(w, i);
    if (!w->waiting) w->first = (i32)i;
    w->used |= 1ull << i;
    w->waiting |= 1ull << i;
    w->of_unit[t->unit] |= 1ull << i;
    window_bind(w, i);
    window_changes(c, slot);
    return e;
}

static enum branch_way way_of(const struct step *st) {
    if (!st->active) return WAY_NOT_TAKEN;
    return st->active == st->lanes ? WAY_TAKEN : WAY_PARTS;
}

/* Dispatch went on beyond the branch, where it really goes */
static bool guessed(struct core *c, struct window *w, const struct step *st) {
    const struct speculate_policy *p = c->pol.speculate;
    const struct inst *in = st->in;
    w->mistaken = false;
    if (!p->guess || in->flags & INST_TABLE || !(in->flags & INST_JUMP)) return false;
    struct branch_counters *entry = &c->window->branches[(u32)st->pc % c->cfg->bimodal];
    bool right = in->guard == NONE || p->guess(&(struct branch_view){st->pc, in->target, *entry}) == way_of(st);
    if (p->learn && in->guard != NONE) p->learn(entry, way_of(st));
    ++*(right ? &c->stats.branches_guessed : &c->stats.branches_mistaken);
    w->mistaken = !right;
    return right;
}

void window_name_again(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    for (u32 i = e->t->nsrc; i < (u32)e->t->nsrc + e->t->ndst; i++)
        if (w->last[e->t->reg[i]] == id + 1) w->writer[e->t->reg[i]] = (u8)(id + 1);
    if (e->has_station || !c->window->how->stations || c->window->how->collects) return;
    ++*window_station(c, slot, e->t);
    e->has_station = true;
}

/* Stops fetch and dispatch until the branch has issued and is resolved */
static void stop_at_branch(struct core *c, u32 slot, u32 id) {
    window_of(c, slot)->branch = 1 + id;
    c->fronts[slot].resolve_cy = NEVER;
    fetch_unresolved(c, slot);
}

/* False after a fault */
static bool dispatch_one(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    const struct tinst *t = f->head;
    u32 id;
    const struct step *st = front_dispatch(c, slot);
    if (st->faulted && !fault_waits(c, slot, st)) return false;
    struct window *w = window_of(c, slot);
    struct entry *e = entry_new(c, slot, t, st, &id);
    e->faults = st->faulted;
    if (e->faults && !w->fault->uid) w->fault->uid = e->uid;
    EMIT(c, .kind = EV_WINDOW, .cycle = c->now, .uid = e->uid, .slot = (u16)slot, .pc = st->pc, .mask = st->active,
         .a = st->lanes, .b = (u64)st->frame, .cause = c->window->how->renames);
    c->stats.divergent_branches += st->diverged;
    c->stats.dispatched++;
    if (t->kind == T_MEM) memorder_dispatch(c, slot, id, st);
    bool waits = t->in->flags & INST_CONTROL && !guessed(c, w, st);
    slot_next(c, slot);
    if (waits) stop_at_branch(c, slot, id);
    return !c->view.faulted;
}

/* Its slot shows the same after that try of dispatch: something it may issue, or an entry that waits as
 * before */
static bool shows_the_same(const struct core *c, u32 slot, const struct window *w, u64 waited, u32 blocked) {
    u32 counts = w->can ? 0 : waited ? ROOM_STALLS : ~0u;
    bool all_bound = waited && !(w->waiting & ~waited & ~w->bound);
    return c->fronts[slot].head && (w->waiting == waited || all_bound) && !((blocked ^ w->blocked) & counts) &&
           has_few_causes(c, slot);
}

/* One warp's dispatches in this cycle: how many */
static u32 dispatch_warp(struct core *c, u32 slot, u32 most) {
    struct window *w = window_of(c, slot);
    struct front *f = &c->fronts[slot];
    u64 bit = 1ull << slot, next = NEVER, waited = w->waiting;
    bool open = c->window->open & bit; /* W8 */
    u32 n = 0, blocked = 0;
    c->window->open &= ~bit;
    for (; f->head && n < most && (open || !(blocked = dispatch_waits(c, slot, c->now, &next))); n++, open = false)
        if (!dispatch_one(c, slot)) break;
    if (!blocked && f->head && !c->view.faulted) blocked = dispatch_waits(c, slot, c->now, &next);
    bool same = shows_the_same(c, slot, w, waited, blocked);
    bool changed = n || blocked != w->blocked;
    w->blocked = blocked;
    w->asked = f->head;
    dispatch_rests(c, slot, w, next);
    if (changed && !same) slot_look(c, slot, c->now + 1);
    return n;
}

/* These slots of scheduler k in their order; the next turn begins behind the last that dispatched */
static void dispatch_from(struct core *c, u32 k, u64 slots, u32 *left) {
    struct windows *x = c->window;
    u32 schedulers = c->cfg->schedulers, warps = (c->nslots - k - 1) / schedulers + 1;
    for (; (slots = *left ? slots : slots & ~x->open) && !c->view.faulted; slots &= slots - 1) {
        u32 slot = (u32)__builtin_ctzll(slots);
        if (!c->homes[slot].w) x->held &= ~(1ull << slot);
        if (!c->homes[slot].w || !c->fronts[slot].nparts) {
            x->at[slot].asked = NULL;
            continue;
        }
        u32 n = dispatch_warp(c, slot, *left);
        *left -= n;
        if (n) x->turn[k] = (slot / schedulers + 1) % warps;
    }
}

void window_stage(struct core *c) {
    struct windows *x = c->window;
    dispatch_alarms(x, c->now);
    u64 awake = x->held & ~(x->full | x->asleep);
    for (u32 k = 0; k < c->cfg->schedulers && awake; k++) {
        u32 first = k + x->turn[k] * c->cfg->schedulers, left = c->cfg->dispatch_width;
        u64 mine = awake & x->mine[k], behind = mine & (~0ull << first);
        dispatch_from(c, k, behind, &left);
        dispatch_from(c, k, mine & ~behind, &left);
    }
}

void window_stops(struct core *c, u32 slot, const struct tinst *t) {
    window_of(c, slot)->serial = t->ndst ? t : NULL;
    window_asks_again(c, slot);
}

void window_asks_again(struct core *c, u32 slot) {
    c->window->held |= 1ull << slot;
    c->window->open &= ~(1ull << slot), c->window->unfed &= ~(1ull << slot);
    window_wake(c, slot);
}

/* --- time, and the invariants */

u64 dispatch_next(const struct core *c, u64 next) {
    const struct windows *x = c->window;
    if (x->open & ~(x->full | x->asleep)) return c->now;
    if (x->alarm_any) next = MIN(next, near_next(x->alarm_any, c->now));
    for (u64 m = x->held & ~(x->full | x->asleep); m && next > c->now; m &= m - 1) {
        u32 i = (u32)__builtin_ctzll(m);
        u64 then = NEVER;
        if (!c->homes[i].w) continue;
        if (!c->fronts[i].nparts || !c->fronts[i].head) continue;
        u32 set = dispatch_waits((struct core *)c, i, c->now, &then);
        if (!set || set != window_of(c, i)->blocked) return c->now; /* dispatches, or waits for something else */
        next = MIN(next, then);
    }
    return next;
}

/* A slot whose dispatch sleeps, before the alarms of this cycle */
static void check_asleep(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    const struct window *w = window_of(c, slot);
    u64 ends = NEVER;
    if (!f->head || c->window->alarm[c->now % NEAR] >> slot & 1) return;
    if (w->blocked == 1u << STALL_NO_INSTRUCTION) {
        CHECK(f->ib.n || ibuffer_awaits(c, f)); /* W7 */
        return;
    }
    CHECK(dispatch_waits((struct core *)c, slot, c->now, &ends) == w->blocked); /* W7 */
}

void dispatch_check(const struct core *c, u32 slot) {
    u64 ends = NEVER;
    if (c->window->asleep >> slot & 1) check_asleep(c, slot);
    CHECK(!(c->window->open >> slot & 1) || !dispatch_waits((struct core *)c, slot, c->now, &ends)); /* W8 */
}
