/* reexec: the inside of 64_reexec.c, for that file alone. */
#ifndef HEDDLE_CORE_REEXEC_H
#define HEDDLE_CORE_REEXEC_H

#include "core/flight.h"

struct reexec_entry {
    u32 flight, line; /* which of its lines */
    u8 why;           /* enum hazard that refused it last */
};
struct reexec_op { /* beside each flight */
    u32 aside;     /* entries in the queue */
    bool away;     /* it has left the pipe, and waits for these */
};
struct reexec {
    VEC(struct reexec_op) op; /* by flight */
    struct reexec_entry *at;  /* [sm.lsu.reexec], a ring */
    u32 head, n;
    u64 slots[SET_WORDS];   /* of warps with entries */
    u32 flight[MAX_FRONTS]; /* by slot: the instruction they are of */
    u32 refused;            /* tries in a row since something changed that could let one through */
    u32 passed_over;        /* cycles in a row in which the pipe went first */
    u32 ahead;              /* cycles that the queue could have had before the pipe (sm.lsu.reexec.first = queued) */
    u64 walk_cy;            /* a translation that an entry waits for may be here then; NEVER */
    i32 full; /* enum hazard that refused the pipe's first access when it could not step aside: the queue goes first until
                 an entry is free; NONE */
};

#endif
