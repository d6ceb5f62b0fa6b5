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
struct subcore {
    u64 unit_free[UNIT_COUNT][MAX_UNITS];
    u32 units[UNIT_COUNT];
    struct pool pools[MAX_POOLS];
    u64 pipe_free;                   /* sm.pipe = one: cycle from which the pipe takes another instruction */
    u64 unavailable, unavailable_to; /* what operands_unavailable found, and the cycle up to which it holds, exclusive */
    u64 *bank;                       /* calendars: [bank][port][BANK_WORDS], bit cycle mod BANK_WINDOW: taken */
    u64 bank_word;                   /* cycle / 64 up to which past words have been emptied */
};
struct operands {
    struct subcore subs[MAX_SUBCORES];
    u32 npools, pool_size[MAX_POOLS]; /* of each sub-core: one for all units, or three */
    u64 pool_units[MAX_POOLS];        /* whom it serves, by 1 << enum unit */
    u8 pool_of[UNIT_COUNT];
    u64 round_cy;     /* sm.pipe = one: cycle of the last issue, ... */
    u32 round_beats;  /* ... and the most beats of an instruction of that cycle */
    u32 common_beats; /* sm.warp_scale.sync = lockstep: of all SMs' last round */
    u32 bank_mask;    /* number of banks less one, where it is a power of two; else 0 */
    u32 bank_stride;  /* words of a bank's calendars */
};

/* The collector taken just now is free again at that cycle */
static inline void pool_free_at(struct pool *p, u64 cy) {
    u32 i = p->nbusy++;
    for (; i && p->busy[(p->first + i - 1) % MAX_COLLECTORS] > cy; i--)
        p->busy[(p->first + i) % MAX_COLLECTORS] = p->busy[(p->first + i - 1) % MAX_COLLECTORS];
    p->busy[(p->first + i) % MAX_COLLECTORS] = cy;
}

#endif
