/* gpu: the chip. SMs and memory partitions in windows (D4), the block dispatcher, host threads, and the
 * statistics of a launch.
 *
 *   gpu.c        building a chip, launches in stream order, limits, the end of a launch
 *   window.c     the loop: windows, jumps, publication of stores, atomics, threads
 *   dispatch.c   which block goes to which SM, and what limits how many an SM holds
 *   sample.c     which blocks are timed
 *   warm.c       blocks that are not: caches kept warm
 *   estimate.c   what all blocks would have taken, with an interval
 *   repeat.c     the same for launches that repeat
 *   collect.c    statistics of SMs and partitions -> struct launch_stats, and the sums of D6
 *   flops.c      floating-point operations, from instructions and how often they ran
 *   formula.c    numbers made of counters, by name
 *   counters.c   every counter by its full name, and their hash */
#ifndef HEDDLE_GPU_H
#define HEDDLE_GPU_H

#include "config/config.h"
#include "func/func.h"
#include "mem/mem.h"
#include "stats/stats.h"
#include "trace/timeline.h"
#include "trace/trace.h"

struct occupancy { /* how many blocks of a kernel an SM holds, and why not more */
    u32 ctas, warps;
    u32 by_ctas, by_threads, by_warps, by_registers, by_shared; /* what each limit alone would allow */
    const char *limiter; /* name of the smallest: "blocks", "threads", "warps", "registers", "shared memory" */
};

/* Floating-point operations by precision. A fused multiply-add is two, an addition, multiplication, division,
 * root or transcendental function one; comparisons, conversions, minima and moves are none. */
enum flop_kind { FLOP_16, FLOP_32, FLOP_64, FLOP_MATRIX, FLOP_KINDS };
extern const char *const flop_names[FLOP_KINDS];

struct estimate {      /* of what a launch would have taken had all of it been timed (estimate.c, repeat.c) */
    double cycles;     /* as timed where nothing was left out */
    double variance;   /* of it, from what differs between blocks and launches; not a number: cannot be told */
    double systematic; /* further half width in cycles that does not shrink when launches are added up */
};
double estimate_half(const struct estimate *e); /* half width of the interval that holds in 95 of 100 cases */
/* Its lower end: not less than the cycles that were timed; not a number where there is no interval */
double estimate_low(const struct estimate *e, u64 timed_cycles);

struct launch_stats { /* one launch, or the sum of several (then per_sm, pcs and samples are of no launch and NULL) */
    char kernel[128];
    u64 index;           /* launch number, from 0 */
    u64 cycles;          /* from the start of the launch to the end of its last block, memory instructions included */
    u64 timed_from;      /* cycles before this (warm-up) are not in the counters, nor in `cycles` */
    bool complete;       /* false: stopped by a limit and finished functionally */
    bool refused;        /* not run: a block does not fit on an SM, or the machine cannot run such a kernel */
    bool functional;     /* not timed at all (fast-forwarded) */
    u64 ctas_functional; /* blocks run without timing */
    bool estimated;      /* part of it was left out by --sample or --max-warp-instructions, and `estimate` is of all */
    struct estimate estimate;
    u64 instructions_left_out;                      /* warp instructions that ran without timing and are in the estimate */
    u64 instructions_unknown;                       /* those that are not in it: nothing of their launch was timed */
    double waves;                                   /* blocks over what the chip holds at once; of a sum, those of all launches */
    u32 launches;                                   /* that were timed */
    u64 work_most, work_least;                      /* warp instructions of the SM with most and least; of a sum, added up */
    u32 sms, warps, schedulers, warp_size, burst_b; /* of the machine */
    u32 core_mhz;
    u32 window_cy;
    u32 simd_width;          /* lanes an arithmetic unit takes a beat */
    double alu_rate;         /* warp instructions an SM's arithmetic units take a cycle */
    u32 registers, shared_b; /* of the kernel: per thread, per block */
    u64 grid_ctas, cta_threads;
    struct occupancy occupancy;
    struct sm_stats sum;
    struct mem_stats mem;
    struct lane_stats lane;          /* sum over SMs */
    struct sm_stats *per_sm;         /* [sms] */
    struct mem_stats *per_partition; /* [partitions] */
    u32 partitions;
    const struct kernel *k; /* of pcs */
    struct pc_stats *pcs;   /* [npcs] */
    u32 npcs;
    struct sample *samples;
    u32 nsamples;
    struct sm_sample *sm_samples; /* [nsamples][sms]; NULL unless gpu_limits.timeline */
    struct timeline_lists time;   /* empty unless somebody listens (api/timing.c) */
    u64 simulated_cycles_jumped;  /* host's: SM cycles that were jumped over */
    u64 flops[FLOP_KINDS];        /* of lanes whose guard held */
};
void launch_stats_free(struct launch_stats *s);
void launch_stats_add(struct launch_stats *sum, const struct launch_stats *s); /* counters and cycles */

/* --- formula.c: counters and formulas of one launch by name, in table order */
struct stat_row {
    const char *name, *unit, *doc;
    bool formula;
};
u32 stat_count(void);
struct stat_row stat_at(u32 i);
int stat_find(const char *name);                        /* -1 when unknown */
double stat_value(const struct launch_stats *s, u32 i); /* NAN where a formula has no value */

enum { SAMPLE_AUTO = 1000 };
enum { TIMELINE_SAMPLES = 2048, TIMELINE_FIRST_CY = 64 }; /* intervals become twice as long when there are too many */
struct gpu_limits {                                       /* measuring control (Aurud chapter 4) */
    u64 warmup_cy;                                        /* of each launch: not counted */
    bool warmup_once;                                     /* of the first timed launch only */
    u64 max_cy;                                           /* of each launch; then it is finished functionally; 0: none */
    u64 fast_forward_ctas;                                /* of each launch: run functionally first */
    u64 fast_forward_launches;
    bool flush;                /* caches emptied before each launch */
    u32 threads;               /* host threads; 0: 1 */
    u32 window_cy;             /* force windows of this length; 0: derived */
    bool no_jumps;             /* tick every cycle */
    u64 max_warp_instructions; /* of all launches together: then everything is finished functionally; 0: none */
    u32 sample;                /* share of blocks in the middle of a launch that is timed, in percent; 0: all; SAMPLE_AUTO */
    u64 end_cy;                /* of all launches together; then everything is finished functionally; 0: none */
    bool exit;                 /* of end_cy: the launch ends there, incomplete and not finished, and so do those that follow */
    bool timeline;             /* interval samples, of SMs too; without stats.sample_cy at most TIMELINE_SAMPLES, evenly spaced */
    u32 check_cy;              /* x_check every so many cycles; 0: at the end of launches */
};

struct gpu_bound {              /* one of the limits above, as users know it */
    const char *option, *field; /* of the command; of struct heddle_timing */
};
/* Whether two of the limits both choose what is timed, and so do not go together; then says which */
bool gpu_limits_clash(const struct gpu_limits *l, struct gpu_bound *a, struct gpu_bound *b);

u32 gpu_processors(void); /* that this process may run on: more threads are not made */
struct gpu;
/* NULL with messages when policies are unknown or do not go together */
struct gpu *gpu_new(const struct config *c, const struct gpu_limits *lim, struct diag *d);
void gpu_free(struct gpu *g);
void gpu_listen(struct gpu *g, struct listener l); /* before the first launch */
u32 gpu_window(const struct gpu *g);               /* Q */
/* Runs l (as launch_run does) with time, or with `functional` without it: then the chip stays as it was.
 * False when the program faulted (l->fault) . *out is filled either way. `stop` (may be NULL) is looked at
 * between windows: when it becomes true the launch ends there, incomplete and not finished. */
bool gpu_launch(struct gpu *g, struct launch *l, u32 registers, bool functional, struct launch_stats *out,
                const volatile bool *stop);

/* --- flops.c: what the instructions of s->pcs did; s->flops */
void flops_count(struct launch_stats *s);

/* --- counters.c: every counter that is not zero, of the sums, every SM, partition and pc, and cycles */
typedef void counter_fn(void *user, const char *name, u64 value);
void gpu_counters_each(const struct launch_stats *s, counter_fn *fn, void *user); /* names like "sm3.sched1.cycles.raw" */
u64 gpu_counters_hash(const struct launch_stats *s); /* of the same names and values; their order does not matter */

#endif
