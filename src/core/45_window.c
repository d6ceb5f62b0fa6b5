/* Windows: instructions of a warp that have been dispatched and have not left, for orders that have them.
 *
 * Dispatch executes the next instruction of a warp (func/, in program order) and puts it into the warp's
 * window: it learns which entries it waits for, and takes its station and its registers. Each scheduler has
 * order.dispatch_width dispatches a cycle, for its warps in turn. An entry may issue in the cycle after its
 * dispatch at the soonest, when the results it needs are there; the front shows the scheduler the oldest one
 * that may. 46_complete.c brings results and lets entries leave.
 *
 * Dispatch stops at instructions that are not for the window (tinst.window): barriers, fences, calls, exits,
 * collectives, atomics with a result and others that threads may wait with. They are presented when the
 * window is empty, dispatched and issued in one call like everything on an in-order machine, and dispatch
 * goes on when their results are there. It stops at a branch until that is resolved, unless the branch was
 * guessed right (order.speculate): then the next instruction can be dispatched as soon as it is fetched.
 *
 * Registers of a warp are renamed as a whole: an instruction that writes some lanes of a register needs what
 * the others hold, and waits for the writer before it unless it writes all lanes that one does.
 *
 * Not modelled: instructions fetched or dispatched on a wrong path.
 *
 * Invariants (window_check):
 *   W1 `oldest` has the entries of `used`, in order of uid; `waiting` and `complete` are disjoint parts of it
 *   W2 an entry waits for older ones only
 *   W3 writer[] names entries that are not complete
 *   W4 stations and registers in use are the sums over entries, and over stations whose results are being
 *      broadcast
 *   W5 windows.complete has every slot with complete entries
 *   W6 from the slots of windows.stay nothing may leave
 *   W7 dispatch of the slots of windows.idle stays blocked, and no time is known at which that ends
 *   W8 nothing keeps the next instruction of the slots of windows.open from being dispatched */
#include "core/window.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- making and emptying */

void window_init(struct core *c) {
    if (!c->pol.order->window) return;
    struct windows *x = c->window = base_alloc(sizeof(*x));
    x->how = c->pol.order->window;
    x->at = base_alloc(sizeof(*x->at) * c->nslots);
    x->stations = base_alloc(sizeof(u32) * STATION_POOLS * c->cfg->subcores);
    x->turn = base_alloc(sizeof(u32) * c->cfg->schedulers);
    x->branches = base_alloc(sizeof(*x->branches) * c->cfg->bimodal);
    CHECK(c->nslots <= 64);
    x->mine = base_alloc(sizeof(u64) * c->cfg->schedulers);
    for (u32 i = 0; i < c->nslots; i++) x->mine[i % c->cfg->schedulers] |= 1ull << i;
    memorder_init(c);
}

void window_free(struct core *c) {
    struct windows *x = c->window;
    if (!x) return;
    memorder_free(c);
    for (u32 i = 0; i < c->nslots; i++) fault_forget(&x->at[i]);
    free(x->at), free(x->stations), free(x->turn), free(x->writers), free(x->heap.at), free(x->due.at), free(x->branches);
    free(x->releases.at), free(x->mine);
    free(x);
}

void window_launch(struct core *c) {
    struct windows *x = c->window;
    if (!x) return;
    size_t regs = c->prog->nregs + c->prog->npreds + 1u;
    for (u32 i = 0; i < c->nslots; i++) fault_forget(&x->at[i]);
    free(x->writers);
    x->writers = base_alloc(2 * regs * c->nslots);
    x->held = x->full = x->idle = x->open = x->complete = x->stay = 0;
    for (u32 i = 0; i < c->nslots; i++) {
        memset(&x->at[i], 0, offsetof(struct window, at));
        x->at[i].writer = x->writers + 2 * regs * i, x->at[i].last = x->at[i].writer + regs;
        x->at[i].shown = NONE;
    }
    memorder_launch(c);
    memset(x->stations, 0, sizeof(u32) * STATION_POOLS * c->cfg->subcores);
    memset(x->turn, 0, sizeof(u32) * c->cfg->schedulers);
    memset(x->branches, 0, sizeof(*x->branches) * c->cfg->bimodal);
    x->heap.n = x->releases.n = x->released = 0;
}

void window_abandon(struct core *c) {
    if (c->window) window_launch(c);
}

/* --- what it has */

static u32 *stations_of(const struct core *c, u32 slot, const struct tinst *t) {
    u32 pool = c->cfg->shared_stations ? 0 : t->unit;
    return &c->window->stations[issue_sub(c, slot) * STATION_POOLS + pool];
}

void window_free_station(struct core *c, u32 slot, struct entry *e, u64 cycle) {
    u32 *station = stations_of(c, slot, e->t);
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

static struct window_view view_of(const struct core *c, const struct window *w, u64 able) {
    return (struct window_view){c->cfg, w->oldest, w->n, w->waiting, able, w->complete};
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

/* What the window lacks for it */
static u32 room_waits(const struct core *c, u32 slot, const struct window *w, const struct tinst *t) {
    const struct order_window *how = c->window->how;
    struct window_view v = view_of(c, w, 0);
    if (w->n >= c->cfg->window || !how->may_dispatch(&v)) return 1u << STALL_WINDOW;
    if (how->stations && c->cfg->stations && *stations_of(c, slot, t) >= c->cfg->stations) return 1u << STALL_STATION;
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

/* What kept the last try of dispatch keeps this one, seen without asking for everything; *next as above.
 * Before the window is looked at there are the branch, the buffer and the last instruction that dispatch
 * stopped at: once past them, only a dispatch or an issue of the front changes them. */
static bool stays_blocked(const struct core *c, u32 slot, u64 *next) {
    const struct front *f = &c->fronts[slot];
    const struct window *w = window_of(c, slot);
    switch (w->blocked) {
    case 1u << STALL_DRAIN: return f->head && !f->head->window && w->n;
    case 1u << STALL_NO_INSTRUCTION: return f->release_cy <= c->now && f->resolve_cy <= c->now && ibuffer_awaits(c, f);
    case 1u << STALL_BRANCH: *next = f->resolve_cy; return f->resolve_cy > c->now && f->release_cy <= c->now;
    default: return false;
    }
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

static void name_source(const struct core *c, const struct home *s, const struct window *w, struct entry *e, u32 reg) {
    u64 ready = s->sb[reg].ready_cy;
    if (w->writer[reg]) e->waits |= 1ull << (w->writer[reg] - 1);
    bool guard = e->t->guard_cy && reg >= c->prog->nregs;
    u64 last = w->last[reg] ? 1ull << (w->last[reg] - 1) : 0;
    e->deps |= last;
    if (guard) e->guards |= last;
    if (!ready) return;
    e->from_cy = MAX(e->from_cy, window_usable(c, ready) + (guard ? e->t->guard_cy : 0));
}

static void name_result(const struct core *c, const struct home *s, struct window *w, struct entry *e, u32 id, u32 reg) {
    u32 before = w->writer[reg], last = w->last[reg];
    w->writer[reg] = w->last[reg] = (u8)(id + 1);
    if (last && w->at[last - 1].merged & ~e->active) {
        e->deps |= 1ull << (last - 1);
        e->merged |= w->at[last - 1].merged;
    }
    if (!c->window->how->renames) {
        e->names |= readers_of(w, reg);
        if (s->sb[reg].ready_cy) e->from_cy = MAX(e->from_cy, window_usable(c, s->sb[reg].ready_cy));
        if (before) e->waits |= 1ull << (before - 1);
        return;
    }
    if (!before || !(w->at[before - 1].covers & ~e->active)) return;
    e->waits |= 1ull << (before - 1);
    e->covers |= w->at[before - 1].covers;
}

static void take_room(struct core *c, u32 slot, struct window *w, struct entry *e) {
    const struct order_window *how = c->window->how;
    e->has_station = how->stations;
    if (how->stations) ++*stations_of(c, slot, e->t);
    e->registers = how->registers ? (u8)results_of(c, e->t) : 0;
    w->registers += e->registers;
}

static struct entry *entry_new(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u32 *id) {
    struct window *w = window_of(c, slot);
    const struct home *s = &c->homes[slot];
    u32 i = *id = (u32)__builtin_ctzll(~w->used);
    struct entry *e = &w->at[i];
    *e = (struct entry){
        .uid = ++c->uid, .t = t, .active = st->active, .lanes = st->lanes, .covers = st->active, .merged = st->active};
    e->from_cy = c->now + 1, e->ready_cy = NEVER, e->counted = st->counted, e->frame = st->frame, e->flight = UINT32_MAX;
    for (u32 k = 0; k < t->nsrc; k++) name_source(c, s, w, e, t->reg[k]);
    for (u32 k = t->nsrc; k < (u32)t->nsrc + t->ndst; k++) name_result(c, s, w, e, i, t->reg[k]);
    take_room(c, slot, w, e);
    w->oldest[w->n++] = (u8)i;
    w->used |= 1ull << i;
    w->waiting |= 1ull << i;
    w->of_unit[t->unit] |= 1ull << i;
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
    ++*stations_of(c, slot, e->t);
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

/* No other warp can take from it what its next instruction needs */
static bool stays_open(const struct core *c, u32 slot) {
    bool shares = c->window->how->stations && c->cfg->stations;
    return c->fronts[slot].head && !shares && c->fronts[slot].head->kind != T_MEM;
}

/* One warp's dispatches in this cycle: how many */
static u32 dispatch_warp(struct core *c, u32 slot, u32 most) {
    struct window *w = window_of(c, slot);
    u32 n = 0, blocked = 0;
    u64 next = NEVER;
    if (c->fronts[slot].head && stays_blocked(c, slot, &next)) {
        if (next == NEVER && w->blocked != 1u << STALL_NO_INSTRUCTION) c->window->idle |= 1ull << slot;
        return 0;
    }
    while (c->fronts[slot].head && n < most && !(blocked = dispatch_waits(c, slot, c->now, &next)) && dispatch_one(c, slot)) n++;
    if (!blocked && c->fronts[slot].head && !c->view.faulted) blocked = dispatch_waits(c, slot, c->now, &next);
    if (blocked == 1u << STALL_WINDOW && w->n >= c->cfg->window) c->window->full |= 1ull << slot;
    if (n || blocked != w->blocked) {
        w->blocked = blocked;
        slot_look(c, slot, c->now + 1);
    }
    if (!blocked && stays_open(c, slot)) c->window->open |= 1ull << slot;
    return n;
}

/* These slots of scheduler k in their order; the next turn begins behind the last that dispatched */
static void dispatch_from(struct core *c, u32 k, u64 slots, u32 *left) {
    struct windows *x = c->window;
    u32 schedulers = c->cfg->schedulers, warps = (c->nslots - k - 1) / schedulers + 1;
    for (; (slots = *left ? slots : slots & ~x->open) && !c->view.faulted; slots &= slots - 1) {
        u32 slot = (u32)__builtin_ctzll(slots);
        if (!c->homes[slot].w) x->held &= ~(1ull << slot);
        if (!c->homes[slot].w || !c->fronts[slot].nparts) continue;
        u32 n = dispatch_warp(c, slot, *left);
        *left -= n;
        if (n) x->turn[k] = (slot / schedulers + 1) % warps;
    }
}

void window_stage(struct core *c) {
    for (u32 k = 0; k < c->cfg->schedulers; k++) {
        u32 first = k + c->window->turn[k] * c->cfg->schedulers, left = c->cfg->dispatch_width;
        u64 mine = c->window->held & ~(c->window->full | c->window->idle) & c->window->mine[k], behind = mine & (~0ull << first);
        dispatch_from(c, k, behind, &left);
        dispatch_from(c, k, mine & ~behind, &left);
    }
}

bool window_waiting(const struct core *c, u32 slot) { return window_of(c, slot)->n != 0; }

void window_stops(struct core *c, u32 slot, const struct tinst *t) { window_of(c, slot)->serial = t->ndst ? t : NULL; }

/* --- what a front shows, and what its entries wait for */

/* Every older entry is complete: what it does is certain */
static bool is_certain(const struct window *w, u32 id) {
    for (u32 i = 0; i < w->n && w->oldest[i] != id; i++)
        if (!(w->complete >> w->oldest[i] & 1)) return false;
    return true;
}

/* Entries that are able to issue at cycle `at`; *next: when one more is, by time alone */
static u64 find_able(const struct window *w, u64 at, u64 *next) {
    u64 able = 0;
    EACH_ENTRY(w->waiting, i) {
        const struct entry *e = &w->at[i];
        if (e->waits | e->names | e->after) continue;
        if (e->from_cy > at) *next = MIN(*next, e->from_cy);
        else if (!e->certain || is_certain(w, (u32)i)) able |= 1ull << i;
    }
    return able;
}

static u64 may_issue(const struct core *c, const struct window *w, u64 at, u64 *next) {
    u64 able = find_able(w, at, next);
    if (!able) return 0;
    struct window_view v = view_of(c, w, able);
    return c->window->how->may_issue(&v);
}

static u32 oldest_of(const struct window *w, u64 set) {
    for (u32 i = 0; i < w->n; i++)
        if (set >> w->oldest[i] & 1) return w->oldest[i];
    CHECK(false);
    return 0;
}

static u32 result_waits(const struct entry *p, u64 at) {
    if (p->state == ENTRY_ISSUED && p->ready_cy <= at) return 1u << STALL_BUS;
    return 1u << (p->kind == WAIT_COMPUTE ? STALL_WAIT : p->kind == WAIT_SHORT ? STALL_SHORT : STALL_LONG);
}

/* What the oldest entry that has not issued waits for */
static u32 entry_waits(const struct core *c, const struct window *w, u64 at) {
    const struct entry *e = &w->at[oldest_of(w, w->waiting)];
    u32 set = 0;
    EACH_ENTRY(e->waits, i) set |= result_waits(&w->at[i], at);
    if (e->names) set |= 1u << STALL_WAIT;
    if (e->after) set |= 1u << STALL_MEMORY_ORDER;
    if (!set && e->from_cy > at) return 1u << STALL_DISPATCHING;
    (void)c;
    return set ? set : 1u << STALL_MEMORY_ORDER; /* a store that is not certain */
}

bool window_waits(struct core *c, u32 slot, u64 at, u32 *set, u64 *next) {
    const struct front *f = &c->fronts[slot];
    struct window *w = window_of(c, slot);
    const u32 room = 1u << STALL_WINDOW | 1u << STALL_STATION | 1u << STALL_RENAME;
    w->shown = NONE;
    c->window->held |= 1ull << slot;
    c->window->idle &= ~(1ull << slot), c->window->open &= ~(1ull << slot);
    if (!w->n && (!f->head || !f->head->window)) return false; /* an instruction that dispatch stops at, or none */
    *next = NEVER; /* also of a ready front: another entry's unit may be free when its own is not */
    u64 can = w->can = may_issue(c, w, at, next);
    if (can) w->shown = (i32)oldest_of(w, can);
    *set = can ? 0 : w->waiting ? entry_waits(c, w, at) | (w->blocked & room) : w->blocked ? w->blocked : 1u << STALL_DISPATCHING;
    return true;
}

const struct tinst *window_shows(const struct core *c, u32 slot) {
    const struct window *w = window_of(c, slot);
    const struct front *f = &c->fronts[slot];
    if (w->shown != NONE) return w->at[w->shown].t;
    return w->waiting ? w->at[oldest_of(w, w->waiting)].t : f->head;
}

bool window_ready(const struct core *c, u32 slot) { return c->window && window_of(c, slot)->shown != NONE; }

u64 window_lanes(const struct core *c, u32 slot) {
    const struct window *w = window_of(c, slot);
    return w->at[w->shown].lanes;
}

/* Of these, the oldest whose unit can take it; NONE */
static i32 find_available(const struct window *w, u64 can, u64 unavailable) {
    for (u64 m = unavailable; m; m &= m - 1) can &= ~w->of_unit[__builtin_ctzll(m)];
    return can ? (i32)oldest_of(w, can) : NONE;
}

void window_present(struct core *c, u32 slot, u64 unavailable) {
    struct window *w = window_of(c, slot);
    if (w->shown == NONE || !(unavailable >> w->at[w->shown].t->unit & 1)) return;
    i32 other = find_available(w, w->can, unavailable); /* every change of the window was followed by a look */
    if (other == NONE) return;
    w->shown = other;
    slot_show(c, slot);
    slot_alarm(c, slot, c->now + 1); /* if it does not issue, the oldest is asked first again */
}

/* --- issue */

/* It has read its sources by cycle `read`: writers of their names may go on */
static void leave_names(const struct core *c, struct window *w, u32 id, u64 read) {
    EACH_ENTRY(w->waiting, i) {
        struct entry *x = &w->at[i];
        if (!(x->names >> id & 1)) continue;
        x->names &= ~(1ull << id);
        u32 soonest = soonest_of(c, c->cfg, x->t, x->lanes);
        if (read + 1 > soonest) x->from_cy = MAX(x->from_cy, read + 1 - soonest);
    }
}

/* A branch that issues now is resolved then */
static u64 resolved_at(const struct core *c, const struct entry *e) {
    return c->now + scaled(c, c->cfg, c->cfg->branch_cy, e->lanes);
}

static void resolve(struct core *c, u32 slot, struct window *w, u32 id, u64 then) {
    if (w->branch != 1 + id) return;
    w->branch = 0;
    c->window->idle &= ~(1ull << slot);
    c->fronts[slot].resolve_cy = w->mistaken ? precise_resolves(c, w, id, then) : then;
    ibuffer_want(c, &c->fronts[slot]);
}

static void issue_entry(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    u64 read = c->now;
    front_issued(c, slot, e->uid,
                 &(struct step){.in = e->t->in,
                                .pc = (i32)(e->t->in - c->prog->k->code),
                                .frame = e->frame,
                                .lanes = e->lanes,
                                .active = e->active,
                                .counted = e->tries ? 0 : e->counted});
    w->waiting &= ~(1ull << id);
    window_changes(c, slot);
    e->state = ENTRY_ISSUED;
    e->issue_cy = c->now;
    if (c->window->how->collects) window_free_station(c, slot, e, c->now);
    switch (e->t->kind) {
    case T_ALU: e->ready_cy = execute_entry(c, slot, e->t, e->lanes, e->uid, &read); break;
    case T_MEM: e->ready_cy = memorder_issue(c, slot, id, &read); break;
    default: e->ready_cy = e->t->in->flags & INST_CONTROL ? resolved_at(c, e) : c->now + 1;
    }
    if (!c->window->how->renames) leave_names(c, w, id, read);
    if (e->t->in->flags & INST_CONTROL) resolve(c, slot, w, id, e->ready_cy);
    if (e->ready_cy != NEVER) completion_push(c, slot, id, e->ready_cy);
}

void window_issue(struct core *c, u32 slot) {
    struct window *w = window_of(c, slot);
    u32 id = (u32)w->shown;
    CHECK(w->waiting >> id & 1);
    issue_entry(c, slot, id);
}

/* Of memory instructions a warp sends one a cycle: the memory pipe has one way in, and takes them in order */
u32 window_issue_more(struct core *c, u32 slot, u32 sub) {
    struct window *w = window_of(c, slot);
    u32 n = 1;
    for (; n < c->cfg->issue_width; n++) {
        u64 sent = (u64)(w->sent_cy == c->now + 1) << UNIT_MEM;
        u64 next = NEVER, can = may_issue(c, w, c->now, &next);
        i32 id = find_available(w, can, operands_unavailable(c, sub) | sent);
        if (id == NONE || issue_held_back(c, slot, w->at[id].t)) break;
        issue_entry(c, slot, (u32)id);
    }
    return n;
}

/* --- time */

/* First cycle in which a window can do something by itself */
u64 window_wakes(const struct core *c) {
    const struct windows *x = c->window;
    u64 next = x->heap.n ? MAX(x->heap.at[0].cycle, c->now) : NEVER;
    if (x->released < x->releases.n) next = MIN(next, MAX(x->releases.at[x->released].cycle, c->now));
    if (x->complete & ~x->stay) return c->now; /* may leave */
    for (u64 m = x->held & ~(x->full | x->idle); m && next > c->now; m &= m - 1) {
        u32 i = (u32)__builtin_ctzll(m);
        const struct window *w = window_of(c, i);
        u64 then = NEVER;
        if (!c->homes[i].w) continue;
        if (!c->fronts[i].nparts || !c->fronts[i].head) continue;
        u32 set = stays_blocked(c, i, &then) ? w->blocked : dispatch_waits((struct core *)c, i, c->now, &then);
        if (!set || set != w->blocked) return c->now; /* dispatches, or waits for something else */
        next = MIN(next, then);
    }
    return next;
}

/* --- the invariants */

static void check_window(const struct core *c, u32 slot, u32 *stations) {
    const struct window *w = window_of(c, slot);
    u64 seen = 0;
    u32 registers = 0;
    for (u32 i = 0; i < w->n; i++) {
        const struct entry *e = &w->at[w->oldest[i]];
        CHECK(!i || e->uid > w->at[w->oldest[i - 1]].uid);  /* W1 */
        CHECK(!((e->waits | e->names | e->after) & ~seen)); /* W2 */
        CHECK((e->state == ENTRY_WAITING) == (w->waiting >> w->oldest[i] & 1));
        seen |= 1ull << w->oldest[i];
        registers += e->registers;
        if (e->has_station) stations[stations_of(c, slot, e->t) - c->window->stations]++;
    }
    CHECK(seen == w->used && !(w->waiting & ~w->used) && !(w->complete & ~w->used) && !(w->waiting & w->complete)); /* W1 */
    CHECK(registers == w->registers);                                                                               /* W4 */
    for (u32 r = 0; r < c->prog->nregs + c->prog->npreds; r++)
        CHECK(!w->writer[r] || (w->used & ~w->complete) >> (w->writer[r] - 1) & 1); /* W3 */
}

void window_check(const struct core *c) {
    u32 stations[16 * STATION_POOLS] = {0};
    if (!c->window) return;
    for (u32 i = 0; i < c->nslots; i++) {
        check_window(c, i, stations);
        CHECK(!window_of(c, i)->complete || c->window->complete >> i & 1); /* W5 */
        CHECK(!(c->window->stay >> i & 1) || !window_leaving(c, i));       /* W6 */
        u64 ends = NEVER;
        CHECK(!(c->window->idle >> i & 1) || (c->fronts[i].head && stays_blocked(c, i, &ends) && ends == NEVER)); /* W7 */
        CHECK(!(c->window->open >> i & 1) || !dispatch_waits((struct core *)c, i, c->now, &ends));                /* W8 */
    }
    for (u32 i = c->window->released; i < c->window->releases.n; i++) stations[c->window->releases.at[i].station]++;
    for (u32 i = 0; i < c->cfg->subcores * STATION_POOLS; i++) CHECK(stations[i] == c->window->stations[i]); /* W4 */
}
