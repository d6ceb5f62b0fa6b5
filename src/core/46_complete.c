/* Completion: results of windowed instructions become known, and the instructions leave.
 *
 * A result is put on a common data bus in the cycle before it is first used: those that are ready compete,
 * the oldest first, for the order.buses of their sub-core (0: as many as there are results). It is broadcast
 * order.broadcast_cy later: then its station is free, and whoever waited for it in its warp's window may
 * issue. Without forwarding it is read in dispatch, a cycle after it was written. Instructions without a
 * result need no bus; a branch is complete when it is resolved.
 *
 * At the end of a cycle complete instructions leave, as many and in the order the policy says. An entry that
 * leaves is free in the next cycle.
 *
 * Invariants: K1 a result is told once; K2 no sub-core puts more than order.buses results on its buses in a
 * cycle. */
#include "core/window.h"

#include <stdlib.h>
#include <string.h>

/* --- results to come: those of the next NEAR cycles by cycle, later ones in a heap */

static bool sooner(const struct completion *a, const struct completion *b) { return a->cycle < b->cycle; }

static void heap_up(struct completion *h, u32 i) {
    for (; i && sooner(&h[i], &h[(i - 1) / 2]); i = (i - 1) / 2) {
        struct completion x = h[i];
        h[i] = h[(i - 1) / 2], h[(i - 1) / 2] = x;
    }
}

static void heap_down(struct completion *h, u32 n) {
    for (u32 i = 0;;) {
        u32 k = 2 * i + 1;
        if (k >= n) return;
        if (k + 1 < n && sooner(&h[k + 1], &h[k])) k++;
        if (!sooner(&h[k], &h[i])) return;
        struct completion x = h[i];
        h[i] = h[k], h[k] = x;
        i = k;
    }
}

static bool has_result(const struct entry *e) { return e->t->ndst != 0; }

static void add_completion(struct windows *x, struct completion one) {
    if (one.cycle >= x->completed + NEAR) {
        VEC_PUSH(&x->far, one);
        heap_up(x->far.at, x->far.n - 1);
        return;
    }
    u64 at = MAX(one.cycle, x->completed) % NEAR;
    VEC_PUSH(&x->near[at].at, one);
    x->near_any |= 1ull << at;
}

void completion_push(struct core *c, u32 slot, u32 entry, u64 cycle) {
    const struct entry *e = &window_of(c, slot)->at[entry];
    add_completion(c->window, (struct completion){MAX(cycle, c->now), e->uid, (u16)slot, (u8)entry, e->tries});
}

static struct completion heap_pop(struct windows *x) {
    struct completion first = x->far.at[0];
    x->far.at[0] = x->far.at[--x->far.n];
    heap_down(x->far.at, x->far.n);
    return first;
}

void completion_launch(struct core *c) {
    struct windows *x = c->window;
    for (u32 i = 0; i < NEAR; i++) x->near[i].at.n = 0;
    x->far.n = 0;
    x->near_any = 0;
    x->completed = c->now;
}

u64 completion_next(const struct core *c) {
    const struct windows *x = c->window;
    u64 next = x->far.n ? MAX(x->far.at[0].cycle, c->now) : NEVER;
    return x->near_any ? MIN(next, near_next(x->near_any, c->now)) : next;
}

/* --- a result is told */

/* Stores that have all their operands now */
static u64 tell_users(const struct core *c, struct window *w, u32 id) {
    u64 bit = 1ull << id, known = 0;
    EACH_ENTRY(w->at[id].users, i) {
        struct entry *x = &w->at[i];
        x->waits &= ~bit;
        if (!x->waits) known |= 1ull << i & w->stores;
        u64 from = window_usable(c, c->now);
        if (x->guards & bit) from += x->t->guard_cy;
        x->from_cy = MAX(x->from_cy, from);
        window_bind(w, (u32)i);
    }
    w->at[id].users = 0;
    return known;
}

static void write_names(struct core *c, u32 slot, struct window *w, u32 id) {
    const struct entry *e = &w->at[id];
    const struct tinst *t = e->t;
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) {
        if (w->last[t->reg[i]] != id + 1) continue; /* the name is a younger one's by now */
        w->writer[t->reg[i]] = 0;
        sb_write(&c->homes[slot], t->reg[i], e->lanes, c->now, (enum wait_kind)e->kind);
    }
}

/* Nobody of the window waits for it */
static bool goes_unnoticed(const struct core *c, u32 slot, const struct window *w, const struct entry *e) {
    return !e->users && !w->certain && c->fronts[slot].head && has_few_causes(c, slot);
}

static void complete(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    bool unnoticed = goes_unnoticed(c, slot, w, e);
    CHECK(e->state == ENTRY_ISSUED); /* K1 */
    e->state = ENTRY_COMPLETE;
    w->complete |= 1ull << id;
    c->window->complete |= 1ull << slot;
    window_changes(c, slot);
    u64 known = tell_users(c, w, id);
    write_names(c, slot, w, id);
    if (e->has_station) window_free_station(c, slot, e, c->now + c->cfg->broadcast_cy);
    EMIT(c, .kind = EV_READY, .cycle = c->now, .uid = e->uid, .slot = (u16)slot, .mask = e->lanes);
    EACH_ENTRY(known, i)
    if (!w->at[i].waits) memorder_known(c, slot, (u32)i); /* else what one before it took back was its operand */
    fault_completed(c, slot, id);
    if (!unnoticed) slot_look(c, slot, c->now);
}

/* It has not been taken back since */
static bool is_current(const struct core *c, const struct completion *x) {
    const struct entry *e = &window_of(c, x->slot)->at[x->entry];
    return e->uid == x->uid && e->tries == x->tries && e->state == ENTRY_ISSUED;
}

static void sort_by_age(struct completion *at, u32 n) {
    for (u32 i = 1; i < n; i++) {
        struct completion x = at[i];
        u32 k = i;
        for (; k && at[k - 1].uid > x.uid; k--) at[k] = at[k - 1];
        at[k] = x;
    }
}

/* Those whose cycle has come, the oldest first, as far as there are buses; the others come again */
static void share_buses(struct core *c, struct completion *due, u32 n) {
    u32 used[16] = {0};
    sort_by_age(due, n);
    for (u32 i = 0; i < n; i++) {
        const struct entry *e = &window_of(c, due[i].slot)->at[due[i].entry];
        if (!is_current(c, &due[i])) continue;
        u32 sub = issue_sub(c, due[i].slot);
        if (c->cfg->buses && has_result(e) && used[sub] == c->cfg->buses) {
            due[i].cycle = c->now + 1;
            c->stats.bus_wait_cycles++;
            add_completion(c->window, due[i]);
            slot_look(c, due[i].slot, c->now); /* who waits for it waits for a bus from now on */
            continue;
        }
        used[sub] += has_result(e);
        complete(c, due[i].slot, due[i].entry);
    }
}

/* Stations whose results have been broadcast; all take as long, so the first to be written is the first */
static void release_stations(struct core *c) {
    struct windows *x = c->window;
    while (x->released < x->releases.n && x->releases.at[x->released].cycle <= c->now)
        --x->stations[x->releases.at[x->released++].station];
    if (x->released <= x->releases.n / 2) return;
    x->releases.n -= x->released; /* the rest moves down: the list is as long as there are broadcasts under way */
    memmove(x->releases.at, x->releases.at + x->released, sizeof(*x->releases.at) * x->releases.n);
    x->released = 0;
}

void complete_stage(struct core *c) {
    struct windows *x = c->window;
    u64 at = c->now % NEAR;
    x->completed = c->now + 1; /* what is ready at once from here on is told in the next cycle */
    if (x->releases.n) release_stations(c);
    if (!(x->near_any >> at & 1) && (!x->far.n || x->far.at[0].cycle > c->now)) return;
    struct completions due = x->near[at];
    x->near[at] = x->due;
    x->near[at].at.n = 0;
    x->near_any &= ~(1ull << at);
    while (x->far.n && x->far.at[0].cycle <= c->now) {
        struct completion first = heap_pop(x);
        VEC_PUSH(&due.at, first);
    }
    x->due = due;
    share_buses(c, due.at.at, due.at.n);
}

void window_result(struct core *c, const struct flight *f, u64 ready) {
    struct window *w = window_of(c, f->slot);
    CHECK(w->used >> f->entry & 1 && w->at[f->entry].uid == f->uid);
    w->at[f->entry].ready_cy = ready;
    if (flight_has_latency(f)) past_of(w, f->entry)->latency = f->result_cy - f->issue_cy;
    completion_push(c, f->slot, f->entry, ready);
}

bool window_ends(struct core *c, const struct flight *f) {
    struct window *w = window_of(c, f->slot);
    struct entry *e = &w->at[f->entry];
    if (!(w->used >> f->entry & 1) || e->uid != f->uid) return false;
    e->flies = false;
    return true;
}

/* --- leaving */

static void leave(struct core *c, u32 slot, struct window *w, u32 id) {
    struct entry *e = &w->at[id];
    for (u32 i = e->t->nsrc; i < (u32)e->t->nsrc + e->t->ndst; i++)
        if (w->last[e->t->reg[i]] == id + 1) w->last[e->t->reg[i]] = 0;
    w->registers -= e->registers;
    w->used &= ~(1ull << id);
    w->of_unit[e->t->unit] &= ~(1ull << id);
    w->complete &= ~(1ull << id);
    EMIT(c, .kind = EV_RETIRE, .cycle = c->now, .uid = e->uid, .slot = (u16)slot, .cause = c->window->how->precise);
    if (!e->flies) /* else its end is told when memory is done with it */
        EMIT(c, .kind = EV_DONE, .cycle = c->now, .uid = e->uid, .slot = (u16)slot);
    precise_leaves(c, slot, id);
    c->stats.retired++;
    u64 latency = e->t->kind == T_MEM ? past_of(w, id)->latency : 0;
    if (!latency) return;
    c->stats.load_latency_cycles += latency;
    c->pcs[e->t->pc].latency += latency;
}

/* These have left */
static void close_up(struct window *w, u64 gone) {
    u32 n = 0;
    for (; w->n && gone >> *w->oldest & 1; w->n--, w->oldest++) gone &= ~(1ull << *w->oldest);
    if (!gone) return;
    for (u32 i = 0; i < w->n; i++)
        if (!(gone >> w->oldest[i] & 1)) w->oldest[n++] = w->oldest[i];
    w->n = n;
}

u64 window_leaving(const struct core *c, u32 slot) {
    struct window_view v = window_view_of(c, window_of(c, slot), 0);
    return c->window->how->may_leave(&v);
}

static void retire_from(struct core *c, u32 slot, u64 go) {
    struct window *w = window_of(c, slot);
    const struct front *f = &c->fronts[slot];
    u64 left = go;
    for (u32 i = 0; left; i++) {
        u32 id = w->oldest[i];
        if (!(left >> id & 1)) continue;
        leave(c, slot, w, id);
        left &= ~(1ull << id);
    }
    close_up(w, go);
    window_changes(c, slot);
    c->window->full &= ~(1ull << slot);
    if (!w->complete) c->window->complete &= ~(1ull << slot);
    if (!w->n && (!f->head || !f->head->window)) slot_look(c, slot, c->now + 1); /* it may show what dispatch stopped at */
}

void retire_stage(struct core *c) {
    struct windows *x = c->window;
    for (u64 m = x->complete & ~x->stay; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        if (!x->at[slot].complete) {
            x->complete &= ~(1ull << slot); /* taken back */
            continue;
        }
        u64 go = window_leaving(c, slot);
        if (!go) x->stay |= 1ull << slot;
        else if (!fault_leaves(c, slot, go)) retire_from(c, slot, go);
    }
}
