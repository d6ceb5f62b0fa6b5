/* vtex: the texture unit's way to memory in the Vortex pipeline. Included by 67_vtex.c alone. */
#ifndef HEDDLE_CORE_VTEX_H
#define HEDDLE_CORE_VTEX_H

#include "core/flight.h"

enum { VTEX_ANSWERS = 4 };
struct vtex {
    u32 *queue; /* flights, sm.lsu.queue of them: a ring; the first reads its texels */
    u32 head, n;
    u64 ready_cy; /* it sends words from then on */
    u32 from;     /* place in its memop.lines of its present texel's words */
    u64 left;     /* of these, those that no thread's buffer has taken: bits are places from there on */
    u32 back;     /* its words that have come back */
    struct {
        u64 due_cy;
        u32 words;
    } answers[VTEX_ANSWERS]; /* on their way back from the cache: a ring, in order of due_cy */
    u32 answer, nanswers;
};

#endif
