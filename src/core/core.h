/* core: one SM, a stage per file in the order of the pipeline.
 *
 *   program.c        what time must know of each instruction of a kernel, worked out once
 *   scale.c          beats of fronts that do not fill a warp
 *   10_fetch.c       fetch, instruction cache, decode            fetch/    which warp fetches
 *   12_vfetch.c      the front end of sm.pipeline = vortex
 *   20_ibuffer.c     instruction buffers
 *   30_issue.c       readiness, schedulers, barriers, branches   sched/    which warp issues
 *   31_sched.c       what the schedulers of an SM know and decide together
 *   32_diverge.c     a front asks its divergence policy          diverge/  which group of a warp runs
 *   33_form.c        fronts formed of threads of several warps: who goes with whom
 *   33_front.c       formed fronts in their places: who is in one, what it shows
 *   33_issued.c      what an issue does to them
 *   33_pool.c        the warp pool: its entries, and the look-up table
 *   33_seats.c       positions of threads in formed fronts
 *   34_gather.c      such a front's instruction: its parts executed, and made one for timing
 *   35_predict.c     hazard prediction: who is held back, credits
 *   36_split.c       warp-splits: parts of a warp that go on by themselves (dws)
 *   37_squad.c       warps that share one reconvergence stack: thread block compaction, large warps
 *   37_stack.c       that stack: its entries, and whose turn it is
 *   38_compact.c     their threads become fronts
 *   39_lockstep.c    such fronts issue in step: large warps
 *   40_operands.c    register banks and collectors               order/    when an instruction may issue
 *   41_weave.c       a second instruction in the lanes that the first leaves free (interweave)
 *   42_vunits.c      units and write-back port of sm.pipeline = vortex
 *   43_gang.c        slices of warps that go on together or alone (vws)
 *   43_meet.c        such gangs become one at a common pc, or part at loads
 *   43_slices.c      which lanes are whose, and which group of a slice runs
 *   44_dispatch.c    windows: the next instructions are executed and enter them
 *   45_window.c      windows: what may issue of what was dispatched
 *   46_complete.c    windows: results on buses, instructions leave
 *   47_memorder.c    windows: which memory instructions may pass which
 *   48_precise.c     windows: going back to precise state, faults
 *   50_execute.c     units, results
 *   55_flight.c      instructions in flight (flight.h)
 *   60_lsu.c         the memory pipe: queue, spaces              hazard/   what refused instructions do
 *   61_l1.c          L1 data cache, constant cache
 *   62_port.c        miss queue, interconnect port, responses
 *   63_replay.c      instructions that may be replayed: kept entries, signals, second issues
 *   64_reexec.c      refused accesses that step aside: the re-execution queue
 *   67_texture.c     the texture cache
 *   65_blocked.c     cycles in which data in the L1 waits behind a stalled memory stage
 *   66_watch.c       who watches the memory stages               predictor/ which loads will miss
 *   68_vlsu.c        load-store unit of sm.pipeline = vortex
 *   69_vcache.c      its data cache
 *   70_writeback.c   results of memory come home                 tracker/  what misses need, and what is free
 *   71_early.c       lanes of a load whose data is there before the others'
 *   account.c        who owns each cycle (D6)
 *   perf.c           the counters of a Vortex core
 *   memport.c        global memory as this SM sees it: unpublished stores, atomics on their way (D4)
 *   cta.c            blocks come and go
 *   core.c           the cycle: stages last to first, jumps
 *
 * Time. An instruction is executed (func/) when it issues; what it touched then drives its timing. Stages
 * whose future is settled at issue (operand banks, units, write-back) are reservations: the instruction takes
 * its place in the bank's or unit's calendar at once, in order of issue, and nothing is ticked for it. Stages
 * that can be refused (memory) are queues. A slot (a warp's place) is looked at only when something about it
 * changes: `slot_look` finds what its next instruction waits for and sets an alarm on the wheel.
 *
 * Invariants (core_check walks them):
 *   C1 a slot is in sched.ready[u] of its scheduler exactly when it holds a warp and set == 0; u is its next
 *      instruction's unit
 *   C2 slots of a scheduler: each in one population (pop) by its strongest cause, or ready
 *   C3 collectors held by memory instructions = memory instructions in the pipe that are not yet in the queue
 *      proper
 *   C4 what waits for an MSHR is a memory instruction in flight, whose `outstanding` counts it
 *   C5 packets in the network and credits: credits + packets not yet credited = noc.credits
 *   C6 (70_writeback.c) a slot's counts (memory instructions queued, loads, stores, atomics outstanding) are
 *      the sums over its instructions in flight */
#ifndef HEDDLE_CORE_H
#define HEDDLE_CORE_H

#include "config/config.h"
#include "core/diverge_policy.h"
#include "core/fetch_policy.h"
#include "core/hazard_policy.h"
#include "core/policies.h"
#include "core/predictor_policy.h"
#include "core/sched_policy.h"
#include "core/sm.h"
#include "core/tracker_policy.h"
#include "func/func.h"
#include "mem/mem.h"
#include "stats/stats.h"
#include "trace/trace.h"

enum {
    MAX_IBUFFER = 64,
};

/* --- program.c */
enum tkind {
    T_ALU,
    T_MEM,
    T_BRANCH,
    T_FRAME, /* call, return: waits until nothing of its threads is outstanding */
    T_BARRIER,
    T_FENCE,
    T_EXIT,
    T_ASYNC_WAIT,
    T_NOP,
};
struct tinst { /* one instruction, as time sees it: a cache line */
    const struct inst *in;
    const u16 *reg;              /* register numbers, then predicates from program.nregs on */
    u64 read_banks, write_banks; /* banks those would have in home 0; BANKS_SHARED: two are in one */
    i32 pc;                      /* its own */
    i32 next;                    /* the instruction that follows in memory, pseudo ones left out; NONE at the end */
    u32 latency;                 /* T_ALU: issue to dependent issue, without waiting */
    u16 busy;                    /* T_ALU: cycles its unit is taken */
    u16 interval;                /* T_ALU: of them, cycles a beat */
    u16 guard_cy;                /* its guard is there so much later than for others */
    u8 width;                    /* T_ALU: lanes its unit takes a beat */
    u8 beats;                    /* T_ALU: of a whole warp; latency and busy are for these */
    u8 kind, unit;               /* enum tkind, enum unit */
    u8 nsrc, ndst;               /* scoreboard entries in reg[]: sources first */
    u8 nread;                    /* the first of the sources: those in banks (not predicates) */
    u8 nwrite;                   /* the first of the destinations, likewise */
    u8 mshr_of;      /* a load that may need an MSHR: 1 + the cache (CACHE_DATA, CACHE_CONST), 3 for kernel parameters; else 0 */
    u8 pipe;         /* 42_vunits.c: enum vpipe */
    bool pseudo;     /* costs nothing, is not fetched */
    bool meets : 1;  /* branches meet there (INST_RECONV) */
    bool window : 1; /* may wait in a window: dispatch goes on behind it */
    bool turns : 1;  /* 12_vfetch.c: its warp may go elsewhere, and fetches nothing until it has left its unit */
    bool early : 1;  /* 12_vfetch.c: done where it is decoded (kernel.early) */
};
_Static_assert(sizeof(struct tinst) == 64, "one instruction is one cache line");
#define BANKS_SHARED (~0ull)
struct program {
    const struct kernel *k;
    struct tinst *at; /* [k->ninst] */
    u16 *regs;        /* all reg[] */
    u32 nregs;        /* scoreboard entries a slot needs: registers, then predicates */
    u32 npreds;
    bool atomics;   /* some instruction is one */
    bool frames;    /* some is a call or a return */
    u64 soonest_cy; /* no result is there sooner after issue: a read that is over by then cannot be overtaken */
    u64 code_base;  /* address of instruction 0, for the instruction cache */
    u32 inst_b;     /* bytes of an instruction there */
};

/* The instruction is another now; `regs` has room for its registers. Numbers of the program only grow. */
void program_change(struct program *p, const struct config *c, u32 pc, u16 *regs);

enum wait_kind { WAIT_COMPUTE, WAIT_SHORT, WAIT_LONG, WAIT_KINDS }; /* what produces a register's next value */
struct flight;                                                      /* flight.h */
struct memop;
struct atomic_packet;

/* --- the scoreboard, per slot and register */
struct sbreg {
    u64 ready_cy; /* first cycle in which a dependent may issue; NEVER: not known yet */
    u64 read_cy;  /* last cycle in which an earlier instruction reads it */
    u8 kind;      /* enum wait_kind */
    u8 readers;   /* instructions that may be replayed and read it again */
};

struct cta_place; /* a block on this SM (blocks.h) */

struct way_of {   /* as the home's fields of the same names have it of all its threads */
    u64 drain_cy; /* with lanes_drain alone; or the home's all_drain_cy, where that is later */
    u32 queued, loads, stores, atomics, asyncs;
};

/* A home: a static warp's place on the SM, and all that belongs to its threads wherever they run. Registers
 * never leave it. */
struct home {                    /* the first cache line is what an issue touches */
    _Alignas(64) struct warp *w; /* NULL: empty */
    struct sbreg *sb;            /* [program.nregs + npreds] */
    u64 *lane_ready; /* [nregs + npreds][MAX_WARP]: ready_cy by lane, where groups of a warp issue together (mimd); else NULL */
    u64 age;         /* order of arrival: smaller is older */
    u64 drain_cy;    /* last result of a unit is there */
    u64 read_cy;     /* last cycle in which one of its registers is read, as far as sbreg.read_cy knows */
    struct way_of *way; /* [MAX_WARP]: what each thread has under way, where results are awaited lane by lane; else NULL */
    /* outstanding */
    u32 queued; /* memory instructions not yet accepted by the memory stage */
    u32 loads;  /* memory instructions whose results are awaited */
    struct cta_place *place;
    u32 stores;       /* stores not yet acknowledged */
    u32 atomics;      /* atomics and reductions not yet answered */
    u32 asyncs;       /* asynchronous copies under way */
    u32 starts;       /* warp.starts when it came: another number there, and the program has started the warp again */
    bool ended;       /* all lanes have exited */
    bool told_end;    /* listeners know that it has left */
    bool lanes_drain; /* way: the order, or a call, asks for each thread's last result */
    u64 all_drain_cy; /* with lanes_drain: the last result that came for all threads at once, left out in their `way` */
    u32 called;       /* the same when it was last told that the program has, */
    u64 begins_cy;    /* and the first cycle in which it may begin then */
    u64 started;      /* lanes that may live again when they have ended: all, where the program starts warps of its own */
};

/* A front: what a scheduler sees and chooses. Threads of one home or of several that go on together, with a
 * pc, an instruction buffer, an age and an account of their own. Its place among the fronts is its number,
 * `slot` in what follows. Front i stands for home i where a divergence policy makes no others; where one
 * forms fronts (33_form.c) it has places of its own, and a front's place says nothing about its homes. */
struct part { /* threads of one home in a front */
    u16 home;
    u16 group; /* index into the warp's groups, as far as is known: formed fronts find it by their lanes (part_group) */
    u64 lanes; /* of that group */
};
struct member { /* threads of one home in an instruction */
    u64 uid;    /* of the instruction, as traced: one for each member */
    u64 age;    /* of the warp in its home: tells a later warp there apart */
    u64 lanes, active;
    i32 frame;
    u16 home;
    u8 seat[MAX_WARP]; /* by lane: its position in the front; known in formed fronts only */
};
struct crew { /* all of them */
    const struct member *at;
    u32 n;
    u32 passes; /* accesses of a register bank that one register takes: lanes that have to share a port of it */
};
struct ibuffer { /* entries are consecutive instructions from the front's next one on (20_ibuffer.c) */
    u32 head, n;
    i32 fetch_pc;           /* next to fetch; NONE: nothing */
    i32 next;               /* pc the first entry has, or would have */
    bool miss;              /* waits for the instruction cache's line */
    u32 behind;             /* entries from the issue tail pointer to the issue pointer, kept to be replayed */
    u64 ready[MAX_IBUFFER]; /* by ring position */
    /* of the entries behind the issue pointer (Turner 5.2; 63_replay.c) */
    u64 kept;         /* by ring position: an instruction that may be replayed */
    u64 behind_since; /* retained_cycles is complete up to here */
};
struct sched;
struct sched_word;
struct account {             /* who owns a front's time (account.c) */
    struct sched *sched;     /* its scheduler, ... */
    struct sched_word *word; /* ... and which bit it is there */
    u64 bit;
    u64 *time;                                               /* by enum stall, of that pc; with none, of no interest */
    i32 pc;                                                  /* charged; -1: none */
    u32 set;                                                 /* of 1 << enum stall; 0: ready */
    u8 unit;                                                 /* of the next instruction; the counts below are of it */
    u8 strongest;                                            /* class of `set` it is counted under, enum cpi */
    u8 load;                                                 /* tinst.mshr_of of the next instruction, when ready and of memory */
    u64 since;                                               /* first cycle in this state */
    u64 since_noissue, since_noissue_unavail, since_unavail; /* the scheduler's counts then, for `unit` */
    u64 restricted, restricted_noissue;                      /* cycles of this state in which prediction held it back */
};
/* In order of use: what a scheduler's choice and an issue touch are its first four cache lines. */
struct front {
    _Alignas(64) u32 slot; /* its number */
    u32 nparts;            /* 0: no thread can run any more, or there is none */
    struct part *part;     /* [nparts]: `own`, or a list of formed fronts' (33_front.c) */
    u64 lanes;             /* positions (beat, SIMD lane) that its threads take: of one home, its lanes */
    struct part own;
    const struct tinst *head;  /* next instruction of its threads, or NULL when they cannot run */
    const struct tinst *shown; /* what it presents to the scheduler: a replay, or head */
    u64 ready_cy;              /* it waits for this cycle alone and is ready then; NEVER */
    struct account account;
    u64 resolve_cy; /* a branch is resolved then */
    u64 release_cy; /* a barrier lets it go then */
    u64 polled_at;  /* the warp's count of polls when its group was chosen */
    u64 fence_seq;  /* atomics of the SM made before head became the next instruction */
    struct ibuffer ib;
    u64 squeezed; /* positions it was last squeezed for (sm.squeeze) */
};
_Static_assert(offsetof(struct front, ib.ready[4]) <= 256, "an issue touches four cache lines of a front");

/* --- scale.c: beats of fronts that do not fill a warp */
struct pace { /* of an instruction with its front's lanes, as tinst has them of a whole warp */
    u32 busy, latency;
};
struct core;
u32 scale_beats(u64 lanes, u32 warp_size, u32 width, bool squeezed);
/* A squeeze (SQUEEZE_THESIS, _FEWEST): rank_of[lane], of those that run, is the beat it goes in, counted from
 * the fullest; which SIMD lane it has does not change. How many move */
void scale_rank(u64 lanes, u32 width, u32 beats, u8 *order); /* beats by the number of their lanes, the most first */
u32 scale_place(u64 lanes, u32 warp_size, u32 width, u32 how, u8 *rank_of);
u32 scale_moves(u64 lanes, u32 warp_size, u32 width, u32 how);
u32 scale_lanes(const struct core *c, u64 lanes); /* beats of these lanes in the pipe (sm.alu.width) */
struct pace scale_pace(const struct core *c, const struct tinst *t, u64 lanes);
u32 scale_loop(const struct core *c, u32 cycles, u64 lanes); /* what a whole warp takes, where stages last as long as beats */
static inline struct pace pace_of(const struct core *c, const struct config *g, const struct tinst *t, u64 lanes) {
    return __builtin_expect(g->warp_scale == WARP_SCALE_OFF, 1) ? (struct pace){t->busy, t->latency} : scale_pace(c, t, lanes);
}
/* A time of the pipeline for these lanes, of a whole warp's */
static inline u32 scaled(const struct core *c, const struct config *g, u32 cycles, u64 lanes) {
    return __builtin_expect(g->scale_latency == SCALE_FIXED, 1) ? cycles : scale_loop(c, cycles, lanes);
}
/* Cycles from issue in which it has written nothing yet; only what runs on a unit has a pace */
static inline u32 soonest_of(const struct core *c, const struct config *g, const struct tinst *t, u64 lanes) {
    return t->kind == T_ALU ? pace_of(c, g, t, lanes).latency : scaled(c, g, g->shared_cy, lanes);
}

/* --- policies */
struct core;

/* --- parts of the SM */
enum { CACHE_DATA, CACHE_CONST, CACHES };
/* --- 66_watch.c: what happens in the memory stages, told to whoever asked for it at the launch */
enum mem_event_kind {
    MEM_ENTERED,    /* an instruction enters the pipe, for the first time or again */
    MEM_LOOKED_UP,  /* an access found its line in the cache, on its way (joined), or not: `flag` says that it needs an MSHR */
    MEM_HIT,        /* an access hit in the L1 data cache */
    MEM_SENT_FOR,   /* an access missed in the L1 data cache and was sent for */
    MEM_PAST,       /* an access goes past the L1: no MSHR, but a place in the miss queue */
    MEM_REFUSED,    /* an access was refused, and its instruction leaves the pipe: `why` */
    MEM_MSHR_TAKEN, /* for an access of the flight */
    MEM_ACCEPTED,   /* the last access of an instruction was taken, or it made none */
    MEM_MSHR_FREED, /* which an access of the slot had taken */
    MEM_EVICTED,    /* a line that an access of the slot had brought; `flag`: for one of its own */
    MEM_FILLED,     /* a line came that an access of the slot had sent for */
    MEM_STORED,     /* a store was at the L1 data cache */
    MEM_QUEUED,     /* a packet takes a place in the miss queue */
    MEM_GONE,       /* one has left it */
    MEM_RESPONSE,   /* a response has come */
    MEM_EVENTS
};
struct mem_event {
    enum mem_event_kind kind;
    u32 slot, cache; /* cache: CACHE_DATA or CACHE_CONST */
    bool flag;
    enum hazard why;
    struct flight *f; /* NULL from MEM_MSHR_FREED on */
    u64 line;
};
struct watcher {
    u32 kinds; /* of 1 << enum mem_event_kind */
    void (*seen)(struct core *c, const struct mem_event *e);
};
struct watch {
    u32 kinds; /* that somebody wants */
    u32 n;
    const struct watcher *at[4];
};
void watch_launch(struct core *c);
void watch_add(struct core *c, const struct watcher *w);
void watch_call(struct core *c, const struct mem_event *e);

struct core {
    const struct config *cfg;
    struct policies pol;
    u32 id;
    u64 now;
    u64 uid;
    const struct program *prog;
    struct launch view;           /* the launch as this SM sees it: counts, fault, port of its own */
    struct home homes[MAX_SLOTS]; /* homes */
    struct front *fronts;         /* [nfronts]; front i is home i's, unless fronts are formed */
    u64 *age;                     /* [nfronts] */
    u32 nslots, nfronts;          /* homes and fronts there can be at once */
    u32 words;   /* of a set of fronts (base/set.h): of all, or (33_front.c) of those places that had one in this launch */
    u32 ib_mask; /* positions of an instruction buffer's ring less one: the next power of two from sm.ibuffer on */
    struct issue *issue;       /* 30_issue.c, 31_sched.c, account.c */
    struct operands *operands; /* 40_operands.c, 50_execute.c */
    struct fetch *fetch;       /* 10_fetch.c, 20_ibuffer.c */
    struct form *form;         /* form.h; NULL unless the divergence policy forms fronts */
    struct splits *split;      /* 36_split.c; NULL unless the divergence policy subdivides warps */
    struct weave *weave;       /* 41_weave.c; NULL unless the divergence policy interweaves instructions */
    struct early *early;       /* 71_early.c; NULL unless it does at loads */
    struct gangs *gang;        /* gang.h; NULL unless warps are divided into slices */
    struct squads *squads;     /* 37_squad.c; NULL unless warps share a reconvergence stack */
    struct windows *window;    /* 44_dispatch.c to 48_precise.c; NULL unless the order policy has windows */
    /* the memory stages, each known to its own file alone (its private header); NULL where the mechanism is
     * off */
    struct watch watch;            /* 66_watch.c; here because every access asks whether somebody listens */
    struct flights *flights;       /* 55_flight.c */
    struct predict *predict;       /* 35_predict.c; NULL without a tracker */
    struct lsu *lsu;               /* 60_lsu.c */
    struct l1 *l1;                 /* 61_l1.c */
    struct texture_cache *texture; /* 67_texture.c; NULL with sm.tex.unified */
    struct port *port;             /* 62_port.c */
    struct replay *replay;         /* 63_replay.c; NULL unless the hazard policy retains */
    struct reexec *reexec;         /* 64_reexec.c; NULL without sm.lsu.reexec */
    /* sm.pipeline = vortex, NULL with others: 12_vfetch.c, 42_vunits.c, 68_vlsu.c, 69_vcache.c */
    struct vfetch *vfetch;
    struct vunits *vunits;
    struct vlsu *vlsu;
    struct vtex *vtex;
    struct vcache *vcache;
    struct memview *memview; /* memport.c */
    struct blocks *blocks;   /* cta.c */
    struct text *text;       /* 22_text.c; NULL until the program has changed its text in this launch */
    /* statistics */
    struct sm_stats stats;
    struct lane_stats lane_stats;
    struct pc_stats *pcs;
    u64 jumped;
    /* events */
    bool tracing;
    VEC(struct event) events;
    u64 fault_cy;
    bool ticking; /* no jumps */
    bool pauses;  /* before the next cycle invariants may have to be looked at, or the text changes */
    u32 check_cy;
    u64 asleep_cy; /* nothing changes before it unless something comes from outside, and `now` may lie behind; 0: awake */
};

/* Something has come from outside */
static inline void core_wake(struct core *c) { c->asleep_cy = 0; }

#define WATCH(c, of, ...)                                                                                                        \
    do {                                                                                                                         \
        if (__builtin_expect((c)->watch.kinds >> (of) & 1, 0)) watch_call((c), &(struct mem_event){.kind = (of), __VA_ARGS__});  \
    } while (0)

/* --- cta.c */
void cta_init(struct core *c);
void cta_launch(struct core *c);
void cta_release(struct core *c); /* the blocks of a launch that is over */
void cta_free_stage(struct core *c);
void cta_admit(struct core *c, u64 now); /* those announced whose cycle has come */
u64 cta_next(const struct core *c);      /* when the next one announced comes; NEVER */
u32 cta_resident(const struct core *c);  /* blocks */
u32 cta_resident_warps(const struct core *c);
bool cta_idle(const struct core *c);                      /* none here and none announced */
u64 cta_quiet(const struct core *c);                      /* first cycle after the last block ended */
u64 cta_slots(const struct cta_place *p);                 /* mask of its warps' homes */
u64 cta_number(const struct cta_place *p);                /* of the block in the grid */
void cta_warp_ended(struct core *c, u32 slot, u64 lanes); /* its last lanes have exited, in a front of these */
/* Another warp of its block has ended or started it, and the slot does not know yet */
static inline bool home_renewed(const struct home *s) {
    return s->w && (s->w->starts != s->starts || (!s->w->live && !s->ended));
}
static inline bool front_renewed(const struct core *c, const struct front *f) { /* one of those it has threads of */
    for (u32 i = 0; i < f->nparts; i++)
        if (home_renewed(&c->homes[f->part[i].home])) return true;
    return false;
}
void cta_renewed(struct core *c, const struct cta_place *p); /* an instruction may have ended or started warps of the block */
bool cta_renew(struct core *c, u32 slot, u64 at);            /* it shall know; true: the warp has begun anew */
void cta_begin_renewed(struct core *c);                      /* the same of homes where fronts are formed */
void cta_front_over(struct core *c, u32 slot);               /* its warp has ended, and perhaps what it has to replay, too */
void cta_try_retire(struct core *c, struct cta_place *p, u64 at);

/* --- 10_fetch.c, 20_ibuffer.c */
void fetch_init(struct core *c);
void fetch_launch(struct core *c);
void fetch_free(struct core *c);
void fetch_check(const struct core *c);
void fetch_abandon(struct core *c);              /* forgets what is on its way */
void fetch_unresolved(struct core *c, u32 slot); /* its branch has issued: nothing is fetched for it until that is resolved */
void fetch_stage(struct core *c);
u64 fetch_next(const struct core *c);         /* first cycle in which a warp can fetch; NEVER */
void fetch_filled(struct core *c, u32 entry); /* an instruction line has come */
void ibuffer_flush(struct core *c, struct front *f, i32 pc);
void ibuffer_pop(struct core *c, struct front *f);
void ibuffer_want(struct core *c, struct front *f);               /* sets its bit of fetch_want */
bool ibuffer_awaits(const struct core *c, const struct front *f); /* it is empty, and its next fetch is asked for or missed */

/* --- 12_vfetch.c, 42_vunits.c, 67_vtex.c, 68_vlsu.c, 69_vcache.c: where c->vfetch is not NULL (sm.pipeline =
 * vortex); init, launch, free, check, abandon and idle anywhere */
void vfetch_init(struct core *c);
void vfetch_launch(struct core *c);
void vfetch_free(struct core *c);
void vfetch_check(const struct core *c);
void vfetch_abandon(struct core *c);
void vfetch_stage(struct core *c);
u64 vfetch_buffered(const struct core *c); /* fronts with an instruction in their buffer, or one that will be there */
u64 vfetch_next(const struct core *c);
void vfetch_skip(struct core *c, u64 n);
void vfetch_want(struct core *c, const struct front *f);    /* whether it knows what to fetch may have changed */
void vfetch_flush(struct core *c, struct front *f, i32 pc); /* it goes on from pc, whatever was fetched */
void vfetch_popped(struct core *c, struct front *f);        /* its first instruction issues */
void vfetch_started(struct core *c, u32 slot);              /* a warp begins there */
void vfetch_resolved(struct core *c, u32 slot);             /* the instruction that it waited for has left its unit */
void vfetch_filled(struct core *c, u32 entry);              /* a line of the instruction cache has come */
bool vfetch_stalls(const struct core *c, u32 slot);         /* it fetches nothing until decode or a unit says so */
void vunits_init(struct core *c);
void vunits_launch(struct core *c);
void vunits_free(struct core *c);
void vunits_check(const struct core *c);
void vunits_abandon(struct core *c);
void vunits_stage(struct core *c);
void vunits_settle(struct core *c); /* at the end of a cycle: which buffers are full */
u64 vunits_next(const struct core *c);
bool vunits_idle(const struct core *c);
/* First cycle in which all that its warp has in the GPU unit, which decides its end, is done; 0: nothing */
u64 vunits_drains(const struct core *c, u32 slot);
u64 vunits_empty(const struct core *c);                     /* the cycle after the last in which an instruction left a unit */
void vunits_place(const struct kernel *k, struct tinst *t); /* which unit and pipe it needs */
u64 vunits_unavailable(const struct core *c);               /* units, by 1 << enum unit, whose buffer is full */
void vunits_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid);
bool vunits_filter(struct core *c, u32 flight); /* the texels of a read are there; false: the filter takes none in this cycle */
void vtex_init(struct core *c);
void vtex_launch(struct core *c);
void vtex_free(struct core *c);
void vtex_check(const struct core *c);
void vtex_abandon(struct core *c);
void vtex_stage(struct core *c);
u64 vtex_next(const struct core *c);
bool vtex_idle(const struct core *c);
bool vtex_room(const struct core *c);
void vtex_enter(struct core *c, u32 flight); /* there was room, and its addresses are there */
bool vtex_wants(const struct core *c);       /* it has words for threads' buffers */
bool vtex_send(struct core *c, u64 closed);  /* of which these take nothing in this cycle; whether any word went */
void vtex_answer(struct core *c, u32 words); /* of its first read, put together in this cycle */
void vlsu_init(struct core *c);
void vlsu_launch(struct core *c);
void vlsu_free(struct core *c);
void vlsu_check(const struct core *c);
void vlsu_abandon(struct core *c);
void vlsu_stage(struct core *c);
u64 vlsu_next(const struct core *c);
void vlsu_skip(struct core *c, u64 n);
bool vlsu_idle(const struct core *c);
u64 vlsu_empty(const struct core *c); /* the cycle after the last in which a bank took a word */
bool vlsu_full(const struct core *c);
void vlsu_wake(struct core *c);                                     /* a word that was refused may be taken now */
bool vlsu_writes(const struct core *c);                             /* a load has the write-back port in this cycle */
u64 vlsu_latency(u32 latency_cy);                                   /* of a bank, of one from issue to dependent issue */
void vlsu_answer(struct core *c, u32 bank, u32 flight, u64 due_cy); /* a word of it comes out of the bank then */
bool vlsu_frozen(const struct core *c, u32 bank); /* it can take nothing in this cycle: its answers do not go on */
void vlsu_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid);
struct flight *vlsu_record(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid); /* it has issued */
/* A word of its memop.lines into its thread's buffer; false: that is closed. It closes for this cycle. */
bool vlsu_buffer(struct core *c, struct flight *f, u32 i, u64 *closed);
void vcache_init(struct core *c);
void vcache_launch(struct core *c);
void vcache_free(struct core *c);
void vcache_check(const struct core *c);
void vcache_abandon(struct core *c);
void vcache_stage(struct core *c);
void vcache_send(struct core *c); /* one of the banks' packets goes on */
u64 vcache_next(const struct core *c);
bool vcache_idle(const struct core *c);
void vcache_freeze(struct core *c, u32 bank); /* it stands still in this cycle */
u32 vcache_bank(const struct core *c, u64 addr);
/* NONE when its bank, which is offered one in a cycle, takes it, else the hazard */
int vcache_word(struct core *c, struct flight *f, const struct line_access *x, u32 bank);
int vcache_atomic(struct core *c, struct flight *f, const struct line_access *x, struct atomic_packet *p);
void vcache_response(struct core *c, u32 entry); /* a line has come */

/* --- 30_issue.c */
void slot_look(struct core *c, u32 slot, u64 at);                        /* what it waits for from cycle `at` on */
void slot_due(struct core *c, u32 slot);                                 /* its alarm has come */
void slot_alarm(struct core *c, u32 slot, u64 cy);                       /* look again then */
void slot_next(struct core *c, u32 slot);                                /* after its group ran or changed: the new head */
void slot_wake_block(struct core *c, const struct cta_place *p, u64 cy); /* its slots that could not run and can now go on then */
void issue_init(struct core *c);
void issue_launch(struct core *c);
void issue_free(struct core *c);
void issue_check(const struct core *c);
void issue_alarms(struct core *c);             /* those of this cycle */
u64 issue_alarm(const struct core *c);         /* when the next one comes; NEVER */
u64 issue_last(const struct core *c);          /* last cycle in which something issued */
void issue_happened(struct core *c);           /* in this cycle */
u32 issue_sub(const struct core *c, u32 slot); /* sub-core whose collectors and units it uses */
bool issue_held_back(const struct core *c, u32 slot,
                     const struct tinst *t); /* the scheduler keeps this memory instruction back */
/* For windows: the head is executed and leaves the instruction buffer (step.faulted after a fault; slot_next
 * follows); an instruction executed earlier issues; what the front presents has changed */
const struct step *front_dispatch(struct core *c, u32 slot);
void front_issued(struct core *c, u32 slot, u64 uid, const struct step *st);
/* Other lanes than before go on (scale.c); a squeeze is counted, it takes no time */
void front_squeeze(struct core *c, struct front *f);
void slot_show(struct core *c, u32 slot);
void issue_stage(struct core *c);
void issue_skip(struct core *c, u64 n); /* n cycles in which nothing could issue */
/* For 41_weave.c: one more instruction in this cycle, of another group of the slot's warp, on a unit of its
 * own or (rides) on the one that the last took; and the next one of another slot, which rides. NULL: it
 * cannot */
const struct step *issue_group(struct core *c, u32 slot, u32 group, bool rides);
const struct step *issue_rider(struct core *c, u32 slot);
bool issue_blocked(struct core *c);   /* no scheduler has a candidate in this cycle */
u64 issue_next(const struct core *c); /* when a collector or unit that ready slots wait for is free */

/* A register's next value is ready at cy (NEVER: not known yet) for these lanes; and when it is for these
 * lanes */
static inline void sb_write(const struct home *s, u32 reg, u64 lanes, u64 cy, enum wait_kind kind) {
    struct sbreg *r = &s->sb[reg];
    r->kind = (u8)kind;
    r->ready_cy = cy;
    for (u64 m = s->lane_ready ? lanes : 0; m; m &= m - 1) s->lane_ready[(size_t)reg * MAX_WARP + (u32)__builtin_ctzll(m)] = cy;
}
/* Results of these lanes are there then */
static inline void home_drains(struct home *s, u64 lanes, u64 cy) {
    s->drain_cy = s->drain_cy > cy ? s->drain_cy : cy;
    if (!s->way || !s->lanes_drain) return;
    if (!((s->w->live | s->started) & ~lanes)) {
        s->all_drain_cy = s->all_drain_cy > cy ? s->all_drain_cy : cy;
        return;
    }
    for (u64 m = lanes; m; m &= m - 1) {
        u64 *drain_cy = &s->way[__builtin_ctzll(m)].drain_cy;
        *drain_cy = *drain_cy > cy ? *drain_cy : cy;
    }
}
/* A warp that has ended waits for no unit from then on, as far as is known by now */
static inline u64 home_drained(const struct core *c, u32 slot) {
    u64 last = c->homes[slot].drain_cy, units = c->vunits ? vunits_drains(c, slot) : 0;
    return last > units ? last : units;
}
static inline u64 sb_ready(const struct home *s, u32 reg, u64 lanes) {
    if (__builtin_expect(!s->lane_ready, 1)) return s->sb[reg].ready_cy;
    u64 last = 0;
    for (u64 m = lanes; m; m &= m - 1) {
        u64 cy = s->lane_ready[(size_t)reg * MAX_WARP + (u32)__builtin_ctzll(m)];
        last = MAX(last, cy);
    }
    return last;
}

/* --- 32_diverge.c: the front asks its divergence policy */
bool front_choose(struct core *c, struct front *f);    /* which group it presents; false: none can run */
bool front_gives_way(struct core *c, struct front *f); /* it waits for long: true when another group goes on */

/* --- 33_form.c and its companions, 34_gather.c. Where c->form is not NULL; form_seen anywhere. */
void form_init(struct core *c);
void form_launch(struct core *c);
void form_free(struct core *c);
void form_check(const struct core *c);
const struct sched_fronts *form_seen(const struct core *c);           /* what schedulers are shown of fronts; NULL without */
struct group *form_group(const struct core *c, const struct part *p); /* that its lanes stand in, or some of them */
void form_starts(struct core *c, u32 home);                           /* a warp takes the home: its threads are a front */
void form_forgets(struct core *c, u32 home);                          /* another warp has ended it: its threads are in no front */
void form_look_again(struct core *c);                                 /* then, when all such have been forgotten, before issue */
bool form_dispatch(struct core *c, struct front *f,
                   struct step *st);         /* its instruction is executed, by all parts; false: fault */
struct crew form_crew(struct core *c);       /* of that instruction */
void form_issued(struct core *c, u32 slot);  /* it is not in the pool any more */
void form_ran(struct core *c, u32 slot);     /* after its instruction: the next one, or it parts in the next cycle or later */
void form_regroup(struct core *c, u32 slot); /* before the issue of a cycle: its threads part, and come to the pool */
void form_wake_block(struct core *c, const struct cta_place *p, u64 cy); /* threads that waited and can now go on then */
u32 form_waits(const struct core *c, const struct front *f);             /* for what, that has no head: 1 << enum stall */
bool form_outside(const struct core *c, u32 slot);                       /* for an entry of the pool, and it is not its turn */
u32 form_fronts(const struct core *c, u32 home, u16 *at);                /* those with threads of a home */
u32 form_seat(const struct core *c, u32 home, u32 lane);                 /* a thread's position in its front */
u32 form_home_seat(const struct core *c, u32 home, u32 lane);            /* the one it starts in */
/* en-DWF: positions that those who come to a front leave, and take, because they are taken there, within a
 * SIMD lane of a warp so wide; how many, or UINT32_MAX when there is no room */
u32 form_moves(u64 there, u64 come, u32 size, u32 width, u8 *from, u8 *to);

/* --- 41_weave.c. Where c->weave is not NULL; init, launch and free anywhere. */
void weave_init(struct core *c);
void weave_launch(struct core *c);
void weave_free(struct core *c);
void weave_presents(const struct core *c,
                    struct front *f); /* its group may have a branch to wait for, which issued beside another */
/* An instruction `first` of these lanes has issued from the slot: one that goes beside it does, of its warp
 * or of one of these candidates. False: none */
bool weave_issue(struct core *c, u32 slot, const struct tinst *first, u64 lanes, const u64 *candidates);

/* --- 36_split.c. Where c->split is not NULL; init, launch, free and check anywhere. */
void split_init(struct core *c);
void split_launch(struct core *c);
void split_free(struct core *c);
void split_check(const struct core *c);
void split_whole(struct core *c, u32 home);              /* all lanes of the warp are one group */
void split_offered(struct core *c, u32 home, bool hits); /* some lanes of a load have their data: those that hit, or of a line */
void split_stage(struct core *c);                        /* before issue: lanes that may go on part from those that wait */
u64 split_next(const struct core *c);                    /* this cycle, when they would; NEVER */
/* --- 37_squad.c. Where c->squads is not NULL, in the stead of form_starts and the others of these names. */
void squad_init(struct core *c);
void squad_launch(struct core *c);
void squad_free(struct core *c);
void squad_check(const struct core *c);
void squad_starts(struct core *c, u32 home);
void squad_forgets(struct core *c, u32 home);
void squad_move(struct core *c);
void squad_ran(struct core *c, u32 slot);
void squad_regroup(struct core *c, u32 slot);
void squad_wake_block(struct core *c, const struct cta_place *p, u64 cy);
u32 squad_waits(const struct core *c, const struct front *f);
bool squad_holds(const struct core *c, const struct front *f); /* others have to issue first */
bool squad_due(const struct core *c, u32 slot);                /* a front has left that place, and the others may go on */
u64 squad_waiting(const struct core *c);                       /* fronts that wait for others of their squads */
const u8 *squad_teams(const struct core *c);                   /* by front: its squad, where those issue in step; NULL */
bool squad_polls(struct core *c, const struct front *f);       /* its instruction may poll; false: the program goes on */

/* --- 43_gang.c, 43_meet.c, 43_slices.c. Where c->gang is not NULL, in the stead of form_starts and others of
 * these names; init, launch, free and check anywhere */
void gang_init(struct core *c);
void gang_launch(struct core *c);
void gang_free(struct core *c);
void gang_check(const struct core *c);
void gang_starts(struct core *c, u32 home);
void gang_forgets(struct core *c, u32 home);
void gang_ran(struct core *c, u32 slot);
void gang_regroup(struct core *c, u32 slot);
void gang_wake_block(struct core *c, const struct cta_place *p, u64 cy);
void gang_apart(struct core *c, struct front *f);               /* its next instruction may part lanes: a part for each slice */
void gang_led(struct core *c, const struct part *p, u32 group); /* that one has run it */
void gang_meets(struct core *c, u32 slot);                      /* it becomes one with others that stand where it does */
bool gang_divides(const struct core *c, u32 slot); /* some of its slices have what others wait for, and shall go on */
void gang_part_at_load(struct core *c, u32 slot);  /* they do, before the issue of a cycle */
u64 gang_lanes(const struct core *c, u32 slot);    /* of the slices in which it issues */
void gang_offers(const struct core *c, u64 *set);  /* of these only those that the scheduler is offered first (vws.first) */
bool gang_front_each(const struct core *c);        /* each slice fetches and issues for itself (vws.front) */

/* --- 31_sched.c */
void sched_init(struct core *c);
void sched_launch(struct core *c);
void sched_free(struct core *c);
void sched_begin(struct core *c, u64 n); /* n cycles begin, in which nothing else changes */
bool sched_settled(struct core *c);      /* sched_begin would change nothing */
bool sched_holds(const struct core *c);  /* sched_held may answer something */
/* Adds to `held` those of these slots with memory instructions that may not issue in this cycle */
void sched_held(const struct core *c, const u64 *ask, const u64 *loads, u64 *held);
bool sched_holds_one(const struct core *c, u32 slot, bool load); /* the same of one slot */
u64 sched_wakes(const struct core *c);
bool sched_admits(const struct core *c, const struct flight *f, u64 line);
struct sched_view *sched_look(const struct core *c, const struct sched *sched); /* all of the view but the candidates */
void sched_tell(struct core *c, enum sched_event kind, u32 slot, u64 line);
static inline void sched_event(struct core *c, enum sched_event kind, u32 slot, u64 line) {
    if (c->pol.sched->event) sched_tell(c, kind, slot, line);
}
void sched_arrives(struct core *c, u32 slot, u64 block); /* a warp of that block takes the front's place */
void sched_leaves(struct core *c, u32 slot);             /* its threads have ended */
bool sched_has(const struct core *c, u32 slot);          /* it has arrived, and not left */
/* Ready ones of a scheduler whose next instruction goes to memory other than shared */
void sched_memory(const struct core *c, u32 sched, u64 *set);

int sched_vacant(const struct core *c, u32 sched); /* the first place of that scheduler with no front, or NONE */
/* The first front from that one on that waits for a result of memory, an atomic or a fence; NONE */
int sched_awaits_memory(const struct core *c, u32 from);

/* --- 35_predict.c. Where c->predict is not NULL. `restricted` adds to `held` those of these ready slots with
 * memory instructions that are held back in this cycle */
void predict_init(struct core *c);
void predict_launch(struct core *c);
void predict_free(struct core *c);
void predict_check(const struct core *c);
void predict_restricted(struct core *c, const u64 *ready, u64 *held);
bool predict_holds(struct core *c, u32 slot); /* the same of one slot */
u64 predict_next(const struct core *c);
bool predict_expects(const struct core *c,
                     u32 slot); /* it is about to issue: a miss is expected of it; false without a tracker */
void predict_issue(struct core *c, const struct flight *f,
                   bool expects_miss); /* it leaves issue: takes a credit where a miss is expected */

/* --- 40_operands.c */
void operands_init(struct core *c);
void operands_launch(struct core *c);
void operands_free(struct core *c);
void operands_divide(struct core *c, u32 slices);        /* warps of this launch have so many slices */
u32 operands_collectors(const struct core *c);           /* of all sub-cores */
u64 operands_unavailable(const struct core *c, u32 sub); /* units, by 1 << enum unit, for which nothing can leave issue now */
bool operands_available(const struct core *c, u32 sub, enum unit u);
bool operands_fit(const struct core *c, u32 sub, enum unit u, u64 lanes); /* the same, of the slices of these lanes */
bool operands_room(const struct core *c, u32 sub, enum unit u); /* the same, for what goes along in the pipe (sm.pipe) */
void pipe_take(struct core *c, u32 sub, u64 lanes);             /* sm.pipe = one: an instruction of these lanes issues */
void pipe_returns(struct core *c, u32 sub, u64 lanes);          /* results have come back from memory and go first */
u32 pipe_common(const struct core *c);                          /* lockstep: beats of the last round of all SMs; else 0 */
u64 operands_next(const struct core *c, u32 sub); /* when the next collector or unit becomes free after this cycle; NEVER */
/* Reserves collector and banks: the cycle in which the last operand is read */
u64 operands_read(struct core *c, u32 sub, const struct crew *w, const struct tinst *t);
i32 operands_pool(const struct core *c, const struct tinst *t); /* whose collector that takes, or NONE */
void operands_hold(struct core *c, u32 sub, i32 pool,
                   u64 lanes);           /* a memory instruction keeps the one it took until it lets go */
u32 operands_held(const struct core *c); /* collectors so kept */
void operands_let_go(struct core *c, u32 sub, i32 pool, u64 lanes); /* a memory instruction leaves its collector */
u32 operands_shares(const struct core *c, u64 lanes); /* collectors that an instruction of these lanes takes: one a slice */
u64 operands_write(struct core *c, u32 sub, const struct crew *w, const struct tinst *t, u64 at); /* result written; >= at */

/* --- 44_dispatch.c, 45_window.c, 46_complete.c. Where c->window is not NULL; window_ready anywhere. */
void window_init(struct core *c);
void window_launch(struct core *c);
void window_free(struct core *c);
void window_check(const struct core *c);
void window_abandon(struct core *c); /* forgets all that is in them */
void window_stage(struct core *c);   /* dispatches of this cycle */
void complete_stage(struct core *c); /* results of this cycle */
void retire_stage(struct core *c);   /* at its end: what is complete leaves */
u64 window_wakes(const struct core *c);
/* What the slot's windowed instructions wait for, and which it presents; NULL: it has none, and its next one
 * is not for the window */
const struct tinst *window_waits(struct core *c, u32 slot, u64 at, u32 *set, u64 *next);
bool window_speaks(const struct core *c, u32 slot); /* that is what its slot waits for, and nothing else */
void window_asks_again(struct core *c, u32 slot);   /* dispatch looks at its next instruction, which may be another */
bool window_ready(const struct core *c, u32 slot);  /* it shows an instruction that can issue */
const struct tinst *window_shows(const struct core *c, u32 slot); /* what it presents */
void window_present(struct core *c, u32 slot, u64 unavailable);   /* shows one whose unit is available, where there is one */
bool window_has_other(const struct core *c, u32 slot, u64 unavailable);
u64 window_others(const struct core *c, u64 unavailable); /* slots with something that may issue on a unit beside these */
u64 window_lanes(const struct core *c, u32 slot);         /* of that instruction */
void window_issue(struct core *c, u32 slot);              /* what it shows */
u32 window_issue_more(struct core *c, u32 slot, u32 sub); /* others in the same cycle: how many in all */
bool window_waiting(const struct core *c, u32 slot);      /* instructions are in its window */
void window_stops(struct core *c, u32 slot, const struct tinst *t);    /* one that is not for the window has issued */
void window_result(struct core *c, const struct flight *f, u64 ready); /* it has come from memory */
bool window_ends(struct core *c, const struct flight *f); /* memory is done with it; true: its entry is still there */

/* --- 50_execute.c */
/* A jump with a result, such as where it came from: there when the jump is resolved */
void execute_link(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w);
void execute_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w);
/* The same for an entry of a window: when its result can be used; *read: its last operand is read */
/* The same for an instruction that goes in free lanes of the unit that the last execute_issue has taken, with
 * it */
void execute_beside(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w);
u64 execute_entry(struct core *c, u32 slot, const struct tinst *t, u64 lanes, u64 uid, u64 *read);
/* The same for an instruction that goes with another one of its warp: it costs no place anywhere */
void execute_along(struct core *c, const struct tinst *t, const struct step *st, const struct crew *w);

/* --- 60_lsu.c */
/* expects_miss: what hazard prediction said of it before it was executed */
void lsu_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w, bool expects_miss);
/* Its two halves: the record with all accesses, made when it is executed; and its way into the pipe: when the
 * last operand is read */
struct flight *lsu_record(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w);
u64 lsu_send(struct core *c, struct flight *f, bool expects_miss);
u64 lsu_local_address(const struct core *c, u32 home, u32 lane, u64 addr);     /* a byte of local memory as caches see it */
void lsu_add_atomics(struct core *c, struct flight *f, const struct step *st); /* packets of its atomics, a line each */
enum probe_kind lsu_kind_of(const struct inst *in, const struct step *st);
void lsu_count(struct core *c, const struct flight *f); /* as a memory instruction that issues */
void lsu_stage(struct core *c);
u32 lsu_way(const struct config *g); /* cycles from issue to the stage: what latencies of memory keys contain */
u64 lsu_next(const struct core *c);
void lsu_skip(struct core *c, u64 n);
void lsu_init(struct core *c);
void lsu_launch(struct core *c);
void lsu_free(struct core *c);
void lsu_abandon(struct core *c);
void lsu_check(const struct core *c);
void lsu_waits(const struct core *c, struct strbuf *out);
enum lsu_change {                  /* since the stage last looked at its first instruction */
                  LSU_VICTIM_GONE, /* a dirty line that was in its way has been sent off */
                  LSU_QUEUE_TAKEN, /* somebody else has taken a place in the miss queue: it may meet another hazard than before */
                  /* an access of the re-execution queue was taken: there is room in it, or nothing of its
                   * warp before it */
                  LSU_ASIDE_SERVED,
                  LSU_RESPONSE,      /* a response has come to one of the caches */
                  LSU_QUEUE_ROOM,    /* a packet has left the miss queue */
                  LSU_SCHED_CHANGED, /* the scheduler admits or holds back others than before */
};
void lsu_wake(struct core *c, enum lsu_change what); /* it tries again in the next cycle */
u64 lsu_enter(struct core *c,
              struct flight *f); /* reads operands, for the first time or again, and queues; when the last is read */
void lsu_leave(struct core *c);  /* the first instruction leaves the memory stage */
void lsu_accepted(struct core *c, struct flight *f); /* its last access was taken by the memory stage: it leaves, and is done */
void lsu_done(struct core *c, struct flight *f);     /* all its accesses have been taken; it may be over */
int lsu_access(struct core *c, struct flight *f, u32 line); /* one line of it at the L1: NONE or the hazard */
enum hazard_action lsu_asks(const struct core *c, const struct flight *f,
                            enum hazard why); /* what the policy says of a refusal */
bool lsu_refused(struct core *c, struct flight *f,
                 enum hazard why);                                /* its access steps aside (true), or the policy is followed */
void lsu_hold(struct core *c, struct flight *f, enum hazard why); /* the first instruction keeps its place in this cycle */
void lsu_hazard(struct core *c, const struct flight *f, enum hazard h); /* counts a cycle of it */
/* Shared memory and constants: from the stage's cycle to the result */
u64 lsu_latency(const struct core *c, const struct flight *f);
bool lsu_comes_again(const struct core *c);                   /* something has changed since its access of this cycle began */
i32 lsu_held_by(const struct core *c);                        /* enum hazard that holds its first instruction, or NONE */
const u64 *lsu_sending(const struct core *c);                 /* slots with instructions that it has not taken wholly: a set */
bool lsu_room(const struct core *c);                          /* one more instruction can queue */
bool lsu_blocks_collectors(const struct core *c);             /* it is full, and an instruction behind it keeps its collector */
u32 lsu_loads(const struct core *c, u32 cache);               /* loads in it that may need an MSHR of that cache */
i32 lsu_first_slot(const struct core *c);                     /* of the first instruction that is not of shared memory; NONE */
const struct flight *lsu_behind(const struct core *c, u32 i); /* the i-th in it, 0 being the first; NULL */

/* --- 55_flight.c: flight.h, and */
void crew_tell(struct core *c, const struct crew *w, struct event e); /* an event of each member; where it is traced */
void flight_init(struct core *c);
void flight_free(struct core *c);
void flight_check(const struct core *c);

/* --- 61_l1.c: one access of the first instruction. NONE when accepted, else the hazard. */
void l1_init(struct core *c);
void l1_launch(struct core *c);
void l1_free(struct core *c);
void l1_abandon(struct core *c);
void l1_check(const struct core *c);
int l1_load(struct core *c, struct flight *f, struct line_access *x);
int l1_store(struct core *c, struct flight *f, struct line_access *x);
int l1_atomic(struct core *c, struct flight *f, struct line_access *x, struct atomic_packet *p);
int const_load(struct core *c, struct flight *f, u64 line);
void l1_response(struct core *c, int entry); /* a packet sent for that MSHR's line has come */
void const_response(struct core *c, int entry);
u64 tlb_next(const struct core *c); /* when the first walk under way ends; NEVER */
u32 l1_mshrs_used(const struct core *c, u32 cache);
bool l1_mshr_free(const struct core *c, u32 cache);
bool l1_has(const struct core *c, u32 cache, u64 addr); /* the line is there, or on its way */

/* --- 67_texture.c: the texture cache; c->texture is NULL where textures are read through the L1 */
void texture_init(struct core *c);
void texture_launch(struct core *c);
void texture_free(struct core *c);
void texture_abandon(struct core *c);
void texture_check(const struct core *c);
int texture_load(struct core *c, struct flight *f, const struct line_access *x); /* as l1_load */
void texture_response(struct core *c, int entry);
u32 texture_mshrs_used(const struct core *c);

/* --- 62_port.c. Tokens say what a response is for. */
enum token_kind { TOKEN_MSHR, TOKEN_BYPASS, TOKEN_STORE, TOKEN_ATOMIC, TOKEN_INST, TOKEN_CONST, TOKEN_EVICT, TOKEN_TEX };
#define TOKEN(kind, index) ((u32)(kind) << 28 | (u32)(index))
bool port_room(const struct core *c, u32 packets);
void port_send(struct core *c, struct mreq req); /* room was checked; cycle and sm are filled in */
u32 port_queued(const struct core *c);           /* packets in the miss queue */
void port_init(struct core *c);
void port_launch(struct core *c);
void port_free(struct core *c);
void port_abandon(struct core *c); /* forgets what is on its way */
void port_check(const struct core *c);
void port_waits(const struct core *c, struct strbuf *out);
bool port_idle(const struct core *c); /* no packet waits, no store is unacknowledged, no response has come */
u64 port_quiet(const struct core *c); /* first cycle after the last acknowledgement or answer to an atomic */
void port_stage(struct core *c);      /* responses of this cycle; packets to the network */
u64 port_next(const struct core *c);
void port_skip(struct core *c, u64 n);

/* --- 63_replay.c. Where c->replay is not NULL. */
void replay_init(struct core *c);
void replay_launch(struct core *c);
void replay_free(struct core *c);
void replay_check(const struct core *c);
void replay_slot_start(struct core *c, u32 slot);                      /* a warp takes the slot */
void replay_issued(struct core *c, const struct flight *f);            /* a memory instruction has issued for the first time */
void replay_leaves(struct core *c, struct flight *f, enum hazard why); /* the stage's first instruction, to be issued again */
void replay_stage(struct core *c, struct flight *f);                   /* one access of the memory stage's first instruction */
void replay_finished(struct core *c, const struct flight *f);          /* the memory stage has taken its last access */
void replay_signals(struct core *c);                                   /* those that arrive in this cycle */
u64 replay_next(const struct core *c);
enum { REPLAY_HISTORY = 8 };                                             /* replays of a slot that are remembered */
void replay_history(const struct core *c, u32 slot, struct strbuf *out); /* the last replays of its warp */
u32 replay_count(const struct core *c, u32 slot);                        /* replays so far */
void replay_issue(struct core *c, u32 slot, bool expects_miss);          /* the slot's oldest replay */
i32 replay_slot_first(const struct core *c, u32 slot);
bool replay_unfinished(const struct core *c, u32 slot);   /* it has instructions under way that may have to be issued again */
bool replay_known_miss(const struct core *c, u32 flight); /* its next access is known to need what misses need */
const struct tinst *replay_shows(const struct core *c, u32 slot); /* of the instruction that waits to be issued again; NULL */
void replay_keep(struct core *c, struct front *f, u32 at, bool replayable); /* the entry at ring position `at` has issued */
void replay_levels(struct core *c, struct front *f, u64 at);                /* counts entries kept up to cycle `at` */
/* The flight that waits to be issued again first, or NONE */
static inline i32 replay_first(const struct core *c, u32 slot) { return c->replay ? replay_slot_first(c, slot) : NONE; }
/* a warp's instruction buffer as Turner draws it (figure 5.4); slots are ring positions mod sm.ibuffer,
 * exact where that is a power of two */
struct buffer_view {
    u32 issue, tail, fill; /* slots: next to issue; one behind the oldest that may be replayed; next to be filled */
    struct {
        bool valid, replay; /* not yet issued, or kept; to be issued again */
        u64 mask;           /* private active mask: lanes the memory stage has not done; 0 before its first issue */
    } at[MAX_IBUFFER];
};
void replay_look(const struct core *c, u32 slot, struct buffer_view *v);

/* --- 64_reexec.c. Where c->reexec is not NULL; reexec_slots, reexec_holding, reexec_full and
 * reexec_first_slot anywhere. */
void reexec_init(struct core *c);
void reexec_launch(struct core *c); /* empties it */
void reexec_free(struct core *c);
void reexec_check(const struct core *c);
void reexec_issued(struct core *c, const struct flight *f);
enum reexec_answer { REEXEC_NO, REEXEC_TAKEN, REEXEC_FULL };
enum reexec_answer reexec_take(struct core *c, struct flight *f,
                               enum hazard why);   /* may the refused line of the pipe's first instruction step aside? */
void reexec_hold(struct core *c, enum hazard why); /* it could not, and holds the pipe: the queue goes first */
void reexec_passed(struct core *c);                /* the pipe's first access was taken, or has stepped aside */
bool reexec_first(
    struct core *c,
    struct flight *f); /* this cycle is not the pipe's first instruction's: the queue is served, or neither can go on */
bool reexec_behind(const struct core *c, const struct flight *f); /* an older instruction of its warp has entries, and it waits */
void reexec_serve(struct core *c);                                /* the first entry is tried */
bool reexec_over(struct core *c, const struct flight *f); /* the pipe has seen its last line: true when it has no entries */
void reexec_wake(struct core *c);                         /* what was refused might be accepted now */
void reexec_abandon(struct core *c);
bool reexec_waits(const struct core *c); /* it has entries */
u64 reexec_next(const struct core *c);
const u64 *reexec_slots(const struct core *c);   /* of warps with entries: a set; NULL when there are none */
const u64 *reexec_holding(const struct core *c); /* those that issue no memory instruction meanwhile; NULL when there are none */
bool reexec_full(const struct core *c);          /* the pipe's first access was refused, and could not step aside */
i32 reexec_first_slot(const struct core *c);     /* of the first entry; NONE */

/* --- 65_blocked.c */
void blocked_count(struct core *c, u64 n); /* n cycles */

/* --- 70_writeback.c */
enum home_change {
    HOME_TAKEN,  /* the memory stage has taken its last instruction, or any where the order policy counts them */
    HOME_RESULT, /* a result is there */
    HOME_STORED, /* its last store is acknowledged */
    HOME_SIGNAL, /* its instruction buffer has had word of the memory stage */
};
void home_wake(struct core *c, u32 home, enum home_change what);    /* looks at its front where that may matter to it */
void writeback_executed(struct core *c, const struct flight *f);    /* its atomics are under way */
void writeback_expect(struct core *c, struct flight *f);            /* it has issued: registers and counts wait for it */
void writeback_reads(struct core *c, const struct crew *w, u64 cy); /* their last operand is read then */
void writeback_store_sent(struct core *c, struct flight *f);        /* one line of it, to be acknowledged */
bool writeback_accepted(
    struct core *c, struct flight *f); /* the stage has taken its last access; f may be over. True: its warp has no other there */
void writeback_early(struct core *c, struct flight *f, u64 lanes, u64 cy); /* these have all their data at cy, others not yet */
void writeback_part(struct core *c, u32 flight, u64 cy);                   /* one awaited response is here at cy */
void writeback_parts(struct core *c, u32 flight, u32 n, u64 cy);           /* so many are */
void writeback_stored(struct core *c, u32 flight);                         /* one line of a store is acknowledged */
void writeback_atomic(struct core *c, u32 packet);                         /* an atomic is answered */
void writeback_abandon(struct core *c);                                    /* all that is under way arrives at once */
void writeback_check(const struct core *c);

/* --- 71_early.c. Where c->early is not NULL; init, launch and free anywhere. */
void early_init(struct core *c);
void early_launch(struct core *c);
void early_free(struct core *c);
void early_check(const struct core *c);
void early_accepted(struct core *c, struct flight *f);           /* all its accesses are taken, some misses are on their way */
void early_filled(struct core *c, u32 flight, u64 line, u64 cy); /* a line that it waits for is there at cy */
u64 early_lanes(const struct core *c, const struct flight *f);   /* those whose registers have been written before the others' */

/* --- account.c */
void account_init(struct core *c);
void account_state(struct core *c, u32 slot, u32 set, enum unit unit, u64 at); /* the slot is in a new state from cycle `at` on */
void account_issue(struct core *c, u32 slot); /* it has issued in this cycle; the new state follows from now + 1 */
void account_cycle(struct core *c, struct sched *sched, u32 issued, u64 unavailable, const u64 *restricted, bool candidates,
                   u64 n); /* restricted: a set, or NULL for none */
/* The same without an issue, of a policy that moves and has just seen v; nothing is held back */
void account_moving(struct core *c, struct sched *sched, u64 unavailable, bool candidates, const struct sched_view *v, u64 n);
void account_again(struct core *c, struct sched *sched, u64 n); /* n more cycles like those of the silence under way */
void account_silence(struct core *c, struct sched *sched);      /* charges what is pending: its policy is about to be asked */
void account_change(struct core *c, u32 slot);         /* something about it that its scheduler sees is about to change */
void account_charge(struct core *c, u32 slot, u64 at); /* its time up to that cycle, in the state it is in */
void account_settle(struct core *c, u64 at);
void account_levels(struct core *c, u64 at); /* counters of levels (MSHRs in use, warps resident) up to cycle `at` */

/* --- memport.c */
struct memport core_memport(struct core *c);
void memview_init(struct core *c);
void memview_free(struct core *c);
u32 atomics_out(const struct core *c);              /* packets on their way */
u64 atomics_made(const struct core *c);             /* packets so far */
bool atomics_before(const struct core *c, u64 seq); /* one of the first `seq` is still on its way */
bool atomics_meet(const struct core *c, const struct part *p,
                  const struct inst *in); /* its next access meets an atomic of ours on its way */

/* --- events */
static inline void emit(struct core *c, struct event e) {
    e.sm = (u16)c->id;
    VEC_PUSH(&c->events, e);
}
#define EMIT(c, ...)                                                                                                             \
    do {                                                                                                                         \
        if (__builtin_expect((c)->tracing, 0)) emit((c), (struct event){__VA_ARGS__});                                           \
    } while (0)

#define CREW_TELL(c, w, ...)                                                                                                     \
    do {                                                                                                                         \
        if (__builtin_expect((c)->tracing, 0)) crew_tell((c), (w), (struct event){__VA_ARGS__});                                 \
    } while (0)

/* Of two times, at least one of which has to be asked for: MIN and MAX would ask twice */
static inline u64 earlier(u64 a, u64 b) { return a < b ? a : b; }
static inline u64 later(u64 a, u64 b) { return a > b ? a : b; }

/* Positions of a ring that holds n, less one: a power of two */
static inline u32 ring_mask(u32 n) {
    u32 size = 1;
    while (size < n) size *= 2;
    return size - 1;
}

/* Words of sets (core.words) as a launch begins, before it has formed a front beyond those of its homes */
static inline u32 core_first_words(const struct core *c) {
    u32 all = set_words(c->nfronts);
    return c->form && !c->squads && !c->gang ? MIN(all, set_words(c->nslots + 1)) : all;
}

static inline u32 home_index(const struct core *c, const struct home *h) { return (u32)(h - c->homes); }
static inline struct home *part_home(const struct core *c, const struct part *p) { return (struct home *)&c->homes[p->home]; }
static inline struct group *part_group(const struct core *c, const struct part *p) {
    if (__builtin_expect(c->form != NULL, 0)) return form_group(c, p);
    return &c->homes[p->home].w->groups.at[p->group];
}
/* All lanes that are on are one group that can go on, at no meeting point, and it has not polled: there is
 * nothing to choose */
static inline bool front_goes_on(const struct core *c, const struct front *f) {
    const struct warp *w = c->homes[f->part[0].home].w;
    const struct group *g = &w->groups.at[0];
    return w->groups.n == 1 && g->mask == warp_enabled(w) && g->state == GROUP_READY && w->polled == f->polled_at &&
           !c->prog->at[g->pc].meets;
}
/* Then it presents that group */
static inline void front_is_whole(struct core *c, struct front *f) {
    f->part[0].group = 0;
    if (c->split) split_whole(c, f->slot);
}
/* The crew of an instruction of one home's front, whose number is the home's */
static inline struct crew crew_of(const struct core *c, u32 slot, const struct step *st, u64 uid, struct member *own) {
    own->uid = uid, own->age = c->homes[slot].age, own->lanes = st->lanes, own->active = st->active;
    own->frame = st->frame, own->home = (u16)slot;
    return (struct crew){own, 1, 1};
}

#endif
