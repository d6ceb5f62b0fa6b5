/* Memory instructions in windows: which may pass which on the way to memory.
 *
 * Orders whose instructions leave in any order are conservative and plain: a load waits until every older
 * store of its warp has issued, a store until every older memory instruction has. The memory stage takes them
 * in order of issue, so accesses of a thread to one place are made in program order wherever one of them
 * writes.
 *
 * A precise order (rob) has a queue of stores: a store goes to memory when all before it is complete, and
 * its address is known as soon as its operands are there. A load compares with the older stores that have
 * not issued: it passes those that touch other lines, takes its value from one that writes just what it
 * reads (order.forward_cy), and waits for one that overlaps otherwise. What it does about stores whose
 * addresses are not known is order.memory:
 *
 *   conservative  it waits until they are
 *   aggressive    it does not; a store that becomes known and finds a younger load of its lines gone has it,
 *                 and all that used its value, issue again: time is repeated, function is not
 *   predicted     as aggressive, but it waits for stores it was caught with before (store sets)
 *
 * Paper: CMU 18-447, lecture 15; Chrysos and Emer 1998 for store sets. Deviation: addresses are compared by
 * cache line and lane, and shared memory by lane, which is what the audit sees; accesses of several parts
 * (warps of more than 32 lanes, textures) conflict with all, and wait until all before them is complete. A
 * branch that used a value that is taken back stays resolved.
 *
 * Invariants: M1 an access that writes is not overtaken by an older or younger one of its warp to the same
 * line and lane, but by loads that issue again; M2 what is taken back is younger than a store that has not
 * issued, and so has not left. */
#include "core/window.h"

#include <stdlib.h>
#include <string.h>

struct touch { /* what a memory instruction touches, for comparing */
    bool one;  /* all in one access of 32 lanes */
    u8 space;
    u32 mask, size_b;
    u64 addr[32];
};
struct memorder {
    struct touch *touch; /* [warp slots][order.window] */
    u32 *set;            /* [order.storesets]: 0: none */
};

void memorder_init(struct core *c) {
    struct memorder *m = c->window->memory = base_alloc(sizeof(*m));
    if (!c->window->how->precise) return;
    m->touch = base_alloc(sizeof(*m->touch) * c->nslots * c->cfg->window);
    m->set = base_alloc(sizeof(u32) * c->cfg->storesets);
}

void memorder_launch(struct core *c) {
    if (c->window->memory->set) memset(c->window->memory->set, 0, sizeof(u32) * c->cfg->storesets);
}

void memorder_free(struct core *c) {
    free(c->window->memory->touch), free(c->window->memory->set);
    free(c->window->memory);
}

static u32 age_of(const struct window *w, u32 id) {
    u32 i = 0;
    while (w->oldest[i] != id) i++;
    return i;
}

static struct touch *touch_of(const struct core *c, u32 slot, u32 id) {
    return &c->window->memory->touch[(size_t)slot * c->cfg->window + id];
}

static bool is_store(const struct tinst *t) { return t->in->iclass == ICLASS_STORE || t->in->iclass == ICLASS_ATOMIC; }

/* --- comparing */

static u64 line_of(const struct core *c, const struct touch *x, u32 lane, u64 addr) {
    u64 at = x->space == SPACE_LOCAL ? addr / 4 * 4 * c->cfg->warp_size + lane * 4ull : addr;
    return at / c->cfg->l1_line_b;
}

static bool same_line(const struct core *c, const struct touch *x, const struct touch *y, u32 lane) {
    u64 x0 = line_of(c, x, lane, x->addr[lane]), x1 = line_of(c, x, lane, x->addr[lane] + x->size_b - 1);
    u64 y0 = line_of(c, y, lane, y->addr[lane]), y1 = line_of(c, y, lane, y->addr[lane] + y->size_b - 1);
    return x0 <= y1 && y0 <= x1;
}

static bool conflict(const struct core *c, const struct touch *x, const struct touch *y) {
    if (!x->one || !y->one) return true;
    if (x->space != y->space) return false;
    u32 both = x->mask & y->mask;
    if (x->space == SPACE_SHARED) return both;
    for (; both; both &= both - 1)
        if (same_line(c, x, y, (u32)__builtin_ctz(both))) return true;
    return false;
}

/* The store writes just what the load reads */
static bool gives(const struct touch *load, const struct touch *store) {
    if (!load->one || !store->one || load->space != store->space || load->size_b != store->size_b || load->mask & ~store->mask)
        return false;
    for (u32 m = load->mask; m; m &= m - 1)
        if (load->addr[__builtin_ctz(m)] != store->addr[__builtin_ctz(m)]) return false;
    return load->mask;
}

/* --- store sets */

static u32 *set_of(const struct core *c, const struct entry *e) {
    return &c->window->memory->set[(u32)e->t->pc % c->cfg->storesets];
}

static bool same_set(const struct core *c, const struct entry *load, const struct entry *store) {
    u32 x = *set_of(c, load);
    return x && x == *set_of(c, store);
}

static void join_sets(struct core *c, const struct entry *load, const struct entry *store) {
    u32 *x = set_of(c, load), *y = set_of(c, store);
    u32 id = *x && *y ? MIN(*x, *y) : *x ? *x : *y ? *y : 1 + (u32)(y - c->window->memory->set);
    *x = *y = id;
}

/* --- a load and the older stores that have not issued */

static bool waits_for_unknown(const struct core *c, const struct entry *load, const struct entry *store) {
    if (c->cfg->memory_order == MEMORY_CONSERVATIVE) return true;
    return c->cfg->memory_order == MEMORY_PREDICTED && same_set(c, load, store);
}

/* The load's value came from the store: if that has to wait again, so has the load */
static bool took_from(const struct window *w, u32 load, u32 store) { return past_of(w, load)->given == w->at[store].uid; }

static bool stays_behind(const struct core *c, u32 slot, const struct window *w, u32 load, u32 store) {
    if (w->at[store].waits) return took_from(w, load, store) || waits_for_unknown(c, &w->at[load], &w->at[store]);
    return conflict(c, touch_of(c, slot, load), touch_of(c, slot, store));
}

/* From the youngest store on: those it must wait for, up to one that gives it its value; a conservative load
 * waits for every address all the same */
static void find_older_stores(const struct core *c, u32 slot, struct window *w, u32 load) {
    struct entry *e = &w->at[load];
    u32 i = w->n;
    e->after = 0, e->giver = 0;
    if (!w->stores) return;
    while (w->oldest[--i] != load);
    while (i-- > 0) {
        u32 s = w->oldest[i];
        if (!(w->stores >> s & 1) || !stays_behind(c, slot, w, load, s) || (e->giver && !w->at[s].waits)) continue;
        if (!w->at[s].waits && gives(touch_of(c, slot, load), touch_of(c, slot, s)) && w->at[s].t->in->iclass == ICLASS_STORE) {
            e->giver = (u8)(s + 1);
            if (c->cfg->memory_order != MEMORY_CONSERVATIVE) return;
            continue;
        }
        e->after |= 1ull << s;
    }
}

static void compare(const struct core *c, u32 slot, struct window *w, u32 load) {
    find_older_stores(c, slot, w, load);
    window_bind(w, load);
}

/* --- dispatch */

/* Its addresses may be asked for: it is a store, older ones have not issued, or it may be taken back */
static bool is_compared(const struct core *c, const struct window *w, u32 id) {
    return w->stores || is_store(w->at[id].t) || c->window->takes_back;
}

static void note_touch(const struct core *c, u32 slot, u32 id, const struct step *st, const struct flight *f) {
    struct touch *x = touch_of(c, slot, id);
    const struct probe_access *p = st->probe.at.at;
    x->one = st->probe.at.n <= 1, x->space = (u8)f->mem.space, x->mask = x->size_b = 0;
    if (st->probe.at.n != 1) return;
    x->one = p->slab == 0, x->space = p->space, x->mask = p->mask, x->size_b = p->size_b;
    if (is_compared(c, window_of(c, slot), id)) memcpy(x->addr, p->addr, sizeof(x->addr));
}

static void keep_plain_order(struct window *w, u32 id) {
    struct entry *e = &w->at[id];
    e->after = is_store(e->t) ? w->memory : w->stores;
}

/* It makes no access, but keeps its place in an order that is plain */
static void dispatch_faulty(const struct core *c, struct window *w, u32 id) {
    if (c->window->how->precise) return;
    keep_plain_order(w, id);
    window_bind(w, id);
    w->memory |= 1ull << id;
    if (is_store(w->at[id].t)) w->stores |= 1ull << id;
}

void memorder_dispatch(struct core *c, u32 slot, u32 id, const struct step *st) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    if (e->faults) {
        dispatch_faulty(c, w, id);
        return;
    }
    struct member own;
    struct crew crew = crew_of(c, slot, st, e->uid, &own);
    struct flight *f = lsu_record(c, slot, e->t, st, &crew);
    f->windowed = true;
    f->entry = (u8)id;
    e->flight = f->id;
    e->flies = true;
    e->kind = f->mem.space == SPACE_SHARED || f->mem.is_const ? WAIT_SHORT : WAIT_LONG;
    if (!c->window->how->precise) keep_plain_order(w, id);
    else {
        note_touch(c, slot, id, st, f);
        e->certain = is_store(e->t) || !touch_of(c, slot, id)->one;
        if (e->certain) w->certain |= 1ull << id;
        if (is_store(e->t)) e->after = 0; /* it waits until it is certain */
        else find_older_stores(c, slot, w, id);
    }
    window_bind(w, id);
    w->memory |= 1ull << id;
    if (is_store(e->t)) w->stores |= 1ull << id;
}

/* --- issue */

/* The value comes from a store: no access is made */
static u64 take_value(struct core *c, u32 slot, struct window *w, struct entry *e) {
    u64 ready = c->now + c->cfg->forward_cy;
    c->stats.loads_forwarded++;
    struct entry_past *past = past_of(w, (u32)(e - w->at));
    past->given = w->at[e->giver - 1].uid;
    EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = e->uid, .slot = (u16)slot, .mask = e->active, .cause = ACCESS_FORWARD,
         .a = past->given);
    EMIT(c, .kind = EV_COMPLETE, .cycle = ready, .uid = e->uid, .slot = (u16)slot, .mask = e->active);
    if (flight_has_latency(flight_at(c, e->flight))) past->latency = c->cfg->forward_cy;
    flight_end(c, flight_at(c, e->flight));
    e->flies = false;
    return ready;
}

static void tell_others(struct core *c, u32 slot, struct window *w, u32 id) {
    u64 bit = 1ull << id;
    EACH_ENTRY(w->memory, i) {
        if (w->at[i].giver == id + 1) compare(c, slot, w, (u32)i);
        if (!(w->at[i].after & bit)) continue;
        w->at[i].after &= ~bit;
        window_bind(w, (u32)i);
    }
}

u64 memorder_issue(struct core *c, u32 slot, u32 id, u64 *read) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    u64 bit = 1ull << id;
    w->memory &= ~bit;
    w->stores &= ~bit;
    w->sent_cy = c->now + 1;
    if (w->memory) tell_others(c, slot, w, id);
    if (e->faults) return c->now + c->cfg->l1_cy;
    if (!e->tries) lsu_count(c, flight_at(c, e->flight));
    past_of(w, id)->given = 0;
    if (e->giver) return take_value(c, slot, w, e);
    *read = lsu_send(c, flight_at(c, e->flight), false);
    return is_store(e->t) ? MAX(flight_at(c, e->flight)->mem.ready_cy, c->now + 1) : NEVER;
}

/* --- what went too early is taken back */

static bool took_from_any(const struct window *w, u32 load, u64 set) {
    if (!past_of(w, load)->given) return false;
    EACH_ENTRY(set, i)
    if (took_from(w, load, (u32)i)) return true;
    return false;
}

/* It, and whoever has a value of it through registers or stores: younger ones */
static u64 users_of(const struct window *w, u32 id) {
    u64 set = 1ull << id;
    for (u32 i = age_of(w, id) + 1; i < w->n; i++) {
        u32 k = w->oldest[i];
        if (past_of(w, k)->deps & set || took_from_any(w, k, set)) set |= 1ull << k;
    }
    return set;
}

/* The accesses it has under way, if any, come home to nobody; it makes them again */
static void send_for_again(struct core *c, u32 slot, u32 id) {
    struct entry *e = &window_of(c, slot)->at[id];
    const struct touch *x = touch_of(c, slot, id);
    struct probe_access p = {.space = x->space, .kind = PROBE_LOAD, .mask = x->mask, .size_b = x->size_b};
    struct step st = {.in = e->t->in, .frame = e->frame, .lanes = e->lanes, .active = e->active};
    memcpy(p.addr, x->addr, sizeof(p.addr));
    st.probe.at.at = &p, st.probe.at.n = x->mask != 0;
    if (e->flies) flight_at(c, e->flight)->uid = 0, flight_at(c, e->flight)->orphan = true;
    struct member own;
    struct crew crew = crew_of(c, slot, &st, e->uid, &own);
    struct flight *f = lsu_record(c, slot, e->t, &st, &crew);
    f->windowed = true;
    f->entry = (u8)id;
    e->flight = f->id;
    e->flies = true;
}

static void take_back(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    e->state = ENTRY_WAITING;
    e->tries++;
    e->from_cy = MAX(e->from_cy, c->now + 1);
    e->ready_cy = NEVER;
    w->waiting |= 1ull << id;
    w->complete &= ~(1ull << id);
    if (e->certain) w->certain |= 1ull << id;
    window_bind(w, id);
    window_changes(c, slot);
    window_name_again(c, slot, id);
    c->stats.reexecuted++;
    EMIT(c, .kind = EV_SQUASH, .cycle = c->now, .uid = e->uid, .slot = (u16)slot);
    if (e->t->kind != T_MEM || e->faults) return;
    send_for_again(c, slot, id);
    w->memory |= 1ull << id;
}

/* These wait for the results that they have had, as far as those are not complete any more */
static void wait_again(struct window *w, u64 set) {
    u64 older = 0;
    for (u32 i = 0; i < w->n; i++) {
        u32 id = w->oldest[i];
        if (set >> id & 1) {
            EACH_ENTRY(past_of(w, id)->deps & older & ~w->complete, of) window_wait_for(w, id, (u32)of);
            window_bind(w, id);
        }
        older |= 1ull << id;
    }
}

static u32 first_waiting(const struct window *w) {
    u32 i = 0;
    while (!(w->waiting >> w->oldest[i] & 1)) i++;
    return w->oldest[i];
}

/* The load has read a line that the store writes: it and all that used its value go again; with checkpoints
 * everything since the copy before it does */
static void violation(struct core *c, u32 slot, u32 load, u32 store) {
    struct window *w = window_of(c, slot);
    u64 set = c->cfg->precise == PRECISE_CHECKPOINT ? precise_since_copy(c, w, load) : users_of(w, load);
    u64 cost = precise_cost(c, w, set);
    c->stats.order_violations++;
    c->stats.restore_cycles += cost;
    if (c->cfg->memory_order == MEMORY_PREDICTED) join_sets(c, &w->at[load], &w->at[store]);
    EACH_ENTRY(set & ~w->waiting, i) take_back(c, slot, (u32)i);
    EACH_ENTRY(cost ? set : 0, i) w->at[i].from_cy = MAX(w->at[i].from_cy, c->now + 1 + cost);
    if (c->cfg->precise == PRECISE_FUTURE || c->cfg->precise == PRECISE_CHECKPOINT) {
        w->at[load].certain = true;
        w->certain |= 1ull << load;
    }
    wait_again(w, set);
    w->first = (i32)first_waiting(w);
    EACH_ENTRY(w->memory & ~w->stores, i) compare(c, slot, w, (u32)i); /* stores may be unknown again */
}

/* The load's value came from a younger store than this one */
static bool has_newer(const struct entry_past *load, const struct entry *store) { return load->given > store->uid; }

void memorder_known(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    const struct entry *s = &w->at[id];
    if (!c->window->how->precise) return;
    for (u32 i = 0; i < w->n; i++) {
        u32 k = w->oldest[i];
        struct entry *e = &w->at[k];
        if (e->uid <= s->uid || e->t->kind != T_MEM || is_store(e->t)) continue;
        if (w->memory >> k & 1) compare(c, slot, w, k);
        else if (!has_newer(past_of(w, k), s) && conflict(c, touch_of(c, slot, k), touch_of(c, slot, id)))
            violation(c, slot, k, id);
    }
}
