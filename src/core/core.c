/* The cycle of one SM: stages last to first, so that a stage sees what its consumer freed in this cycle and
 * nothing travels two stages at once; and the jump over cycles in which nothing can change (D5). */
#include "core/core.h"
#include "core/order_policy.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

/* --- building */

/* The stages. Each owns its state: made with the SM, emptied at a launch, freed with it; check walks its
 * invariants. One whose mechanism is not asked for makes nothing, and has nothing to empty or check. */
struct stage {
    void (*init)(struct core *c);
    void (*launch)(struct core *c); /* may be NULL, and so may check and text */
    void (*free)(struct core *c);
    void (*check)(const struct core *c);
    void (*text)(struct core *c, const struct text_change *y); /* it keeps instructions, and the text changes */
};
static const struct stage stages[] = {
    {cta_init, cta_launch, cta_free_stage, NULL},
    {fetch_init, fetch_launch, fetch_free, fetch_check, fetch_text},
    {operands_init, operands_launch, operands_free, NULL},
    {window_init, window_launch, window_free, window_check, window_text},
    {flight_init, watch_launch, flight_free, flight_check, flights_text},
    {memview_init, NULL, memview_free, writeback_check}, /* C6 */
    {lsu_init, lsu_launch, lsu_free, lsu_check},         /* C3 */
    {l1_init, l1_launch, l1_free, l1_check},             /* C4 */
    {texture_init, texture_launch, texture_free, texture_check},
    {port_init, port_launch, port_free, port_check}, /* C5 */
    {replay_init, replay_launch, replay_free, replay_check, replay_text},
    {reexec_init, reexec_launch, reexec_free, reexec_check},
    {predict_init, predict_launch, predict_free, predict_check},
    {vfetch_init, vfetch_launch, vfetch_free, vfetch_check, vfetch_text},
    {vunits_init, vunits_launch, vunits_free, vunits_check, vunits_text},
    {vtex_init, vtex_launch, vtex_free, vtex_check},
    {vlsu_init, vlsu_launch, vlsu_free, vlsu_check},
    {vcache_init, vcache_launch, vcache_free, vcache_check},
    {issue_init, issue_launch, issue_free, issue_check}, /* C1, C2; behind those that its policy may watch */
    {early_init, early_launch, early_free, early_check},
    {weave_init, weave_launch, weave_free, NULL},
    {split_init, split_launch, split_free, split_check},
    {form_init, form_launch, form_free, form_check}, /* last: it may change what the others see of the configuration */
    {squad_init, squad_launch, squad_free, squad_check},
    {gang_init, gang_launch, gang_free, gang_check},
};

struct core *core_new(const struct config *cfg, const struct policies *p, u32 id) {
    struct core *c = base_alloc_aligned(sizeof(*c));
    c->cfg = cfg;
    c->pol = *p;
    if (p->diverge->chooses && p->diverge->chooses(cfg)) c->pol.sched = &sched_dwf;
    c->id = id;
    c->nslots = cfg->warps;
    c->nfronts = p->diverge->places ? p->diverge->places(cfg) : c->nslots;
    c->words = set_words(c->nfronts);
    c->fronts = base_alloc_aligned(sizeof(*c->fronts) * c->nfronts);
    c->age = base_alloc(sizeof(*c->age) * c->nfronts);
    c->ib_mask = ring_mask(cfg->ibuffer + (cfg->pipeline == PIPELINE_VORTEX));
    c->fault_cy = NEVER;
    for (u32 i = 0; i < ARRAY_LEN(stages); i++) stages[i].init(c);
    return c;
}

void core_control(struct core *c, bool no_jumps, u32 check_cy) {
    c->ticking = no_jumps;
    c->check_cy = check_cy;
    c->pauses = check_cy != 0;
}

static void free_launch(struct core *c) {
    cta_release(c);
    for (u32 i = 0; i < MAX_SLOTS; i++) {
        free(c->homes[i].sb);
        free(c->homes[i].lane_ready), free(c->homes[i].way);
        c->homes[i].sb = NULL;
        c->homes[i].lane_ready = NULL;
        c->homes[i].way = NULL;
    }
    free(c->pcs);
    c->pcs = NULL;
    free(c->view.hints);
    free(c->view.counts);
    free(c->view.runs);
    c->view.hints = NULL, c->view.counts = c->view.runs = NULL;
    strbuf_free(&c->view.fault);
    free(c->view.rewritten.at);
    c->view.rewritten.at = NULL;
    text_free(c);
}

void core_free(struct core *c) {
    if (!c) return;
    free_launch(c);
    for (u32 i = 0; i < ARRAY_LEN(stages); i++) stages[i].free(c);
    free(c->events.at);
    free(c->fronts);
    free(c->age);
    free(c);
}

/* --- launches */

/* The launch as this SM sees it: what a warp changes while it runs is the SM's own, so that SMs can run side
 * by side */
static void make_view(struct core *c, const struct launch *l) {
    c->view = *l;
    c->view.port = core_memport(c);
    c->view.hints = base_alloc(sizeof(u32) * l->k->ninst);
    c->view.counts = base_alloc(sizeof(struct pc_count) * l->k->ninst);
    c->view.runs = base_alloc(sizeof(struct pc_count) * (l->k->ninst + 1u));
    c->view.fault = (struct strbuf){0};
    memset(&c->view.rewritten, 0, sizeof(c->view.rewritten));
    c->view.faulted = false;
    c->view.instructions = c->view.divergent = c->view.ctas_done = 0;
    c->view.timed = true;
    c->view.smid = c->id;
    c->view.nsmid = c->cfg->sms;
    c->view.nwarpid = c->cfg->warps;
    c->view.pass_by = c->pol.diverge->never_meet && l->k->gathers && !c->squads;
    c->view.never_meet = c->pol.diverge->never_meet && !c->view.pass_by;
    c->view.tick = NULL;
}

void core_launch(struct core *c, const struct program *p, const struct launch *l, u64 now) {
    free_launch(c);
    c->prog = p;
    c->now = now;
    c->fault_cy = NEVER;
    c->jumped = c->asleep_cy = 0;
    make_view(c, l);
    c->words = set_words(c->nfronts);
    for (u32 i = 0; i < ARRAY_LEN(stages); i++)
        if (stages[i].launch) stages[i].launch(c);
    c->lane_stats = (struct lane_stats){0};
    memset(&c->stats, 0, sizeof(c->stats));
    c->pcs = base_alloc(sizeof(*c->pcs) * p->k->ninst);
    for (u32 i = 0; i < c->nslots; i++) {
        u32 regs = p->nregs + p->npreds + 1u;
        c->homes[i] = (struct home){.sb = base_alloc(sizeof(struct sbreg) * regs)};
        if (!c->pol.diverge->by_lane) continue;
        c->homes[i].way = base_alloc(sizeof(struct way_of) * MAX_WARP);
        c->homes[i].lanes_drain = (c->form && c->pol.order->earliest) || c->prog->frames;
        c->homes[i].lane_ready = base_alloc(sizeof(u64) * MAX_WARP * regs);
    }
    for (u32 i = 0; i < c->nfronts; i++) {
        c->fronts[i] = (struct front){.slot = i, .part = &c->fronts[i].own, .ib = {.next = NONE, .fetch_pc = NONE}};
        c->age[i] = 0;
    }
    account_init(c);
    c->words = core_first_words(c); /* until another front begins */
}

void core_settle(struct core *c, u64 now) {
    core_catch_up(c, now);
    account_settle(c, c->now);
}

void core_reset_stats(struct core *c, u64 now) {
    core_settle(c, now);
    memset(&c->stats, 0, sizeof(c->stats));
    c->lane_stats = (struct lane_stats){0};
    memset(c->pcs, 0, sizeof(*c->pcs) * c->prog->k->ninst);
    c->stats.mshr_peak = l1_mshrs_used(c, CACHE_DATA);
}

void core_end(struct core *c) { free_launch(c); }

/* --- the cycle */

/* The same with the stages of Vortex */
static void tick_vortex(struct core *c) {
    cta_admit(c, c->now);
    port_stage(c);
    vlsu_stage(c);
    vunits_stage(c);
    issue_alarms(c);
    issue_stage(c);
    vfetch_stage(c);
    vunits_settle(c);
    c->now++;
}

static u64 next_vortex(const struct core *c) {
    u64 next = earlier(issue_alarm(c), cta_next(c));
    if (next > c->now) next = earlier(next, port_next(c));
    if (next > c->now) next = earlier(next, vunits_next(c));
    if (next > c->now) next = earlier(next, vlsu_next(c));
    if (next > c->now) next = earlier(next, vfetch_next(c));
    if (next > c->now && !issue_blocked((struct core *)c)) return c->now;
    return next;
}

static void tick(struct core *c) {
    cta_admit(c, c->now);
    port_stage(c);
    if (c->replay) replay_signals(c);
    lsu_stage(c);
    if (c->window) complete_stage(c);
    if (c->form) cta_begin_renewed(c);
    issue_alarms(c);
    if (c->split) split_stage(c);
    issue_stage(c);
    if (c->window) window_stage(c), retire_stage(c);
    if (c->cfg->blocked_hits) blocked_count(c, 1);
    fetch_stage(c);
    c->now++;
}

/* The program has changed its text, in a cycle that is over */
static __attribute__((cold)) void change_text(struct core *c) {
    struct text_change y;
    text_change(c, &y);
    for (u32 i = 0; i < ARRAY_LEN(stages); i++)
        if (stages[i].text) stages[i].text(c, &y);
    for (u32 i = 0; i < 64 * c->words && i < c->nfronts; i++) front_text(c, i, &y);
    text_changed(&y);
}

static __attribute__((cold)) void pause_before_cycle(struct core *c) {
    if (c->view.rewritten.n) change_text(c);
    if (c->check_cy && c->now % c->check_cy == 0) core_check(c);
    c->pauses = c->check_cy != 0;
}

u64 core_next(const struct core *c) {
    if (c->asleep_cy) return c->asleep_cy;
    if (c->vfetch) return next_vortex(c);
    u64 next = earlier(issue_alarm(c), cta_next(c));
    if (c->replay) next = earlier(next, replay_next(c));
    if (c->window && next > c->now) next = earlier(next, window_wakes(c));
    if (next > c->now) next = earlier(next, port_next(c));
    if (next > c->now) next = earlier(next, lsu_next(c));
    if (next > c->now) next = earlier(next, fetch_next(c));
    if (c->split && next > c->now) next = earlier(next, split_next(c));
    if (next > c->now && !issue_blocked((struct core *)c)) return c->now;
    if (next > c->now) next = earlier(next, issue_next(c));
    return next;
}

static void skip(struct core *c, u64 n) {
    issue_skip(c, n);
    if (c->vfetch) vfetch_skip(c, n), vlsu_skip(c, n);
    if (c->cfg->blocked_hits) blocked_count(c, n);
    lsu_skip(c, n);
    port_skip(c, n);
    c->now += n;
    c->jumped += n;
}

void core_catch_up(struct core *c, u64 now) {
    if (c->now < now && !c->view.faulted) skip(c, now - c->now);
}

/* What it sleeps through may be counted later: nobody listens, and nothing but packets and blocks comes from
 * outside */
static bool may_sleep(const struct core *c) {
    return !c->check_cy && !c->tracing && !c->predict && c->cfg->scale_sync != SCALE_LOCKSTEP;
}

static void tell_failure(const void *of);

void core_run(struct core *c, u64 to) {
    if (c->asleep_cy >= to) return;
    c->asleep_cy = 0;
    base_check_teller = (struct check_teller){tell_failure, c};
    while (c->now < to && !c->view.faulted) {
        if (__builtin_expect(c->pauses, 0)) pause_before_cycle(c);
        bool busy = c->ticking || issue_last(c) + 1 == c->now; /* a cycle after an issue is worth a look anyway */
        u64 next = busy ? c->now : core_next(c);
        if (next >= to && may_sleep(c)) {
            c->asleep_cy = next;
            break;
        }
        if (next > c->now) skip(c, MIN(next, to) - c->now);
        else if (c->vfetch) tick_vortex(c);
        else tick(c);
    }
    if (c->view.faulted) c->now = to;
    base_check_teller = (struct check_teller){0};
}

u64 core_asleep(const struct core *c) { return c->asleep_cy; }

u32 core_news(const struct core *c) {
    const struct cta_done *ended;
    return (port_sent(c) ? NEWS_SENT : 0u) | (memview_stored(c) ? NEWS_STORED : 0u) |
           (core_blocks_done(c, &ended) ? NEWS_ENDED : 0u) | (c->view.faulted ? NEWS_FAULTED : 0u);
}

bool core_idle(const struct core *c) { return cta_idle(c) && !atomics_out(c) && port_idle(c) && vunits_idle(c) && vlsu_idle(c); }

u64 core_quiet(const struct core *c) { return MAX(cta_quiet(c), port_quiet(c)); }
u64 core_empty(const struct core *c) { return MAX(core_quiet(c), MAX(vunits_empty(c), vlsu_empty(c))); }

/* --- invariants and reports */

void core_check(const struct core *c) {
    for (u32 i = 0; i < ARRAY_LEN(stages); i++)
        if (stages[i].check) stages[i].check(c);
    for (u32 i = 0; i < c->nslots; i++)
        if (c->homes[i].w && c->homes[i].w->live) warp_check(c->homes[i].w);
}

/* --- what the chip reads */

u64 core_last_issue(const struct core *c) { return issue_last(c); }
u64 core_jumped(const struct core *c) { return c->jumped; }
u64 core_fault_cy(const struct core *c) { return c->fault_cy; }
const struct sm_stats *core_stats(const struct core *c) { return &c->stats; }
const struct lane_stats *core_lanes(const struct core *c) { return &c->lane_stats; }
const struct pc_stats *core_pcs(const struct core *c) { return c->pcs; }
struct launch *core_launch_view(struct core *c) { return &c->view; }
void core_listen(struct core *c) { c->tracing = true; }
const struct event *core_events(const struct core *c, u32 *n) {
    *n = c->events.n;
    return c->events.at;
}
void core_events_taken(struct core *c) { c->events.n = 0; }

static void slot_waits(const struct core *c, u32 i, struct strbuf *out) {
    const struct home *s = &c->homes[c->form ? c->fronts[i].part[0].home : i];
    strbuf_add(out, "\n  SM %u slot %u, block %llu warp %u:", c->id, i, (unsigned long long)cta_number(s->place), s->w->id);
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
    for (u32 i = 0; i < c->nfronts && shown < 4; i++) {
        bool some = c->form ? c->fronts[i].nparts : c->homes[i].w && !(c->fronts[i].account.set & 1u << STALL_EMPTY);
        if (some) slot_waits(c, i, out), shown++;
    }
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
    window_abandon(c);
    if (c->reexec) reexec_abandon(c);
    lsu_abandon(c);
    port_abandon(c);
    l1_abandon(c);
    texture_abandon(c);
    fetch_abandon(c);
    vfetch_abandon(c);
    vunits_abandon(c);
    vtex_abandon(c);
    vlsu_abandon(c);
    vcache_abandon(c);
}
