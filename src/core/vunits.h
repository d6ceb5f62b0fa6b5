/* vunits: buffers, units and the write-back port of the Vortex pipeline. Included by 42_vunits.c alone. */
#ifndef HEDDLE_CORE_VUNITS_H
#define HEDDLE_CORE_VUNITS_H

#include "core/core.h"

enum { VSKID = 2, VPIPE_DEEP = 64 };
enum vpipe { /* what an instruction runs through, in the order in which a unit lets them go */
             VPIPE_FMA,
             VPIPE_FDIV,
             VPIPE_FSQRT,
             VPIPE_FCVT,
             VPIPE_FNCP, /* comparisons, signs, minimum and maximum, classes, moves between register files */
             VPIPE_ALU,
             VPIPE_MUL,
             VPIPE_DIV,
             VPIPE_CSR,
             VPIPE_TEX_FILTER,
             VPIPE_GPU,
             VPIPE_TEX_ADDRESS, /* it goes on to the texture unit's queue (67_vtex.c), and comes back to the filter */
             VPIPE_COUNT
};
struct ventry { /* an instruction between issue and write-back */
    u64 uid, age, lanes;
    u64 due_cy; /* in a buffer: may enter its pipe; in a pipe: its result is at the end of it */
    const struct tinst *t;
    u16 slot;
    u32 flight; /* of a read of a texture */
};
struct vline { /* a buffer, or the inside of a pipe */
    struct ventry at[VPIPE_DEEP];
    u32 head, n;
};
struct vunits {
    struct vline skid[UNIT_COUNT];
    struct vline pipe[VPIPE_COUNT];
    u64 free_cy[VPIPE_COUNT]; /* takes the next instruction then */
    u32 depth[VPIPE_COUNT], interval[VPIPE_COUNT];
    u32 waiting, running; /* instructions in buffers, and in pipes */
    u32 held;             /* units, by 1 << place in the port's order, whose buffer holds some */
    u32 busy;             /* pipes, by 1 << enum vpipe, that have some */
    u64 next_cy;          /* nothing enters a pipe or leaves one before it; NEVER: nothing is there */
    u64 empty_cy;         /* the cycle after the last in which something left */
    u64 full;             /* units, by 1 << enum unit, whose buffer was full at the end of the last cycle */
};

#endif
