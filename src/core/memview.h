/* memview: the inside of memport.c, for that file alone. */
#ifndef HEDDLE_CORE_MEMVIEW_H
#define HEDDLE_CORE_MEMVIEW_H

#include "core/flight.h"

struct store_log { /* unpublished stores of this SM, in order */
    u32 n, cap;
    struct logged_store {
        u32 mask, size_b;
        _Alignas(32) u64 addr[32];
        u8 data[32 * 32];
    } *at;
    u64 filter[16]; /* a bit per hashed 128-byte line */
};
struct memview {
    struct store_log log;
    VEC(struct atomic_packet *) packets; /* all there are */
    VEC(u32) free;
    u32 out; /* packets on their way */
    u64 seq; /* packets made so far */
};

#endif
