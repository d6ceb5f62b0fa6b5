/* blocks: those on the SM, and those announced. Included by cta.c alone. */
#ifndef HEDDLE_CORE_BLOCKS_H
#define HEDDLE_CORE_BLOCKS_H

#include "core/core.h"

struct cta_place { /* a block on this SM */
    struct cta *cta;
    u64 slots; /* mask of its warps' homes */
    u64 begin_cy;
    bool used;
};
struct cta_arrival {
    u64 cycle, linear;
};
struct blocks {
    struct cta_place places[MAX_BLOCKS];
    VEC(struct cta *) spare;
    VEC(struct cta_arrival) coming; /* in order of cycle, from coming_at on */
    u32 coming_at;
    VEC(struct cta_done) done; /* not yet taken */
    u32 resident, resident_warps;
    bool renewed; /* in the last cycle the program has ended or started warps */
    u64 begin;    /* homes that begin anew when what they were is over, where fronts are formed */
    u64 ages;     /* warps that have come so far */
    u64 quiet_cy; /* first cycle after the last block ended */
};

#endif
