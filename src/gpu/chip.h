/* chip: what the files of this room share and nobody else needs. */
#ifndef HEDDLE_GPU_CHIP_H
#define HEDDLE_GPU_CHIP_H

#include "base/set.h"
#include "core/sm.h"
#include "gpu/gpu.h"

/* --- what is timed (sample.c), and what the rest would have taken (estimate.c, repeat.c) */
struct gap { /* blocks [first, end) that run without time */
    u64 first, end;
    u64 instructions; /* of warps */
    u64 work;         /* as those of timed blocks are counted (launch_work) */
};
struct timed_block { /* one that has ended */
    u64 linear, begin_cy, end_cy;
    u64 instructions; /* launch_work */
};
struct wave { /* as many ended blocks as the chip holds: sums over them */
    double cycles, cycles2, instructions, instructions2, both;
    u64 n;
    double rate, error; /* cycles per instruction, and its standard error */
};
struct turnover { /* of the L2, since the launch began or a gap ended (sample.c) */
    u64 ended;    /* blocks since then */
    u64 old;      /* lines from before then, at the last look */
    bool over;    /* they have gone, or hardly leave */
    u64 since;    /* where they have gone: the first block that was sent after that */
};
struct sampling {
    u64 slots;    /* blocks that the chip holds */
    bool in_head; /* blocks are left out, and the first gap is not yet chosen */
    u32 waves;    /* of the head, complete */
    u32 turn;     /* half waves in which the head replaced the lines of the L2; 0: it did not */
    struct turnover turnover;
    struct wave now, last;
    VEC(struct gap) gaps; /* in order */
    u32 at;               /* the next one to come */
    bool keeps;           /* timed blocks are kept, for an estimate */
    VEC(struct timed_block) blocks;
};
struct point {
    double x, y; /* instructions (launch_work), cycles */
};
struct repeated { /* launches of one kernel and shape */
    const struct kernel *k;
    u64 ctas;
    u32 threads, shared_b;
    VEC(struct point) points; /* those that were timed */
    u32 since;                /* launches since the last that was */
    bool is_new;              /* the last one was unlike all that were timed */
};

struct team;
struct pending_atomic {
    u64 cycle;
    u32 partition;
    struct atomic_packet *packet;
};
struct awake {      /* which SMs a window has to run (awake.c) */
    u64 *set;       /* those to be looked at in the next window, whenever it ends */
    u32 words;      /* of it */
    u64 *naps;      /* of the others, those that wake by themselves, */
    u64 *asleep_cy; /* [sm]: then (core_asleep) */
    u64 first;      /* no later than the earliest of these */
    u16 *due;       /* SMs of the window under way, in order */
};
struct gpu {
    struct config cfg;
    struct gpu_limits lim;
    struct policies pol;
    u64 now;    /* core cycle, over all launches */
    u32 window; /* Q: stores are published, and windows end, at multiples of it since the launch began; of the present launch */
    u64 launches;
    u64 timed; /* of these, those that were timed */
    struct core **cores;
    struct partition **parts;
    struct mesh *mesh;           /* between SMs and partitions; NULL: a crossbar */
    struct inbox **in;           /* [partition][sm] */
    const struct outbox ***outs; /* [partition][sm]: pointers to the cores' outboxes */
    const struct outbox **sent;  /* [partition][sm]: of these, in order, those of SMs that have sent something in the window */
    u8 *news;                    /* [sm], and eight that are 0: of enum core_news, since it was last seen to */
    struct awake awake;
    VEC(struct listener) listeners;
    VEC(const struct kernel *) kernels; /* seen so far: their code addresses */
    VEC(struct pending_atomic) atomics; /* performed by the L2, not yet on memory */
    struct team *team;
    VEC(struct repeated) repeated;
    bool parted;  /* blocks or launches have been left out of the timing so far */
    u64 worked;   /* of a limit on work: used up by launches so far (struct run's work) */
    u8 *counters; /* the chip's table of the counter predictor, as of the last multiple of the window */
};

enum { TRAFFIC_CY = 64 };
struct traffic {            /* what listeners hear of the DRAM (traffic.c) */
    u64 from, next;         /* cycles: the interval under way began, and ends; NEVER: nobody asks */
    struct mem_stats *last; /* [partitions] at `from` */
    struct dram_use *use;   /* [partitions] */
};

struct share_of_launch { /* its first blocks, executed without time: the same on every machine */
    u64 blocks, instructions;
};

struct run { /* a launch on its way */
    struct gpu *g;
    struct launch *l;
    struct program *prog;
    u64 start;             /* cycle */
    u64 whole_cy;          /* the first multiple of the window since then that is after the chip's cycle */
    u64 published;         /* times that SMs were shown each other's stores */
    u64 watchdog_cy;       /* the watchdog does not bark before it; later perhaps, since instructions issue */
    u64 count_cy;          /* the limit of instructions cannot be reached before it */
    u32 busy_sm;           /* one that was not idle when that was last asked */
    u64 next_cta, end_cta; /* blocks not yet dispatched */
    u64 work;              /* with a limit on work: what blocks up to end_cta execute without time; 0: not known */
    struct occupancy occ;
    u32 *free;     /* [sms]: blocks an SM could take */
    u64 first_cta; /* blocks before it were run functionally */
    u64 done_ctas;
    u64 warmup_cy;    /* of this launch */
    u64 counted_from; /* cycle since which statistics count */
    struct sampling sampling;
    bool serial; /* SMs one after the other: they share more than memory */
    VEC(struct sample) samples;
    VEC(struct sm_sample) sm_samples; /* sms of each */
    struct sm_sample *last_sms;       /* [sms] at the last sample; NULL when they are not sampled */
    u64 sample_cy;                    /* length of an interval; 0: none */
    struct sm_stats last_sum;         /* at the last sample */
    struct mem_stats last_mem;
    u64 next_sample;
    struct traffic traffic;
};

/* --- awake.c */
void awake_init(struct gpu *g);
void awake_free(struct gpu *g);
void awake_add(struct gpu *g, u32 sm);   /* something has come to it */
u32 awake_due(struct gpu *g, u64 to);    /* how many SMs a window up to `to` has to run: the first of `due` */
void awake_settle(struct gpu *g, u32 n); /* these have run, and asleep_cy says which of them sleep */
/* The first cycle at which an SM may do something; ask: those that are awake, too, which may have mail */
u64 awake_next(const struct gpu *g, bool ask, bool (*has_mail)(const struct gpu *g, u32 sm));

/* --- dispatch.c */
bool occupancy_of(const struct config *c, const struct launch *l, u32 registers, struct occupancy *o, struct strbuf *why);
void dispatch_first(struct run *r, u64 cycle);
void dispatch_more(struct run *r); /* blocks that ended in this window make room */

/* --- sample.c */
bool sample_possible(u64 blocks, u64 slots);                             /* a launch is long enough */
void sample_plan(u64 head, u64 blocks, u32 percent, struct sampling *s); /* gaps, after blocks [0, head) */
bool blocks_may_wait(const struct kernel *k);                            /* for each other */
void sample_begin(struct run *r);                                        /* a launch of which blocks may be left out */
bool sample_gap(struct run *r); /* runs the gap that begins at the next block, if any; false after a fault */
void sample_ended(struct run *r, const struct cta_done *d);
/* Instructions of a launch so far, as estimates count them: those of warps, or of their lanes on a machine on
 * which warps execute other ones than they do without time */
u64 launch_work(const struct gpu *g, struct launch *l);
/* The first blocks of the launch that together execute so many instructions, or all of them where it is not
   divisible; memory stays as it is */
struct share_of_launch sample_blocks_within(struct launch *l, u64 instructions, bool divisible);

/* --- warm.c */
bool warm_blocks(struct gpu *g, struct launch *l, u64 first, u64 end); /* false after a fault */
bool warm_gap(struct gpu *g, struct launch *l, u64 first, u64 end);    /* the same while other blocks are under way */

/* --- estimate.c */
/* Of a launch that took `cycles` with its gaps; turnaround: from a block's end to its successor's start */
struct estimate estimate_launch(const struct sampling *s, u64 blocks, u64 cycles, u32 turnaround);

struct estimate estimate_whole(u64 cycles, bool after_gaps);

/* --- repeat.c */
bool repeat_skips(struct gpu *g, const struct launch *l); /* whether this launch of its class is left out; counts it */
void repeat_timed(struct gpu *g, const struct launch *l, u64 instructions, u64 cycles);
struct estimate repeat_estimate(struct gpu *g, const struct launch *l, u64 instructions); /* of one that was left out */
void repeat_free(struct gpu *g);

/* --- window.c */
void window_run(struct run *r, u64 to); /* all islands from g->now to `to`, which is at most the next multiple of the window */
u32 window_news(const struct gpu *g);   /* of all SMs, of enum core_news */
void publish(struct run *r);            /* stores of all SMs, then atomics the L2 has performed, reach memory */
void hand_out_events(struct gpu *g);    /* what SMs have to tell, to all listeners */
/* First cycle in which anything can change; NEVER. ask: SMs that are awake may have nothing to do, too */
u64 window_next(const struct run *r, bool ask);

/* --- traffic.c */
void traffic_begin(struct run *r);
void traffic_look(struct run *r);    /* after each window: tells listeners when an interval has ended */
void traffic_cut(struct run *r);     /* ends the interval now, before counters are reset */
void traffic_restart(struct run *r); /* counters have been reset */
void traffic_end(struct run *r);

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
