/* Everything that is counted, by name: cycles, counters, formulas, and the parts into which cycles and warp
 * time fall. Reports with columns, `heddle explain`, `heddle list stats` and `heddle compare --metric` go
 * through this list; the rows themselves are those of stats/ and gpu/formula.c. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

const char *const metric_kind_docs[METRIC_KINDS] = {
    [METRIC_CYCLES] = "time",
    [METRIC_COUNTER] = "counters, summed over SMs or memory partitions",
    [METRIC_FORMULA] = "formulas, made of counters",
    [METRIC_CPI] = "parts of the CPI stack: what each cycle of each scheduler is blamed on",
    [METRIC_STALL] = "warp states: what each warp slot does in each cycle (the names are Nsight Compute's where it has one)",
    [METRIC_SCHED] = "scheduler cycles: what each scheduler does in each cycle",
    [METRIC_HAZARD] = "hazards: why the memory stage's first instruction could not finish in a cycle",
};

static struct metric cycles_metric(u32 i) {
    return (struct metric){
        "",
        "cycles",
        "cycles",
        "From the start of a launch to the end of its last block, memory instructions included; warm-up is not.",
        METRIC_CYCLES,
        i};
}
static struct metric stat_metric(u32 i) {
    struct stat_row r = stat_at(i);
    return (struct metric){"", r.name, r.unit, r.doc, r.formula ? METRIC_FORMULA : METRIC_COUNTER, i};
}
static struct metric cpi_metric(u32 i) {
    return (struct metric){"cpi.", cpi_table[i].name, "scheduler cycles", cpi_table[i].doc, METRIC_CPI, i};
}
static struct metric stall_metric(u32 i) {
    return (struct metric){"stall.", stall_table[i].name, "slot cycles", stall_table[i].doc, METRIC_STALL, i};
}
static struct metric sched_metric(u32 i) {
    return (struct metric){"sched.", sched_cycle_names[i], "scheduler cycles", sched_cycle_docs[i], METRIC_SCHED, i};
}
static struct metric hazard_metric(u32 i) {
    return (struct metric){"hazard.", hazard_table[i].name, "cycles", hazard_table[i].doc, METRIC_HAZARD, i};
}
static u32 one(void) { return 1; }
static u32 cpis(void) { return CPI_COUNT; }
static u32 stalls(void) { return STALL_COUNT; }
static u32 scheds(void) { return SCHED_CYCLES; }
static u32 hazards(void) { return HAZARD_COUNT; }

/* The list is these, one after the other */
static const struct {
    u32 (*count)(void);
    struct metric (*at)(u32 i);
} parts[] = {
    {one, cycles_metric},   {stat_count, stat_metric}, {cpis, cpi_metric},
    {stalls, stall_metric}, {scheds, sched_metric},    {hazards, hazard_metric},
};

u32 metric_count(void) {
    u32 n = 0;
    for (u32 p = 0; p < ARRAY_LEN(parts); p++) n += parts[p].count();
    return n;
}

struct metric metric_at(u32 i) {
    u32 p = 0;
    for (; i >= parts[p].count(); p++) i -= parts[p].count();
    return parts[p].at(i);
}

bool metric_is(const struct metric *m, const char *name) {
    size_t n = strlen(m->prefix);
    return strcmp(m->name, name) == 0 || (strncmp(m->prefix, name, n) == 0 && strcmp(m->name, name + n) == 0);
}

int metric_find(const char *name) {
    for (u32 i = 0; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        if (metric_is(&m, name)) return (int)i;
    }
    return -1;
}

const char *metric_nearest(const char *name) {
    u32 n = metric_count();
    const char **names = base_alloc(n * sizeof(*names));
    const char *dot = strchr(name, '.');
    for (u32 i = 0; i < n; i++) names[i] = metric_at(i).name;
    const char *near = text_nearest(dot ? dot + 1 : name, names, n);
    free(names);
    return near;
}

/* --- values */

double stat_named(const struct launch_stats *s, const char *name) {
    int i = stat_find(name);
    CHECK(i >= 0);
    return stat_value(s, (u32)i);
}

u32 sched_slots(const struct launch_stats *s, u32 scheduler) {
    return (s->warps + s->schedulers - 1 - scheduler) / s->schedulers;
}

double cpi_cycles(const struct launch_stats *s, const struct sm_stats *of, u32 scheduler, enum cpi_method m, u32 part) {
    u32 slots = sched_slots(s, scheduler);
    return slots ? (double)of->sched[scheduler].cpi[m][part] / (6.0 * slots) : 0;
}

double cpi_total(const struct launch_stats *s, enum cpi_method m, u32 part) {
    double sum = 0;
    for (u32 i = 0; i < s->schedulers; i++) sum += cpi_cycles(s, &s->sum, i, m, part);
    return sum;
}

double stall_total(const struct sm_stats *of, u32 stall) {
    u64 sum = 0;
    for (u32 i = 0; i < MAX_SCHEDULERS; i++) sum += of->sched[i].warp_time[stall];
    return (double)sum / 6.0;
}

static double sched_total(const struct sm_stats *of, u32 what) {
    u64 sum = 0;
    for (u32 i = 0; i < MAX_SCHEDULERS; i++) sum += of->sched[i].cycles[what];
    return (double)sum;
}

double metric_value(const struct launch_stats *s, u32 i, enum cpi_method method) {
    struct metric m = metric_at(i);
    switch (m.kind) {
    case METRIC_CYCLES: return (double)s->cycles;
    case METRIC_COUNTER:
    case METRIC_FORMULA: return stat_value(s, m.index);
    case METRIC_CPI: return cpi_total(s, method, m.index);
    case METRIC_STALL: return stall_total(&s->sum, m.index);
    case METRIC_SCHED: return sched_total(&s->sum, m.index);
    case METRIC_HAZARD: return (double)s->sum.hazards[m.index];
    case METRIC_KINDS: break;
    }
    return NAN;
}
