/* vcache: the data cache of the Vortex pipeline. Included by 69_vcache.c alone. */
#ifndef HEDDLE_CORE_VCACHE_H
#define HEDDLE_CORE_VCACHE_H

#include "core/flight.h"

enum vmiss_state { VMISS_FREE, VMISS_WAITS, VMISS_FILLS, VMISS_REPLAYS };
struct vmiss { /* a read that missed */
    u64 line, seq;
    u32 flight;
    u8 state; /* enum vmiss_state: FILLS: its line is at the bank's door; REPLAYS: it is in, the read comes again */
};
struct vbank {
    u64 busy_cy;    /* last cycle in which it took something; NEVER: none */
    u64 no_read_cy; /* cycle after one in which it took a word to write; NEVER: none */
    u32 active;     /* reads that missed and fill or replay, */
    u32 replays;    /* and of these those that replay */
};
struct vcache {
    struct tags tags;
    struct vbank *banks;
    struct vmiss *misses; /* [bank][vortex.dcache.mshrs] */
    u64 *used;            /* [bank][words]: those of them that are in use */
    u32 words;
    u32 active; /* of all banks */
    u64 seq;
    u64 latency; /* bank to answer */
};

#endif
