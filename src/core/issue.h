/* issue: alarms and schedulers. Included by 29_look.c, 30_issue.c, 31_sched.c and account.c alone. */
#ifndef HEDDLE_CORE_ISSUE_H
#define HEDDLE_CORE_ISSUE_H

#include "core/core.h"

enum { WHEEL = 64 };

struct silence { /* cycles in a row without an issue in which nothing changed: charged together when something does (account.c) */
    u64 n;
    u64 unavailable;
    bool candidates;           /* there were some, and none was picked */
    bool still;                /* of a policy that moves: it goes on as it does while `buffered` is as it is */
    int slot;                  /* known when `still`, as are the next: preferred in the first of the cycles */
    u32 round;                 /* cycles after which it comes round */
    u64 buffered;              /* sched_buffered */
    bool held;                 /* `restricted` has members */
    u64 restricted[SET_WORDS]; /* known when `held` */
};
struct sched_word { /* 64 fronts of a scheduler, by what they are: the same word of all its sets */
    u64 slots;      /* its own */
    u64 valid, all_ready;
    u64 counted;           /* places that accounts count: those of warp slots, and others with a front */
    u64 singly;            /* of these, where fronts are formed: ready, or waiting in several classes */
    u64 ready[UNIT_COUNT]; /* by the unit the next instruction needs */
    u64 ready_loads;       /* of ready[UNIT_MEM], loads that may need an MSHR of the L1 data cache */
    u64 ready_shared;      /* of ready[UNIT_MEM], those of shared memory */
    u64 waits_long, waits_load, waits_barrier, waits_fence;
};
struct sched {
    u32 index, sub; /* sub: the sub-core it feeds */
    void *state;
    struct sched_view *view; /* what its policy was shown last */
    struct sched_stats *stats;
    u64 *proportional;     /* stack that a place adds its time to; where fronts are formed, one that is thrown away */
    struct sched_word *at; /* [core.words] */
    u32 nready;            /* fronts in all_ready */
    u32 pop[CPI_COUNT];    /* slots by strongest cause, ready ones left out */
    u32 present;           /* bit per nonzero pop */
    u32 asked, answer;     /* classes that were asked last for the weakest of them, and that; 0: none was (account.c) */
    u32 nslots;            /* warp slots; there are more places where fronts are formed */
    /* Where fronts are formed: counted places by the one class they wait in, and of those that wait for
     * results (account.c, awaited) also by the unit of what they show */
    u32 formed[CPI_COUNT], formed_unit[2][UNIT_COUNT];
    u64 noissue;                                          /* cycles so far without an issue */
    u64 unavail[UNIT_COUNT], noissue_unavail[UNIT_COUNT]; /* cycles in which a unit's instructions could not issue */
    struct silence silence;
};
struct issue {
    u64 *wheel;         /* [core.words][WHEEL] fronts to look at, by cycle mod WHEEL */
    u64 wheel_any;      /* bit per cycle with some */
    u64 parked;         /* homes none of whose groups can run */
    u64 last_cy;        /* last cycle in which something issued */
    u32 ready_loads[4]; /* ready fronts of all schedulers, by tinst.mshr_of */
    bool restricts;     /* prediction, the policy or the re-execution queue may hold ready fronts back */
    bool steady;        /* nobody does, there are no windows, and the policy need not be told of cycles without candidates */
    bool may_be_still;  /* the same of a policy that moves, and that can be told of its turns later; one word has all fronts */
    bool renews;        /* the program starts and ends warps of its own */
    bool next_only;     /* no replay, no window, no formed fronts: a front shows its next instruction */
    bool plain;         /* that, no Vortex units, and no warps that the program starts and ends */
    bool lone;          /* plain, and an instruction that issues is all that happens in its scheduler's cycle */
    bool timed; /* registers of a front's next instruction are all that it waits for, where its kind asks for nothing else */
    struct step step; /* the instruction executed last, and the last that is not in the program */
    struct step pseudo;
    u8 *sub_of; /* by front: the sub-core that its scheduler feeds */
    struct sched scheds[MAX_SCHEDULERS];
    void *shared, *scratch;         /* the schedulers' common block, and room for a copy */
    struct sm_stats *scratch_stats; /* counted into and thrown away */
    u64 *block;                     /* number of the block in the grid, by front */
    u64 levels_cy;                  /* account.c: counters of levels are complete up to here */
    u64 beyond, beyond_cy;          /* account.c: places beyond warp slots that count, and their time */
    u64 formed_apart[CPI_COUNT];    /* account.c: thrown away, and so is */
    u64 no_pc[STALL_COUNT];         /* time of fronts that show no instruction */
};

/* --- 29_look.c, asked of this cycle */
bool front_waits(struct core *c, struct front *f);           /* its next instruction, for whatever there is */
bool waits_for_order(struct core *c, const struct front *f); /* for results before it, where the order asks for them */
bool waits_for_registers(const struct core *c, const struct home *s, const struct tinst *t, u64 lanes);
/* Its first part's threads for each other or for accesses of theirs, as barriers, fences and exits do */
bool waits_for_others(struct core *c, const struct front *f, const struct tinst *t);

static inline u32 slot_sub(const struct core *c, u32 slot) { return c->issue->sub_of[slot]; }
/* Some front is ready whose next instruction needs that unit */
static inline bool unit_wanted(const struct core *c, const struct sched *sc, u32 unit) {
    for (u32 w = 0; w < c->words; w++)
        if (sc->at[w].ready[unit]) return true;
    return false;
}

u64 sched_buffered(const struct core *c, const struct sched *s); /* sched_view's, of the first 64 fronts (31_sched.c) */

/* This cycle is as those of the silence under way: nothing could be picked, and nothing has changed */
static inline bool stays_silent(const struct core *c, const struct sched *sc, u64 unavailable) {
    const struct silence *q = &sc->silence;
    if (!q->n || q->candidates || q->unavailable != unavailable) return false;
    return c->issue->steady || (q->still && q->buffered == sched_buffered(c, sc));
}

#endif
