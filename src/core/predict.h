/* predict: the inside of 35_predict.c, for that file alone. */
#ifndef HEDDLE_CORE_PREDICT_H
#define HEDDLE_CORE_PREDICT_H

#include "core/flight.h"

struct predict_op {         /* beside each flight */
    bool credit;            /* holds one */
    bool predicted, judged; /* a miss was expected; the outcome of its next access has been compared */
    u64 without_before;     /* track.without when its credit was given */
};
struct predict {
    VEC(struct predict_op) op;   /* by flight */
    struct track track[CACHES];  /* what the tracker knows of each cache's resource */
    u8 *counters;                /* [counter_entries]: the table as this SM sees it */
    VEC(struct trained) trained; /* since the last merge, where the table is the chip's */
};

#endif
