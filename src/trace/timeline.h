/* timeline: when blocks ran and on which SM, and the stages of the first instructions of each launch, kept in
 * memory for reports. A listener.
 *
 *   L1 cycles are counted from the launch's start
 *   L2 lists are of the last launch; what did not fit into them is counted */
#ifndef HEDDLE_TIMELINE_H
#define HEDDLE_TIMELINE_H

#include "trace/trace.h"

enum { TIMELINE_BLOCKS = 20000, TIMELINE_INSTS = 1000, TIMELINE_TEXT_B = 80 };

struct timeline_block {
    u64 block, start, end; /* linear id; end: first cycle without it, the launch's last when it never ended */
    u32 sm;
};
struct timeline_inst { /* cycles are NEVER for stages it did not pass */
    u64 uid;
    u64 issue, read, dispatch, enter, access_first, access_last, ready, complete, done;
    u64 mask;    /* lanes whose guard held */
    u32 hazards; /* refusals and prolongations it met */
    i32 pc;
    u32 sm, slot;
    char text[TIMELINE_TEXT_B]; /* the instruction, cut to fit */
};
struct timeline_lists {
    struct timeline_block *blocks;
    struct timeline_inst *insts; /* in order of issue */
    u32 nblocks, ninsts;
    u64 blocks_in_all, insts_in_all; /* that the launch had, and that issued in the window */
};

struct timeline;
/* The first instructions of each launch that issue in the window, on its SM (0 where it names none) */
struct timeline *timeline_new(const struct trace_window *w, struct listener *l);
void timeline_free(struct timeline *t);
/* Of the launch that has ended, the caller's to free; nothing is left behind */
struct timeline_lists timeline_take(struct timeline *t);
struct timeline_lists timeline_copy(const struct timeline_lists *l);
void timeline_lists_free(struct timeline_lists *l);

#endif
