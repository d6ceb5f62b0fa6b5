/* replay: the inside of 63_replay.c, for that file alone. */
#ifndef HEDDLE_CORE_REPLAY_H
#define HEDDLE_CORE_REPLAY_H

#include "core/flight.h"

struct replay_op {                /* beside each flight */
    u64 left;                     /* private active mask: lanes not done */
    i32 next_older, next_younger; /* unfinished ones of the same slot, in program order; NONE */
    i32 buffer_at;                /* its entry of the instruction buffer */
    u32 refused_at;               /* 1 + the line access that was refused for want of an MSHR; 0: none */
    u8 why;                       /* enum hazard that refused it last */
    bool known_miss;              /* it was refused for want of something only misses need */
    bool waits;                   /* to be issued again */
};
struct replay_slot {      /* of a warp */
    i32 oldest, youngest; /* unfinished memory instructions in program order; NONE */
    i32 first;            /* the oldest of them that waits to be issued again, or NONE */
};
struct signal { /* from the memory stage to the instruction buffer */
    u64 cycle, age;
    const struct tinst *t;
    i32 buffer_at;
    u32 flight;
    u8 slot;
    bool done; /* all threads; else it is to be replayed */
};
struct replayed {         /* Turner 4.3.3 */
    u64 cycle, age, mask; /* lanes that were left */
    i32 pc;
    u8 entry, cause; /* of the instruction buffer; enum hazard that had refused it */
};
struct replay {
    VEC(struct replay_op) op; /* by flight */
    struct replay_slot slot[MAX_SLOTS];
    VEC(struct signal) signals; /* in order of cycle, from signals_at on */
    u32 signals_at;
    bool may_leave;                                     /* instructions are issued again, not only kept */
    struct replayed history[MAX_SLOTS][REPLAY_HISTORY]; /* the last replays of each slot */
    u32 replayed[MAX_SLOTS];                            /* replays so far of each slot */
};

#endif
