/* early: the inside of 71_early.c, for that file alone. */
#ifndef HEDDLE_CORE_EARLY_H
#define HEDDLE_CORE_EARLY_H

#include "core/flight.h"

struct early_load {
    bool followed;     /* lane by lane */
    u64 come;          /* accesses whose data is there or on its way from the cache: a bit each */
    u64 written;       /* lanes whose registers have been written before the others' */
    u8 owed[MAX_WARP]; /* by lane: accesses whose data it lacks */
};
struct early {
    VEC(struct early_load) at; /* by flight */
};

#endif
