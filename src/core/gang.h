/* gang: the inside of 43_gang.c, for that file alone. */
#ifndef HEDDLE_CORE_GANG_H
#define HEDDLE_CORE_GANG_H

#include "core/form.h"

struct gangs {
    u32 width, n;        /* of this launch: lanes of a slice, slices of a warp */
    u32 stride;          /* from the place of one slice to that of the next of the same warp */
    u32 used;            /* gangs of two slices or more: entries of the table */
    u32 *slices;         /* [nfronts]: those of the front, a bit each; 0: there is none */
    bool *parted;        /* [nfronts]: each slice of its gang is alone, and has yet to issue */
    struct sliced {      /* of a warp */
        u16 at;          /* place of the slice's front; NO_PLACE: its threads have ended */
        u8 lead;         /* a lane of the group that it runs */
        u64 polled_at;   /* the warp's polls when that group got its turn */
    } (*of)[VWS_SLICES]; /* [nslots] */
};

#endif
