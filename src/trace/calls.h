/* calls: the calls that a warp's lanes are in, as the audit sees them.
 *
 * Events tell of calls by frames alone: a call issues in one frame, the lanes that took it go on in another,
 * and when they issue in the first one again they have returned. A return need not be an instruction of its
 * own, and need not be seen: lanes that are back in an outer frame have left every call inside of it.
 *
 * Invariants:
 *   1 a lane is in at most one call that was made in a given frame: a frame is not given to another call
 *     while lanes may come back to it
 *   2 of one lane, calls further back in the list are inside of those further in front */
#ifndef HEDDLE_CALLS_H
#define HEDDLE_CALLS_H

#include "isa/isa.h"

struct open_call {
    u64 uid, lanes;
    u32 frame;    /* in which it was made */
    i64 callee;   /* frame of the function, or NONE: nothing has issued in it */
    i32 pc, func; /* of the call; index into kernel.funcs, or NONE as long as callee is */
};
struct calls {
    VEC(struct open_call) at;
};

void calls_make(struct calls *c, const struct open_call *x);
/* Lanes issue in a frame. True: some of them have returned from x, the innermost call that they were in. To
 * be called until it says false. */
bool calls_return(struct calls *c, u64 lanes, u32 frame, struct open_call *x);
/* And then: those that issue for the first time since their call are in that frame, and in this function */
void calls_enter(struct calls *c, const struct kernel *k, u64 lanes, u32 frame, i32 pc);

#endif
