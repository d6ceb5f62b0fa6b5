/* What a warp has outstanding in memory, and how it comes home: registers are written when the last part of
 * an instruction's data is there, through the same bank ports as others.
 *
 * This file alone of the memory stages reaches into a warp's place (struct home): its counts of memory
 * instructions, stores, atomics and copies under way, its registers, and the look at what it waits for when
 * one of them has changed.
 *
 * Invariants: C6 (writeback_check) a slot's counts are the sums over its instructions in flight. */
#include "core/flight.h"
#include "core/order_policy.h"

/* The warp that issued it is still there. Stores and reductions may outlive theirs. */
static struct home *home_of(const struct core *c, const struct flight *f) {
    struct home *s = (struct home *)&c->homes[f->slot];
    return s->w && s->age == f->age ? s : NULL;
}

/* --- wake-ups */

/* Whether the slot's next step may depend on instructions that the memory stage has not taken: barriers,
 * fences, exits and calls do. One that waits lane by lane may hand over to another part of its warp at every
 * look. */
static bool waits_for_stage(const struct core *c, const struct front *f) {
    if (c->pol.order->earliest || !f->head || f->head->kind == T_FRAME) return true;
    if (f->account.set & (1u << STALL_DRAIN | 1u << STALL_MEMBAR)) return true;
    return c->pol.diverge->by_lane && f->account.set;
}

/* Whether a result that has come can matter to it: it waits for one, or for all that is under way */
static bool waits_for_result(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    if (!f->head || c->homes[slot].ended || f->head->kind == T_FRAME || f->head->kind == T_ASYNC_WAIT) return true;
    if (f->account.set & (1u << STALL_LONG | 1u << STALL_SHORT | 1u << STALL_WAIT)) return true;
    return c->pol.diverge->by_lane && f->account.set;
}

void home_wake(struct core *c, u32 slot, enum home_change what) {
    if (c->window) what = HOME_SIGNAL; /* its window may wait for anything */
    if (what == HOME_TAKEN && !waits_for_stage(c, &c->fronts[slot])) return;
    if (what == HOME_RESULT && !waits_for_result(c, slot)) return;
    slot_look(c, slot, c->now);
}

/* An atomic of the SM has been answered: others may wait for it too */
static void wake_atomic_waiters(struct core *c) {
    for (u32 i = 0; i < c->nslots; i++)
        if (c->homes[i].w && c->fronts[i].account.set & (1u << STALL_ATOMIC_ORDER | 1u << STALL_MEMBAR))
            home_wake(c, i, HOME_ANSWERED);
}

/* --- it goes out */

/* Its destinations are unknown until it comes home. */
static void block_registers(const struct home *s, const struct flight *f) {
    const struct tinst *t = f->t;
    bool is_short = f->mem.space == SPACE_SHARED || f->mem.is_const;
    if (f->mem.red) return;
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++)
        sb_write(s, t->reg[i], f->lanes, NEVER, is_short ? WAIT_SHORT : WAIT_LONG);
}

void writeback_executed(struct core *c, const struct flight *f) { c->homes[f->slot].atomics += f->mem.packets.n; }

void writeback_expect(struct core *c, struct flight *f) {
    struct home *s = &c->homes[f->slot];
    f->sent = true;
    if (!f->windowed) block_registers(s, f);
    s->queued++;
    s->loads += flight_has_result(f);
    s->asyncs += f->mem.is_async;
}

void writeback_reads(struct core *c, const struct flight *f, u64 cy) {
    struct home *s = &c->homes[f->slot];
    s->drain_cy = MAX(s->drain_cy, cy);
}

void writeback_store_sent(struct core *c, struct flight *f) {
    f->mem.outstanding++;
    c->homes[f->slot].stores++;
}

/* --- it comes home */

static void release_registers(struct core *c, struct home *s, const struct flight *f) {
    const struct tinst *t = f->t;
    u64 written = operands_write(c, f->sub, s, t, f->result_cy);
    u64 ready = c->cfg->bypass ? f->result_cy : written;
    if (f->windowed) {
        window_result(c, f, ready);
        return;
    }
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++)
        sb_write(s, t->reg[i], f->lanes, ready, (enum wait_kind)s->sb[t->reg[i]].kind);
    s->drain_cy = MAX(s->drain_cy, ready);
    EMIT(c, .kind = EV_READY, .cycle = ready, .uid = f->uid, .slot = f->slot, .mask = f->lanes);
}

/* A window's load may be taken back yet: its time is counted when it leaves */
static void count_latency(struct core *c, const struct flight *f) {
    if (!flight_has_latency(f) || f->windowed) return;
    c->stats.load_latency_cycles += f->result_cy - f->issue_cy;
    c->pcs[flight_pc(c, f)].latency += f->result_cy - f->issue_cy;
}

/* Accepted, and nothing outstanding: the instruction is over. */
static void result(struct core *c, struct flight *f) {
    struct home *s = flight_has_result(f) ? home_of(c, f) : NULL;
    u32 slot = f->slot;
    f->result_cy = MAX(f->result_cy, c->now);
    if (s) {
        if ((f->t->ndst || f->windowed) && !f->orphan) release_registers(c, s, f);
        s->loads--;
        s->asyncs -= f->mem.is_async;
        s->drain_cy = MAX(s->drain_cy, f->result_cy);
    }
    count_latency(c, f);
    if (!f->orphan) EMIT(c, .kind = EV_COMPLETE, .cycle = f->result_cy, .uid = f->uid, .slot = f->slot, .mask = f->active);
    if (!f->orphan && (!f->windowed || !window_ends(c, f))) /* else it is over when its entry leaves */
        EMIT(c, .kind = EV_DONE, .cycle = f->result_cy, .uid = f->uid, .slot = f->slot);
    flight_end(c, f);
    if (s) home_wake(c, slot, HOME_RESULT);
}

void writeback_part(struct core *c, u32 id, u64 cy) {
    struct flight *f = flight_at(c, id);
    f->result_cy = MAX(f->result_cy, cy);
    CHECK(f->used && f->mem.outstanding);
    if (--f->mem.outstanding == 0 && f->mem.accepted) result(c, f);
}

bool writeback_accepted(struct core *c, struct flight *f) {
    struct home *s = &c->homes[f->slot];
    u32 slot = f->slot;
    f->mem.accepted = true;
    bool last = --s->queued == 0;
    if (!f->mem.outstanding) result(c, f);
    if (last || c->pol.order->earliest) home_wake(c, slot, HOME_TAKEN);
    return last;
}

void writeback_stored(struct core *c, u32 id) {
    const struct flight *f = flight_at(c, id);
    struct home *s = home_of(c, f);
    u32 slot = f->slot;
    if (s) s->stores--;
    writeback_part(c, id, c->now);
    if (s && !s->stores) home_wake(c, slot, HOME_STORED);
}

void writeback_atomic(struct core *c, u32 packet) {
    struct atomic_packet *p = atomic_at(c, packet);
    u32 id = p->flight;
    struct home *s = home_of(c, flight_at(c, id));
    if (s) s->atomics--;
    atomic_answered(c, p);
    writeback_part(c, id, c->now);
    wake_atomic_waiters(c);
}

/* --- giving up time: what is on its way arrives at once */

void writeback_abandon(struct core *c) {
    EACH_FLIGHT (c, f) {
        for (u32 k = 0; k < f->mem.packets.n; k++) {
            struct atomic_packet *p = atomic_at(c, f->mem.packets.at[k]);
            if (p->flight != f->id) continue;
            if (!p->performed) atomic_perform(c->view.mem, c->view.ops, p);
            atomic_answered(c, p);
        }
        flight_end(c, f);
    }
}

/* --- the invariant */

struct slot_counts {
    u32 queued, loads, stores, atomics, asyncs;
};

static void count_flight(const struct core *c, const struct flight *f, struct slot_counts *n) {
    n->queued += f->sent && !f->mem.accepted;
    n->loads += f->sent && flight_has_result(f);
    n->asyncs += f->sent && f->mem.is_async;
    if (f->mem.kind == PROBE_STORE) n->stores += f->mem.outstanding;
    for (u32 k = 0; k < f->mem.packets.n; k++) n->atomics += atomic_at(c, f->mem.packets.at[k])->flight == f->id;
}

void writeback_check(const struct core *c) {
    struct slot_counts n[MAX_SLOTS] = {0};
    u32 packets = 0;
    EACH_FLIGHT (c, f) {
        struct slot_counts all = {0};
        count_flight(c, f, &all);
        packets += all.atomics;
        if (home_of(c, f)) count_flight(c, f, &n[f->slot]);
    }
    CHECK(packets == atomics_out(c));
    for (u32 i = 0; i < c->nslots; i++) {
        const struct home *s = &c->homes[i];
        if (!s->w) continue;
        CHECK(s->queued == n[i].queued && s->loads == n[i].loads && s->stores == n[i].stores); /* C6 */
        CHECK(s->atomics == n[i].atomics && s->asyncs == n[i].asyncs);                         /* C6 */
    }
}
