/* split: the inside of 36_split.c, for that file alone. */
#ifndef HEDDLE_CORE_SPLIT_H
#define HEDDLE_CORE_SPLIT_H

#include "core/core.h"

struct split_home {    /* of a warp */
    u64 age;           /* of the warp this is about */
    u32 n;             /* its splits */
    u64 shows;         /* lanes of the group that the front presents, when it was chosen */
    u8 of[MAX_WARP];   /* by lane in a group: number of its split */
    u8 lead[MAX_WARP]; /* by split: a lane of the group that it runs */
};
struct splits {
    bool limited; /* dws.meet, or what the kernel asks for */
    u64 offered;  /* homes of which some lanes have data that others of their group wait for; revive: until they part */
    struct split_home at[MAX_SLOTS];
};

#endif
