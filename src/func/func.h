/* func: what instructions do. A pure functional simulator: no cycle, no pipeline, nothing of core/.
 *
 *   memory.c   device memory: allocations, address checks, the memport that reaches it
 *   exec.def   every exec function and what must be known of it (exec_table.c)
 *   exec_*.c   one exec function per shape of instruction
 *   converge.c groups, frames, divergence, reconvergence, exits
 *   barrier.c  barriers and collective operations (lanes waiting for lanes)
 *   run.c      blocks and warps of a launch, one after the other, in slices
 *
 * Invariants (warp_check walks them):
 *   F1 the masks of a warp's groups, the arrived masks of its meeting points and the lanes that are off are
 *      disjoint; together they are its live lanes
 *   F2 a meeting point's arrived lanes are a subset of its expected lanes, never equal (it would have opened)
 *   F4 where lanes gather (kernel.gathers) a group's wait_mask has its own lanes, and none that are off or
 *      have ended
 *   F3 a group's frame and meeting point are in use */
#ifndef HEDDLE_FUNC_H
#define HEDDLE_FUNC_H

#include "isa/isa.h"

#include <string.h>

/* --- addresses: one 64-bit space, with windows for what is private to a block or thread */
#define LOW_BASE       0x10000ull        /* the first address ever given; below it nothing lies but what is mapped there */
#define GLOBAL_BASE    0x10000000ull     /* where allocations start */
#define GLOBAL_END     0x500000000000ull /* from here on: local memory, parameters and code as time sees them; windows */
#define FUNC_WINDOW    0x600000000000ull /* functions, 16 bytes apart */
#define TEXTURE_WINDOW 0x610000000000ull /* textures, samplers and surfaces, 64 bytes apart: handles, not memory */
#define PARAM_WINDOW   0x7C0000000000ull /* kernel parameters, generic form */
#define SHARED_WINDOW  0x7D0000000000ull
#define LOCAL_WINDOW   0x7E0000000000ull
#define WINDOW_B       0x10000000000ull

/* --- memory.c */
enum owner { OWNER_HOST, OWNER_MODULE, OWNER_HEAP }; /* who made an allocation, and alone may free it */
struct alloc {
    u64 base, size_b; /* device address; ascending in the table */
    u8 *host;         /* NULL once freed */
    void *raw;        /* what the host gave for it */
    u8 owner;         /* enum owner */
    bool read_only;   /* .const variables */
    bool lent;        /* a module's, for the host to place buffers inside (memory_place) */
};
struct placed {
    u64 at, size_b;
};
struct textures;
struct memory {
    VEC(struct alloc) allocs; /* in order of address; freed ones stay, to name them in diagnoses */
    u64 next;                 /* where to look for the next address; those given by memory_alloc are never given twice */
    u64 used_b, limit_b;
    VEC(struct placed) placed; /* buffers inside of lent memory */
    struct textures *textures; /* what handles name, the context's; NULL: nothing */
};
u64 memory_alloc(struct memory *m, u64 bytes, u32 align_b, enum owner owner, bool read_only); /* 0 when over the limit */
/* The same, all of it below an address: programs of 32 bits reach what lies below 1 << 32. 0 also when there
 * is no room. */
u64 memory_alloc_below(struct memory *m, u64 bytes, u32 align_b, u64 below, enum owner owner, bool read_only);
/* Zeroed memory at a fixed place, a multiple of MAP_ALIGN_B; it is freed like an allocation. NULL, or why it
 * cannot be: what lives must not overlap, whatever its size; what was freed gives way. */
enum { MAP_ALIGN_B = 64 };
const char *memory_map(struct memory *m, u64 base, u64 bytes, enum owner owner, bool read_only);
/* A buffer of the host at a fixed place: inside of lent memory, where no other is, or mapped. NULL, or why it
 * cannot be. It is freed like an allocation of the host. */
const char *memory_place(struct memory *m, u64 at, u64 bytes);
bool memory_free(struct memory *m, u64 addr,
                 enum owner owner); /* false when addr is not the start of a live allocation of that owner */
/* Host bytes of [addr, addr+bytes), or NULL when not inside one live allocation */
u8 *memory_host(struct memory *m, u64 addr, u64 bytes);
struct alloc *memory_find(struct memory *m, u64 addr); /* the allocation whose range or freed range holds addr, or NULL */
void memory_release(struct memory *m);
/* Every live allocation's bytes; and back, for a table of allocations that is the same as then */
struct memory_copy;
struct memory_copy *memory_copy(const struct memory *m);
void memory_put_back(struct memory *m, struct memory_copy *c); /* frees c */

enum fault_kind { FAULT_NONE, FAULT_WILD, FAULT_FREED, FAULT_MISALIGNED, FAULT_READ_ONLY };
/* One access of one slab's lanes. */
struct maccess {
    u32 mask;    /* lanes that take part */
    u32 size_b;  /* bytes per lane, all elements */
    u32 align_b; /* required alignment: size_b of one element times elements */
    const struct rowops *ops;
    u32 *hint; /* the allocation found last time by this instruction; any value is legal */
    u64 *addr; /* [32], a row of addresses under mask (rowops.h); entries of lanes that take no part may be overwritten */
    /* atomics: where old values go, for a port that performs them later */
    struct warp *w;
    i32 frame;
    u32 slab;
    const struct opnd *dest; /* NULL: nobody wants them */
    u32 deferred;            /* out: lanes whose old values the port will write to dest itself; it adds what it made to w->step */
    /* on failure: */
    u8 fault; /* enum fault_kind */
    u8 fault_lane;
};
struct rowops;
struct atomic_op;
/* A part of global memory that may be read, and perhaps written, without asking the port for each access */
struct memwindow {
    u8 *host;
    u64 base, size_b; /* device addresses [base, base + size_b) */
};
/* D4: the only way to global memory. Each returns false after filling fault and fault_lane. Data is packed:
 * size_b bytes per lane. */
struct memport {
    void *ctx;
    bool (*load)(void *ctx, struct maccess *a, void *out);
    bool (*store)(void *ctx, struct maccess *a, const void *in);
    /* a and b: operands, 8 bytes per lane, 16 for accesses of that size (b for cas); old: previous values,
     * likewise, or NULL. A port may perform it later: it then sets `deferred`, and old is left alone. */
    bool (*atomic)(void *ctx, struct maccess *a, const struct atomic_op *op, const u64 *opa, const u64 *opb, u64 *old);
    /* The allocation `hint` names, when the port keeps nothing in front of it; false: use load and store. */
    bool (*window)(void *ctx, u32 hint, bool write, struct memwindow *out);
    /* the distinct lines of line_b bytes the access touches, ascending; returns how many (at most 64 are
     * stored) */
    u32 (*peek_lines)(void *ctx, const struct maccess *a, u32 line_b, u64 *lines);
};
struct memport memport_direct(struct memory *m);
/* Loads and stores inside one host block [0, size_b), used for shared and local memory and by the direct
 * port: addresses are offsets. Lanes outside or misaligned give a fault. */
bool span_load(const u8 *host, u64 base, u64 size_b, struct maccess *a, void *out);
bool span_store(u8 *host, u64 base, u64 size_b, struct maccess *a, const void *in);

/* --- atomic.c */
struct atomic_op {
    u8 kind;  /* enum mod: add, min, max, and, or, xor, exch, cas, inc, dec */
    u8 type;  /* enum type */
    bool ftz; /* global f32 add flushes subnormals */
};
u64 atomic_apply(const struct atomic_op *op, u64 old, u64 a, u64 b);
bool span_atomic(u8 *host, u64 base, u64 size_b, struct maccess *m, const struct atomic_op *op, const u64 *opa, const u64 *opb,
                 u64 *old);

/* --- the state of a warp */
enum builtin { BUILTIN_VPRINTF, BUILTIN_PRINTF, BUILTIN_ASSERTFAIL, BUILTIN_MALLOC, BUILTIN_FREE, BUILTIN_COUNT };
int builtin_find(const char *name);

enum group_state {
    GROUP_READY,
    GROUP_BARRIER,    /* waits at a barrier of the block: wait = id */
    GROUP_COLLECTIVE, /* waits for other lanes, those of wait_mask */
};
struct group { /* lanes of one warp that stand at one pc (D3) */
    i32 pc;
    i32 frame; /* index into warp.frames */
    u64 mask;
    u8 *regs;   /* its frame's first row, slab 0 */
    u64 *preds; /* its frame's first predicate */
    u8 state;   /* enum group_state */
    u8 wait;
    i32 conv;       /* meeting point it is heading for, or NONE */
    u32 local_base; /* its frame's first local byte */
    /* Lanes that its instruction names, while it waits for them. Of a kernel that gathers (kernel.gathers)
     * always, and of all instructions: its own and those that would stand with it if lanes that parted had
     * met again at every meeting point that it left behind */
    u64 wait_mask;
};
struct frame { /* one call of one function by some lanes together */
    i32 ret_pc;
    i32 parent; /* NONE for the kernel itself; of a free one: the next free one */
    u16 refs;   /* groups, meeting points and child frames that need it; 0 = free */
    u16 func;   /* index into kernel.funcs */
    u16 depth;
    u32 row, pred, local;         /* first row, predicate, local byte */
    const struct call_info *call; /* where results go */
};
struct conv {          /* a meeting point: lanes of `expected` go on from pc together */
    i32 pc;            /* NONE = free */
    i32 frame, parent; /* parent of a free one: the next free one */
    u64 expected, arrived;
    u64 with;        /* wait_mask of who parted, as those have it again that leave it behind */
    u64 polled, ran; /* the warp's counts when lanes last came here */
};

struct cta;
/* Two cache lines are all that most steps touch of it: the first fields, then the first group. A simulated SM
 * goes from warp to warp, so that each step finds its warp's lines in no cache that is near. */
struct warp {
    struct launch *launch; /* its block's */
    u64 live;              /* lanes that have not ended */
    u64 off; /* live lanes that the program switched off: in no group, their registers kept until they are switched on again */
    struct step *step;          /* what the step under way adds to; NULL outside warp_step */
    u64 polled, ran;            /* polling instructions, and all, that the warp has run */
    u64 retired, retired_lanes; /* instructions of the warp, and of its lanes, since its block began */
    struct {
        u32 n;
        struct group at[MAX_WARP + 1]; /* a group has a lane of its own, and one may leave another before it is gone */
    } groups;
    struct cta *cta;
    u32 id; /* in its block */
    u32 nslabs;
    u8 *regs; /* [slab][row][lane] */
    u64 *preds;
    u32 rows;    /* capacity, rows per slab */
    u32 npreds;  /* capacity */
    u32 starts;  /* how often it was started since its block began */
    u32 current; /* run.c's: index of the group that runs. Time keeps its own choice (core/) */
    VEC(struct frame) frames;
    VEC(struct conv) convs;
    u64 turn_polled, turn_ran;         /* polled and ran when the current group was chosen */
    u64 pass_ran;                      /* instructions of this pass (run.c) */
    bool gave_way;                     /* in this pass, because all it does is poll */
    i32 free_frame, free_conv;         /* first free ones, or NONE */
    u8 *local;                         /* [lane][local_cap] */
    u32 local_cap;                     /* bytes per lane */
    u32 tid0;                          /* linear thread id of lane 0 */
    u32 slot;                          /* what %warpid reads when timed */
    void *state;                       /* kernel.warp_state_b bytes, the instruction set's own */
    _Alignas(64) u32 tid[3][MAX_WARP]; /* %tid.x, .y, .z */
};
_Static_assert(offsetof(struct warp, groups.at[1]) == 128, "what every step touches is two cache lines");

struct barrier {
    u32 expected; /* threads, 0 = all of the block */
    u32 arrived;  /* threads */
    u64 *by_warp; /* lanes that arrived, per warp */
    u32 passing;  /* of arrived: of warps that came and went on */
    u32 phase;    /* times it has opened */
    u32 red_popc; /* of the current phase */
    bool red_and, red_or;
    u32 result; /* of the last phase: popc | and<<30 | or<<31 */
};
enum { CTA_BARRIERS = 16 };

struct launch;
struct cta {
    struct launch *launch;
    u32 index[3];
    u64 linear;
    u32 nwarps;
    u32 live_threads; /* that have not ended and are on: those a barrier waits for */
    u32 live_warps;   /* that have been started and have not ended; the block ends with the last */
    struct warp *warps;
    u8 *shared;
    struct barrier bars[CTA_BARRIERS];
    u64 progress; /* instructions it has run */
    u64 opened;   /* barriers that everybody has come to */
    bool begun;   /* it has been started before: its memory is not as it was made */
};

struct pc_count {
    u64 warps, lanes; /* warp instructions, and lanes active in them */
};

/* counts += what runs says */
void pc_count_settle(struct pc_count *counts, struct pc_count *runs, u32 n);

/* What one instruction touched, for the timing model: the accesses of each slab to each space, in order */
enum probe_kind { PROBE_LOAD, PROBE_STORE, PROBE_ATOMIC };
struct probe_access {
    u8 space; /* enum space, never generic */
    u8 kind;  /* enum probe_kind */
    u8 slab;
    u8 placed; /* local memory: addresses are those that caches see (core/34_gather.c) */
    u32 mask, size_b;
    _Alignas(64) u64 addr[32]; /* global address, or offset in its space; lanes outside mask: anything */
};
struct probe {
    VEC(struct probe_access) at;
};
struct probe_access *probe_push(struct probe *p); /* a further one, to be filled */

struct launch { /* everything a running kernel shares */
    const struct kernel *k;
    struct memory *mem;
    struct memport port;
    const struct rowops *ops;
    u32 grid[3], block[3];
    u32 threads; /* per block */
    u32 warp_size;
    u32 shared_b, dynamic_shared_b;
    const u8 *params;
    u64 workspace;           /* device address of zeroed memory for barriers of the whole grid, or 0 */
    u32 *hints;              /* per pc, for maccess.hint */
    struct pc_count *counts; /* per pc */
    struct pc_count *runs;   /* per pc and one: straight runs as differences, added where one starts, taken away where it ends */
    u64 ctas, ctas_done;     /* blocks in all, and ended */
    u64 instructions;        /* warp instructions so far */
    u64 max_instructions;
    u64 divergent;            /* branches whose lanes went both ways */
    u64 clock;                /* what %clock reads without timing: moves with every read */
    u32 smid, nsmid, nwarpid; /* what %smid, %nsmid and %nwarpid read; nwarpid 0: that of 2,048 threads */
    bool timed;               /* run by the timing model: the clock is its own, warp ids are slots */
    bool never_meet;          /* lanes that part at a branch stay apart to the end */
    bool pass_by;             /* they do not wait for each other at meeting points, but pass them (kernel.gathers) */
    const u64 *published;     /* timed: how often cores have been shown each other's stores; NULL without time */
    u64 (*perf)(const void *of, u32 sm, u32 which); /* timed: what an SM has counted in this launch; NULL without time */
    const void *perf_of;
    FILE *program_out;
    FILE *trace;
    i64 trace_cta, trace_warp; /* NONE: all */
    /* the first fault, and where */
    bool faulted;
    struct strbuf fault;
    const volatile bool *stop; /* becomes true when the launch shall end where it is; may be NULL */
    u64 printed;               /* calls of printf so far */
    bool stopped;              /* it has; `faulted` is set too, without a text */
    void (*tick)(void *user, const struct launch *l, u64 ctas_done, u64 ctas_total); /* now and then; may be NULL */
    void *tick_user;
    VEC(struct text_word)
    rewritten; /* timed: what a program that changes its own text shall run from now on; the SM empties it */
};

enum { STACK_MAX_B = 1 << 20 };  /* of local memory a lane, frames and all */
#define STACK_ALL_B (4ull << 30) /* of registers and local memory of all threads that live together */

/* --- run.c */
/* Runs the whole grid. False when the program faulted; l->fault says how. */
bool launch_run(struct launch *l);
/* Runs blocks [first, end) and those of `started` (n of them, begun elsewhere; freed here) to their ends. */
bool launch_run_part(struct launch *l, u64 first, u64 end, struct cta **started, u32 n);
struct cta *cta_new(struct launch *l);             /* a fault of the launch when the threads that live have no room */
void cta_start(struct cta *c, u64 linear);         /* block `linear` of the grid begins in c */
void cta_goes_on(struct cta *c, struct launch *l); /* in another launch of the same kernel */
void cta_free(struct cta *c);
/* The program starts warp `id` of its block, from pc, with the lanes of `lanes` on and the others off; all
 * its registers are zeros, or what kernel.begin makes of them (for lanes that are off too: opnd_write with
 * the warp's only group). False, and nothing done, when there is no such warp, it has none of these lanes, or
 * it lives. A warp that ended may be started again.
 *
 * A launch that is not a grid of threads is one whose kernel has first_warps: grid counts cores, block is the
 * warps and lanes that a core has, and each core begins with first_warps of them. */
bool warp_start(struct cta *c, u32 id, i32 pc, u64 lanes);
/* Parked lanes or barriers keep every warp of the block from going on: lets some go. False when nothing
 * helps. */
bool cta_release_stuck(struct cta *c);

/* One instruction of one group: everything it did. The caller keeps the struct from step to step, so that its
 * lists keep their memory (step_free). */
struct step {
    u64 clock; /* what %clock read in it */
    const struct inst *in;
    i32 pc, frame;     /* where the group stood, and in which call */
    u32 group;         /* index of the group afterwards; another one, or none, may stand there when it has ended or met others */
    u64 lanes, active; /* of the group; those whose guard held */
    u32 counted;       /* warp instructions it counts for; 0: the group only waits now, nothing was executed */
    bool diverged;     /* a branch whose lanes went both ways */
    bool faulted;
    struct probe probe; /* accesses, in order */
    VEC(u32) deferred;  /* what the memport will perform later, by its own numbers, in order */
};
/* One instruction of group gi, which is ready and stands where it may run (group_arrive). False after a
 * fault. */
bool warp_step(struct warp *w, u32 gi, u64 clock, struct step *s);
void step_free(struct step *s);
/* The lanes of g whose guard holds for its next instruction */
u64 warp_guard(const struct warp *w, const struct group *g, const struct inst *in);

/* --- fault.c: stops the launch with a diagnosis: what, then kernel, block, warp, lane, thread, source line
 * and instruction. lane < 0: none. */
void fault_at(struct warp *w, const struct inst *in, int lane, const char *fmt, ...) PRINTF_LIKE(4, 5);
void fault_access(struct warp *w, const struct inst *in, u32 slab, const struct maccess *a, enum space space);
void fault_deadlock(struct cta *c);
void fault_limit(struct launch *l, struct cta *c);
void fault_memory(struct launch *l);
void fault_where(const struct launch *l, const struct inst *in, struct strbuf *out); /* "saxpy.ptx:12: ld.global.f32 ..." */

/* --- converge.c */
void warp_reset(struct warp *w);                             /* one group with all lanes that are on, at pc 0 */
void group_exit(struct warp *w, struct group *g, u64 lanes); /* lanes end; g may be gone afterwards */
/* Instruction sets that switch lanes off and on again (a thread mask in a register, a stack of masks). Lanes
 * are live, and then off, parked at a meeting point, or in a group; only live lanes' registers are kept.
 * Lanes of g, which stands in the kernel's own frame, are switched off: nobody waits for them any more; g may
 * be gone afterwards. */
void warp_lanes_off(struct warp *w, struct group *g, u64 lanes);
void warp_lanes_on(struct warp *w, struct group *g,
                   u64 lanes); /* lanes that are off go on with g, and to wherever g is heading */
void warp_end(struct warp *w); /* all its lanes end, those that are off or parked too */
static inline u64 warp_enabled(const struct warp *w) { return w->live & ~w->off; }
void group_branch(struct warp *w, struct group *g, u64 taken, i32 target, i32 reconv); /* g->pc is the branch's own pc on entry */
/* Lanes of g leave for pc; both they and the rest of g meet again at reconv (when it is not NONE) */
void group_part(struct warp *w, struct group *g, u64 lanes, i32 pc, i32 reconv);
/* The same of lanes that return to another caller: they were together by chance, so whoever is to be with
 * them outside of all branches still is */
void group_part_returns(struct warp *w, struct group *g, u64 lanes, i32 pc);
void group_split_to(struct warp *w, struct group *g, u64 lanes,
                    i32 pc); /* some lanes of g leave for pc, as a group of their own */
/* At an instruction where branches meet: true when g may go on (perhaps with more lanes), false when it is
 * parked and gone. */
bool group_arrive(struct warp *w, u32 gi);
/* Without waiting: g leaves the meeting points at its pc behind; and the lanes that are parked anywhere go
 * on as groups of their own */
void group_pass(struct warp *w, u32 gi);
void group_met(struct warp *w, u32 gi); /* leaves behind the meeting points at which nobody but its own lanes is expected */
void warp_pass(struct warp *w);
bool group_call(struct warp *w, struct group *g, const struct inst *in, i32 func, i32 ret_pc); /* false after a fault */
void group_return(struct warp *w, struct group *g);
struct group *group_add(struct warp *w, const struct group *like, u64 mask, i32 pc);
void group_remove(struct warp *w, u32 gi);
u32 group_join(struct warp *w, u32 gi, u32 other); /* the other's lanes go on with gi's, whose index is returned */
/* No group can run: lets go lanes parked at a meeting point whose missing lanes wait for them. True when a
 * group became ready. */
bool warp_release_parked(struct warp *w, bool stuck); /* stuck: nothing in the block can run, so barriers are no reason to wait
                                                          (parked lanes may be about to exit, and a barrier does not wait for those) */
/* Lets go the lanes of a meeting point where nobody came for so many polling, or so many other, instructions:
 * they may be what is polled for. True when a group became ready. */
bool warp_release_overdue(struct warp *w, u64 polls, u64 ran);
void warp_reserve_local(struct warp *w, u32 bytes); /* at least so many bytes of local memory a lane */
bool warp_pick(struct warp *w);                     /* chooses the next ready group after current; false when none */
void warp_check(const struct warp *w);

/* --- barrier.c */
void cta_barrier_exit(struct cta *c); /* a thread ended: barriers of all threads may open */
/* All lanes of g wait at barrier `id`, until so many threads have come, a multiple of the warp size; 0:
 * all */
/* w arrives and goes on: as many threads as a warp has, each time */
void warp_pass_barrier(struct warp *w, u32 id, u32 threads);
void group_wait_barrier(struct warp *w, struct group *g, const struct inst *in, u32 id, u32 threads);
/* The lanes that stand where group gi stands, and that are to be with it (kernel.gathers), become one group
 * with it: true when these are all. Else false, and it waits. */
bool group_gather(struct warp *w, u32 *gi);
static inline bool stands_with(const struct group *h, const struct group *g) { return h->pc == g->pc && h->frame == g->frame; }
struct meeting { /* lanes that run a collective instruction together */
    u32 n;
    struct {
        u32 group; /* index into warp.groups */
        u64 lanes;
    } part[MAX_WARP]; /* the group that asked first, the others by rising index */
    u64 lanes;        /* of all parts */
    bool apart;       /* they stand at different instructions, or in different calls */
};
/* `lanes` of group gi want to run their instruction with all enabled lanes of `members`: true when these have
 * come, at the same instruction or at others with the same qualifiers and mask. Else false, and the group
 * waits. */
bool group_meet(struct warp *w, u32 gi, u64 lanes, u64 members, struct meeting *m);
/* Afterwards: the parts go on, as one group where they stand together. Returns where the group that asked
 * stands now. */
u32 group_leave(struct warp *w, const struct meeting *m);

/* --- access.c: one slab's access to any space. False after a fault has been recorded. */
bool access_load(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a, void *out);
bool access_store(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a, const void *data);
bool access_atomic(struct warp *w, const struct group *g, const struct inst *in, u32 slab, struct maccess *a, const u64 *opa,
                   const u64 *opb, u64 *old);
/* Bytes at a lane's generic address, for builtins; false when they are not there */
bool access_peek(struct warp *w, u32 lane, u64 addr, void *out, u32 bytes);

/* One lane's access of `bytes` (at most 16), aligned to them; false after a fault has been recorded */
bool access_lane_load(struct warp *w, const struct group *g, const struct inst *in, enum space space, u32 lane, u64 addr,
                      void *out, u32 bytes);
bool access_lane_store(struct warp *w, const struct group *g, const struct inst *in, enum space space, u32 lane, u64 addr,
                       const void *data, u32 bytes);

/* The addresses the next instruction (a load, store or atomic of one operand) will use: global ones as they
 * are, shared and local ones as offsets; generic ones stay generic. False when they cannot be told without
 * running it. addr: [nslabs][32] */
bool access_addresses(const struct warp *w, const struct group *g, const struct inst *in, u64 mask, u64 *addr);

/* --- stack.c: alloca. The most bytes that any of the lanes has taken in the group's frame */
void stack_hold(i64 bytes); /* a warp takes them of the host, or gives them back */
bool stack_fits(void);      /* all that is held is within STACK_ALL_B */
u32 stack_taken(const struct warp *w, const struct group *g, u64 lanes);
void stack_reset(struct warp *w, const struct group *g); /* a frame that has just been entered */

/* --- mbarrier.c: what the instruction does to a barrier (inst.aux) */
enum mbar_op {
    MBAR_INIT,
    MBAR_INVAL,
    MBAR_EXPECT,   /* more bytes are to come */
    MBAR_COMPLETE, /* bytes have come */
    MBAR_ARRIVE,
    MBAR_ARRIVE_EXPECT,
    MBAR_DROP, /* arrives, and is not waited for any more */
    MBAR_DROP_EXPECT,
    MBAR_WAIT,
    MBAR_WAIT_PARITY,
    MBAR_PENDING,
};
/* inst.info of cp.async.bulk */
struct bulk_info {
    i64 from_off, barrier_off;
    bool to_shared; /* and signals a barrier */
};

/* --- builtin.c */
void builtin_call(struct warp *w, struct group *g, const struct inst *in, const struct call_info *c, u64 mask);

/* --- operands, as exec functions reach them */
static inline u8 *opnd_row(const struct warp *w, const struct group *g, const struct opnd *o, u32 slab, const u8 *pool) {
    return o->in == OPND_IN_POOL ? (u8 *)pool + o->off : g->regs + (size_t)slab * w->rows * ROW_B + o->off;
}

/* One lane's value of a row operand, zero-extended, and back; the sink swallows. Values of up to 64 bits. */
static inline u64 opnd_read(const struct warp *w, const struct group *g, const struct opnd *o, u32 lane) {
    const u8 *row = opnd_row(w, g, o, lane / SLAB_LANES, w->launch->k->pool);
    u64 v = 0;
    memcpy(&v, row + (size_t)(lane % SLAB_LANES) * 4 * o->rows, 4u * o->rows);
    return v;
}
static inline void opnd_write(const struct warp *w, const struct group *g, const struct opnd *o, u32 lane, u64 v) {
    if (!o->absent)
        memcpy(opnd_row(w, g, o, lane / SLAB_LANES, NULL) + (size_t)(lane % SLAB_LANES) * 4 * o->rows, &v, 4u * o->rows);
}

/* A result that comes later, when the group that asked may be gone: to a row operand of a frame, all its
 * bytes from v */
static inline void opnd_put(const struct warp *w, i32 frame, const struct opnd *o, u32 lane, const void *v) {
    u8 *regs = w->regs + ((size_t)w->frames.at[frame].row + (size_t)(lane / SLAB_LANES) * w->rows) * ROW_B;
    memcpy(regs + o->off + (size_t)(lane % SLAB_LANES) * 4 * o->rows, v, 4u * o->rows);
}

/* --- exec_table.c: the exec functions (exec.def) front ends choose from, and what must be known of each */
enum exec_fact {
    FACT_ROWS = 1,        /* nothing but `lane` on rows of registers: INST_PLAIN when it has a destination */
    FACT_Q_RESULT = 2,    /* q, when present, is a destination; without this and the next it is a source */
    FACT_Q_CARRY = 4,     /* q is the carry; imm: enum carry_use */
    FACT_SREG = 8,        /* reads the special register imm */
    FACT_OPERATOR = 16,   /* info is a struct atomic_op */
    FACT_TWO_SPACES = 32, /* reads one memory space and writes another */
    FACT_JOINT = 64,      /* lanes that stand at different instructions of its kind may run them as one */
    FACT_SECOND = 128,    /* extra[0] is a second result, a predicate */
    FACT_VOTE = 256,      /* s[0] is a predicate, and so is d but for a ballot */
};
enum carry_use { CARRY_OUT = 1, CARRY_IN = 2 };
/* What moving the instruction must respect. CLASS: as its class says, for the function does not */
enum exec_effect { EFFECT_NONE, EFFECT_LOADS, EFFECT_STORES /* and atomics */, EFFECT_ORDERS, EFFECT_STOPS, EFFECT_CLASS };
enum exec_id {
#define EXEC(id, flags, facts, effect) EXEC_##id,
#include "func/exec.def"
#undef EXEC
    EXEC_COUNT
};
struct exec_row {
    const char *name;
    exec_fn *run;
    u32 flags; /* enum inst_flag of its instructions */
    u16 facts; /* enum exec_fact */
    u8 effect; /* enum exec_effect */
};
extern const struct exec_row exec_table[EXEC_COUNT];
#define EXEC(id, flags, facts, effect) exec_fn exec_##id;
#include "func/exec.def"
#undef EXEC
static inline const struct exec_row *exec_of(const struct inst *in) { return &exec_table[in->exec_id]; }
void exec_choose(struct inst *in, exec_fn *run); /* `run` runs the instruction: exec, exec_id and the flags of its row */
/* The flags that follow from class, operands, guard and meeting points, once these are settled */
void exec_settle(struct inst *in);
bool inst_reads_q(const struct inst *in);
bool inst_writes_q(const struct inst *in);
/* exec_warp.c: whether lanes that stand at a and lanes that stand at b may run as one, and doing it */
bool collective_alike(const struct inst *a, const struct inst *b);
void collective_joint(struct warp *w, const struct meeting *m);
/* Whether mma with these operand counts (d, a, b, c registers a lane) is known */
bool exec_mma_legal(const struct opkey *k, const u32 n[4]);

/* inst.info of wmma */
struct wmma_info {
    u8 part;  /* 'a', 'b', 'c' (also d) of load and store; 0 for mma */
    bool col; /* memory is column by column */
    u8 type;  /* enum type of an element of the part */
    u16 m, n, k;
    u8 regs;           /* registers of the fragment that is loaded or stored */
    u8 nregs[4];       /* mma: registers of d, a, b, c */
    u8 types[4];       /* mma: enum type of d, a, b, c */
    struct opkey step; /* mma: the product of the tensor core that it is made of */
};

/* inst.aux of barriers and votes */
enum bar_kind { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR };
enum vote_kind { VOTE_BALLOT, VOTE_ALL, VOTE_ANY, VOTE_UNI };

/* inst.info of matrix moves */
struct matrix_info {
    u8 count; /* 1, 2 or 4 matrices */
    bool trans;
};

#endif
