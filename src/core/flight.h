/* flight: the record of an instruction in flight, and what travels with it through the memory stages.
 *
 * A flight is made when its instruction issues (flight_new) and ends when its result is there (flight_end);
 * meanwhile stages know it by its id. Ids are used again, so whoever keeps one beyond that asks for the
 * warp's age too. In-order arithmetic takes its places in units and banks at issue and needs no record;
 * today's flights are memory instructions.
 *
 * What replay, re-execution and prediction add to an instruction is theirs: arrays by flight id in their own
 * files, which exist only where the mechanism is on. */
#ifndef HEDDLE_CORE_FLIGHT_H
#define HEDDLE_CORE_FLIGHT_H

#include "core/core.h"

struct memop {        /* what a memory instruction has beside: its accesses, and where it stands in the pipe */
    u64 ready_cy;     /* addresses are there: may enter the memory stage */
    u32 nlines, next; /* line accesses in all; accepted */
    u32 pass;         /* of passes: done */
    u32 cycles_left;  /* shared memory, constants: cycles of the stage still to come */
    u32 turns;        /* shared memory: of these, the last ones, which are no conflict (sm.shared.lanes) */
    u32 outstanding;  /* responses it waits for */
    i32 collector;    /* pool whose collector it holds until it is in the queue proper, or NONE */
    u8 space, kind;   /* enum space; enum probe_kind */
    bool accepted;    /* the stage has taken its last access */
    bool returned;    /* data of it came from outside the SM */
    bool is_async;    /* an asynchronous copy */
    bool is_const;    /* lines are the constant cache's */
    bool is_texture;  /* lines are the texture cache's */
    bool red;         /* an atomic whose result nobody wants */
    u64 silent;       /* traced: active lanes that touch no memory (a device, an sc that fails) */
    VEC(struct line_access) lines;
    VEC(u64) passes;  /* shared memory, constants, where instructions may leave the pipe: lanes served together, in order */
    VEC(u32) packets; /* atomics: one a line, by index (memport.c) */
};
struct flight {
    u64 uid, issue_cy;
    u64 age;       /* of the warp in its slot: tells a later warp in the same slot apart */
    u64 result_cy; /* latest time so far at which a part of the result is there */
    const struct tinst *t;
    u64 active, lanes; /* positions of threads whose guard held, and of all: of one home, its lanes */
    u32 id;
    u16 slot; /* its front's, which may have others by now */
    u8 sub;   /* sub-core of its collector */
    u8 entry; /* of its warp's window, where `windowed` */
    bool used;
    bool sent;     /* it has issued */
    bool orphan;   /* its instruction was taken back: nobody waits for it */
    bool windowed; /* its results go to its entry, not to the scoreboard */
    u32 passes;    /* as in struct crew; with members */
    struct memop mem;
    VEC(struct member) members; /* of a formed front; else none, and its threads are those of home `slot` */
};
#define FLIGHT_CLEARED_B offsetof(struct flight, mem.lines) /* what is behind are lists, whose memory is kept */

/* --- 55_flight.c: the pool. Pointers to flights are good until the next flight_new. */
struct flights {
    VEC(struct flight) at;
    VEC(u32) free;
};
struct flight *flight_new(struct core *c);
void flight_end(struct core *c, struct flight *f);
static inline struct flight *flight_at(const struct core *c, u32 id) { return &c->flights->at.at[id]; }
/* The first in use from id `from` on, or NULL */
static inline struct flight *flight_from(const struct core *c, u32 from) {
    for (; from < c->flights->at.n; from++)
        if (c->flights->at.at[from].used) return &c->flights->at.at[from];
    return NULL;
}
#define EACH_FLIGHT(c, f) for (struct flight *f = flight_from(c, 0); f; f = flight_from(c, f->id + 1))

/* Whose instruction it is; `own` is used where its front was not formed */
static inline struct crew flight_crew(const struct flight *f, struct member *own) {
    if (__builtin_expect(f->members.n, 0)) return (struct crew){f->members.at, f->members.n, f->passes};
    own->uid = f->uid, own->age = f->age, own->lanes = f->lanes, own->active = f->active, own->home = f->slot;
    return (struct crew){own, 1, 1};
}
void flight_tell(struct core *c, const struct flight *f, struct event e); /* crew_tell; masks are of positions */
#define FLIGHT_TELL(c, f, ...)                                                                                                   \
    do {                                                                                                                         \
        if (__builtin_expect((c)->tracing, 0)) flight_tell((c), (f), (struct event){__VA_ARGS__});                               \
    } while (0)

/* Somebody awaits its registers, or, of a load without any, its end */
static inline bool flight_has_result(const struct flight *f) { return f->mem.kind == PROBE_LOAD || (f->t->ndst && !f->mem.red); }
/* Its time from issue to result is counted */
static inline bool flight_has_latency(const struct flight *f) {
    return f->mem.kind == PROBE_LOAD && (f->mem.space == SPACE_GLOBAL || f->mem.space == SPACE_LOCAL);
}
/* On the pipeline of Vortex: the texture unit's, not the load-store unit's */
static inline bool flight_is_texture(const struct flight *f) { return f->t->unit == UNIT_GPU; }
static inline i32 flight_pc(const struct flight *f) { return f->t->pc; }

/* --- atomics on their way (D4). A packet is what one line access of one instruction carries. */
struct atomic_lane_op {
    u64 addr, a[2], b[2], old[2];
    u8 lane, size_b;
};
struct atomic_packet {
    struct atomic_op op;
    struct warp *w;
    u16 home; /* the warp's, when it was made */
    i32 frame;
    struct opnd dest; /* absent: nobody wants old values */
    u64 line;
    u64 seq; /* order of issue on its SM */
    u32 index;
    u32 flight; /* whose; UINT32_MAX: not on its way */
    u32 n;
    bool performed;
    struct atomic_lane_op lane[MAX_WARP];
};
struct atomic_packet *atomic_at(const struct core *c, u32 index);
struct atomic_packet *atomic_leaves(struct core *c, u32 index, u32 flight); /* it is on its way now, as part of the flight */
void atomic_answered(struct core *c, struct atomic_packet *p); /* old values reach their registers; the packet is free */

#endif
