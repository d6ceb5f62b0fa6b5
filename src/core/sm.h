/* sm: one SM as the chip sees it (gpu/). Everything behind it is src/core's own. */
#ifndef HEDDLE_SM_H
#define HEDDLE_SM_H

#include "core/policies.h"
#include "func/func.h"
#include "mem/mem.h"
#include "stats/stats.h"
#include "trace/trace.h"

#define PARAM_PHYSICAL 0x510000000000ull /* where kernel parameters lie for caches and DRAM */

struct core;
struct program;
struct atomic_packet;

/* --- program.c: what time must know of each instruction of a kernel, worked out once */
struct program *program_new(const struct config *c, const struct kernel *k, u64 code_base);
void program_free(struct program *p);

/* --- core.c: making one, launches, time */
struct core *core_new(const struct config *c, const struct policies *p, u32 id);
void core_free(struct core *c);
void core_control(struct core *c, bool no_jumps, u32 check_cy); /* every cycle ticks; invariants every so many cycles, 0: never */
void core_launch(struct core *c, const struct program *p, const struct launch *l,
                 u64 now);                   /* a kernel begins: caches of the SM are empty */
void core_run(struct core *c, u64 to);       /* cycles [now, to); one in which nothing changes sleeps, and counts them later */
void core_catch_up(struct core *c, u64 now); /* counts what it has slept through */
u64 core_next(const struct core *c);         /* first cycle >= now in which anything can change by itself; NEVER */
/* What a window has left for the chip to see to */
enum core_news {
    NEWS_SENT = 1,   /* packets in outboxes */
    NEWS_STORED = 2, /* stores to publish */
    NEWS_ENDED = 4,  /* blocks that have ended */
    NEWS_FAULTED = 8
};
u32 core_news(const struct core *c);
u64 core_asleep(const struct core *c); /* nothing changes before that cycle unless something comes; 0: awake */
bool core_idle(const struct core *c);  /* no block, nothing on its way */
u64 core_quiet(const struct core *c);  /* first cycle after the last that a block, store or atomic of it was under way */
u64 core_empty(const struct core *c);  /* the same, also of what ended warps left in units and buffers: core_idle from then on */
u64 core_last_issue(const struct core *c);
u64 core_jumped(const struct core *c); /* cycles of this launch that were jumped over */
void core_abandon(struct core *c);     /* stops timing: atomics on their way are performed, results delivered; blocks stay */
void core_end(struct core *c);         /* the launch is over */
void core_check(const struct core *c);
void core_waits(struct core *c, struct strbuf *out); /* who waits for what */

/* --- core.c: statistics and events */
void core_settle(struct core *c, u64 now); /* charges all time up to now: before statistics are read */
void core_reset_stats(struct core *c, u64 now);
const struct sm_stats *core_stats(const struct core *c);
u64 core_perf(const struct core *c, u32 which);                    /* perf.c: enum rv_perf_id */
const struct lane_stats *core_lanes(const struct core *c);         /* since statistics count */
void core_trim(const struct core *c, u64 end, struct sm_stats *s); /* takes back idle time behind the launch's end */
void core_check_sums(const struct core *c, const struct sm_stats *s, u64 cycles); /* D6, after core_trim */
const struct pc_stats *core_pcs(const struct core *c);                            /* [ninst] */
struct launch *core_launch_view(struct core *c); /* the launch as this SM has run it: counts, instructions, fault */
u64 core_fault_cy(const struct core *c);         /* of the fault in its view; NEVER */
void core_listen(struct core *c);                /* events are made from now on */
const struct event *core_events(const struct core *c, u32 *n);
void core_events_taken(struct core *c);

/* --- cta.c: blocks */
/* A kernel whose warps are not what the machine's divergence policy or pipeline works on; why ends a line */
bool core_refuses(const struct core *c, const struct kernel *k, struct strbuf *why);
struct cta_done {
    u64 cycle, linear;
    u64 begin_cy;
    u64 instructions; /* that it executed: of warps, or of lanes where warps execute others than without time */
};
void core_send_block(struct core *c, u64 cycle, u64 linear);            /* block `linear` arrives then */
u32 core_blocks_done(const struct core *c, const struct cta_done **at); /* that ended since they were last taken, in order */
void core_blocks_taken(struct core *c);
bool core_runs_as_untimed(const struct core *c); /* warps execute the instructions that they execute without time */
bool core_release_stuck(struct core *c);         /* lets lanes go that others wait for; false: nothing helps */
struct cta *core_stuck_block(struct core *c);    /* one that has not ended and of which nothing can run; NULL */
u32 core_announced(const struct core *c, u64 *linear, u32 most); /* blocks sent and not begun */
u32 core_take_blocks(struct core *c, struct cta **at, u32 most); /* those begun and not ended become the caller's */
enum { MAX_BLOCKS = 64 };                                        /* on an SM */

/* --- 35_predict.c: outcomes the chip's table learns from */
struct trained { /* in order of cycle */
    u64 cycle;
    u32 index;
    bool missed;
};
bool predict_chip_learns(const struct core *c); /* the predictor keeps a table, and it is the chip's */
void predict_train(const struct core *c, u8 *table, const struct trained *t);
u32 predict_learnt(const struct core *c, const struct trained **at); /* outcomes since the table was last adopted, in order */
void predict_adopt(struct core *c, const u8 *table);                 /* the chip's table becomes the SM's; empties the list */

/* --- 40_operands.c: rounds of SMs that issue together (sm.warp_scale.sync = lockstep) */
u32 core_round(const struct core *c, u64 cycle); /* most beats of an instruction that issued in that cycle; 0: none did */
void core_end_round(struct core *c, u64 cycle, u32 beats); /* of all SMs: nothing issues until those are over */

/* --- 62_port.c: mailboxes */
void port_receive(struct core *c, u32 partition, const struct inbox *in); /* responses of the last window */
const struct outbox *port_outbox(const struct core *c, u32 partition);
void port_empty_outboxes(struct core *c);
u32 port_sent(const struct core *c); /* packets in all outboxes */

/* --- 61_l1.c: an access of a block that takes no time: the tags become what it would have left (enum
 * probe_kind). Returns the 32-byte pieces that it wants of the L2. */
u32 l1_warm(struct core *c, u64 line, u32 pieces, enum probe_kind kind);
/* The tags as they are now, kept, and put back later; no cycle may pass in between */
void l1_keep(struct core *c);
void l1_put_back(struct core *c);

/* --- memport.c */
void memview_publish(struct core *c);     /* this SM's stores become everybody's */
u32 memview_stored(const struct core *c); /* stores to publish */
void atomic_perform(struct memory *mem, const struct rowops *ops, struct atomic_packet *p); /* at the L2, on published memory */

#endif
