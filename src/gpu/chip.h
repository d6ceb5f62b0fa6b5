/* chip: what the files of this room share and nobody else needs. */
#ifndef HEDDLE_GPU_CHIP_H
#define HEDDLE_GPU_CHIP_H

#include "core/sm.h"
#include "gpu/gpu.h"

struct team;
struct pending_atomic {
    u64 cycle;
    u32 partition;
    struct atomic_packet *packet;
};
struct gpu {
    struct config cfg;
    struct gpu_limits lim;
    struct policies pol;
    u64 now;    /* core cycle, over all launches */
    u32 window; /* Q: stores are published, and windows end, at multiples of it since the launch began */
    u64 launches;
    struct core **cores;
    struct partition **parts;
    struct inbox **in;           /* [partition][sm] */
    const struct outbox ***outs; /* [partition][sm]: pointers to the cores' outboxes */
    VEC(struct listener) listeners;
    VEC(const struct kernel *) kernels; /* seen so far: their code addresses */
    VEC(struct pending_atomic) atomics; /* performed by the L2, not yet on memory */
    struct team *team;
    u8 *counters; /* the chip's table of the counter predictor, as of the last multiple of the window */
};

struct run { /* a launch on its way */
    struct gpu *g;
    struct launch *l;
    struct program *prog;
    u64 start;             /* cycle */
    u64 next_cta, end_cta; /* blocks not yet dispatched */
    struct occupancy occ;
    u32 *free;     /* [sms]: blocks an SM could take */
    u64 first_cta; /* blocks before it were run functionally */
    u64 done_ctas;
    u64 counted_from; /* cycle since which statistics count */
    bool serial;      /* SMs one after the other: they share more than memory */
    VEC(struct sample) samples;
    struct sm_stats last_sum; /* at the last sample */
    struct mem_stats last_mem;
    u64 next_sample;
};

/* --- dispatch.c */
bool occupancy_of(const struct config *c, const struct launch *l, u32 registers, struct occupancy *o, struct strbuf *why);
void dispatch_first(struct run *r, u64 cycle);
void dispatch_more(struct run *r); /* blocks that ended in this window make room */

/* --- window.c */
void window_run(struct run *r, u64 to); /* all islands from g->now to `to`, which is at most the next multiple of the window */
void publish(struct run *r);            /* stores of all SMs, then atomics the L2 has performed, reach memory */
void hand_out_events(struct gpu *g);    /* what SMs have to tell, to all listeners */
u64 window_next(const struct run *r);   /* first cycle in which anything can change; NEVER */

/* --- team.c: host threads. All of them run fn(arg, i) for i in 0..n-1, in any order; returns when all are
 * done. */
struct team *team_new(u32 threads);
void team_run(struct team *t, u32 n, void (*fn)(void *arg, u32 i), void *arg);
void team_free(struct team *t);

/* --- collect.c */
void collect_stats(struct run *r, u64 end, struct launch_stats *out);
void collect_sample(struct run *r, u64 at); /* of the interval that ends at cycle `at` */
void sm_stats_add(struct sm_stats *sum, const struct sm_stats *s);
void mem_stats_add(struct mem_stats *sum, const struct mem_stats *s);

#endif
