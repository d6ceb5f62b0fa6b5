/* predict: the inside of 35_predict.c, for that file alone. */
#ifndef HEDDLE_CORE_PREDICT_H
#define HEDDLE_CORE_PREDICT_H

#include "core/flight.h"

struct predict_op {         /* beside each flight */
    bool credit;            /* holds one */
    bool predicted, judged; /* a miss was expected; the outcome of its next access has been compared */
    u64 without_before;     /* tracker.without when its credit was given */
};
struct tracker { /* of one cache's resource */
    i32 pool;    /* credits the scheduler has; may be negative */
    u64 without; /* virtual credits so far */
    VEC(struct seen {
        u64 cycle;
        u32 used;
    })
    past; /* naive with a delay: changes not yet seen, in order, from past_at on */
    u32 past_at, used;
};
struct predict {
    VEC(struct predict_op) op; /* by flight */
    struct tracker track[CACHES];
    u8 *counters;                /* [counter_entries]: the table as this SM sees it */
    VEC(struct trained) trained; /* since the last merge, where the table is the chip's */
};

#endif
