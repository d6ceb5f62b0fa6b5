/* Windows: instructions of a warp that have been dispatched and have not left, for orders that have them.
 *
 * Dispatch (44_dispatch.c) puts them there. An entry may issue in the cycle after its dispatch at the
 * soonest, when the results it needs are there; the front shows the scheduler the oldest one that may.
 * 46_complete.c brings results and lets entries leave.
 *
 * What an entry waits for is kept as masks of entries, and what may issue as masks of the window: nothing
 * walks over the entries to find out. A slot is looked at when one of these masks has changed.
 *
 * Invariants (window_check):
 *   W1 `oldest` has the entries of `used`, in order of uid; `waiting` and `complete` are disjoint parts of
 *      it, and `first` is the oldest of `waiting`
 *   W2 an entry waits for older ones only, and is among the users of each whose result it waits for
 *   W3 writer[] names entries that are not complete
 *   W4 stations and registers in use are the sums over entries, and over stations whose results are being
 *      broadcast
 *   W5 windows.complete has every slot with complete entries
 *   W6 from the slots of windows.stay nothing may leave
 *   W7 dispatch of the slots of windows.asleep stays blocked as it was; an alarm is set for the moment at
 *      which that ends by time alone, and what else ends it wakes them
 *   W8 nothing keeps the next instruction of the slots of windows.open from being dispatched
 *   W9 `bound` and `certain` are what the waiting entries say; what is in neither `bound` nor `timed` may
 *      issue now as far as time goes; windows.can has the slots by the units of what they may issue */
#include "core/text.h"
#include "core/window.h"

#include <stdlib.h>
#include <string.h>

/* --- making and emptying */

void window_init(struct core *c) {
    if (!c->pol.order->window) return;
    struct windows *x = c->window = base_alloc(sizeof(*x));
    x->how = c->pol.order->window;
    x->at = base_alloc_aligned(sizeof(*x->at) * c->nslots);
    x->entries = base_alloc_aligned(sizeof(*x->entries) * c->nslots * c->cfg->window);
    x->pasts = base_alloc(sizeof(*x->pasts) * c->nslots * c->cfg->window);
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
    for (u32 i = 0; i < NEAR; i++) free(x->near[i].at.at);
    free(x->at), free(x->entries), free(x->pasts), free(x->writers), free(x->stations), free(x->turn), free(x->branches);
    free(x->far.at), free(x->due.at.at), free(x->releases.at), free(x->mine);
    free(x);
}

void window_text(struct core *c, const struct text_change *y) {
    for (u32 i = 0; c->window && i < c->nslots; i++) {
        struct window *w = window_of(c, i);
        EACH_ENTRY(w->used, id) w->at[id].t = text_now(y, w->at[id].t);
        w->serial = text_now(y, w->serial);
        w->asked = NULL;
        if (c->homes[i].w) window_asks_again(c, i);
    }
}

static void window_empty(struct core *c, u32 slot) {
    struct windows *x = c->window;
    struct window *w = &x->at[slot];
    size_t regs = c->prog->nregs + c->prog->npreds + 1u;
    fault_forget(w);
    *w = (struct window){.oldest = w->order, .first = NONE, .shown = NONE};
    w->at = x->entries + (size_t)slot * c->cfg->window, w->past = x->pasts + (size_t)slot * c->cfg->window;
    w->writer = x->writers + 2 * regs * slot, w->last = w->writer + regs;
}

void window_launch(struct core *c) {
    struct windows *x = c->window;
    if (!x) return;
    size_t regs = c->prog->nregs + c->prog->npreds + 1u;
    free(x->writers);
    x->writers = base_alloc(2 * regs * c->nslots);
    x->held = x->full = x->asleep = x->unfed = x->open = x->complete = x->stay = 0;
    x->takes_back = x->how->precise && c->cfg->memory_order != MEMORY_CONSERVATIVE;
    for (u32 i = 0; i < c->nslots; i++) window_empty(c, i);
    memorder_launch(c);
    completion_launch(c);
    memset(x->stations, 0, sizeof(u32) * STATION_POOLS * c->cfg->subcores);
    memset(x->turn, 0, sizeof(u32) * c->cfg->schedulers);
    memset(x->branches, 0, sizeof(*x->branches) * c->cfg->bimodal);
    memset(x->alarm, 0, sizeof(x->alarm)), memset(x->can, 0, sizeof(x->can));
    x->releases.n = x->released = 0;
    x->alarm_any = 0;
}

void window_abandon(struct core *c) {
    if (c->window) window_launch(c);
}

bool window_waiting(const struct core *c, u32 slot) { return window_of(c, slot)->n != 0; }

/* --- what a front shows, and what its entries wait for */

static u32 oldest_of(const struct window *w, u64 set) {
    if (!(set & (set - 1))) return (u32)__builtin_ctzll(set);
    const u8 *at = w->oldest;
    while (!(set >> *at & 1)) at++;
    return *at;
}

/* Entries that are able to issue at cycle `at`; *next: when one more is, by time alone */
static u64 find_able(struct window *w, u64 at, u64 *next) {
    EACH_ENTRY(w->timed & ~w->bound, i) {
        if (w->at[i].from_cy > at) *next = MIN(*next, w->at[i].from_cy);
        else w->timed &= ~(1ull << i);
    }
    u64 able = w->waiting & ~(w->bound | w->timed), certain = able & w->certain;
    if (certain) able &= ~certain | 1ull << oldest_of(w, w->used & ~w->complete); /* everything older is complete */
    return able;
}

static u64 may_issue(const struct core *c, struct window *w, u64 at, u64 *next) {
    u64 able = find_able(w, at, next);
    if (!able) return 0;
    struct window_view v = window_view_of(c, w, able);
    return c->window->how->may_issue(&v);
}

static u32 result_waits(const struct entry *p, u64 at) {
    if (p->state == ENTRY_ISSUED && p->ready_cy <= at) return 1u << STALL_BUS;
    return 1u << (p->kind == WAIT_COMPUTE ? STALL_WAIT : p->kind == WAIT_SHORT ? STALL_SHORT : STALL_LONG);
}

/* What the oldest entry that has not issued waits for */
static u32 entry_waits(const struct window *w, u64 at) {
    const struct entry *e = &w->at[w->first];
    u32 set = 0;
    EACH_ENTRY(e->waits, i) set |= result_waits(&w->at[i], at);
    if (e->names) set |= 1u << STALL_WAIT;
    if (e->after) set |= 1u << STALL_MEMORY_ORDER;
    if (!set && e->from_cy > at) return 1u << STALL_DISPATCHING;
    return set ? set : 1u << STALL_MEMORY_ORDER; /* a store that is not certain */
}

/* The units of `can`, for window_others */
static void note_units(struct windows *x, u32 slot, struct window *w) {
    u32 units = 0;
    EACH_ENTRY(w->can, i) units |= 1u << w->at[i].t->unit;
    for (u32 m = units ^ w->units; m; m &= m - 1) x->can[__builtin_ctz(m)] ^= 1ull << slot;
    w->units = units;
}

static void note_can(struct core *c, u32 slot, struct window *w, u64 can) {
    if (can != w->can) {
        w->can = can;
        note_units(c->window, slot, w);
    }
    w->shown = !can ? NONE : w->first != NONE && can >> w->first & 1 ? w->first : (i32)oldest_of(w, can);
}

const struct tinst *window_waits(struct core *c, u32 slot, u64 at, u32 *set, u64 *next) {
    const struct front *f = &c->fronts[slot];
    struct window *w = window_of(c, slot);
    if (f->head != w->asked || (f->ib.n && c->window->unfed >> slot & 1)) window_asks_again(c, slot);
    if (!w->n && (!f->head || !f->head->window)) { /* an instruction that dispatch stops at, or none */
        note_can(c, slot, w, 0);
        return NULL;
    }
    *next = NEVER; /* also of a ready front: another entry's unit may be free when its own is not */
    note_can(c, slot, w, may_issue(c, w, at, next));
    if (w->shown != NONE) {
        *set = 0;
        return w->at[w->shown].t;
    }
    if (w->waiting) {
        *set = entry_waits(w, at) | (w->blocked & ROOM_STALLS);
        return w->at[w->first].t;
    }
    *set = w->blocked ? w->blocked : 1u << STALL_DISPATCHING;
    return f->head;
}

const struct tinst *window_shows(const struct core *c, u32 slot) {
    const struct window *w = window_of(c, slot);
    if (w->shown != NONE) return w->at[w->shown].t;
    return w->waiting ? w->at[w->first].t : c->fronts[slot].head;
}

bool window_speaks(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    return f->head && f->release_cy <= c->now && (window_of(c, slot)->n || f->head->window) && has_few_causes(c, slot);
}

u64 window_others(const struct core *c, u64 unavailable) {
    u64 some = 0;
    for (u32 u = 0; u < UNIT_COUNT; u++)
        if (!(unavailable >> u & 1)) some |= c->window->can[u];
    return some;
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

/* What the slot shows instead of an entry whose unit takes nothing; NONE: it shows what it does */
static i32 find_other(const struct window *w, u64 unavailable) {
    if (w->shown == NONE || !(unavailable >> w->at[w->shown].t->unit & 1)) return NONE;
    return find_available(w, w->can, unavailable); /* every change of the window was followed by a look */
}

bool window_has_other(const struct core *c, u32 slot, u64 unavailable) {
    return find_other(window_of(c, slot), unavailable) != NONE;
}

void window_present(struct core *c, u32 slot, u64 unavailable) {
    struct window *w = window_of(c, slot);
    i32 other = find_other(w, unavailable);
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
        window_bind(w, (u32)i);
    }
}

/* A branch that issues now is resolved then */
static u64 resolved_at(const struct core *c, const struct entry *e) {
    return c->now + scaled(c, c->cfg, c->cfg->branch_cy, e->lanes);
}

static void resolve(struct core *c, u32 slot, struct window *w, u32 id, u64 then) {
    if (w->branch != 1 + id) return;
    w->branch = 0;
    window_wake(c, slot);
    c->fronts[slot].resolve_cy = w->mistaken ? precise_resolves(c, w, id, then) : then;
    ibuffer_want(c, &c->fronts[slot]);
}

static void issue_entry(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    u64 read = c->now;
    front_issued(c, slot, e->uid,
                 &(struct step){.in = e->t->in,
                                .pc = e->t->pc,
                                .frame = e->frame,
                                .lanes = e->lanes,
                                .active = e->active,
                                .counted = e->tries ? 0 : e->counted});
    w->waiting &= ~(1ull << id), w->timed &= ~(1ull << id), w->certain &= ~(1ull << id);
    if (w->first == (i32)id) w->first = w->waiting ? (i32)oldest_of(w, w->waiting) : NONE;
    window_changes(c, slot);
    e->state = ENTRY_ISSUED;
    past_of(w, id)->issue_cy = c->now;
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
    u64 next = completion_next(c);
    if (x->released < x->releases.n) next = MIN(next, MAX(x->releases.at[x->released].cycle, c->now));
    return x->complete & ~x->stay ? c->now : dispatch_next(c, next); /* may leave, or be dispatched */
}

/* --- the invariants */

static void check_waiting(const struct core *c, const struct window *w, u32 id) {
    const struct entry *e = &w->at[id];
    if (!(w->waiting >> id & 1)) return;
    EACH_ENTRY(e->waits, p) CHECK(w->at[p].users >> id & 1);                 /* W2 */
    CHECK((w->bound >> id & 1) == ((e->waits | e->names | e->after) != 0));  /* W9 */
    CHECK((w->certain >> id & 1) == e->certain);                             /* W9 */
    CHECK(w->bound >> id & 1 || w->timed >> id & 1 || e->from_cy <= c->now); /* W9 */
}

static void check_window(const struct core *c, u32 slot, u32 *stations) {
    const struct window *w = window_of(c, slot);
    u64 seen = 0;
    u32 registers = 0;
    for (u32 i = 0; i < w->n; i++) {
        const struct entry *e = &w->at[w->oldest[i]];
        CHECK(!i || e->uid > w->at[w->oldest[i - 1]].uid);  /* W1 */
        CHECK(!((e->waits | e->names | e->after) & ~seen)); /* W2 */
        CHECK((e->state == ENTRY_WAITING) == (w->waiting >> w->oldest[i] & 1));
        check_waiting(c, w, w->oldest[i]);
        seen |= 1ull << w->oldest[i];
        registers += e->registers;
        if (e->has_station) stations[window_station(c, slot, e->t) - c->window->stations]++;
    }
    CHECK(seen == w->used && !(w->waiting & ~w->used) && !(w->complete & ~w->used) && !(w->waiting & w->complete)); /* W1 */
    CHECK(!(w->bound & ~w->waiting & w->used) && (w->first == NONE) == !w->waiting);                                /* W1 */
    CHECK(!w->waiting || w->first == (i32)oldest_of(w, w->waiting));                                                /* W1 */
    for (u32 u = 0; u < UNIT_COUNT; u++) CHECK((c->window->can[u] >> slot & 1) == (w->units >> u & 1));             /* W9 */
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
        dispatch_check(c, i);                                              /* W7, W8 */
    }
    for (u32 i = c->window->released; i < c->window->releases.n; i++) stations[c->window->releases.at[i].station]++;
    for (u32 i = 0; i < c->cfg->subcores * STATION_POOLS; i++) CHECK(stations[i] == c->window->stations[i]); /* W4 */
}
