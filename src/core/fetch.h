/* fetch: the front end's own state. Included by 10_fetch.c and 20_ibuffer.c alone. */
#ifndef HEDDLE_CORE_FETCH_H
#define HEDDLE_CORE_FETCH_H

#include "core/core.h"

enum { MAX_FETCHES = 16 }; /* a cycle */

struct icache_wait {
    u64 line;
    bool used;
    u64 slots[SET_WORDS]; /* that wait; none where it was fetched ahead */
};
struct fetch {
    u32 last; /* front that fetched last */
    u32 room; /* a front with at most so many entries has room for a whole fetch */
    u32 way;  /* cycles from fetch to issue */
    u64 line; /* mask of an instruction line's address */
    struct tags icache;
    struct icache_wait *waits; /* [icache_mshrs] */
    u64 *waited;               /* [nfronts], for policies that want it (fetch_policy.h) */
    u64 want[SET_WORDS];       /* fronts with room, not waiting */
    u64 unresolved[SET_WORDS]; /* fronts whose last branch may not be resolved yet */
};

#endif
