/* What limits a kernel, in one sentence: the largest part of the CPI stack beside `base` and empty warp
 * slots, and a hint from the counters that explain such a part best. Of `base`, issues that are replays are
 * no work: they are a part of their own here.
 *
 *     waiting for memory, 46 % of scheduler cycles: a global load takes 512 cycles on average and the L1 hits
 *     23 %; DRAM is 38 % busy
 *
 * It is a hint, not a proof: parts overlap in time, and taking one away may only uncover the next. */
#include "report/report.h"

#include <ctype.h>
#include <math.h>

#define BUSY          0.6  /* a bus or unit above this share is called the limit */
#define WORTH_TELLING 0.05 /* a hazard that costs less is not mentioned */

struct subject {
    const struct launch_stats *s;
    const struct config *c; /* or NULL */
};

static double per_sm_cycle(const struct launch_stats *s, double x) { return x / MAX(1.0, (double)s->cycles * s->sms); }

/* ", the L1 hits 23 %", or nothing where there is no such number */
static void add_share(struct strbuf *out, const char *text, double share) {
    if (!isnan(share)) strbuf_add(out, "%s %.0f %%", text, 100 * share);
}

/* A row's sentence in the middle of ours: small first letter, no full stop */
static void add_sentence(struct strbuf *out, const char *doc) {
    size_t n = strlen(doc);
    if (n && doc[n - 1] == '.') n--;
    bool name = n > 1 && isupper((unsigned char)doc[1]);
    strbuf_add(out, "%c%.*s", name ? doc[0] : tolower((unsigned char)doc[0]), n ? (int)n - 1 : 0, doc + 1);
}

static u32 worst_stall(const struct launch_stats *s, enum cpi part) {
    u32 worst = STALL_COUNT;
    for (u32 i = 0; i < STALL_COUNT; i++)
        if (stall_table[i].cpi == part && (worst == STALL_COUNT || stall_total(&s->sum, i) > stall_total(&s->sum, worst)))
            worst = i;
    return worst;
}

static void add_resident(const struct launch_stats *s, struct strbuf *out) {
    double share = stat_named(s, "occupancy");
    if (isnan(share)) return;
    strbuf_add(out, "; %.1f of %u warp slots are taken", share * s->warps, s->warps);
    if (share * s->warps < 0.7 * s->occupancy.warps)
        strbuf_add(out, " (an SM could hold %u; the grid does not keep it full)", s->occupancy.warps);
    else if (s->occupancy.limiter) strbuf_add(out, " (limited by %s)", s->occupancy.limiter);
}

/* --- a hint for each part */

static double replay_share(const struct launch_stats *s) {
    double share = stat_named(s, "replay_fraction");
    return isnan(share) ? 0 : share;
}

static void hint_base(const struct subject *x, struct strbuf *out) {
    strbuf_add(out, "every scheduler issues most of the time; fewer instructions or wider issue would help");
    if (replay_share(x->s) >= WORTH_TELLING) add_share(out, ". Of the issues, replays:", replay_share(x->s));
    add_share(out, ". Lanes at work:", stat_named(x->s, "simd_efficiency"));
}

/* What would avoid a hazard, and what only the replays after it */
static const struct {
    const char *hazard, *replays;
} remedies[HAZARD_COUNT] = {
    [HAZARD_DIV] = {"accesses that lie together", "sm.hazard.in_stage = div"},
    [HAZARD_BANK] = {"accesses to different banks", "sm.hazard.in_stage = bank"},
    [HAZARD_TLB] = {"more sm.tlb.entries or sm.tlb.walks", NULL},
    [HAZARD_MSHR] = {"more sm.l1.mshrs", "sm.hazard.tracker = credit"},
    [HAZARD_MERGE] = {"more sm.l1.merge", NULL},
    [HAZARD_COMQ] = {"more sm.l1.miss_queue", "sm.hazard.tracker = credit with sm.hazard.resource = comq"},
    [HAZARD_ORDER] = {"whatever lets older accesses of a warp finish", NULL},
    [HAZARD_OWNER] = {"another sm.sched", NULL},
    [HAZARD_RSV] = {"more sm.l1.ways or sm.l1.sets", NULL},
};

static bool is_tracked(const struct config *c) { return strcmp(c->tracker, "none") != 0; }

static bool is_used(const struct config *c, u32 hazard) {
    bool passes = hazard == HAZARD_DIV || hazard == HAZARD_BANK;
    return !c || (passes ? c->in_stage != IN_STAGE_NONE : is_tracked(c));
}

static u32 worst_hazard(const struct launch_stats *s) {
    u32 worst = 0;
    for (u32 i = 1; i < HAZARD_COUNT; i++)
        if (s->sum.hazards[i] > s->sum.hazards[worst]) worst = i;
    return worst;
}

static void hint_replays(const struct subject *x, struct strbuf *out) {
    const struct launch_stats *s = x->s;
    u32 worst = worst_hazard(s);
    strbuf_add(out, "%.1f replays for each instruction take issue slots, mostly after the %s hazard (",
               (double)s->sum.replays / (double)MAX(1ull, s->sum.warp_instructions), hazard_table[worst].name);
    add_sentence(out, hazard_table[worst].doc);
    strbuf_add(out, "); %s would avoid it", remedies[worst].hazard);
    if (remedies[worst].replays && !is_used(x->c, worst)) strbuf_add(out, ", %s only the replays", remedies[worst].replays);
}

static void hint_idle(const struct subject *x, struct strbuf *out) {
    double used = stat_named(x->s, "sm_utilisation");
    if (used < 0.8)
        strbuf_add(out, "SMs hold a block %.0f %% of the time: the grid is small, or its blocks end at different times",
                   100 * used);
    else strbuf_add(out, "warp slots stay empty");
    add_resident(x->s, out);
    double held = stat_named(x->s, "occupancy"), empty = stall_total(&x->s->sum, STALL_EMPTY),
           slots = (double)x->s->cycles * x->s->sms * x->s->warps;
    if (held + empty / slots > 1.1)
        strbuf_add(out, ", %.1f of them by warps that have ended and wait for the rest of their block",
                   (held + empty / slots - 1) * x->s->warps);
}

static void hint_stall(const struct subject *x, enum cpi part, struct strbuf *out) {
    u32 worst = worst_stall(x->s, part);
    strbuf_add(out, "mostly %s (", stall_table[worst].name);
    add_sentence(out, stall_table[worst].doc);
    strbuf_add(out, ")");
}

static void hint_control(const struct subject *x, struct strbuf *out) { hint_stall(x, CPI_CONTROL, out); }

static void hint_fetch(const struct subject *x, struct strbuf *out) {
    strbuf_add(out, "instructions do not arrive in time");
    add_share(out, "; the instruction cache hits", stat_named(x->s, "icache_hit_rate"));
}

static void hint_memory_data(const struct subject *x, struct strbuf *out) {
    const struct launch_stats *s = x->s;
    double busy = stat_named(s, "dram_utilisation");
    if (worst_stall(s, CPI_MEMORY_DATA) != STALL_LONG) {
        hint_stall(x, CPI_MEMORY_DATA, out);
        return;
    }
    double latency = stat_named(s, "load_latency");
    if (isnan(latency)) strbuf_add(out, "no load of global or local memory has ended");
    else strbuf_add(out, "a global load takes %.0f cycles on average", latency);
    add_share(out, ", the L1 hits", stat_named(s, "l1_hit_rate"));
    add_share(out, ", DRAM buses are busy", busy);
    if (busy > BUSY) strbuf_add(out, ": bandwidth is the limit, not latency");
    else add_resident(s, out);
}

static void hint_memory_structural(const struct subject *x, struct strbuf *out) {
    const struct launch_stats *s = x->s;
    if (worst_stall(s, CPI_MEMORY_STRUCTURAL) == STALL_RESTRICT && x->c && is_tracked(x->c)) {
        strbuf_add(out, "loads are held back, by hazard prediction or the scheduler; %.1f of %u MSHRs of an L1 are in use",
                   stat_named(s, "mshr_average"), x->c->l1_mshrs);
        return;
    }
    u32 worst = worst_hazard(s);
    double lines = stat_named(s, "lines_per_access"), met = per_sm_cycle(s, (double)s->sum.hazards[worst]);
    strbuf_add(out, "mostly %s; the memory stage works in %.0f %% of cycles",
               stall_table[worst_stall(s, CPI_MEMORY_STRUCTURAL)].name, 100 * per_sm_cycle(s, (double)s->sum.lsu_busy_cycles));
    if (met >= WORTH_TELLING) {
        strbuf_add(out, " and meets the %s hazard in %.0f %% (", hazard_table[worst].name, 100 * met);
        add_sentence(out, hazard_table[worst].doc);
        strbuf_add(out, ")");
    }
    if (lines >= 2) strbuf_add(out, "; an access of global memory touches %.1f lines", lines);
}

static void hint_compute_data(const struct subject *x, struct strbuf *out) {
    strbuf_add(out, "instructions wait for results of the one before; more warps or independent instructions would hide it");
    add_resident(x->s, out);
}

static void hint_compute_structural(const struct subject *x, struct strbuf *out) {
    const struct launch_stats *s = x->s;
    if (worst_stall(s, CPI_COMPUTE_STRUCTURAL) != STALL_MATH || !x->c) {
        hint_stall(x, CPI_COMPUTE_STRUCTURAL, out);
        return;
    }
    const struct {
        const char *name;
        u64 busy;
        u32 units;
    } units[] = {
        {"arithmetic units", s->sum.unit_busy_alu, x->c->alu_units},
        {"integer units", s->sum.unit_busy_int, x->c->int_units},
        {"special function units", s->sum.unit_busy_sfu, x->c->sfu_units},
        {"double-precision units", s->sum.unit_busy_fp64, x->c->fp64_units},
        {"matrix units", s->sum.unit_busy_tensor, x->c->tensor_units},
    };
    u32 worst = 0;
    double share[ARRAY_LEN(units)];
    for (u32 i = 0; i < ARRAY_LEN(units); i++) {
        share[i] = per_sm_cycle(s, (double)units[i].busy) / MAX(1u, units[i].units * x->c->subcores);
        if (share[i] > share[worst]) worst = i;
    }
    strbuf_add(out, "the %s are taken %.0f %% of the time", units[worst].name, 100 * share[worst]);
}

static void hint_data_structural(const struct subject *x, struct strbuf *out) {
    (void)x;
    strbuf_add(out,
               "the warp looked at awaited a result, and its unit or the memory pipe would have taken nothing either; the other "
               "methods (--cpi) divide these cycles");
}

static void hint_order(const struct subject *x, struct strbuf *out) { hint_stall(x, CPI_ORDER, out); }

static void hint_missed(const struct subject *x, struct strbuf *out) {
    (void)x;
    strbuf_add(out, "warps were ready, and the scheduler looked at others; another sm.sched may help");
}

enum { REPLAYS = CPI_COUNT, PARTS }; /* beside the parts of the stack */

static const struct {
    const char *what;
    void (*hint)(const struct subject *x, struct strbuf *out);
} rows[PARTS] = {
    [CPI_BASE] = {"the issue rate", hint_base},
    [CPI_IDLE] = {"too few warps", hint_idle},
    [CPI_CONTROL] = {"synchronisation and control", hint_control},
    [CPI_FETCH] = {"the front end", hint_fetch},
    [CPI_MEMORY_DATA] = {"waiting for memory", hint_memory_data},
    [CPI_MEMORY_STRUCTURAL] = {"a full memory pipe", hint_memory_structural},
    [CPI_COMPUTE_DATA] = {"waiting for results of units", hint_compute_data},
    [CPI_COMPUTE_STRUCTURAL] = {"busy units", hint_compute_structural},
    [CPI_DATA_STRUCTURAL] = {"waiting for results while units are busy", hint_data_structural},
    [CPI_ORDER] = {"the order's window", hint_order},
    [CPI_MISSED] = {"the scheduler's choice", hint_missed},
    [REPLAYS] = {"replays", hint_replays},
};

/* Empty slots are no limit by themselves: only when the grid leaves SMs without a block or half empty, or
 * when there is hardly anything else */
static bool lacks_warps(const struct launch_stats *s, double idle_share) {
    double warps = stat_named(s, "occupancy") * s->warps;
    return idle_share > 0.8 || warps < 0.5 * s->occupancy.warps || stat_named(s, "sm_utilisation") < 0.8;
}

static double part_of(const struct launch_stats *s, enum cpi_method m, u32 part) {
    double base = cpi_total(s, m, CPI_BASE), again = base * replay_share(s);
    return part == REPLAYS ? again : part == CPI_BASE ? base - again : cpi_total(s, m, (enum cpi)part);
}

static u32 worst_part(const struct launch_stats *s, enum cpi_method m, double total) {
    u32 worst = PARTS;
    if (part_of(s, m, CPI_BASE) > total / 2) return CPI_BASE;
    for (u32 i = 0; i < PARTS; i++) {
        double x = part_of(s, m, i);
        if (i == CPI_BASE || (i == CPI_IDLE && !lacks_warps(s, x / total))) continue;
        if (worst == PARTS || x > part_of(s, m, worst)) worst = i;
    }
    return worst;
}

void report_limit(const struct launch_stats *s, const struct config *c, enum cpi_method m, struct strbuf *out) {
    double total = 0;
    for (u32 i = 0; i < PARTS; i++) total += part_of(s, m, i);
    if (total <= 0) return;
    u32 worst = worst_part(s, m, total);
    strbuf_add(out, "%s, %.0f %% of scheduler cycles: ", rows[worst].what, 100 * part_of(s, m, worst) / total);
    rows[worst].hint(&(struct subject){s, c}, out);
}
