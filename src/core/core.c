/* The cycle of one SM: stages last to first, so that a stage sees what its consumer freed in this cycle and nothing travels two stages at once; and the jump over cycles in which nothing can
 * change (D5). */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

/* --- building */

static void make_units(struct core *c) {
    const struct config *g = c->cfg;
    const u32 units[UNIT_COUNT] = {g->alu_units, g->int_units, g->sfu_units, g->fp64_units, g->tensor_units, 1, 0};
    operands_init(c);
    for (u32 i = 0; i < g->subcores; i++) {
        memcpy(c->subs[i].units, units, sizeof(units));
        c->subs[i].bank = base_alloc(sizeof(u64) * g->banks * g->bank_ports * BANK_WORDS);
    }
}

static void make_schedulers(struct core *c) {
    for (u32 i = 0; i < MAX_SLOTS; i++) {
        c->sched_of[i] = (u8)(i % c->cfg->schedulers);
        c->sub_of[i] = (u8)(c->sched_of[i] % c->cfg->subcores);
    }
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        struct sched *s = &c->scheds[i];
        for (u32 w = i; w < c->nslots; w += c->cfg->schedulers) s->slots |= 1ull << w, s->nslots++;
        s->state = base_alloc(MAX(c->pol.sched->state_size(c->cfg), (size_t)1));
    }
}

static void make_fetch(struct core *c) {
    const struct config *g = c->cfg;
    tags_init(&c->icache, g->icache_sets, g->icache_ways, g->icache_line_b, g->icache_line_b, false);
    c->icache_waits = base_alloc(sizeof(*c->icache_waits) * g->icache_mshrs);
}

/* Of the memory stages, and what works beside them */
static void make_memory(struct core *c) {
    flight_init(c);
    memview_init(c);
    lsu_init(c);
    l1_init(c);
    port_init(c);
    replay_init(c);
    reexec_init(c);
    predict_init(c);
}

static void free_memory(struct core *c) {
    flight_free(c);
    memview_free(c);
    lsu_free(c);
    l1_free(c);
    port_free(c);
    replay_free(c);
    reexec_free(c);
    predict_free(c);
}

static void launch_memory(struct core *c) {
    watch_launch(c);
    lsu_launch(c);
    l1_launch(c);
    port_launch(c);
    if (c->replay) replay_launch(c);
    if (c->reexec) reexec_launch(c);
    if (c->predict) predict_launch(c);
}

struct core *core_new(const struct config *cfg, const struct policies *p, u32 id) {
    struct core *c = base_alloc_aligned(sizeof(*c));
    c->cfg = cfg;
    c->pol = *p;
    c->id = id;
    c->nslots = cfg->warps;
    c->fault_cy = NEVER;
    make_units(c);
    make_schedulers(c);
    make_fetch(c);
    make_memory(c);
    sched_make(c);
    return c;
}

static void free_launch(struct core *c) {
    for (u32 i = 0; i < c->spare.n; i++) cta_free(c->spare.at[i]);
    c->spare.n = 0;
    for (u32 i = 0; i < MAX_SLOTS; i++) {
        if (c->places[i].used) cta_free(c->places[i].cta);
        c->places[i].used = false;
        free(c->slots[i].sb);
        free(c->slots[i].lane_ready);
        c->slots[i].sb = NULL;
        c->slots[i].lane_ready = NULL;
    }
    free(c->pcs);
    c->pcs = NULL;
    free(c->view.hints);
    free(c->view.counts);
    free(c->view.runs);
    c->view.hints = NULL, c->view.counts = c->view.runs = NULL;
    strbuf_free(&c->view.fault);
}

void core_free(struct core *c) {
    if (!c) return;
    free_launch(c);
    for (u32 i = 0; i < c->cfg->subcores; i++) free(c->subs[i].bank);
    for (u32 i = 0; i < c->cfg->schedulers; i++) free(c->scheds[i].state);
    sched_free(c);
    free_memory(c);
    void *all[] = {c->icache_waits, c->spare.at, c->coming.at, c->done.at, c->events.at};
    for (u32 i = 0; i < ARRAY_LEN(all); i++) free(all[i]);
    step_free(&c->step), step_free(&c->pseudo);
    tags_free(&c->icache);
    free(c);
}

/* --- launches */

/* The launch as this SM sees it: what a warp changes while it runs is the SM's own, so that SMs can run side by side */
static void make_view(struct core *c, const struct launch *l) {
    c->view = *l;
    c->view.port = core_memport(c);
    c->view.hints = base_alloc(sizeof(u32) * l->k->ninst);
    c->view.counts = base_alloc(sizeof(struct pc_count) * l->k->ninst);
    c->view.runs = base_alloc(sizeof(struct pc_count) * (l->k->ninst + 1u));
    c->view.fault = (struct strbuf){0};
    c->view.faulted = false;
    c->view.instructions = c->view.divergent = c->view.ctas_done = 0;
    c->view.timed = true;
    c->view.smid = c->id;
    c->view.nsmid = c->cfg->sms;
    c->view.nwarpid = c->cfg->warps;
    c->view.never_meet = c->pol.diverge->never_meet;
    c->view.tick = NULL;
}

static void forget_state(struct core *c) {
    memset(c->wheel, 0, sizeof(c->wheel));
    c->wheel_any = c->parked = c->fetch_want = c->unresolved = 0;
    launch_memory(c);
    sched_launch(c);
    c->fetch_last = MAX_SLOTS - 1;
    c->resident = c->resident_warps = 0;
    c->coming.n = c->coming_at = c->done.n = 0;
    tags_clear(&c->icache);
    for (u32 i = 0; i < c->cfg->subcores; i++) {
        memset(c->subs[i].unit_free, 0, sizeof(c->subs[i].unit_free));
        memset(c->subs[i].collector_free, 0, sizeof(c->subs[i].collector_free));
        memset(c->subs[i].bank, 0, sizeof(u64) * c->cfg->banks * c->cfg->bank_ports * BANK_WORDS);
        c->subs[i].bank_word = c->now / 64;
        c->subs[i].free_known = 0;
        memset(c->subs[i].none_before, 0, sizeof(c->subs[i].none_before));
    }
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        struct sched *s = &c->scheds[i];
        memset(s->state, 0, MAX(c->pol.sched->state_size(c->cfg), (size_t)1));
        if (c->pol.sched->init) c->pol.sched->init(s->state, c->cfg, i, s->slots);
        s->valid = 0;
        s->noissue = 0;
        memset(s->unavail, 0, sizeof(s->unavail));
        memset(s->noissue_unavail, 0, sizeof(s->noissue_unavail));
    }
}

void core_launch(struct core *c, const struct program *p, const struct launch *l, u64 now) {
    free_launch(c);
    c->prog = p;
    c->now = now;
    c->issued_any_cy = c->quiet_cy = now;
    c->fault_cy = NEVER;
    c->jumped = 0;
    make_view(c, l);
    forget_state(c);
    memset(&c->stats, 0, sizeof(c->stats));
    c->pcs = base_alloc(sizeof(*c->pcs) * p->k->ninst);
    for (u32 i = 0; i < c->nslots; i++) {
        u32 regs = p->nregs + p->npreds + 1u;
        c->fronts[i] = (struct front){.ib = {.next = NONE, .fetch_pc = NONE}};
        c->slots[i] = (struct slot){.sb = base_alloc(sizeof(struct sbreg) * regs)};
        if (c->pol.diverge->by_lane) c->slots[i].lane_ready = base_alloc(sizeof(u64) * MAX_WARP * regs);
        c->age[i] = 0;
    }
    account_init(c);
}

void core_settle(struct core *c) { account_settle(c, c->now); }

void core_reset_stats(struct core *c) {
    account_settle(c, c->now);
    memset(&c->stats, 0, sizeof(c->stats));
    memset(c->pcs, 0, sizeof(*c->pcs) * c->prog->k->ninst);
    c->stats.mshr_peak = l1_mshrs_used(c, CACHE_DATA);
}

void core_end(struct core *c) { free_launch(c); }

/* --- the cycle */

static void look_due(struct core *c) {
    u64 due = c->wheel[c->now % WHEEL];
    if (!due) return;
    c->wheel[c->now % WHEEL] = 0;
    c->wheel_any &= ~(1ull << c->now % WHEEL);
    for (; due; due &= due - 1) slot_due(c, (u32)__builtin_ctzll(due));
}

static void tick(struct core *c) {
    if (c->coming_at < c->coming.n) cta_admit(c, c->now);
    port_stage(c);
    if (c->replay) replay_signals(c);
    lsu_stage(c);
    look_due(c);
    issue_stage(c);
    if (c->cfg->blocked_hits) blocked_count(c, 1);
    fetch_stage(c);
    c->now++;
}

static u64 wheel_next(const struct core *c) {
    if (!c->wheel_any) return NEVER;
    u32 at = (u32)(c->now % WHEEL);
    u64 turned = at ? c->wheel_any >> at | c->wheel_any << (WHEEL - at) : c->wheel_any;
    return c->now + (u32)__builtin_ctzll(turned);
}

u64 core_next(const struct core *c) {
    u64 next = wheel_next(c);
    if (c->coming_at < c->coming.n) next = MIN(next, MAX(c->now, c->coming.at[c->coming_at].cycle));
    if (c->replay) next = MIN(next, replay_next(c));
    if (next > c->now) next = MIN(next, port_next(c));
    if (next > c->now) next = MIN(next, lsu_next(c));
    if (next > c->now) next = MIN(next, fetch_next(c));
    if (next > c->now && !issue_blocked((struct core *)c)) return c->now;
    if (next > c->now) next = MIN(next, issue_next(c));
    return next;
}

static void skip(struct core *c, u64 n) {
    issue_skip(c, n);
    if (c->cfg->blocked_hits) blocked_count(c, n);
    lsu_skip(c, n);
    port_skip(c, n);
    c->now += n;
    c->jumped += n;
}

static void tell_failure(const void *of);

void core_run(struct core *c, u64 to) {
    base_check_teller = (struct check_teller){tell_failure, c};
    while (c->now < to && !c->view.faulted) {
        if (c->check_cy && c->now % c->check_cy == 0) core_check(c);
        bool busy = c->ticking || c->issued_any_cy + 1 == c->now; /* a cycle after an issue is worth a look anyway */
        u64 next = busy ? c->now : core_next(c);
        if (next > c->now) skip(c, MIN(next, to) - c->now);
        else tick(c);
    }
    if (c->view.faulted) c->now = to;
    base_check_teller = (struct check_teller){0};
}

bool core_idle(const struct core *c) { return !c->resident && c->coming_at == c->coming.n && !atomics_out(c) && port_idle(c); }

u64 core_quiet(const struct core *c) { return MAX(c->quiet_cy, port_quiet(c)); }

/* --- invariants and reports */

static void check_schedulers(const struct core *c) {
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        const struct sched *s = &c->scheds[i];
        u32 pop[CPI_COUNT] = {0};
        u64 all = 0;
        for (u32 u = 0; u < UNIT_COUNT; u++) {
            CHECK(!(all & s->ready[u]));
            all |= s->ready[u];
        }
        CHECK(all == s->all_ready && !(all & ~s->slots));
        for (u64 m = s->slots; m; m &= m - 1) {
            u32 k = (u32)__builtin_ctzll(m);
            const struct front *x = &c->fronts[k];
            const struct account *a = &x->account;
            CHECK((a->set == 0) == (all >> k & 1));                                /* C1 */
            CHECK(a->set || (x->nparts && x->head && s->ready[a->unit] >> k & 1)); /* C1 */
            pop[0] += a->set != 0;
        }
        for (u32 k = 1; k < CPI_COUNT; k++) pop[1] += s->pop[k];
        CHECK(pop[0] == pop[1]); /* C2 */
    }
}

static void check_memory(const struct core *c) {
    flight_check(c);
    writeback_check(c); /* C6 */
    lsu_check(c);       /* C3 */
    l1_check(c);        /* C4 */
    port_check(c);      /* C5 */
    replay_check(c);
    reexec_check(c);
    predict_check(c);
}

void core_check(const struct core *c) {
    check_schedulers(c);
    check_memory(c);
    tags_check(&c->icache);
    for (u32 i = 0; i < c->nslots; i++)
        if (c->slots[i].w && c->slots[i].w->live) warp_check(c->slots[i].w);
}

static void slot_waits(const struct core *c, u32 i, struct strbuf *out) {
    const struct slot *s = &c->slots[i];
    strbuf_add(out, "\n  SM %u slot %u, block %llu warp %u:", c->id, i, (unsigned long long)s->place->cta->linear, s->w->id);
    const struct front *f = &c->fronts[i];
    for (u32 m = f->account.set; m; m &= m - 1) strbuf_add(out, " %s", stall_table[__builtin_ctz(m)].name);
    if (!f->account.set) strbuf_add(out, " ready");
    strbuf_add(out, " (%u queued, %u results, %u stores, %u atomics outstanding)", s->queued, s->loads, s->stores, s->atomics);
    if (f->head) {
        strbuf_add(out, " at ");
        fault_where(&c->view, f->head->in, out);
    }
    if (c->replay) replay_history(c, i, out);
}

void core_waits(struct core *c, struct strbuf *out) {
    u32 shown = 0;
    for (u32 i = 0; i < c->nslots && shown < 4; i++)
        if (c->slots[i].w && !(c->fronts[i].account.set & 1u << STALL_EMPTY)) slot_waits(c, i, out), shown++;
    lsu_waits(c, out);
    port_waits(c, out);
}

/* A CHECK has failed while this SM ran. */
static void tell_failure(const void *of) {
    const struct core *c = of;
    struct strbuf b = {0};
    core_waits((struct core *)c, &b);
    fprintf(stderr, "  SM %u, cycle %llu%s\n", c->id, (unsigned long long)c->now, b.s ? b.s : "");
    strbuf_free(&b);
}

/* --- giving up time: what is on its way arrives at once */

void core_abandon(struct core *c) {
    writeback_abandon(c);
    if (c->reexec) reexec_abandon(c);
    lsu_abandon(c);
    port_abandon(c);
    l1_abandon(c);
    memset(c->icache_waits, 0, sizeof(*c->icache_waits) * c->cfg->icache_mshrs);
}
