/* A chip, and launches on it in stream order: what happens before, at the limits of and after the windows. */
#include "gpu/chip.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#define CODE_BASE   0x520000000000ull /* where kernels' instructions lie for the caches */
#define CODE_STRIDE 0x1000000ull

enum { DRAIN_CY = 4096 }; /* the memory side is looked at for idleness at multiples of this after a launch */

/* SMs that issue together look at each other after every cycle; others when a packet, or a block in the place
 * of one that has ended, may come */
static u32 derive_window(const struct config *c, bool more_blocks) {
    if (c->scale_sync == SCALE_LOCKSTEP) return 1;
    return MAX(1u, more_blocks ? MIN(mem_min_latency(c), c->cta_launch_cy) : mem_min_latency(c));
}

static void make_partitions(struct gpu *g) {
    for (u32 k = 0; k < g->cfg.partitions; k++) {
        if (g->parts[k]) partition_free(g->parts[k]);
        g->parts[k] = partition_new(&g->cfg, k);
        for (u32 i = 0; i < g->cfg.sms; i++) g->in[k][i].at.n = 0;
    }
    mesh_free(g->mesh);
    g->mesh = g->cfg.noc_kind == NOC_MESH ? mesh_new(&g->cfg, g->parts) : NULL;
}

static void make_islands(struct gpu *g) {
    u32 parts = g->cfg.partitions, sms = g->cfg.sms;
    g->cores = base_alloc(sizeof(*g->cores) * sms);
    g->parts = base_alloc(sizeof(*g->parts) * parts);
    g->in = base_alloc(sizeof(*g->in) * parts);
    g->outs = base_alloc(sizeof(*g->outs) * parts);
    g->sent = base_alloc(sizeof(*g->sent) * parts * sms);
    g->news = base_alloc(sms + 8u);
    awake_init(g);
    for (u32 i = 0; i < sms; i++) {
        g->cores[i] = core_new(&g->cfg, &g->pol, i);
        core_control(g->cores[i], g->lim.no_jumps, g->lim.check_cy);
    }
    for (u32 k = 0; k < parts; k++) {
        g->in[k] = base_alloc(sizeof(**g->in) * sms);
        g->outs[k] = base_alloc(sizeof(**g->outs) * sms);
        for (u32 i = 0; i < sms; i++) g->outs[k][i] = port_outbox(g->cores[i], k);
    }
    make_partitions(g);
}

struct gpu *gpu_new(const struct config *c, const struct gpu_limits *lim, struct diag *d) {
    struct policies pol;
    if (!policies_find(c, &pol, d)) return NULL;
    struct gpu *g = base_alloc(sizeof(*g));
    g->cfg = *c;
    if (lim) g->lim = *lim;
    g->pol = pol;
    g->window = derive_window(c, true);
    make_islands(g);
    g->team = team_new(MIN(MAX(g->lim.threads, 1u), MAX(c->sms, c->partitions)));
    return g;
}

void gpu_free(struct gpu *g) {
    if (!g) return;
    team_free(g->team);
    for (u32 k = 0; k < g->cfg.partitions; k++) {
        for (u32 i = 0; i < g->cfg.sms; i++) free(g->in[k][i].at.at);
        free(g->in[k]);
        free(g->outs[k]);
        partition_free(g->parts[k]);
    }
    mesh_free(g->mesh);
    for (u32 i = 0; i < g->cfg.sms; i++) core_free(g->cores[i]);
    free(g->cores);
    free(g->parts);
    free(g->in);
    free(g->outs);
    free(g->sent);
    free(g->news);
    awake_free(g);
    free(g->listeners.at);
    free(g->kernels.at);
    free(g->atomics.at);
    free(g->counters);
    repeat_free(g);
    free(g);
}

void gpu_listen(struct gpu *g, struct listener l) {
    VEC_PUSH(&g->listeners, l);
    for (u32 i = 0; i < g->cfg.sms; i++) core_listen(g->cores[i]);
}

u32 gpu_window(const struct gpu *g) { return g->window; }

/* --- a launch begins */

static u64 code_base(struct gpu *g, const struct kernel *k) {
    if (k->code_at) return k->code_at;
    u32 i = 0;
    while (i < g->kernels.n && g->kernels.at[i] != k) i++;
    if (i == g->kernels.n) VEC_PUSH(&g->kernels, k);
    return CODE_BASE + i * CODE_STRIDE;
}

/* Printing, the device heap and devices among the addresses touch what all SMs share. */
static bool shares_more(const struct launch *l) {
    if (l->trace || l->k->device) return true;
    for (u32 pc = 0; pc < l->k->ninst; pc++) {
        const struct inst *in = &l->k->code[pc];
        const struct call_info *call = in->flags & INST_CALL ? in->info : NULL;
        if (call && call->builtin != NONE) return true;
    }
    return false;
}

/* The parameters of a launch have just been written through the L2 */
static void put_params(struct gpu *g, u32 bytes) {
    for (u64 a = PARAM_PHYSICAL; a < PARAM_PHYSICAL + bytes; a += g->cfg.l2_line_b) {
        for (u32 i = 0; i < g->cfg.clusters; i++) {
            struct place at = map_place_of(&g->cfg, i * (g->cfg.sms / g->cfg.clusters), a);
            partition_put(g->parts[at.slice / g->cfg.slices], at);
        }
    }
}

static u64 perf_of_sm(const void *of, u32 sm, u32 which) { return core_perf(((const struct gpu *)of)->cores[sm], which); }

static void begin(struct run *r) {
    struct gpu *g = r->g;
    r->start = r->counted_from = g->now;
    r->warmup_cy = g->lim.warmup_once && g->timed ? 0 : g->lim.warmup_cy;
    g->timed++;
    r->sample_cy = g->cfg.sample_cy ? g->cfg.sample_cy : g->lim.timeline ? TIMELINE_FIRST_CY : 0;
    r->next_sample = r->sample_cy ? g->now + r->sample_cy : NEVER;
    if (g->lim.timeline) r->last_sms = base_alloc(g->cfg.sms * sizeof(*r->last_sms));
    r->serial = shares_more(r->l);
    r->free = base_alloc(sizeof(u32) * g->cfg.sms);
    r->prog = program_new(&g->cfg, r->l->k, code_base(g, r->l->k));
    for (u32 k = 0; k < g->cfg.partitions; k++) {
        if (g->lim.flush) partition_flush(g->parts[k]);
        partition_stats_reset(g->parts[k]);
    }
    if (g->mesh) mesh_stats_reset(g->mesh);
    if (g->cfg.params_in_l2) put_params(g, r->l->k->param_b);
    traffic_begin(r);
    if (g->counters) memset(g->counters, 0, g->cfg.counter_entries);
    r->l->published = &r->published;
    r->l->perf = perf_of_sm, r->l->perf_of = g;
    for (u32 i = 0; i < g->cfg.sms; i++) {
        core_launch(g->cores[i], r->prog, r->l, g->now);
        g->news[i] = 0;
        awake_add(g, i);
    }
    for (u32 k = 0; k < g->listeners.n; k++)
        if (g->listeners.at[k].launch) g->listeners.at[k].launch(g->listeners.at[k].state, r->l->k, g->now);
    dispatch_first(r, g->now + g->cfg.launch_cy + g->cfg.cta_launch_cy);
    /* a program that has cores, not blocks, has begun them all */
    g->window = derive_window(&g->cfg, !r->l->k->first_warps || r->next_cta < r->end_cta);
    r->whole_cy = g->now + g->window;
}

/* --- on the way */

static bool all_idle(struct run *r) {
    const struct gpu *g = r->g;
    if (!core_idle(g->cores[r->busy_sm])) return false;
    for (u32 i = 0; i < g->cfg.sms; i++) {
        if (!core_idle(g->cores[i])) {
            r->busy_sm = i;
            return false;
        }
        for (u32 k = 0; k < g->cfg.partitions; k++)
            for (u32 n = 0; n < g->in[k][i].at.n; n++)
                if (g->in[k][i].at.at[n].kind != MRESP_CREDIT) return false;
    }
    return true;
}

/* The first fault in simulated time */
static struct core *faulted(const struct gpu *g) {
    struct core *first = NULL;
    for (u32 i = 0; i < g->cfg.sms; i++) {
        struct core *c = g->cores[i];
        if (core_launch_view(c)->faulted && (!first || core_fault_cy(c) < core_fault_cy(first))) first = c;
    }
    return first;
}

static void take_fault(struct launch *l, struct core *c) {
    l->faulted = true;
    strbuf_free(&l->fault);
    l->fault = core_launch_view(c)->fault;
    core_launch_view(c)->fault = (struct strbuf){0};
}

static bool release_stuck(struct gpu *g) {
    for (u32 i = 0; i < g->cfg.sms; i++) {
        core_catch_up(g->cores[i], g->now);
        awake_add(g, i);
        if (core_release_stuck(g->cores[i])) return true;
    }
    return false;
}

static void describe_chip(struct gpu *g, struct strbuf *out) {
    for (u32 i = 0; i < g->cfg.sms; i++) core_waits(g->cores[i], out);
    strbuf_add(out, "\n");
    for (u32 k = 0; k < g->cfg.partitions; k++) partition_waits(g->parts[k], out);
    if (g->mesh) mesh_waits(g->mesh, out);
}

/* Nothing can change any more, and blocks have not ended. */
static void diagnose_deadlock(struct run *r) {
    struct gpu *g = r->g;
    for (u32 i = 0; i < g->cfg.sms; i++) {
        struct cta *stuck = core_stuck_block(g->cores[i]);
        if (!stuck) continue;
        fault_deadlock(stuck);
        take_fault(r->l, g->cores[i]);
        return;
    }
    r->l->faulted = true;
    strbuf_add(&r->l->fault, "fault: deadlock in the simulated machine at cycle %llu: this is a mistake of the simulator",
               (unsigned long long)(g->now - r->start));
    describe_chip(g, &r->l->fault);
}

static u64 last_issue(const struct gpu *g) {
    u64 last = 0;
    for (u32 i = 0; i < g->cfg.sms; i++) last = MAX(last, core_last_issue(g->cores[i]));
    return last;
}

static u64 instructions(const struct gpu *g) {
    u64 n = 0;
    for (u32 i = 0; i < g->cfg.sms; i++) n += core_launch_view(g->cores[i])->instructions;
    return n;
}

static void limit_fault(struct run *r, const char *what, u64 n) {
    r->l->faulted = true;
    strbuf_add(&r->l->fault, "fault: the limit of %llu %s is reached (endless loop?)\n  kernel '%s'", (unsigned long long)n, what,
               r->l->k->name);
    describe_chip(r->g, &r->l->fault);
}

/* The last cycle that may pass without an instruction; the launch's own overhead does not count */
static u64 watchdog_at(const struct run *r) {
    const struct config *c = &r->g->cfg;
    return MAX(last_issue(r->g), r->start + c->launch_cy + c->cta_launch_cy) + c->watchdog_cy;
}

static bool is_stuck(struct run *r) {
    if (r->g->now > r->watchdog_cy) r->watchdog_cy = watchdog_at(r);
    return r->g->now > r->watchdog_cy;
}

/* Counted again when enough cycles have passed for the limit, if every lane's instructions were a warp's */
static bool has_run_too_long(struct run *r) {
    const struct config *c = &r->g->cfg;
    if (r->g->now < r->count_cy) return false;
    u64 n = r->l->instructions + instructions(r->g), most = r->l->max_instructions;
    if (n > most) return true;
    r->count_cy = r->g->now + (most - n) / ((u64)c->sms * c->schedulers * c->issue_width * MAX_WARP * 2);
    return false;
}

static void watchdog_fault(struct run *r) {
    r->l->faulted = true;
    strbuf_add(&r->l->fault,
               "fault: no instruction has issued for %u cycles (gpu.watchdog_cy): a deadlock, or a memory slower than that\n  "
               "kernel '%s'",
               r->g->cfg.watchdog_cy, r->l->k->name);
    describe_chip(r->g, &r->l->fault);
}

/* False when the launch cannot go on */
static bool healthy(struct run *r) {
    struct gpu *g = r->g;
    struct core *c = window_news(g) & NEWS_FAULTED ? faulted(g) : NULL;
    if (c) take_fault(r->l, c);
    else if (has_run_too_long(r)) limit_fault(r, "warp instructions", r->l->max_instructions);
    else if (is_stuck(r)) watchdog_fault(r);
    return !r->l->faulted;
}

static bool past_end(const struct gpu *g) { return g->lim.end_cy && g->now >= g->lim.end_cy; }

static u64 next_stop(const struct run *r) {
    const struct gpu *g = r->g;
    u64 to = r->whole_cy;
    if (g->lim.window_cy) to = MIN(to, g->now + g->lim.window_cy);
    if (g->now < r->start + r->warmup_cy) to = MIN(to, r->start + r->warmup_cy);
    if (g->lim.max_cy && g->now < r->start + g->lim.max_cy) to = MIN(to, r->start + g->lim.max_cy);
    if (g->lim.end_cy && g->now < g->lim.end_cy) to = MIN(to, g->lim.end_cy);
    return MIN(to, MIN(r->next_sample, r->traffic.next));
}

/* Whole windows in which nothing happens are passed at once. */
static u64 jump_to(const struct run *r, u64 to, u64 next) {
    const struct gpu *g = r->g;
    u64 limit = MIN(r->next_sample, r->traffic.next);
    if (g->lim.no_jumps || g->lim.window_cy || next <= to) return to;
    if (g->now < r->start + r->warmup_cy) limit = MIN(limit, r->start + r->warmup_cy);
    if (g->lim.max_cy) limit = MIN(limit, r->start + g->lim.max_cy);
    if (g->lim.end_cy) limit = MIN(limit, g->lim.end_cy);
    if (next > r->watchdog_cy) limit = MIN(limit, r->start + (watchdog_at(r) - r->start) / g->window * g->window + g->window);
    u64 far = r->start + (next - r->start) / g->window * g->window;
    return MAX(to, MIN(far, limit));
}

static void at_stops(struct run *r) {
    struct gpu *g = r->g;
    if (r->warmup_cy && g->now == r->start + r->warmup_cy) {
        traffic_cut(r);
        for (u32 i = 0; i < g->cfg.sms; i++) core_reset_stats(g->cores[i], g->now);
        for (u32 k = 0; k < g->cfg.partitions; k++) partition_stats_reset(g->parts[k]);
        if (g->mesh) mesh_stats_reset(g->mesh);
        traffic_restart(r);
        r->counted_from = g->now;
        r->last_sum = (struct sm_stats){0};
        r->last_mem = (struct mem_stats){0};
        if (r->last_sms) memset(r->last_sms, 0, g->cfg.sms * sizeof(*r->last_sms));
    }
    if (g->now != r->next_sample) return;
    collect_sample(r, g->now);
    r->next_sample = g->now + r->sample_cy;
}

static void progress(struct run *r) {
    struct launch *l = r->l;
    if (!l->tick) return;
    u64 before = l->instructions;
    l->instructions += instructions(r->g);
    l->ctas_done = r->done_ctas;
    l->timed = true;
    l->clock = r->g->now - r->start;
    l->tick(l->tick_user, l, l->ctas_done, l->ctas);
    l->instructions = before;
    l->timed = false;
}

enum ending { ENDED, FAULTED, OUT_OF_TIME, STOPPED };

static enum ending run_windows(struct run *r, const volatile bool *stop) {
    struct gpu *g = r->g;
    for (u64 n = 0;; n++) {
        if (r->next_cta == r->end_cta && all_idle(r)) return ENDED;
        if (stop && *stop) return STOPPED;
        if (past_end(g)) return g->lim.exit ? STOPPED : OUT_OF_TIME;
        if (g->lim.max_cy && g->now >= r->start + g->lim.max_cy) return OUT_OF_TIME;
        u64 next = window_next(r, n % 4 == 0);
        if (next == NEVER) {
            if (!release_stuck(g)) diagnose_deadlock(r);
            if (r->l->faulted) return FAULTED;
            continue;
        }
        window_run(r, jump_to(r, next_stop(r), next));
        at_stops(r);
        if (!healthy(r)) return FAULTED;
        if (n % 64 == 0) progress(r);
    }
}

/* --- the end */

static u64 end_cycle(const struct run *r) {
    u64 end = r->start;
    for (u32 i = 0; i < r->g->cfg.sms; i++) end = MAX(end, core_quiet(r->g->cores[i]));
    return MAX(end, r->counted_from);
}

/* The memory side goes on writing back what was evicted; the next launch finds it idle. Looked at only at
 * fixed times, so that cutting windows changes nothing. */
static void drain(struct run *r, u64 end) {
    struct gpu *g = r->g;
    u64 empty = r->start;
    for (u32 i = 0; i < g->cfg.sms; i++) empty = MAX(empty, core_empty(g->cores[i]));
    /* further than any window in which the end was noticed */
    u64 past = MAX(end - r->start + 2ull * g->window, empty - r->start + g->window);
    u64 at = r->start + (past + DRAIN_CY - 1) / DRAIN_CY * DRAIN_CY;
    CHECK(g->now <= at);
    for (;; at += DRAIN_CY) {
        while (g->now < at) {
            u64 to = r->whole_cy;
            if (g->lim.window_cy) to = MIN(to, g->now + g->lim.window_cy);
            window_run(r, MIN(MIN(to, at), r->traffic.next));
        }
        bool idle = !g->mesh || mesh_next(g->mesh, g->now) == NEVER;
        for (u32 k = 0; k < g->cfg.partitions; k++) idle = idle && partition_next(g->parts[k], g->now) == NEVER;
        if (idle) return;
    }
}

struct begun { /* blocks of a launch that goes on without time */
    struct cta **at;
    u32 n, cap;
};

/* Announced to an SM, not begun */
static void begin_announced(struct run *r, const struct core *c, struct begun *b) {
    u64 linear[MAX_BLOCKS];
    u32 n = core_announced(c, linear, MAX_BLOCKS);
    for (u32 i = 0; i < n; i++) {
        struct cta *x = cta_new(r->l);
        cta_start(x, linear[i]);
        VEC_PUSH(b, x);
    }
}

static void take_begun(struct run *r, struct core *c, struct begun *b) {
    struct cta *at[MAX_BLOCKS];
    core_abandon(c);
    u32 n = core_take_blocks(c, at, MAX_BLOCKS);
    for (u32 i = 0; i < n; i++) {
        cta_goes_on(at[i], r->l);
        if (at[i]->live_warps) VEC_PUSH(b, at[i]);
        else cta_free(at[i]);
    }
}

/* Blocks that have begun, and all others, are finished without time. */
static bool finish_functionally(struct run *r) {
    struct gpu *g = r->g;
    struct begun begun = {0};
    for (u32 i = 0; i < g->cfg.sms; i++) begin_announced(r, g->cores[i], &begun);
    publish(r);
    if (r->l->k->text) r->l->k->text->read((struct kernel *)(uintptr_t)r->l->k, r->l->mem);
    for (u32 i = 0; i < g->cfg.sms; i++) take_begun(r, g->cores[i], &begun);
    make_partitions(g);
    bool ok = launch_run_part(r->l, r->next_cta, r->l->ctas, begun.at, begun.n);
    free(begun.at);
    return ok;
}

/* What the SMs counted becomes the launch's. */
static void merge_counts(struct run *r) {
    for (u32 i = 0; i < r->g->cfg.sms; i++) {
        struct launch *v = core_launch_view(r->g->cores[i]);
        pc_count_settle(v->counts, v->runs, v->k->ninst);
        for (u32 pc = 0; pc < v->k->ninst; pc++) {
            r->l->counts[pc].warps += v->counts[pc].warps;
            r->l->counts[pc].lanes += v->counts[pc].lanes;
        }
        r->l->instructions += v->instructions;
        r->l->divergent += v->divergent;
    }
}

static void leave(struct run *r, bool complete) {
    struct gpu *g = r->g;
    hand_out_events(g);
    for (u32 k = 0; k < g->listeners.n; k++) {
        const struct listener *x = &g->listeners.at[k];
        if (!complete && x->cut) x->cut(x->state);
        if (x->end) x->end(x->state, g->now);
    }
    for (u32 i = 0; i < g->cfg.sms; i++) core_end(g->cores[i]);
    program_free(r->prog);
    free(r->free);
    free(r->samples.at);
    free(r->sampling.gaps.at);
    free(r->sampling.blocks.at);
    free(r->sm_samples.at);
    free(r->last_sms);
}

static void abandon_chip(struct gpu *g) {
    for (u32 i = 0; i < g->cfg.sms; i++) core_abandon(g->cores[i]);
    g->atomics.n = 0;
    make_partitions(g);
}

static void check_all(const struct gpu *g) {
    for (u32 i = 0; i < g->cfg.sms; i++) core_check(g->cores[i]);
    for (u32 k = 0; k < g->cfg.partitions; k++) partition_check(g->parts[k]);
    if (g->mesh) mesh_check(g->mesh);
}

/* The launch was over before its warm-up was */
static u64 count_nothing(struct run *r) {
    for (u32 i = 0; i < r->g->cfg.sms; i++) core_reset_stats(r->g->cores[i], r->g->now);
    for (u32 k = 0; k < r->g->cfg.partitions; k++) partition_stats_reset(r->g->parts[k]);
    if (r->g->mesh) mesh_stats_reset(r->g->mesh);
    return r->counted_from = r->g->now;
}

/* What follows the last block of a launch that --max-warp-instructions ended */
static bool rest_of_cut(struct run *r) {
    struct sampling *s = &r->sampling;
    if (r->end_cta == r->l->ctas) return true;
    struct gap *g = &s->gaps.at[s->gaps.n - 1];
    u64 before = r->l->instructions, work = launch_work(r->g, r->l);
    bool ok = launch_run_part(r->l, g->first, g->end, NULL, 0);
    g->instructions = r->l->instructions - before;
    g->work = launch_work(r->g, r->l) - work;
    return ok;
}

static void estimate(struct run *r, struct launch_stats *out) {
    const struct sampling *s = &r->sampling;
    out->estimated = s->gaps.n != 0;
    out->estimate = s->gaps.n ? estimate_launch(s, r->l->ctas, out->cycles, r->g->cfg.cta_launch_cy)
                              : estimate_whole(out->cycles, r->g->parted);
    r->g->parted = r->g->parted || s->gaps.n;
    for (u32 i = 0; i < s->gaps.n; i++) {
        out->ctas_functional += s->gaps.at[i].end - s->gaps.at[i].first;
        out->instructions_left_out += s->gaps.at[i].instructions;
    }
    /* not what it took here: machines that form other warps need other numbers of instructions for it */
    r->g->worked += r->work ? r->work : r->l->instructions - out->instructions_left_out;
    if (r->g->lim.sample && !s->gaps.n) repeat_timed(r->g, r->l, launch_work(r->g, r->l), out->cycles);
}

static bool timed(struct run *r, struct launch_stats *out, const volatile bool *stop) {
    struct gpu *g = r->g;
    begin(r);
    enum ending how = run_windows(r, stop);
    u64 end = how == ENDED ? end_cycle(r) : g->now;
    if (how == ENDED) drain(r, end);
    traffic_end(r);
    if (end < r->start + r->warmup_cy) end = count_nothing(r);
    if (r->sample_cy) collect_sample(r, end); /* what is left of the last interval */
    merge_counts(r);
    collect_stats(r, end, out);
    out->complete = how == ENDED;
    out->estimate.cycles = (double)out->cycles;
    r->l->stopped = r->l->stopped || how == STOPPED;
    if (how == ENDED) check_all(g);
    if (how == ENDED && rest_of_cut(r)) estimate(r, out);
    if (how == OUT_OF_TIME) {
        out->ctas_functional = r->l->ctas - r->done_ctas - r->first_cta;
        finish_functionally(r);
    } else if (how != ENDED) abandon_chip(g);
    leave(r, how == ENDED);
    return !r->l->faulted;
}

static bool functional_first(struct run *r) {
    u64 n = MIN(r->g->lim.fast_forward_ctas, r->l->ctas);
    r->next_cta = r->first_cta = n;
    return !n || launch_run_part(r->l, 0, n, NULL, 0);
}

/* What is timed of this launch; false: nothing */
static bool plan(struct run *r) {
    struct gpu *g = r->g;
    struct sampling *s = &r->sampling;
    struct gpu_bound a, b;
    CHECK(!gpu_limits_clash(&g->lim, &a, &b));
    u64 limit = g->lim.max_warp_instructions, slots = (u64)r->occ.ctas * g->cfg.sms;
    bool repeatable = !shares_more(r->l), divisible = repeatable && !blocks_may_wait(r->l->k);
    s->slots = slots;
    s->keeps = limit || g->lim.sample;
    if (limit && g->worked >= limit) return false;
    if (limit && repeatable) {
        struct share_of_launch timed_part = sample_blocks_within(r->l, limit - g->worked, divisible);
        struct gap rest = {.first = timed_part.blocks, .end = r->l->ctas};
        r->work = timed_part.instructions;
        if (rest.first < rest.end) VEC_PUSH(&s->gaps, rest);
        s->at = s->gaps.n; /* it comes after all windows (rest_of_cut) */
        r->end_cta = rest.first;
    }
    if (!g->lim.sample || !divisible) return true;
    s->in_head = g->lim.sample != 100 && sample_possible(r->l->ctas, slots);
    if (s->in_head) sample_begin(r);
    return s->in_head || g->lim.sample == 100 || !repeat_skips(g, r->l);
}

/* A launch of which nothing is timed */
static bool left_out(struct run *r, struct launch_stats *out) {
    struct gpu *g = r->g;
    bool ok = g->lim.sample ? warm_blocks(g, r->l, 0, r->l->ctas) : launch_run(r->l);
    out->functional = true;
    snprintf(out->kernel, sizeof(out->kernel), "%s", r->l->k->name);
    if (g->lim.sample) {
        out->estimated = g->parted = true;
        out->estimate = repeat_estimate(g, r->l, launch_work(g, r->l));
        out->instructions_left_out = r->l->instructions;
    } else out->instructions_unknown = r->l->instructions;
    return ok;
}

bool gpu_launch(struct gpu *g, struct launch *l, u32 registers, bool functional, struct launch_stats *out,
                const volatile bool *stop) {
    struct run r = {.g = g, .l = l};
    u64 index = g->launches++;
    *out = (struct launch_stats){.complete = true};
    l->ctas = r.end_cta = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    bool ok = true;
    fenv_t host;
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    if (past_end(g) && g->lim.exit) {
        l->stopped = true;
        out->functional = true;
    } else if (functional || index < g->lim.fast_forward_launches || past_end(g)) {
        ok = launch_run(l);
        out->functional = true;
        out->instructions_unknown = l->instructions;
        snprintf(out->kernel, sizeof(out->kernel), "%s", l->k->name);
    } else if (core_refuses(g->cores[0], l->k, &l->fault) || !occupancy_of(&g->cfg, l, registers, &r.occ, &l->fault)) {
        l->faulted = out->refused = true;
        ok = false;
    } else if (!plan(&r)) {
        ok = left_out(&r, out);
    } else {
        ok = functional_first(&r) && timed(&r, out, stop);
        out->ctas_functional += r.first_cta;
    }
    fesetenv(&host);
    l->published = NULL;
    out->complete = out->complete && !l->stopped;
    out->index = index;
    out->registers = registers;
    if (out->functional) out->ctas_functional = out->grid_ctas = l->ctas;
    return ok;
}
