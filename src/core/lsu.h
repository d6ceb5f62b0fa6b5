/* lsu: the inside of 60_lsu.c, for that file alone. */
#ifndef HEDDLE_CORE_LSU_H
#define HEDDLE_CORE_LSU_H

#include "core/flight.h"

struct lsu {
    u32 *queue;             /* ring of flights in order of issue; the first sm.lsu.queue with addresses are the queue proper */
    u32 head, n, cap, mask; /* mask: positions of the ring less one, a power of two */
    u32 proper;
    u32 loads[4];                      /* instructions in it, by tinst.mshr_of */
    i32 held_by;                       /* enum hazard that holds the first instruction, or NONE */
    bool again;                        /* something has changed for it: it comes again in the next cycle */
    bool stays_held;                   /* a refused access that nothing has changed for is refused again: nobody else decides */
    bool may_leave;                    /* instructions may leave the pipe unfinished: lanes are known by pass */
    u64 sending[SET_WORDS];            /* slots with instructions that the stage has not taken wholly */
    u32 agu_beats;                     /* of a whole warp's addresses */
    u32 shared_latency, const_latency; /* of the stage itself: the key minus the way there */
};

#endif
