/* The summary for people of a run with timing: a first screen (print_brief), or with --full:
 *
 *     bfs on gtx480: 12 launches of 2 kernels, 131.1 thousand threads
 *
 *     kernel   launches   grid   block  regs  shared  blocks/SM  limited by  occupancy     cycles    share     IPC
 *     ...
 *     cycles       1234567 (881.8 us at 1400 MHz)
 *     instructions 1.2 million warp instructions, 4.1 % memory; 28.1 of 32 lanes active
 *     IPC          12.34 of 30 (41.1 % of peak), 0.82 an SM
 *     limited by   waiting for memory, 46 % of scheduler cycles: a global load takes ...
 *
 *     CPI stack, proportional: 2.43 cycles of a scheduler for each instruction
 *       base                 1.00  ##################                        41.2 %
 *     ...
 * How to read it: the CPI stack says where each cycle of a scheduler went; the warp states say what the
 * resident warps did meanwhile, in cycles of a warp for each instruction it issued; hazards, caches and DRAM
 * say why. */
#include "power/power.h"
#include "report/report.h"

#include <math.h>

#define BAR_WIDTH  40
#define PAGE_WIDTH 110

struct page { /* what every section needs */
    const struct report *r;
    const struct config *c;
    FILE *out;
    struct term term;
    u32 wide, bar; /* columns of text, of a bar: both within the terminal */
};

/* --- kernels and launches */

/* Rates, shares and stacks need a cycle and an instruction */
static bool something_counted(const struct launch_stats *s) { return s->cycles && s->sum.warp_instructions; }

static int name_width(const struct report *r) {
    int w = 6;
    for (u32 i = 0; i < r->nkernels; i++) w = MAX(w, (int)strlen(r->kernels[i].name));
    return w;
}

static void print_kernels(const struct page *p) {
    const struct report *r = p->r;
    int w = name_width(r);
    fprintf(p->out, "%-*s %9s %11s %9s %5s %9s %10s %-13s %10s %13s %8s %7s\n", w, "kernel", "launches", "grid", "block", "regs",
            "shared", "blocks/SM", " limited by", "occupancy", "cycles", "share", "IPC");
    for (u32 i = 0; i < r->nkernels; i++) {
        const struct report_kernel *k = &r->kernels[i];
        const struct launch_stats *s = &k->timing;
        char grid[40], block[40], shared[32], occupancy[32], share[32];
        if (!s->sms) continue;
        fprintf(p->out, "%-*s %9u %11s %9s %5u %9s %10u  %-12s %10s %13llu %8s %7.2f\n", w, k->name, k->launches,
                report_shape(grid, k->first->grid, k->grid_varies), report_shape(block, k->first->block, k->block_varies),
                s->registers, report_bytes(shared, s->shared_b), s->occupancy.ctas,
                s->occupancy.limiter ? s->occupancy.limiter : "-", report_percent(occupancy, stat_named(s, "occupancy")),
                (unsigned long long)s->cycles, report_percent(share, (double)s->cycles / MAX(1.0, (double)r->total.cycles)),
                something_counted(s) ? stat_named(s, "warp_ipc") : 0.0);
    }
}

/* The largest warp state that is a wait */
static u32 worst_stall(const struct launch_stats *s) {
    u32 worst = STALL_SELECTED;
    for (u32 i = 0; i < STALL_COUNT; i++)
        if (i != STALL_EMPTY && i != STALL_SELECTED &&
            (worst == STALL_SELECTED || stall_total(&s->sum, i) > stall_total(&s->sum, worst)))
            worst = i;
    return worst;
}

static void print_launch(const struct page *p, int w, const struct launch_stats *s) {
    char l1[32], l2[32], dram[32], occupancy[32];
    const char *note = s->functional ? "  not timed" : !s->complete ? "  cut short" : "";
    fprintf(p->out, "%6llu %-*s %13llu %7.2f %10s %8s %8s %8s  %s%s\n", (unsigned long long)s->index, w, s->kernel,
            (unsigned long long)s->cycles, something_counted(s) ? stat_named(s, "warp_ipc") : 0.0,
            report_percent(occupancy, stat_named(s, "occupancy")), report_percent(l1, stat_named(s, "l1_hit_rate")),
            report_percent(l2, stat_named(s, "l2_hit_rate")), report_percent(dram, stat_named(s, "dram_utilisation")),
            something_counted(s) ? stall_table[worst_stall(s)].name : "-", note);
}

/* How many launches from this one on were not timed: they are one row */
static u32 untimed_from(const struct report *r, u32 first) {
    u32 n = 0;
    while (first + n < r->play->m->nlaunches && r->launches[first + n].kept && r->launches[first + n].stats.functional) n++;
    return n;
}

static void print_launches(const struct page *p) {
    const struct report *r = p->r;
    int w = name_width(r);
    fprintf(p->out, "\nlaunch %-*s %13s %7s %10s %8s %8s %8s  %s\n", w, "kernel", "cycles", "IPC", "occupancy", "L1 hits",
            "L2 hits", "DRAM", "mostly waits for");
    for (u32 i = 0, untimed = 0; i < r->play->m->nlaunches; i += MAX(untimed, 1u)) {
        untimed = untimed_from(r, i);
        if (untimed > 1) fprintf(p->out, "%6u launches %u to %u ran without timing\n", untimed, i, i + untimed - 1);
        else if (r->launches[i].kept) print_launch(p, w, &r->launches[i].stats);
    }
}

/* --- the figures of a launch or a sum */

/* Text in lines of at most the page's width, all but the first indented under it */
static void print_wrapped(const struct page *p, const char *title, const char *text) {
    FILE *out = p->out;
    size_t indent = strlen(title), at = indent;
    fputs(title, out);
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (at > indent && at + 1 + n > p->wide) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) at += (size_t)fprintf(out, " ");
        at += (size_t)fprintf(out, "%.*s", (int)n, word);
        word += n + (word[n] == ' ');
    }
    fputc('\n', out);
}

/* What of the launch was timed, and what all of it would have taken */
static void print_estimate(const struct page *p, const struct launch_stats *s) {
    char share[32], half[32], n[32];
    double all = (double)(s->sum.warp_instructions + s->instructions_left_out + s->instructions_unknown);
    if (!s->estimated && !s->instructions_unknown) {
        if (p->r->wishes.sample)
            fprintf(p->out,
                    "timed        all of it: --sample leaves out blocks of launches of ten waves, and launches that repeat\n");
        return;
    }
    fprintf(p->out, "timed        %s of all warp instructions; figures but the estimate are of these\n",
            report_percent(share, (double)s->sum.warp_instructions / all));
    if (!s->estimated) return;
    double e = s->estimate.cycles, h = estimate_half(&s->estimate);
    if (isnan(e)) {
        fprintf(p->out, "estimate     none: fewer than three waves of blocks were timed\n");
        return;
    }
    fprintf(p->out, "estimate     %.0f cycles", e);
    if (isnan(h)) fprintf(p->out, ", without an interval: too few blocks were timed");
    else
        fprintf(p->out, " +- %s, %.0f to %.0f in 95 of 100 cases", report_percent(half, h / e),
                estimate_low(&s->estimate, s->cycles), e + h);
    if (s->instructions_unknown)
        fprintf(p->out, ", for all but %s instructions of launches that were not timed",
                report_count(n, (double)s->instructions_unknown));
    fputc('\n', p->out);
}

static void print_limit(const struct page *p, const struct launch_stats *s) {
    struct strbuf limit = {0};
    report_limit(s, p->c, p->r->wishes.cpi, &limit);
    if (limit.s) print_wrapped(p, "limited by   ", limit.s);
    strbuf_free(&limit);
}

static void print_cycles(const struct page *p, const struct launch_stats *s) {
    double us = (double)s->cycles / MAX(1u, s->core_mhz);
    fprintf(p->out, "cycles       %llu (%.*f us at %u MHz)\n", (unsigned long long)s->cycles,
            us < 100     ? 2
            : us < 10000 ? 1
                         : 0,
            us, s->core_mhz);
}

static u32 peak_ipc(const struct page *p, const struct launch_stats *s) {
    return s->sms * s->schedulers * (p->c ? p->c->issue_width : 1);
}

/* What was left out of the figures, and whether there are any */
static bool print_coverage(const struct page *p, const struct launch_stats *s) {
    if (s->ctas_functional || s->functional)
        fprintf(p->out, "not timed    %llu of %llu blocks ran without timing and are not in the figures below\n",
                (unsigned long long)s->ctas_functional, (unsigned long long)s->grid_ctas);
    print_estimate(p, s);
    if (!something_counted(s)) {
        fprintf(p->out, "nothing      %s: there are no rates and no shares to tell\n",
                s->cycles ? "was issued in the cycles that were counted" : "was counted, no cycle was timed");
        return false;
    }
    return true;
}

/* How full the chip was: a gain of cycles without one of busy cycles is a shorter tail */
static void print_waves(const struct page *p, const struct launch_stats *s) {
    char share[32];
    fprintf(p->out, "waves        %.2f of blocks; an SM holds one in %.0f of the cycles (%s)\n", stat_named(s, "waves"),
            stat_named(s, "busy_cycles"), report_percent(share, stat_named(s, "sm_utilisation")));
}

static void print_limits(const struct page *p, const struct launch_stats *s) {
    if (p->r->wishes.limits) report_limits_text(s, s == &p->r->total ? p->r->partitions : NULL, p->c, p->out);
}

static void print_overview(const struct page *p, const struct launch_stats *s) {
    char n[32], memory[32], share[32], occupancy[32];
    u32 peak = peak_ipc(p, s);
    double ipc = stat_named(s, "warp_ipc");
    print_cycles(p, s);
    if (!print_coverage(p, s)) return;
    fprintf(p->out, "instructions %s warp instructions, %s memory; %.1f of %u lanes active\n",
            report_count(n, (double)s->sum.warp_instructions), report_percent(memory, stat_named(s, "memory_fraction")),
            stat_named(s, "simd_efficiency") * s->warp_size, s->warp_size);
    if (s == &p->r->total) report_overhead(p->r, p->out);
    fprintf(p->out, "IPC          %.2f of %u (%s of peak), %.2f an SM\n", ipc, peak, report_percent(share, ipc / MAX(1u, peak)),
            stat_named(s, "sm_ipc"));
    fprintf(p->out, "occupancy    %.1f of %u warps an SM (%s)\n", stat_named(s, "occupancy") * s->warps, s->warps,
            report_percent(occupancy, stat_named(s, "occupancy")));
    print_waves(p, s);
    print_limit(p, s);
}

/* Parts below the share `least` are told together */
static void print_cpi(const struct page *p, const struct launch_stats *s, double least) {
    static const u32 colours[CPI_COUNT] = {
        [CPI_BASE] = 32,
        [CPI_IDLE] = 90,
        [CPI_CONTROL] = 35,
        [CPI_FETCH] = 36,
        [CPI_MEMORY_DATA] = 31,
        [CPI_MEMORY_STRUCTURAL] = 91,
        [CPI_COMPUTE_DATA] = 34,
        [CPI_COMPUTE_STRUCTURAL] = 94,
        [CPI_ORDER] = 96,
        [CPI_MISSED] = 33,
        [CPI_DATA_STRUCTURAL] = 95,
    };
    enum cpi_method m = p->r->wishes.cpi;
    double total = 0, most = 0, rest = 0, per = MAX(1.0, (double)s->sum.warp_instructions);
    for (u32 i = 0; i < CPI_COUNT; i++) {
        total += cpi_total(s, m, i);
        most = MAX(most, cpi_total(s, m, i));
    }
    if (total <= 0) return;
    fprintf(p->out, "\nCPI stack, %s: %.2f cycles of a scheduler for each instruction\n", cpi_method_names[m], total / per);
    for (u32 i = 0; i < CPI_COUNT; i++) {
        double x = cpi_total(s, m, i);
        if (x < least * total) rest += x;
        if (x <= 0 || x < least * total) continue;
        fprintf(p->out, "  %-20s %8.2f  ", cpi_table[i].name, x / per);
        term_bar(&p->term, p->out, x / most, p->bar, colours[i]);
        fprintf(p->out, " %5.1f %%\n", 100 * x / total);
    }
    if (rest > 0) fprintf(p->out, "  %-20s %8.2f  %*s %5.1f %%\n", "other", rest / per, (int)p->bar, "", 100 * rest / total);
}

static void print_states(const struct page *p, const struct launch_stats *s) {
    double time[STALL_COUNT], resident = 0, per = MAX(1.0, (double)s->sum.warp_instructions);
    for (u32 i = 0; i < STALL_COUNT; i++) {
        time[i] = stall_total(&s->sum, i);
        if (i != STALL_EMPTY) resident += time[i];
    }
    if (resident <= 0) return;
    fprintf(p->out, "\nwarp states: %.1f cycles of a warp for each instruction\n", resident / per);
    time[STALL_EMPTY] = 0;
    for (;;) {
        u32 next = 0;
        for (u32 i = 1; i < STALL_COUNT; i++)
            if (time[i] > time[next]) next = i;
        if (time[next] <= 0) return;
        fprintf(p->out, "  %-20s %8.2f  %5.1f %%  %s\n", stall_table[next].name, time[next] / per, 100 * time[next] / resident,
                stall_table[next].doc);
        time[next] = 0;
    }
}

static void print_sched(const struct page *p, const struct launch_stats *s) {
    u64 of[SCHED_CYCLES] = {0}, total = 0;
    for (u32 i = 0; i < s->schedulers; i++)
        for (u32 k = 0; k < SCHED_CYCLES; k++) of[k] += s->sum.sched[i].cycles[k];
    for (u32 k = 0; k < SCHED_CYCLES; k++) total += of[k];
    if (!total) return;
    fprintf(p->out, "\nschedulers   ");
    for (u32 k = 0; k < SCHED_CYCLES; k++)
        if (of[k] || k < SCHED_ISSUE2)
            fprintf(p->out, "%s%s %.1f %%", k ? "  " : "", sched_cycle_names[k], 100 * (double)of[k] / (double)total);
    fputs("  of their cycles\n", p->out);
}

static void print_hazards(const struct page *p, const struct launch_stats *s) {
    fprintf(p->out, "hazards      ");
    for (u32 i = 0; i < HAZARD_COUNT; i++)
        fprintf(p->out, "%s%s %.1f %%", i ? "  " : "", hazard_table[i].name,
                100 * (double)s->sum.hazards[i] / MAX(1.0, (double)s->cycles * s->sms));
    fprintf(p->out, "  of the memory stages' cycles\n");
}

/* Statistics with what they mean, a line each; those that do not apply are left out */
static void print_named(const struct page *p, const struct launch_stats *s, const char *const *names, u32 n) {
    for (u32 i = 0; i < n; i++) {
        double x = stat_named(s, names[i]);
        struct stat_row row = stat_at((u32)stat_find(names[i]));
        if (!isnan(x)) fprintf(p->out, "  %-22s %14.*f  %s\n", row.name, row.formula && x != floor(x) ? 3 : 0, x, row.doc);
    }
}

/* --hazards: Turner's measures */
static void print_measures(const struct page *p, const struct launch_stats *s) {
    static const char *const names[] = {
        "memory_fraction",    "mix_occupation",       "blocked_fraction", "predicted_speedup", "warps_available",
        "warps_waiting",      "issue_cycles",         "replays",          "replay_fraction",   "mshr_usable_fraction",
        "mshr_refused_again", "mshr_robbed",          "virtual_credits",  "restricted_warps",  "predicted_miss_missed",
        "predicted_miss_hit", "predicted_hit_missed", "predicted_hit_hit"};
    if (!p->r->wishes.hazards) return;
    fprintf(p->out, "\nhazards, in Turner's measures\n");
    print_named(p, s, names, ARRAY_LEN(names));
}

/* --pressure: Mascar's measures, its classes (table III) and what its units hold (table II) */
enum { COMPUTE_INTENSIVE = 30 }; /* instructions for each L1 miss: more than this */
static void print_pressure(const struct page *p, const struct launch_stats *s) {
    static const char *const always[] = {"instructions_per_miss", "l1_hit_rate", "lsu_stall_fraction", "mshr_average",
                                         "dram_utilisation"};
    static const char *const aside[] = {"reexec_entered", "reexec_tries", "reexec_taken", "reexec_hits", "hits_under_miss"};
    static const char *const owner[] = {"mp_fraction",       "mp_entries",        "owners",
                                        "owners_by_queue",   "owner_until_use",   "owner_until_barrier",
                                        "owner_until_fence", "owner_until_exit",  "owner_until_idle",
                                        "owner_until_full",  "owner_until_relief"};
    static const char *const throttle[] = {"lost_locality", "throttled_warp_cycles"}, *const blocked[] = {"blocked_hit_fraction"};
    if (!p->r->wishes.pressure || !p->c) return;
    double per_miss = stat_named(s, "instructions_per_miss");
    bool compute = isnan(per_miss) || per_miss > COMPUTE_INTENSIVE;
    fprintf(p->out, "\nmemory pressure, in Mascar's measures: %s intensive (%s %d instructions for each L1 miss)\n",
            compute ? "compute" : "memory", compute ? "more than" : "at most", COMPUTE_INTENSIVE);
    print_named(p, s, always, ARRAY_LEN(always));
    if (p->c->blocked_hits) print_named(p, s, blocked, 1);
    if (p->c->reexec) print_named(p, s, aside, ARRAY_LEN(aside));
    if (s->sum.mp_cycles) print_named(p, s, owner, ARRAY_LEN(owner));
    if (s->sum.lost_locality) print_named(p, s, throttle, ARRAY_LEN(throttle));
    if (!p->c->reexec && !s->sum.mp_cycles) return;
    struct mascar_cost x = mascar_cost_of(p->c);
    fprintf(p->out,
            "  storage                Mascar adds to an SM: warp readiness checker %u bits, warp status table %u bytes, "
            "re-execution queue "
            "%u bytes (%u entries of %u bits)\n",
            x.owner_bits, x.status_b, x.queue_b, x.entries, x.entry_bits);
}

/* --divergence: Jin's measures, and what his units hold */

/* Lanes in eighths of a warp, as figure 1.1 has them: W1-4, W5-8, ... of a warp of 32 */
static void print_occupied(const struct page *p, const struct launch_stats *s) {
    u64 all = 0, rest = 0;
    u32 parts = MIN(s->warp_size, 8u), step = (s->warp_size + parts - 1) / parts;
    for (u32 n = 1; n <= s->warp_size; n++) all += s->lane.occupied[n];
    for (u32 from = 1; all && from <= s->warp_size; from += step) {
        u32 to = MIN(from + step - 1, s->warp_size);
        u64 here = 0;
        for (u32 n = from; n <= to; n++) here += s->lane.occupied[n];
        rest += here;
        fprintf(p->out, "  W%-2u to %-2u               ", from, to);
        term_bar(&p->term, p->out, (double)here / (double)all, p->bar, 34);
        fprintf(p->out, " %5.1f %%  %5.1f %% up to here\n", 100 * (double)here / (double)all, 100 * (double)rest / (double)all);
    }
}

static void print_divergence(const struct page *p, const struct launch_stats *s) {
    static const char *const names[] = {"control_weight", "divergent_branches", "reconvergences",  "group_switches",
                                        "lanes_parted",   "lanes_exited",       "lanes_absent",    "lanes_guarded",
                                        "beats_spared",   "squeeze_moves",      "hybrid_estimate", "hybrid_beats"};
    if (!p->r->wishes.divergence || !p->c) return;
    fprintf(p->out, "\ndivergence, in Jin's measures: instructions by the lanes that go together\n");
    print_occupied(p, s);
    print_named(p, s, names, ARRAY_LEN(names));
    struct jin_cost x = jin_cost_of(p->c);
    fprintf(
        p->out,
        "  storage                the squeezer adds to an SM: %u bits a warp (rank of each lane %u, beats %u), %u bytes in all\n",
        x.warp_bits, x.rank_bits, x.mask_bits, x.squeeze_b);
    fprintf(
        p->out,
        "                         formed warps would: %u bytes of pool (%u entries of %u bits), %u of look-up table (%u of %u)\n",
        x.pool_b, x.pool_entries, x.pool_bits, x.table_b, x.table_entries, x.table_bits);
    fprintf(
        p->out,
        "  area                   squeezer %.4f mm2 (about %u gates), pool and table %.4f mm2, in 40 nm (docs/divergence.md)\n",
        x.squeeze_mm2, x.gates, x.form_mm2);
}

static void print_cache(FILE *out, const char *name, u64 hits, u64 merged, u64 misses) {
    char rate[32];
    u64 accesses = hits + merged + misses;
    if (!accesses) return;
    fprintf(out, "  %-20s %13llu %13llu %13llu %13llu %9s\n", name, (unsigned long long)accesses, (unsigned long long)hits,
            (unsigned long long)merged, (unsigned long long)misses, report_percent(rate, (double)hits / (double)accesses));
}

static void print_caches(const struct page *p, const struct launch_stats *s) {
    const struct sm_stats *m = &s->sum;
    fprintf(p->out, "\n%-22s %13s %13s %13s %13s %9s\n", "caches", "accesses", "hits", "merged", "misses", "hit rate");
    print_cache(p->out, "instruction", m->icache_hits, 0, m->icache_misses);
    print_cache(p->out, "constant", m->const_hits, 0, m->const_misses);
    print_cache(p->out, "L1 data", m->l1_hits, m->l1_merged, m->l1_misses);
    print_cache(p->out, "L2", s->mem.l2_hits, s->mem.l2_merged, s->mem.l2_misses);
    double lines = stat_named(s, "lines_per_access"), latency = stat_named(s, "load_latency"),
           miss = stat_named(s, "miss_latency");
    if (!isnan(lines)) fprintf(p->out, "  %.1f lines an access", lines);
    if (!isnan(latency)) fprintf(p->out, "; a load of global or local memory takes %.0f cycles", latency);
    if (!isnan(miss)) fprintf(p->out, ", an L1 miss %.0f", miss);
    if (!isnan(lines))
        fprintf(p->out, "; %.1f MSHRs in use, at most %llu\n", stat_named(s, "mshr_average"), (unsigned long long)m->mshr_peak);
}

static void print_dram(const struct page *p, const struct launch_stats *s) {
    char read[32], written[32], busy[32], rows[32];
    u64 r = s->mem.dram_reads * s->burst_b, w = s->mem.dram_writes * s->burst_b;
    double seconds = (double)s->cycles / (MAX(1u, s->core_mhz) * 1e6);
    if (!r && !w) return;
    fprintf(p->out, "DRAM         %s read, %s written, %.1f GB/s; buses busy %s, open rows met %s\n", report_bytes(read, r),
            report_bytes(written, w), (double)(r + w) / seconds / 1e9, report_percent(busy, stat_named(s, "dram_utilisation")),
            report_percent(rows, stat_named(s, "dram_row_hit_rate")));
}

static void print_energy(const struct page *p, const struct launch_stats *s) {
    if (!p->c) return;
    struct energy e = energy_of(p->c, s);
    double seconds = (double)s->cycles / (MAX(1u, s->core_mhz) * 1e6);
    if (e.total <= 0) return;
    fprintf(p->out, "energy       %.3g mJ, %.1f W:", e.total * 1e3, e.total / seconds);
    for (u32 i = 0; i < ENERGY_PARTS; i++)
        fprintf(p->out, "%s %s %.1f %%", i ? "," : "", energy_part_names[i], 100 * e.part[i] / e.total);
    fprintf(p->out, "\n             in four groups:");
    for (u32 i = 0; i < ENERGY_GROUPS; i++)
        fprintf(p->out, "%s %s %.1f %%", i ? "," : "", energy_group_names[i], 100 * e.group[i] / e.total);
    fputc('\n', p->out);
}

static void print_sms(const struct page *p) {
    const struct report *r = p->r;
    for (u32 i = 0; i < r->play->m->nlaunches; i++) {
        const struct launch_stats *s = &r->launches[i].stats;
        if (!r->launches[i].kept || !s->per_sm) continue;
        fprintf(p->out, "\nlaunch %u, %s: SM, blocks, cycles with a block, warp instructions, L1 hits\n", i, s->kernel);
        for (u32 k = 0; k < s->sms; k++) {
            const struct sm_stats *m = &s->per_sm[k];
            char hits[32];
            fprintf(p->out, "  %4u %9llu %13llu %13llu %9s\n", k, (unsigned long long)m->ctas,
                    (unsigned long long)m->sm_active_cycles, (unsigned long long)m->warp_instructions,
                    report_percent(hits, m->l1_accesses ? (double)m->l1_hits / (double)m->l1_accesses : NAN));
        }
    }
}

static void print_figures(const struct page *p, const struct launch_stats *s) {
    print_overview(p, s);
    if (!something_counted(s)) return;
    print_cpi(p, s, 0);
    print_states(p, s);
    print_sched(p, s);
    print_hazards(p, s);
    print_measures(p, s);
    print_pressure(p, s);
    print_divergence(p, s);
    print_limits(p, s);
    print_caches(p, s);
    print_dram(p, s);
    print_energy(p, s);
}

/* --- the first screen */

#define WORTH_A_LINE 0.02 /* of the stack */

/* "memory       L1 hits 20.0 %, L2 hits 63.1 %; DRAM 12.3 GB/s, busy 5.0 %" */
static void print_memory(const struct page *p, const struct launch_stats *s) {
    char l1[32], l2[32], busy[32];
    double rates[] = {stat_named(s, "l1_hit_rate"), stat_named(s, "l2_hit_rate")};
    double bytes = (double)(s->mem.dram_reads + s->mem.dram_writes) * s->burst_b;
    double seconds = (double)s->cycles / (MAX(1u, s->core_mhz) * 1e6);
    if (isnan(rates[0]) && isnan(rates[1]) && bytes == 0) return;
    fprintf(p->out, "hits         L1 %s, L2 %s; DRAM %.1f GB/s, buses busy %s\n", report_percent(l1, rates[0]),
            report_percent(l2, rates[1]), bytes / seconds / 1e9, report_percent(busy, stat_named(s, "dram_utilisation")));
}

static void print_brief(const struct page *p, const struct launch_stats *s) {
    char share[32];
    double ipc = stat_named(s, "warp_ipc");
    if (something_counted(s)) print_limit(p, s);
    print_cycles(p, s);
    if (!print_coverage(p, s)) return;
    fprintf(p->out, "IPC          %.2f of %u (%s of peak); %.1f of %u warps an SM\n", ipc, peak_ipc(p, s),
            report_percent(share, ipc / MAX(1u, peak_ipc(p, s))), stat_named(s, "occupancy") * s->warps, s->warps);
    if (s == &p->r->total) report_overhead(p->r, p->out);
    print_waves(p, s);
    print_memory(p, s);
    print_cpi(p, s, WORTH_A_LINE);
    print_measures(p, s);
    print_pressure(p, s);
    if (p->r->wishes.pressure) print_energy(p, s);
    print_divergence(p, s);
    print_limits(p, s);
}

/* --- the whole page */

static void print_title(const struct page *p) {
    const struct report *r = p->r;
    char threads[32];
    u32 done = 0;
    for (u32 i = 0; i < r->nkernels; i++) done += r->kernels[i].launches;
    fprintf(p->out, "%s on %s: ", r->play->m->name, p->c && p->c->machine[0] ? p->c->machine : "a machine of its own");
    report_plural(p->out, done, "launch", "launches");
    fprintf(p->out, " of ");
    report_plural(p->out, r->nkernels, "kernel", "kernels");
    fprintf(p->out, ", %s threads%s\n\n", report_count(threads, (double)r->threads),
            r->stopped ? " (stopped before the end)" : "");
}

static void print_end(const struct page *p) {
    const struct report *r = p->r;
    char rate[32], cycles[32];
    fputc('\n', p->out);
    if (r->wishes.full) report_outcome(r, p->out);
    else {
        report_lock(r, p->out);
        report_checksum(r, p->out);
    }
    if (r->wall_seconds > 0 && r->wishes.full)
        fprintf(p->out, "rate         %s warp instructions and %s cycles a second\n", report_count(rate, report_rate(r)),
                report_count(cycles, (double)r->total.cycles / r->wall_seconds));
    const char *caveat = p->c ? schedule_caveat(p->c, false) : NULL;
    if (caveat) fprintf(p->out, "caveat       %s\n", caveat);
    if (!r->wishes.full) fputs("more         --full, --by-pc, --per-kernel, --html FILE\n", p->out);
    if (!r->audited) return;
    fprintf(p->out, "audit        %llu violations in %s facts\n", (unsigned long long)r->audit.violations,
            report_count(rate, (double)r->audit.checked));
    fputs(r->audit.text, p->out);
}

void report_timing(const struct report *r, FILE *to) {
    struct folding f;
    term_begin(&f, to, 0);
    FILE *out = f.out;
    u32 wide = f.term.width ? MIN(f.term.width, (u32)PAGE_WIDTH) : PAGE_WIDTH;
    struct page p = {r, heddle_config(r->play->h), out, f.term, wide, wide > 50 ? MIN(wide - 42, (u32)BAR_WIDTH) : 8};
    void (*print_part)(const struct page *, const struct launch_stats *) = r->wishes.full ? print_figures : print_brief;
    print_title(&p);
    if (r->wishes.full || r->wishes.per_kernel) print_kernels(&p);
    if (r->wishes.per_kernel) print_launches(&p);
    for (u32 i = 0; i < r->nkernels && r->wishes.per_kernel && r->nkernels > 1; i++) {
        if (!r->kernels[i].timing.sms) continue;
        fprintf(out, "\n--- %s\n", r->kernels[i].name);
        print_part(&p, &r->kernels[i].timing);
    }
    if (r->wishes.per_kernel && r->nkernels > 1) fputs("\n--- all kernels\n", out);
    else if (r->wishes.full || r->wishes.per_kernel) fputc('\n', out);
    print_part(&p, &r->total);
    if (r->wishes.per_sm) print_sms(&p);
    for (u32 i = 0; i < r->nkernels && r->wishes.by_pc > BY_PC_KEEP; i++) report_by_pc(&r->kernels[i], &r->wishes, out);
    print_end(&p);
    term_end(&f);
}
