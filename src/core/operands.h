/* operands: register banks, collectors and units of the sub-cores. Included by 40_operands.c and 50_execute.c
 * alone. */
#ifndef HEDDLE_CORE_OPERANDS_H
#define HEDDLE_CORE_OPERANDS_H

#include "core/core.h"

enum { BANK_WINDOW = 512, BANK_WORDS = BANK_WINDOW / 64, MAX_SUBCORES = 16, MAX_UNITS = 16, MAX_COLLECTORS = 64, MAX_POOLS = 3 };

struct pool {                 /* collectors of a sub-core that serve the instructions of some units */
    u32 free, held;           /* held: by memory instructions, until they let go */
    u32 first, nbusy;         /* ring of those that become free at known times, soonest first */
    u64 busy[MAX_COLLECTORS]; /* those times */
};
struct units { /* of a kind, in a sub-core */
    u32 n;
    struct pool *pool;   /* collectors of their instructions */
    u64 *busy;           /* their counter: cycles taken */
    u64 free[MAX_UNITS]; /* cycle from which each takes another instruction */
};
struct subcore {
    struct units *of[UNIT_COUNT]; /* into `units`: an instruction's way asks for one of them several times */
    struct units units[UNIT_COUNT];
    struct pool pools[MAX_POOLS];
    u64 pipe_free;                   /* sm.pipe = one: cycle from which the pipe takes another instruction */
    u64 unavailable, unavailable_to; /* what operands_unavailable found, and the cycle up to which it holds, exclusive */
    u64 *bank;                       /* calendar: [cycle mod BANK_WINDOW][port], a bit for each bank that is taken */
    u64 bank_word;                   /* cycle / 64 up to which the past has been emptied */
};
struct operands {
    struct subcore *subs[MAX_SUBCORES * VWS_SLICES]; /* [subcores * slices]: each slice's share of a sub-core is like one */
    u32 shares;                                      /* of each sub-core; 1 where warps are not divided */
    u32 slices, slice;                               /* of this launch: slices of a warp, and their lanes */
    u64 share[UNIT_COUNT];                           /* cycles of shares of units that are no whole unit's yet */
    u64 pipe_share, return_share;                    /* the same of the one pipe */
    u32 npools, pool_size[MAX_POOLS];                /* of each sub-core: one for all units, or three */
    u64 pool_units[MAX_POOLS];                       /* whom it serves, by 1 << enum unit */
    u8 pool_of[UNIT_COUNT];
    u64 round_cy;          /* sm.pipe = one: cycle of the last issue, ... */
    u32 round_beats;       /* ... and the most beats of an instruction of that cycle */
    u32 common_beats;      /* sm.warp_scale.sync = lockstep: of all SMs' last round */
    u64 all_banks;         /* a bit each */
    u32 last_bank;         /* number of banks less one */
    u8 turn[MAX_SLOTS];    /* by home: bank of its register 0 */
    bool pooled;           /* collectors alone keep instructions from leaving issue */
    u64 read_cy, enter_cy; /* 50_execute.c: of the last instruction that took a unit at issue */
};

/* The slice of the lowest of these lanes, whose share of the sub-core it is, and the lanes without it */
static inline struct subcore *slice_of(const struct operands *o, u32 sub, u64 *lanes) {
    u32 slice = (u32)__builtin_ctzll(*lanes) / o->slice;
    *lanes &= slice + 1 == o->slices ? 0 : ~0ull << (slice + 1) * o->slice;
    return o->subs[sub * o->slices + slice];
}
/* Whole cycles that so many of single shares are, with those left over from before */
static inline u64 whole_of_shares(const struct operands *o, u64 *left, u64 cycles) {
    *left += cycles;
    u64 whole = *left / o->slices;
    *left %= o->slices;
    return whole;
}
static inline u64 crew_lanes(const struct crew *w) { /* positions; where there are slices, those are lanes of the one home */
    u64 lanes = 0;
    for (u32 i = 0; i < w->n; i++) lanes |= w->at[i].lanes;
    return lanes;
}

/* The collector taken just now is free again at that cycle */
static inline void pool_free_at(struct pool *p, u64 cy) {
    u32 first = p->first, at = first + p->nbusy++;
    for (; at != first && p->busy[(at - 1) % MAX_COLLECTORS] > cy; at--)
        p->busy[at % MAX_COLLECTORS] = p->busy[(at - 1) % MAX_COLLECTORS];
    p->busy[at % MAX_COLLECTORS] = cy;
}

#endif
