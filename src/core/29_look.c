/* What each front waits for.
 *
 * slot_look finds what a slot's next instruction waits for: its group, the branch before it, the instruction
 * buffer, registers (read after write, write after write, and write after read where a short instruction
 * would overtake the read), what fences, barriers, calls and exits wait for. It sets the slot's causes and an
 * alarm for the first moment at which they can change by time alone; changes by events call it again. Only
 * slots that wait for nothing are seen by the scheduler (30_issue.c).
 *
 * Invariants: I1 a slot's state changes before the issue of a cycle, or by its own issue; I2 the wheel holds
 * an alarm for every slot whose wait ends at a known time; I3 on sm.pipeline = vortex a front with something
 * in its buffer is parked exactly when it has no next instruction. */
#include "core/issue.h"
#include "core/order_policy.h"

/* --- alarms */

void slot_alarm(struct core *c, u32 slot, u64 cy) {
    u64 last = c->now + WHEEL - 1;
    u64 at = MIN(MAX(cy, c->now + 1), last); /* too far: look again on the way */
    c->issue->wheel[slot / 64 * WHEEL + at % WHEEL] |= set_bit(slot);
    c->issue->wheel_any |= 1ull << at % WHEEL;
}

/* Ahead of their use: the lines of a front that is looked at next; and those of a warp that may issue next,
 * whose step would wait for one after the other */
static inline void front_fetch(const struct front *f) {
    __builtin_prefetch(f);
    __builtin_prefetch(&f->account.since);
}
static inline void warp_fetch(const struct core *c, const struct front *f) {
    const struct warp *w = c->homes[f->part[0].home].w;
    __builtin_prefetch(w);
    __builtin_prefetch(&w->groups);
}

void issue_alarms(struct core *c) {
    u64 at = c->now % WHEEL;
    if (!(c->issue->wheel_any >> at & 1)) return;
    c->issue->wheel_any &= ~(1ull << at);
    for (u32 w = 0; w < c->words; w++) {
        u64 *entry = &c->issue->wheel[w * WHEEL + at], due = *entry;
        *entry = 0;
        while (due) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(due);
            due &= due - 1;
            if (due) front_fetch(&c->fronts[w * 64 + (u32)__builtin_ctzll(due)]);
            slot_due(c, slot);
        }
    }
}

u64 issue_alarm(const struct core *c) {
    u64 any = c->issue->wheel_any;
    if (!any) return NEVER;
    u32 at = (u32)(c->now % WHEEL);
    u64 turned = at ? any >> at | any << (WHEEL - at) : any;
    return c->now + (u32)__builtin_ctzll(turned);
}

static bool has_ready_group(const struct warp *w) {
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].state == GROUP_READY) return true;
    return false;
}

void slot_wake_block(struct core *c, const struct cta_place *p, u64 cy) {
    if (c->form) {
        if (c->squads) squad_wake_block(c, p, cy);
        else if (c->gang) gang_wake_block(c, p, cy);
        else form_wake_block(c, p, cy);
        return;
    }
    for (u64 m = cta_slots(p) & c->issue->parked; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        struct front *f = &c->fronts[slot];
        if (f->release_cy > c->now || !has_ready_group(c->homes[slot].w)) continue;
        f->release_cy = cy;
        slot_alarm(c, slot, cy);
    }
}

/* --- what a slot waits for */

static u32 group_wait(const struct warp *w) {
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].state == GROUP_BARRIER) return 1u << STALL_BARRIER;
    return 1u << STALL_WARP_SYNC;
}

static const u32 stall_of_wait[] = {
    [WAIT_COMPUTE] = 1u << STALL_WAIT, [WAIT_SHORT] = 1u << STALL_SHORT, [WAIT_LONG] = 1u << STALL_LONG};

/* What registers keep an instruction waiting, and until when by kind; NEVER where the end is not known yet */
struct waits {
    u32 set; /* of 1 << enum stall */
    u64 until[WAIT_KINDS];
};

static inline void wait_for(struct waits *x, enum wait_kind kind, u64 cy) {
    x->until[kind] = later(x->until[kind], cy);
    x->set |= stall_of_wait[kind];
}

/* The first cycle in which the set of causes becomes another */
static u64 waits_end(const struct waits *x) {
    u64 next = NEVER;
    for (u32 k = 0; k < WAIT_KINDS; k++)
        if (x->set & stall_of_wait[k]) next = MIN(next, x->until[k]);
    return next;
}

/* Write after read: a result must not be there before an earlier instruction has read the register */
static __attribute__((noinline)) void overwrite_waits(const struct core *c, const struct home *s, const struct tinst *t,
                                                      u64 positions, u64 at, struct waits *x) {
    u64 soonest = at + soonest_of(c, c->cfg, t, positions);
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) {
        u64 read = s->sb[t->reg[i]].read_cy;
        if (s->sb[t->reg[i]].readers) wait_for(x, WAIT_COMPUTE, NEVER); /* until nobody can read it again */
        if (read >= soonest) wait_for(x, WAIT_COMPUTE, at + (read - soonest) + 1);
    }
}

/* Registers of these lanes that the instruction needs and that are not there at cycle `at`; its front takes
 * these positions. Where the order is asked about each thread (order_keeps), it has been, and lets one go on
 * only when all it had under way is there. */
static void register_waits(const struct core *c, const struct home *s, const struct tinst *t, u64 lanes, u64 positions, u64 at,
                           struct waits *x) {
    const u16 *reg = t->reg, *end = reg + t->nsrc + t->ndst;
    bool asked = c->form && c->pol.order->earliest;
    for (; reg < end && (!asked || t->guard_cy); reg++) {
        u64 ready = sb_ready(s, *reg, lanes);
        if (t->guard_cy && ready && ready != NEVER && *reg >= c->prog->nregs) ready += t->guard_cy;
        if (ready > at) wait_for(x, (enum wait_kind)s->sb[*reg].kind, ready);
    }
    if (s->read_cy >= at || c->replay) overwrite_waits(c, s, t, positions, at, x);
}

/* What a front waits for, and the first cycle in which that may have changed by time alone */
struct wait {
    u64 next; /* NEVER: something has to happen */
    u32 set;  /* of 1 << enum stall; 0: it is ready */
};
static inline struct wait wait_none(void) { return (struct wait){NEVER, 0}; }
static inline struct wait wait_event(enum stall cause) { return (struct wait){NEVER, 1u << cause}; }
static inline struct wait wait_until(u64 cy, enum stall cause) { return (struct wait){cy, 1u << cause}; }

/* What threads have under way: all that their warp has, or what these do where threads of a warp go their own
 * ways. Others of the warp that poll have something under way all the time, and these would wait for it for
 * ever */
static struct way_of outstanding(const struct core *c, const struct part *p) {
    const struct home *s = part_home(c, p);
    struct way_of x = {s->drain_cy, s->queued, s->loads, s->stores, s->atomics, s->asyncs};
    if (__builtin_expect(!s->way, 1)) return x;
    x = (struct way_of){.drain_cy = s->all_drain_cy};
    for (u64 m = p->lanes; m; m &= m - 1) {
        const struct way_of *one = &s->way[__builtin_ctzll(m)];
        x.drain_cy = later(x.drain_cy, one->drain_cy);
        x.queued += one->queued, x.loads += one->loads, x.stores += one->stores, x.atomics += one->atomics;
        x.asyncs += one->asyncs;
    }
    return x;
}

/* What barriers, fences, exits, calls and waits for copies need beyond registers */
static struct wait order_waits(struct core *c, const struct front *f, const struct part *p, const struct tinst *t, u64 at) {
    if (t->kind == T_MEM) return atomics_meet(c, p, t->in) ? wait_event(STALL_ATOMIC_ORDER) : wait_none();
    struct way_of x = outstanding(c, p);
    switch (t->kind) {
    case T_BARRIER:
    case T_EXIT: return x.queued ? wait_event(STALL_DRAIN) : wait_none();
    case T_FENCE:
        if (x.queued || x.stores || x.atomics) return wait_event(STALL_MEMBAR);
        return t->in->flags & INST_GPU_FENCE && atomics_before(c, f->fence_seq) ? wait_event(STALL_MEMBAR) : wait_none();
    case T_ASYNC_WAIT: return x.asyncs ? wait_event(STALL_LONG) : wait_none();
    case T_FRAME:
        if (x.loads || x.queued) return wait_event(STALL_LONG);
        return x.drain_cy > at ? wait_until(x.drain_cy, STALL_WAIT) : wait_none();
    default: return wait_none();
    }
}

/* All that the home's threads have under way is there at cycle `at`: no register can keep them waiting */
static bool has_all(const struct core *c, const struct home *s, const struct tinst *t, u64 at) {
    return s->drain_cy <= at && !s->loads && !t->guard_cy && c->issue->plain;
}

/* What the threads of a front wait for before t: registers of each part, then what its kind of instruction
 * asks for */
static struct wait parts_wait(struct core *c, const struct front *f, const struct tinst *t, u64 at) {
    struct waits x = {0};
    for (u32 i = 0; i < f->nparts; i++) {
        const struct home *s = part_home(c, &f->part[i]);
        if (!has_all(c, s, t, at)) register_waits(c, s, t, f->part[i].lanes, f->lanes, at, &x);
    }
    if (x.set) return (struct wait){waits_end(&x), x.set};
    if (t->kind == T_ALU) return wait_none();
    for (u32 i = 0; i < f->nparts; i++) {
        struct wait w = order_waits(c, f, &f->part[i], t, at);
        if (w.set) return w;
    }
    return wait_none();
}

/* What the order is told of a part's threads at cycle `at`: all that their warp has under way, unless they
 * are of a formed front and it has something */
static struct order_view under_way(const struct core *c, const struct home *s, u64 lanes, u64 at) {
    bool quiet = s->drain_cy <= at && !s->loads && !s->queued;
    if (!c->form || quiet) return (struct order_view){s->drain_cy, s->loads, s->queued};
    struct order_view v = {.drain_cy = s->all_drain_cy};
    bool drains = s->drain_cy > at && s->drain_cy > s->all_drain_cy; /* and what these lanes wait for may be less */
    for (u64 m = drains ? lanes : 0; m; m &= m - 1) v.drain_cy = later(v.drain_cy, s->way[__builtin_ctzll(m)].drain_cy);
    for (u64 m = s->loads || s->queued ? lanes : 0; m; m &= m - 1) {
        const struct way_of *x = &s->way[__builtin_ctzll(m)];
        v.loads += x->loads, v.queued += x->queued;
    }
    return v;
}

/* What the order has the front's next instruction wait for: results of earlier ones, of memory or of units */
static struct wait order_keeps(struct core *c, const struct front *f, u64 at) {
    for (u32 i = 0; i < f->nparts; i++) {
        const struct home *s = part_home(c, &f->part[i]);
        struct order_view v = under_way(c, s, f->part[i].lanes, at);
        u64 from = c->pol.order->earliest(&v);
        if (from > at) return from == NEVER ? wait_event(STALL_LONG) : wait_until(from, STALL_WAIT);
    }
    return wait_none();
}

static struct wait head_waits(struct core *c, struct front *f, u64 at) {
    if (f->release_cy > at) return wait_until(f->release_cy, STALL_BARRIER);
    if (f->resolve_cy > at) return wait_until(f->resolve_cy, STALL_BRANCH);
    u64 there = f->ib.n ? f->ib.ready[f->ib.head] : NEVER;
    if (there > at) {
        if (!f->ib.n) ibuffer_want(c, f);
        return wait_until(there, c->vfetch && vfetch_stalls(c, f->slot) ? STALL_UNDECODED : STALL_NO_INSTRUCTION);
    }
    if (c->pol.order->earliest) {
        struct wait w = order_keeps(c, f, at);
        if (w.set) return w;
    }
    return parts_wait(c, f, f->head, at);
}

/* --- the same asked by who issues, of this cycle */

bool front_waits(struct core *c, struct front *f) { return head_waits(c, f, c->now).set; }

bool waits_for_order(struct core *c, const struct front *f) { return c->pol.order->earliest && order_keeps(c, f, c->now).set; }

bool waits_for_registers(const struct core *c, const struct home *s, const struct tinst *t, u64 lanes) {
    struct waits x = {0};
    register_waits(c, s, t, lanes, lanes, c->now, &x);
    return x.set;
}

bool waits_for_others(struct core *c, const struct front *f, const struct tinst *t) {
    return order_waits(c, f, &f->part[0], t, c->now).set;
}

/* --- looking */

static void show(struct core *c, u32 slot, const struct tinst *t, u64 at) {
    if (c->fronts[slot].shown == t) return;
    account_change(c, slot);
    if (c->window) account_charge(c, slot, at); /* time so far is of what it showed */
    c->fronts[slot].shown = t;
}

void slot_show(struct core *c, u32 slot) {
    show(c, slot, window_shows(c, slot), c->now);
    account_state(c, slot, 0, (enum unit)c->fronts[slot].shown->unit, c->now);
}

/* When the one cause ends nothing else can keep it: no need to look again */
static bool waits_for_time(const struct core *c, const struct front *f, u32 set) {
    const u32 results = 1u << STALL_WAIT | 1u << STALL_SHORT | 1u << STALL_LONG;
    bool plain = f->head->kind == T_ALU || f->head->kind == T_BRANCH || f->head->kind == T_NOP;
    return plain && c->issue->timed && f->shown == f->head && set & results && !(set & (set - 1));
}

void slot_due(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    if (f->ready_cy != c->now) {
        slot_look(c, slot, c->now);
        return;
    }
    f->ready_cy = NEVER;
    warp_fetch(c, f);
    account_state(c, slot, 0, (enum unit)f->head->unit, c->now);
}

/* The slot waits so from cycle `at` on if nothing happens before */
static inline void slot_waits(struct core *c, u32 slot, const struct tinst *shows, struct wait w, u64 at) {
    struct front *f = &c->fronts[slot];
    show(c, slot, shows, at);
    account_state(c, slot, w.set, f->shown ? (enum unit)f->shown->unit : UNIT_NONE, at);
    if (w.next == NEVER) return;
    slot_alarm(c, slot, w.next);
    if (f->head && waits_for_time(c, f, w.set)) f->ready_cy = w.next;
}

/* Causes for which another group of the warp may go on meanwhile */
static const u32 long_waits = 1u << STALL_LONG | 1u << STALL_ATOMIC_ORDER | 1u << STALL_MEMBAR;

static __attribute__((noinline)) struct wait other_waits(struct core *c, u32 slot, struct wait w, u64 at) {
    struct front *f = &c->fronts[slot];
    if (!front_gives_way(c, f)) return w;
    slot_next(c, slot);
    return f->head ? head_waits(c, f, at) : (struct wait){w.next, group_wait(c->homes[slot].w)};
}

/* What the slot's next instruction waits for, or that of another group which goes on meanwhile */
static inline struct wait head_or_other_waits(struct core *c, u32 slot, u64 at) {
    struct wait w = head_waits(c, &c->fronts[slot], at);
    return w.set & long_waits && c->pol.diverge->blocked ? other_waits(c, slot, w, at) : w;
}

/* A slot that presents no next instruction of its program: it is empty, has ended or is held, or shows what
 * is replayed or stands in its window */
static void look_beyond_head(struct core *c, u32 slot, u64 at) {
    struct home *s = &c->homes[slot];
    struct front *f = &c->fronts[slot];
    struct wait w = wait_none();
    bool held = f->nparts && f->release_cy > at;
    const struct tinst *windowed = NULL;
    const struct tinst *again = replay_shows(c, slot);
    u64 drained = s->ended ? home_drained(c, slot) : 0;
    if (f->nparts && !f->head && !held) slot_next(c, slot);
    if (held) w = wait_until(f->release_cy, STALL_BARRIER);
    else if (!s->w) w = wait_event(STALL_EMPTY);
    else if (again) {
    } else if (s->ended) {
        cta_front_over(c, slot);
        w = wait_event(s->queued || s->loads || drained > at ? STALL_DRAIN : STALL_EMPTY);
    } else if (c->window && (windowed = window_waits(c, slot, at, &w.set, &w.next))) {
    } else if (!f->head) w.set = group_wait(s->w);
    else w = head_or_other_waits(c, slot, at);
    if (s->ended && drained > at) w.next = drained;
    bool over = s->ended && s->w && w.set == 1u << STALL_EMPTY && f->account.set != w.set && !s->told_end;
    if (c->window) window_asks_again(c, slot);
    slot_waits(c, slot, windowed ? windowed : again ? again : f->head, w, at);
    if (over) {
        EMIT(c, .kind = EV_WARP_END, .cycle = at, .slot = (u16)slot);
        s->told_end = true;
    }
    if (!s->ended || !s->w || w.set != 1u << STALL_EMPTY) return;
    if (at > c->now) slot_alarm(c, slot, at); /* I1: other slots' states change before issue only */
    else cta_try_retire(c, s->place, at);
}

/* A slot that shows what stands in its window, and whose threads wait for no barrier; false: it does not */
static bool look_window(struct core *c, u32 slot, u64 at) {
    struct front *f = &c->fronts[slot];
    struct wait w = wait_none();
    if (!f->head || f->release_cy > at) return false;
    const struct tinst *shown = window_waits(c, slot, at, &w.set, &w.next);
    if (!shown) return false;
    show(c, slot, shown, at);
    account_state(c, slot, w.set, (enum unit)shown->unit, at);
    if (w.next != NEVER) slot_alarm(c, slot, w.next);
    return true;
}

/* --- the same where fronts are formed: a front's place and a home of the same number have nothing to do with
 * each other, but that an empty place is accounted as that home's */

static u32 empty_place(const struct core *c, u32 slot, u64 at) {
    const struct home *s = slot < c->nslots ? &c->homes[slot] : NULL;
    bool drains = s && s->w && s->ended && (s->queued || s->loads || s->drain_cy > at);
    return drains ? 1u << STALL_DRAIN : 1u << STALL_EMPTY;
}

static struct wait formed_waits(struct core *c, struct front *f, u64 at) {
    u32 slot = f->slot;
    if (!f->nparts) return (struct wait){NEVER, empty_place(c, slot, at)};
    if (f->head && c->squads && squad_holds(c, f)) return (struct wait){NEVER, 1u << STALL_WARP_SYNC};
    if (f->head) return head_waits(c, f, at);
    if (f->release_cy <= at && f->resolve_cy <= at && at == c->now)
        return (struct wait){NEVER, c->squads ? squad_waits(c, f) : form_waits(c, f)};
    /* it parts then */
    return wait_until(MAX(MAX(f->release_cy, f->resolve_cy), at), f->release_cy > at ? STALL_BARRIER : STALL_BRANCH);
}

/* A warp whose last thread has ended leaves when nothing of it is under way */
static void home_over(struct core *c, u32 home, u64 at) {
    struct home *s = &c->homes[home];
    if (!s->w || !s->ended || s->queued || s->loads) return;
    if (s->drain_cy > at || at > c->now) {
        slot_alarm(c, home, MAX(s->drain_cy, at));
        return;
    }
    if (!s->told_end) EMIT(c, .kind = EV_WARP_END, .cycle = at, .slot = (u16)home);
    s->told_end = true;
    cta_try_retire(c, s->place, at);
}

/* What a gang does before it is asked what it waits for */
static void look_gang(struct core *c, u32 slot, u64 at, bool parts) {
    if (at != c->now) {
        if (gang_divides(c, slot)) slot_alarm(c, slot, at);
        return;
    }
    if (parts) gang_regroup(c, slot);
    if (c->view.faulted || !c->fronts[slot].head) return;
    gang_meets(c, slot);
    if (gang_divides(c, slot)) gang_part_at_load(c, slot);
}

static void look_formed(struct core *c, u32 slot, u64 at) {
    struct front *f = &c->fronts[slot];
    bool waits = f->release_cy > at || f->resolve_cy > at || form_outside(c, slot);
    bool parts = f->nparts && !f->head && !waits;
    if (at == c->now && c->squads && (parts || squad_due(c, slot))) squad_regroup(c, slot);
    else if (c->gang) look_gang(c, slot, at, parts);
    else if (at == c->now && parts) form_regroup(c, slot);
    if (c->view.faulted) return;
    struct wait w = formed_waits(c, f, at);
    slot_waits(c, slot, f->head, w, at);
    if (slot < c->nslots) home_over(c, slot, at);
}

void slot_look(struct core *c, u32 slot, u64 at) {
    struct front *f = &c->fronts[slot];
    f->ready_cy = NEVER;
    bool goes_on = c->issue->plain || (c->issue->next_only && !home_renewed(&c->homes[slot]));
    if (f->head && goes_on) {
        struct wait w = head_or_other_waits(c, slot, at);
        slot_waits(c, slot, f->head, w, at);
        return;
    }
    if (c->form) {
        look_formed(c, slot, at);
        return;
    }
    if (c->issue->renews && home_renewed(&c->homes[slot]) && cta_renew(c, slot, at)) return;
    if (c->window && look_window(c, slot, at)) return;
    look_beyond_head(c, slot, at);
}
