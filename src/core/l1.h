/* l1: the inside of 61_l1.c, for that file alone. */
#ifndef HEDDLE_CORE_L1_H
#define HEDDLE_CORE_L1_H

#include "core/flight.h"

struct tlb_entry {
    u64 page;   /* + 1; 0: empty */
    u64 used;   /* cycle of the last use */
    u64 ready;  /* cycle from which it can be used */
    bool fresh; /* whoever it was fetched for has not used it yet: it stays */
};
struct line_wait { /* beside an MSHR of the data cache */
    u64 since;
    u32 sectors;   /* asked for */
    u16 responses; /* packets outstanding */
    u16 slot;      /* whose access took it */
};
struct l1 {
    struct tags tags;
    struct tags kept; /* tags as they were before blocks ran without time; empty until that happens first */
    struct mshr *mshr;
    struct line_wait *waits; /* by entry of mshr */
    u16 *brought_by;         /* by line of tags: the slot whose access brought it */
    u64 fill_free;
    u64 latency; /* of the stage itself: the key minus the way there */
    struct tags const_tags;
    struct mshr *const_mshr;
    struct tlb_entry *tlb; /* [tlb_entries] */
};

#endif
