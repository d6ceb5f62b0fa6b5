/* weave: the inside of 41_weave.c, for that file alone. */
#ifndef HEDDLE_CORE_WEAVE_H
#define HEDDLE_CORE_WEAVE_H

#include "core/core.h"

struct weave {
    u64 age[MAX_SLOTS];               /* of the warp that `resolve` is about */
    u64 resolve[MAX_SLOTS][MAX_WARP]; /* by home and lane: its branch, issued beside another instruction, is resolved then */
};

#endif
