/* vlsu: the load-store unit of the Vortex pipeline. Included by 68_vlsu.c alone. */
#ifndef HEDDLE_CORE_VLSU_H
#define HEDDLE_CORE_VLSU_H

#include "core/flight.h"

struct vanswer { /* a word, or one word for all lanes, on its way back */
    u64 due_cy;
    u32 flight;
};
struct vlsu {
    u32 skid[2], nskid;
    u64 skid_cy[2]; /* may leave the buffer then */
    i32 current;    /* flight whose words are sent, or NONE */
    u64 current_cy; /* from then on */
    u64 left;       /* its words that no bank has taken: bits are places in memop.lines */
    u32 loads;      /* whose words are sent or awaited */
    i32 held_by;    /* enum hazard that kept a word of it from its bank in the last cycle, or NONE */
    bool stuck;     /* no word was taken then, and none will be until the memory side has answered or taken something */
    bool again;     /* which it may have since */
    u64 wrote_cy;   /* last cycle in which a load had the write-back port; NEVER: none */
    VEC(struct vanswer) answers;
    u64 answer_cy; /* the earliest due_cy of these; NEVER: none */
};

#endif
