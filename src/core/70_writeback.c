/* What a warp has outstanding in memory, and how it comes home: registers are written when the last part of
 * an instruction's data is there, through the same bank ports as others.
 *
 * This file alone of the memory stages reaches into a warp's place (struct home): its counts of memory
 * instructions, stores, atomics and copies under way, its registers, and the look at what it waits for when
 * one of them has changed.
 *
 * Invariants (writeback_check): C6 a slot's counts are the sums over its instructions in flight; C7 and those
 * of each of its threads, where they are kept, over those that have it. */
#include "core/flight.h"
#include "core/order_policy.h"

/* The warp that issued it is still there. Stores and reductions may outlive theirs. */
static struct home *home_of(const struct core *c, const struct member *m) {
    struct home *s = (struct home *)&c->homes[m->home];
    return s->w && s->age == m->age ? s : NULL;
}

/* Each member of a flight's crew: i counts, m is it */
#define EACH_MEMBER(f, i, m)                                                                                                     \
    struct member own_;                                                                                                          \
    struct crew crew_ = flight_crew(f, &own_);                                                                                   \
    u32 i = 0;                                                                                                                   \
    for (const struct member *m = crew_.at; i < crew_.n; i++, m++)

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
static bool waits_for_result(const struct core *c, const struct front *f, const struct home *s) {
    if (!f->head || s->ended || f->head->kind == T_FRAME || f->head->kind == T_ASYNC_WAIT) return true;
    if (f->account.set & (1u << STALL_LONG | 1u << STALL_SHORT | 1u << STALL_WAIT)) return true;
    return c->pol.diverge->by_lane && f->account.set;
}

/* Looks at a front with threads of that home where what has happened there may matter to it */
static void front_wake(struct core *c, u32 slot, u32 home, enum home_change what) {
    if (c->window && window_speaks(c, slot)) return; /* its results come by window_result */
    if (c->window) what = HOME_SIGNAL;               /* dispatch may have stopped at anything */
    if (what == HOME_TAKEN && !waits_for_stage(c, &c->fronts[slot])) return;
    if (what == HOME_RESULT && !waits_for_result(c, &c->fronts[slot], &c->homes[home])) return;
    slot_look(c, slot, c->now);
}

/* Fronts of its threads that know where they go; and the home itself, where it only waits to be empty */
static void wake_formed(struct core *c, u32 home, enum home_change what) {
    u16 at[MAX_WARP];
    u32 n = form_fronts(c, home, at);
    for (u32 i = 0; i < n; i++)
        if (c->fronts[at[i]].head) front_wake(c, at[i], home, what);
    if (c->homes[home].ended) slot_look(c, home, c->now);
}

void home_wake(struct core *c, u32 home, enum home_change what) {
    if (__builtin_expect(c->form != NULL, 0)) wake_formed(c, home, what);
    else front_wake(c, home, home, what);
}

/* An atomic of the SM has been answered: others may wait for it too */
static void wake_atomic_waiters(struct core *c) {
    for (int i = sched_awaits_memory(c, 0); i != NONE; i = sched_awaits_memory(c, (u32)i + 1))
        if (c->fronts[i].account.set & (1u << STALL_ATOMIC_ORDER | 1u << STALL_MEMBAR)) slot_look(c, (u32)i, c->now);
}

/* --- it goes out */

/* Its destinations are unknown until it comes home. */
static void block_registers(const struct home *s, const struct flight *f, u64 lanes) {
    const struct tinst *t = f->t;
    bool is_short = f->mem.space == SPACE_SHARED || f->mem.is_const;
    if (f->mem.red) return;
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++)
        sb_write(s, t->reg[i], lanes, NEVER, is_short ? WAIT_SHORT : WAIT_LONG);
}

/* So many more of an atomic packet's lanes are to be answered */
static void packet_expect(const struct home *s, const struct atomic_packet *p, i32 by) {
    for (u32 i = 0; s->way && i < p->n; i++) s->way[p->lane[i].lane].atomics += (u32)by;
}

void writeback_executed(struct core *c, const struct flight *f) {
    for (u32 k = 0; k < f->mem.packets.n; k++) {
        const struct atomic_packet *p = atomic_at(c, f->mem.packets.at[k]);
        c->homes[p->home].atomics++;
        packet_expect(&c->homes[p->home], p, 1);
    }
}

/* So many more of these lanes' memory instructions are to be taken, and to bring results */
static void lanes_expect(const struct home *s, u64 lanes, i32 queued, i32 loads, i32 asyncs) {
    for (u64 m = s->way ? lanes : 0; m; m &= m - 1) {
        struct way_of *x = &s->way[__builtin_ctzll(m)];
        x->queued += (u32)queued, x->loads += (u32)loads, x->asyncs += (u32)asyncs;
    }
}

/* The same of a store's lines, of which any may be any lane's */
static void lanes_store(const struct home *s, u64 lanes, i32 by) {
    for (u64 m = s->way ? lanes : 0; m; m &= m - 1) s->way[__builtin_ctzll(m)].stores += (u32)by;
}

void writeback_expect(struct core *c, struct flight *f) {
    f->sent = true;
    EACH_MEMBER(f, i, m) {
        struct home *s = &c->homes[m->home];
        if (!f->windowed) block_registers(s, f, m->lanes);
        s->queued++;
        s->loads += flight_has_result(f);
        s->asyncs += f->mem.is_async;
        lanes_expect(s, m->lanes, 1, flight_has_result(f), f->mem.is_async);
    }
}

void writeback_reads(struct core *c, const struct crew *w, u64 cy) {
    for (u32 i = 0; i < w->n; i++) home_drains(&c->homes[w->at[i].home], w->at[i].lanes, cy);
}

void writeback_store_sent(struct core *c, struct flight *f) {
    f->mem.outstanding++;
    EACH_MEMBER(f, i, m) { /* a line of it may be of any of them */
        c->homes[m->home].stores++;
        lanes_store(&c->homes[m->home], m->lanes, 1);
    }
}

/* --- it comes home */

/* Results are there at cycle `at`, but of these lanes */
static void release_registers(struct core *c, const struct crew *w, const struct flight *f, u64 at, u64 but) {
    const struct tinst *t = f->t;
    u64 written = operands_write(c, f->sub, w, t, at);
    u64 ready = c->cfg->bypass ? at : written;
    if (f->windowed) {
        window_result(c, f, ready);
        return;
    }
    for (u32 k = 0; k < w->n; k++) {
        struct home *s = home_of(c, &w->at[k]);
        for (u32 i = t->nsrc; s && i < (u32)t->nsrc + t->ndst; i++)
            sb_write(s, t->reg[i], w->at[k].lanes & ~but, ready, (enum wait_kind)s->sb[t->reg[i]].kind);
        if (s) home_drains(s, w->at[k].lanes & ~but, ready);
    }
    FLIGHT_TELL(c, f, .kind = EV_READY, .cycle = ready, .mask = f->lanes & ~but);
}

void writeback_early(struct core *c, struct flight *f, u64 lanes, u64 cy) {
    struct member own;
    struct crew w = flight_crew(f, &own);
    release_registers(c, &w, f, cy, ~lanes);
    home_wake(c, w.at[0].home, HOME_RESULT); /* all of one home */
}

/* A home has one result less to wait for */
static void came_home(struct home *s, const struct flight *f, u64 lanes) {
    s->loads--;
    s->asyncs -= f->mem.is_async;
    lanes_expect(s, lanes, 0, -1, -(i32)f->mem.is_async);
    home_drains(s, lanes, f->result_cy);
}

/* A window's load may be taken back yet: its time is counted when it leaves */
static void count_latency(struct core *c, const struct flight *f) {
    if (!flight_has_latency(f) || f->windowed) return;
    c->stats.load_latency_cycles += f->result_cy - f->issue_cy;
    c->pcs[flight_pc(f)].latency += f->result_cy - f->issue_cy;
}

/* Accepted, and nothing outstanding: the instruction is over. */
static void result(struct core *c, struct flight *f) {
    struct member own;
    struct crew w = flight_crew(f, &own);
    bool awaited = false;
    f->result_cy = MAX(f->result_cy, c->now);
    for (u32 i = 0; i < w.n && !awaited; i++) awaited = flight_has_result(f) && home_of(c, &w.at[i]);
    if (awaited && f->mem.returned && f->t->ndst && c->cfg->return_first) pipe_returns(c, f->sub, f->lanes);
    if (awaited && (f->t->ndst || f->windowed) && !f->orphan)
        release_registers(c, &w, f, f->result_cy, c->early ? early_lanes(c, f) : 0);
    for (u32 i = 0; i < w.n && awaited; i++)
        if (home_of(c, &w.at[i])) came_home(home_of(c, &w.at[i]), f, w.at[i].lanes);
    count_latency(c, f);
    if (!f->orphan) FLIGHT_TELL(c, f, .kind = EV_COMPLETE, .cycle = f->result_cy, .mask = f->active);
    if (!f->orphan && (!f->windowed || !window_ends(c, f))) /* else it is over when its entry leaves */
        FLIGHT_TELL(c, f, .kind = EV_DONE, .cycle = f->result_cy);
    flight_end(c, f);
    for (u32 i = 0; i < w.n && awaited; i++)
        if (home_of(c, &w.at[i])) home_wake(c, w.at[i].home, HOME_RESULT);
}

void writeback_parts(struct core *c, u32 id, u32 n, u64 cy) {
    struct flight *f = flight_at(c, id);
    f->result_cy = MAX(f->result_cy, cy);
    CHECK(f->used && f->mem.outstanding >= n);
    f->mem.returned = true;
    f->mem.outstanding -= n;
    if (!f->mem.outstanding && f->mem.accepted) result(c, f);
}

void writeback_part(struct core *c, u32 id, u64 cy) { writeback_parts(c, id, 1, cy); }

bool writeback_accepted(struct core *c, struct flight *f) {
    struct member own;
    struct crew w = flight_crew(f, &own); /* stays where it is when the flight is over, until the next one is made */
    bool last = true;
    f->mem.accepted = true;
    for (u32 i = 0; i < w.n; i++) {
        struct home *s = &c->homes[w.at[i].home];
        last &= --s->queued == 0;
        lanes_expect(s, w.at[i].lanes, -1, 0, 0);
    }
    if (!f->mem.outstanding) result(c, f);
    else if (c->early) early_accepted(c, f);
    for (u32 i = 0; i < w.n; i++)
        if (!c->homes[w.at[i].home].queued || c->pol.order->earliest || c->homes[w.at[i].home].way)
            home_wake(c, w.at[i].home, HOME_TAKEN);
    return last;
}

void writeback_stored(struct core *c, u32 id) {
    struct member own;
    struct crew w = flight_crew(flight_at(c, id), &own);
    for (u32 i = 0; i < w.n; i++) {
        struct home *s = home_of(c, &w.at[i]);
        if (!s) continue;
        s->stores--;
        lanes_store(s, w.at[i].lanes, -1);
    }
    writeback_part(c, id, c->now);
    for (u32 i = 0; i < w.n; i++) {
        const struct home *s = home_of(c, &w.at[i]);
        if (s && (!s->stores || s->way)) home_wake(c, w.at[i].home, HOME_STORED);
    }
}

void writeback_atomic(struct core *c, u32 packet) {
    struct atomic_packet *p = atomic_at(c, packet);
    u32 id = p->flight;
    EACH_MEMBER(flight_at(c, id), i, m) {
        if (m->home != p->home) continue;
        if (home_of(c, m)) home_of(c, m)->atomics--, packet_expect(home_of(c, m), p, -1);
        break; /* a packet is of one home */
    }
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

static void count_flight(const struct flight *f, struct slot_counts *n) {
    n->queued += f->sent && !f->mem.accepted;
    n->loads += f->sent && flight_has_result(f);
    n->asyncs += f->sent && f->mem.is_async;
    if (f->mem.kind == PROBE_STORE) n->stores += f->mem.outstanding;
}

/* Atomics of a flight that are on their way, of one home or (NONE) all */
static u32 packets_of(const struct core *c, const struct flight *f, i32 home) {
    u32 n = 0;
    for (u32 k = 0; k < f->mem.packets.n; k++) {
        const struct atomic_packet *p = atomic_at(c, f->mem.packets.at[k]);
        n += p->flight == f->id && (home == NONE || p->home == home);
    }
    return n;
}

/* Members in different calls may be of one home */
static bool is_first_of_home(const struct member *at, u32 i) {
    for (u32 k = 0; k < i; k++)
        if (at[k].home == at[i].home) return false;
    return true;
}

/* What one member has of a flight, by lane */
static void count_lanes(const struct core *c, const struct flight *f, const struct member *m, bool first,
                        struct slot_counts *lane) {
    for (u64 left = m->lanes; left; left &= left - 1) count_flight(f, &lane[__builtin_ctzll(left)]);
    for (u32 k = 0; first && k < f->mem.packets.n; k++) {
        const struct atomic_packet *p = atomic_at(c, f->mem.packets.at[k]);
        for (u32 i = 0; p->flight == f->id && p->home == m->home && i < p->n; i++) lane[p->lane[i].lane].atomics++;
    }
}

static void check_lanes(const struct core *c, u32 home) {
    const struct home *s = &c->homes[home];
    struct slot_counts lane[MAX_WARP] = {0};
    EACH_FLIGHT (c, f) {
        EACH_MEMBER(f, i, m)
        if (m->home == home && home_of(c, m)) count_lanes(c, f, m, is_first_of_home(crew_.at, i), lane);
    }
    for (u32 i = 0; i < c->cfg->warp_size; i++) {
        const struct way_of *x = &s->way[i];
        CHECK(x->queued == lane[i].queued && x->loads == lane[i].loads && x->stores == lane[i].stores); /* C7 */
        CHECK(x->atomics == lane[i].atomics && x->asyncs == lane[i].asyncs);                            /* C7 */
    }
}

void writeback_check(const struct core *c) {
    struct slot_counts n[MAX_SLOTS] = {0};
    u32 packets = 0;
    EACH_FLIGHT (c, f) {
        EACH_MEMBER(f, i, m) {
            if (!home_of(c, m)) continue;
            count_flight(f, &n[m->home]);
            if (is_first_of_home(crew_.at, i)) n[m->home].atomics += packets_of(c, f, m->home);
        }
        packets += packets_of(c, f, NONE);
    }
    CHECK(packets == atomics_out(c));
    for (u32 i = 0; i < c->nslots; i++) {
        const struct home *s = &c->homes[i];
        if (!s->w) continue;
        CHECK(s->queued == n[i].queued && s->loads == n[i].loads && s->stores == n[i].stores); /* C6 */
        CHECK(s->atomics == n[i].atomics && s->asyncs == n[i].asyncs);                         /* C6 */
        if (s->way) check_lanes(c, i);
    }
}
