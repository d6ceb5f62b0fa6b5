/* stats: what is counted, and what a cycle is blamed on.
 *
 * Every counter, formula, stall cause and part of a CPI stack is a row of a table here (stats.def, stall.def,
 * cpi.def, hazard.def, and mem/mem_stats.def for the memory side); reports, JSON, documentation and `heddle
 * explain` are printed from the rows.
 *
 * Units. Warp time is in sixths of a cycle of a warp slot: a slot with a set of k causes gives each 6/k. CPI
 * stacks are per scheduler in units of 1/(6N) cycle, N = warp slots of the scheduler. So thirds and halves
 * are exact and sums are CHECKed:
 *   S1 warp time of an SM sums to 6 x cycles x warp slots
 *   S2 each CPI stack of a scheduler sums to 6N x cycles
 *   S3 scheduler cycles (idle, raw, stall, issue1, issue2, restrict) of an SM sum to cycles x schedulers */
#ifndef HEDDLE_STATS_H
#define HEDDLE_STATS_H

#include "base/base.h"

enum stall {
#define STALL(id, name, cpi, doc) STALL_##id,
#include "stats/stall.def"
#undef STALL
    STALL_COUNT
};
enum cpi {
#define CPI(id, name, strong, weak, doc) CPI_##id,
#include "stats/cpi.def"
#undef CPI
    CPI_COUNT
};
enum hazard {
#define HAZARD(id, name, doc) HAZARD_##id,
#include "stats/hazard.def"
#undef HAZARD
    HAZARD_COUNT
};
enum sched_cycle { SCHED_IDLE, SCHED_RAW, SCHED_STALL, SCHED_ISSUE1, SCHED_ISSUE2, SCHED_RESTRICT, SCHED_CYCLES };
extern const char *const sched_cycle_names[SCHED_CYCLES];
extern const char *const sched_cycle_docs[SCHED_CYCLES];
/* Ways to make a CPI stack: the warp the scheduler would have chosen; GSI's two steps; each warp its share
 * (Aurud chapter 5) */
enum cpi_method { CPI_SELECTED, CPI_GSI, CPI_PROPORTIONAL, CPI_METHODS };
extern const char *const cpi_method_names[CPI_METHODS];
struct stall_row {
    const char *name, *doc;
    u8 cpi; /* enum cpi */
};
struct cpi_row {
    const char *name, *doc;
    u8 strong, weak;
};
struct named {
    const char *name, *doc;
};
extern const struct stall_row stall_table[STALL_COUNT];
extern const struct cpi_row cpi_table[CPI_COUNT];
extern const struct named hazard_table[HAZARD_COUNT];

enum { MAX_SCHEDULERS = 16, MAX_LANES = 64 };
enum { LANE_BINS = MAX_LANES + 1 };

struct sched_stats {            /* one scheduler of one SM, or sums of them */
    u64 warp_time[STALL_COUNT]; /* sixths of slot cycles */
    u64 cpi[CPI_METHODS][CPI_COUNT];
    u64 cycles[SCHED_CYCLES];
};
struct sm_stats { /* one SM, or the sum over SMs */
#define COUNTER(id, unit, doc) u64 id;
#define FORMULA(...)
#include "stats/stats.def"
#undef COUNTER
#undef FORMULA
    u64 hazards[HAZARD_COUNT]; /* cycles */
    u64 lanes[LANE_BINS];      /* instructions by active lanes */
    struct sched_stats sched[MAX_SCHEDULERS];
};
/* Lanes of the instructions that were issued, over an SM or several; no counter is hashed */
enum lost {
#define LOST(id, name, doc) LOST_##id,
#include "stats/lost.def"
#undef LOST
    LOST_COUNT
};
extern const struct named lost_table[LOST_COUNT];
struct lane_stats {
    u64 occupied[LANE_BINS]; /* instructions by lanes of their front, guards left out: the warp-occupancy distribution */
    u64 lost[LOST_COUNT];    /* lanes of them that did not work */
    u64 control;             /* of them, branches, calls, returns and exits */
};
void lane_stats_add(struct lane_stats *sum, const struct lane_stats *s);
/* Jin 2012, equation 6.1: how much faster the same instructions would be if each took only the beats of
 * `width` lanes that its threads need, spread as well as they can be; NaN without instructions */
double lane_stats_estimate(const struct lane_stats *s, u32 warp_size, u32 width);

struct pc_stats {                 /* one instruction of the program, sum over SMs */
    u64 issues, lanes;            /* warp instructions; lanes whose guard held */
    u64 time[STALL_COUNT];        /* sixths of slot cycles that warps spent with this as their next instruction */
    u64 lines, accesses, l1_hits; /* line accesses, memory instructions, L1 hits */
    u64 latency;                  /* loads: issue to result, summed */
};
struct sample { /* counters at the end of an interval, as differences from the one before */
    u64 cycle;
    u64 warp_instructions, l1_accesses, l1_hits, l2_accesses, l2_hits, dram_bursts, warp_cycles;
    u64 time[STALL_COUNT];
};
struct sm_sample { /* of one SM in that interval */
    u64 warp_instructions, warp_cycles;
};
#endif
