/* vfetch: the front end of the Vortex pipeline. Included by 12_vfetch.c alone. */
#ifndef HEDDLE_CORE_VFETCH_H
#define HEDDLE_CORE_VFETCH_H

#include "core/core.h"

enum { VQUEUE_MAX = 64 };
struct vrequest { /* to the instruction cache; in order of request */
    u64 sent_cy;  /* chosen then; when it was parked, the cycle before it went into the cache */
    u64 due_cy;   /* its answer can be decoded, or put into the warp's queue, then; NEVER: it waits for its line, or is parked */
    u64 line;
    i32 pc;
    u32 id; /* of the warp's flushes when it was made: another number there, and the answer is dropped */
    u16 slot;
};
struct vqueued { /* an instruction asked for, in the warp's queue (sm.fetch.no_stall) */
    u64 sent_cy;
    u64 there_cy; /* its answer came then; NEVER: not yet */
    i32 pc;
};
struct vwarp {
    u32 id;                   /* counts flushes */
    u32 joins;                /* decoded and done with by the front end, not yet issued, */
    u32 join;                 /* the first of them, */
    i32 goes[2 * VQUEUE_MAX]; /* and where the warp goes behind each: a ring */
    u64 popped;               /* an instruction of it issued in the cycle before this one */
    u32 head, n;
    struct vqueued queue[VQUEUE_MAX];
};
struct vfetch {
    u64 open;     /* fronts that know what to fetch: running, not at a barrier */
    u64 stalled;  /* that may not fetch until decode, or the instruction's unit, says so */
    u64 buffered; /* with an instruction in their buffer, */
    u64 fresh;    /* and the one that got it when it had none, at fresh_cy (NEVER: none has) */
    u64 fresh_cy;
    u64 resolving; /* of stalled: their instruction has left its unit in this cycle */
    u32 last;      /* front that fetched last */
    u32 decoded;   /* front decoded last, or the one whose full buffer keeps decode waiting */
    bool held;     /* the latter */
    struct tags icache;
    u64 *misses; /* [icache_mshrs]: line + 1 that was sent for; 0: none */
    VEC(struct vrequest) requests;
    bool parked;         /* the last of these waits before the cache */
    u64 first_cy;        /* the earliest due_cy of these; NEVER: none comes */
    u64 still_cy;        /* each cycle before it is as the last one: decode is held, and nobody can fetch */
    u64 queued;          /* fronts with something in their queue */
    struct vwarp *warps; /* [nslots] */
    u64 *waited;         /* by front: times that another one fetched while it could (Aurud's equation 3.2) */
    u64 *kept;           /* the same of decode, where warps have queues */
    u32 *stalls;         /* the stall table: tag + 1 by index; NULL without */
};

#endif
