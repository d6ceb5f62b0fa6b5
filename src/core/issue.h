/* issue: alarms and schedulers. Included by 30_issue.c, 31_sched.c and account.c alone. */
#ifndef HEDDLE_CORE_ISSUE_H
#define HEDDLE_CORE_ISSUE_H

#include "core/core.h"

enum { WHEEL = 64 };

struct silence { /* cycles in a row without an issue in which nothing changed: charged together when something does (account.c) */
    u64 n;
    u64 unavailable, restricted, candidates;
};
struct sched {
    void *state;
    struct silence silence;
    u64 slots; /* mask of its own */
    u64 valid, all_ready;
    u64 ready[UNIT_COUNT]; /* by the unit the next instruction needs */
    u64 ready_loads[4];    /* of all_ready, by tinst.mshr_of */
    u64 ready_shared;      /* of ready[UNIT_MEM], those of shared memory */
    u64 waits_long, waits_load, waits_barrier, waits_fence;
    u32 pop[CPI_COUNT]; /* slots by strongest cause, ready ones left out */
    u32 present;        /* bit per nonzero pop */
    u32 nslots;
    u64 noissue;                                          /* cycles so far without an issue */
    u64 unavail[UNIT_COUNT], noissue_unavail[UNIT_COUNT]; /* cycles in which a unit's instructions could not issue */
};
struct issue {
    u64 wheel[WHEEL]; /* fronts to look at, by cycle mod WHEEL */
    u64 wheel_any;    /* bit per nonempty entry */
    u64 parked;       /* fronts that cannot run: no group of theirs can */
    u64 last_cy;      /* last cycle in which something issued */
    struct step step; /* the instruction executed last, and the last that is not in the program */
    struct step pseudo;
    u8 sched_of[MAX_SLOTS], sub_of[MAX_SLOTS]; /* by front: its scheduler, and the sub-core that one feeds */
    struct sched scheds[MAX_SCHEDULERS];
    void *shared, *scratch;         /* the schedulers' common block, and room for a copy */
    struct sm_stats *scratch_stats; /* counted into and thrown away */
    u64 block[MAX_SLOTS];           /* number of the block in the grid, by front */
    u64 levels_cy;                  /* account.c: counters of levels are complete up to here */
};

static inline u32 slot_sched(const struct core *c, u32 slot) { return c->issue->sched_of[slot]; }
static inline u32 slot_sub(const struct core *c, u32 slot) { return c->issue->sub_of[slot]; }

#endif
