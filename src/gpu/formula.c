/* Numbers of a launch by name: every counter of stats.def and mem_stats.def and every formula, in the order
 * of the tables. Sums of launches are here too. */
#include "gpu/chip.h"

#include <math.h>
#include <stdlib.h>

/* --- formulas: one function each, so that a debugger can stop in one */

static double ratio(double a, double b) { return b != 0 ? a / b : NAN; }
static double least(double a, double b) { return a < b ? a : b; }
static double balance(double a, double b) { return ratio(least(a, b), a < b ? b : a); }

/* Warp cycles at barriers and fences */
static double waiting(const struct sm_stats *s) {
    u64 sixths = 0;
    for (u32 i = 0; i < MAX_SCHEDULERS; i++) sixths += s->sched[i].warp_time[STALL_BARRIER] + s->sched[i].warp_time[STALL_MEMBAR];
    return (double)sixths / 6;
}

static double issuing(const struct sm_stats *s) {
    u64 cycles = 0;
    for (u32 i = 0; i < MAX_SCHEDULERS; i++) cycles += s->sched[i].cycles[SCHED_ISSUE1] + s->sched[i].cycles[SCHED_ISSUE2];
    return (double)cycles;
}

#define COUNTER(...)
#define FORMULA(id, unit, expression, doc)                                                                                       \
    static double formula_##id(const struct launch_stats *l) {                                                                   \
        const struct sm_stats *s = &l->sum;                                                                                      \
        const struct mem_stats *m = &l->mem;                                                                                     \
        (void)s;                                                                                                                 \
        (void)m;                                                                                                                 \
        return expression;                                                                                                       \
    }
#include "stats/stats.def"
#undef COUNTER
#undef FORMULA

/* --- rows */

struct row {
    struct stat_row row;
    size_t offset; /* of a counter in struct launch_stats */
    double (*formula)(const struct launch_stats *l);
};

static const struct row rows[] = {
#define FORMULA(...)
#define COUNTER(id, unit, doc) {{#id, unit, doc, false}, offsetof(struct launch_stats, sum.id), NULL},
#include "stats/stats.def"
#undef COUNTER
#define COUNTER(id, unit, doc) {{#id, unit, doc, false}, offsetof(struct launch_stats, mem.id), NULL},
#include "mem/mem_stats.def"
#undef COUNTER
#undef FORMULA
#define COUNTER(...)
#define FORMULA(id, unit, expression, doc) {{#id, unit, doc, true}, 0, formula_##id},
#include "stats/stats.def"
#undef COUNTER
#undef FORMULA
};

u32 stat_count(void) { return ARRAY_LEN(rows); }
struct stat_row stat_at(u32 i) { return rows[i].row; }

int stat_find(const char *name) {
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].row.name, name) == 0) return (int)i;
    return -1;
}

double stat_value(const struct launch_stats *s, u32 i) {
    if (rows[i].formula) return rows[i].formula(s);
    u64 x;
    memcpy(&x, (const u8 *)s + rows[i].offset, sizeof(x));
    return (double)x;
}

/* --- sums of launches */

/* What the first launch with timing says about machine and kernel stands for the sum */
static void describe(struct launch_stats *sum, const struct launch_stats *s) {
    u64 functional = sum->ctas_functional, unknown = sum->instructions_unknown, ctas = sum->grid_ctas;
    bool complete = !sum->kernel[0] || sum->complete;
    *sum = *s;
    sum->ctas_functional = functional;
    sum->grid_ctas = ctas;
    sum->complete = complete;
    sum->functional = true;
    sum->estimated = false;
    sum->estimate = (struct estimate){0};
    sum->instructions_left_out = 0;
    sum->instructions_unknown = unknown;
    sum->waves = sum->launches = 0;
    sum->work_most = sum->work_least = 0;
    sum->cycles = sum->simulated_cycles_jumped = 0;
    sum->sum = (struct sm_stats){0};
    sum->mem = (struct mem_stats){0};
    sum->lane = (struct lane_stats){0};
    sum->per_sm = NULL;
    sum->per_partition = NULL;
    sum->pcs = NULL;
    sum->samples = NULL;
    sum->sm_samples = NULL;
    sum->time = (struct timeline_lists){0};
    memset(sum->flops, 0, sizeof(sum->flops));
    sum->npcs = sum->nsamples = 0;
}

void launch_stats_add(struct launch_stats *sum, const struct launch_stats *s) {
    if (!sum->kernel[0] || (!sum->sms && s->sms)) describe(sum, s);
    sm_stats_add(&sum->sum, &s->sum);
    mem_stats_add(&sum->mem, &s->mem);
    lane_stats_add(&sum->lane, &s->lane);
    sum->cycles += s->cycles;
    sum->grid_ctas += s->grid_ctas;
    sum->ctas_functional += s->ctas_functional;
    for (u32 i = 0; i < FLOP_KINDS; i++) sum->flops[i] += s->flops[i];
    sum->simulated_cycles_jumped += s->simulated_cycles_jumped;
    sum->estimated = sum->estimated || s->estimated;
    sum->estimate.cycles += s->estimate.cycles;
    sum->estimate.variance += s->estimate.variance;
    sum->estimate.systematic += s->estimate.systematic;
    sum->instructions_left_out += s->instructions_left_out;
    sum->instructions_unknown += s->instructions_unknown;
    sum->waves += s->waves;
    sum->launches += s->launches;
    sum->work_most += s->work_most;
    sum->work_least += s->work_least;
    sum->complete = sum->complete && s->complete;
    sum->functional = sum->functional && s->functional;
}

void launch_stats_free(struct launch_stats *s) {
    free(s->per_sm);
    free(s->per_partition);
    free(s->pcs);
    free(s->samples);
    free(s->sm_samples);
    timeline_lists_free(&s->time);
    s->per_sm = NULL;
    s->per_partition = NULL;
    s->pcs = NULL;
    s->samples = NULL;
    s->sm_samples = NULL;
    s->npcs = s->nsamples = 0;
}
