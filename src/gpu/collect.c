/* Statistics of SMs and partitions -> struct launch_stats. The sums of D6 are checked here, in every run. */
#include "gpu/chip.h"

#include <stdlib.h>
#include <string.h>

/* Counters are u64 fields and nothing else, so structs of them are added as arrays. */
static void add_words(void *sum, const void *x, size_t bytes) {
    u64 *s = sum;
    const u64 *v = x;
    for (size_t i = 0; i < bytes / sizeof(u64); i++) s[i] += v[i];
}

_Static_assert(sizeof(struct sm_stats) % sizeof(u64) == 0, "sm_stats is added as words");
_Static_assert(sizeof(struct mem_stats) % sizeof(u64) == 0, "mem_stats is added as words");

void sm_stats_add(struct sm_stats *sum, const struct sm_stats *s) {
    u64 mshrs = MAX(sum->mshr_peak, s->mshr_peak), fronts = MAX(sum->formed_peak, s->formed_peak);
    u64 wait = MAX(sum->formed_wait_max, s->formed_wait_max), splits = MAX(sum->splits_peak, s->splits_peak);
    u64 entries = MAX(sum->squad_entries_peak, s->squad_entries_peak), gangs = MAX(sum->gangs_peak, s->gangs_peak);
    add_words(sum, s, sizeof(*s));
    sum->mshr_peak = mshrs, sum->formed_peak = fronts, sum->formed_wait_max = wait;
    sum->splits_peak = splits, sum->squad_entries_peak = entries, sum->gangs_peak = gangs;
}
void mem_stats_add(struct mem_stats *sum, const struct mem_stats *s) { add_words(sum, s, sizeof(*s)); }

static void collect_pcs(struct run *r, struct launch_stats *out) {
    u32 n = r->l->k->ninst;
    out->k = r->l->k;
    out->npcs = n;
    out->pcs = base_alloc(sizeof(*out->pcs) * n);
    for (u32 i = 0; i < r->g->cfg.sms; i++)
        for (u32 pc = 0; pc < n; pc++) add_words(&out->pcs[pc], &core_pcs(r->g->cores[i])[pc], sizeof(*out->pcs));
}

static void describe(const struct run *r, struct launch_stats *out) {
    const struct config *c = &r->g->cfg;
    snprintf(out->kernel, sizeof(out->kernel), "%s", r->l->k->name);
    out->sms = c->sms, out->warps = c->warps, out->schedulers = c->schedulers, out->warp_size = c->warp_size;
    out->burst_b = c->dram_burst_b, out->core_mhz = c->core_mhz, out->window_cy = r->g->window;
    out->shared_b = r->l->shared_b;
    out->simd_width = MIN(c->alu_width, c->warp_size);
    out->alu_rate = (double)c->subcores *
                    (c->alu_units * MIN(c->alu_width, c->warp_size) + c->int_units * MIN(c->int_width, c->warp_size)) /
                    c->warp_size;
    out->grid_ctas = r->l->ctas, out->cta_threads = r->l->threads;
    out->occupancy = r->occ;
    out->partitions = c->partitions;
    out->launches = 1;
    out->waves = (double)(r->end_cta - r->first_cta) / (r->occ.ctas * (double)c->sms);
}

static void collect_work(struct launch_stats *out) {
    out->work_most = out->work_least = out->per_sm[0].warp_instructions;
    for (u32 i = 1; i < out->sms; i++) {
        out->work_most = MAX(out->work_most, out->per_sm[i].warp_instructions);
        out->work_least = MIN(out->work_least, out->per_sm[i].warp_instructions);
    }
}

void collect_stats(struct run *r, u64 end, struct launch_stats *out) {
    struct gpu *g = r->g;
    describe(r, out);
    out->cycles = end - r->counted_from;
    out->timed_from = r->counted_from - r->start;
    out->per_sm = base_alloc(sizeof(*out->per_sm) * g->cfg.sms);
    out->per_partition = base_alloc(sizeof(*out->per_partition) * g->cfg.partitions);
    for (u32 i = 0; i < g->cfg.sms; i++) {
        struct core *c = g->cores[i];
        core_settle(c, r->g->now);
        struct sm_stats *s = &out->per_sm[i];
        *s = *core_stats(c);
        core_trim(c, end, s);
        if (!r->l->faulted) core_check_sums(c, s, out->cycles); /* a fault ends an SM in the middle of a window */
        sm_stats_add(&out->sum, s);
        lane_stats_add(&out->lane, core_lanes(c));
        out->simulated_cycles_jumped += core_jumped(c);
    }
    collect_work(out);
    struct clocks clk = clocks_of(&g->cfg);
    for (u32 i = 0; i < g->cfg.partitions; i++) {
        struct mem_stats s = *partition_stats(g->parts[i]);
        s.l2_cycles = out->cycles * clk.core / clk.l2 * g->cfg.slices;
        s.dram_cycles = out->cycles * clk.core / clk.dram;
        out->per_partition[i] = s;
        mem_stats_add(&out->mem, &s);
    }
    collect_pcs(r, out);
    flops_count(out);
    out->samples = r->samples.at;
    out->nsamples = r->samples.n;
    out->sm_samples = r->sm_samples.at;
    r->samples.at = NULL;
    r->sm_samples.at = NULL;
}

/* --- interval samples */

static void sample_sm(struct run *r, u32 sm, const struct sm_stats *now) {
    if (!r->last_sms) return;
    struct sm_sample *last = &r->last_sms[sm];
    struct sm_sample x = {now->warp_instructions - last->warp_instructions, now->warp_cycles - last->warp_cycles};
    VEC_PUSH(&r->sm_samples, x);
    *last = (struct sm_sample){now->warp_instructions, now->warp_cycles};
}

static void join_samples(struct sample *to, const struct sample *a, const struct sample *b) {
    struct sample x = *a;
    add_words(&x, b, sizeof(x));
    x.cycle = b->cycle;
    *to = x;
}
_Static_assert(sizeof(struct sample) % sizeof(u64) == 0, "samples are added as words");

/* Too many for a timeline: two become one, and from now on intervals are twice as long */
static void halve_samples(struct run *r) {
    u32 n = r->samples.n / 2, sms = r->g->cfg.sms;
    struct sm_sample *at = r->sm_samples.at;
    for (u32 i = 0; i < n; i++) {
        join_samples(&r->samples.at[i], &r->samples.at[2 * i], &r->samples.at[2 * i + 1]);
        for (u32 sm = 0; sm < sms; sm++) {
            struct sm_sample x = at[2 * i * sms + sm];
            add_words(&x, &at[(2 * i + 1) * sms + sm], sizeof(x));
            at[i * sms + sm] = x;
        }
    }
    r->samples.n = n;
    r->sm_samples.n = n * sms;
    r->sample_cy *= 2;
}

void collect_sample(struct run *r, u64 at) {
    struct sm_stats s = {0};
    struct mem_stats m = {0};
    struct gpu *g = r->g;
    if (r->samples.n && r->samples.at[r->samples.n - 1].cycle == at - r->start) return;
    struct sample x = {.cycle = at - r->start};
    for (u32 i = 0; i < g->cfg.sms; i++) {
        core_settle(g->cores[i], g->now);
        struct sm_stats one = *core_stats(g->cores[i]);
        core_trim(g->cores[i], at, &one);
        sm_stats_add(&s, &one);
        sample_sm(r, i, &one);
    }
    for (u32 i = 0; i < g->cfg.partitions; i++) mem_stats_add(&m, partition_stats(g->parts[i]));
    const struct sm_stats *p = &r->last_sum;
    const struct mem_stats *q = &r->last_mem;
    x.warp_instructions = s.warp_instructions - p->warp_instructions;
    x.l1_accesses = s.l1_accesses - p->l1_accesses, x.l1_hits = s.l1_hits - p->l1_hits;
    x.l2_accesses = m.l2_accesses - q->l2_accesses, x.l2_hits = m.l2_hits - q->l2_hits;
    x.dram_bursts = m.dram_reads + m.dram_writes - q->dram_reads - q->dram_writes;
    x.warp_cycles = s.warp_cycles - p->warp_cycles;
    for (u32 i = 0; i < g->cfg.schedulers; i++)
        for (u32 k = 0; k < STALL_COUNT; k++) x.time[k] += s.sched[i].warp_time[k] - p->sched[i].warp_time[k];
    VEC_PUSH(&r->samples, x);
    r->last_sum = s;
    r->last_mem = m;
    if (!g->cfg.sample_cy && r->samples.n == TIMELINE_SAMPLES) halve_samples(r);
}
