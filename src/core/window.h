/* window: instructions of a warp between dispatch and the moment they leave. Included by 44_dispatch.c,
 * 45_window.c, 46_complete.c, 47_memorder.c and 48_precise.c alone. */
#ifndef HEDDLE_CORE_WINDOW_H
#define HEDDLE_CORE_WINDOW_H

#include "core/flight.h"
#include "core/order_policy.h"
#include "core/speculate_policy.h"

enum { WINDOW_MAX = 64, STATION_POOLS = UNIT_COUNT };
enum { NEAR = 64 }; /* cycles ahead that events of windows are kept by; later ones wait on the way */
enum { MEMORY_CONSERVATIVE, MEMORY_AGGRESSIVE, MEMORY_PREDICTED };                 /* order.memory */
enum { ROOM_STALLS = 1 << STALL_WINDOW | 1 << STALL_STATION | 1 << STALL_RENAME }; /* the window, or what it shares, is full */
enum entry_state { ENTRY_WAITING, ENTRY_ISSUED, ENTRY_COMPLETE };
struct entry {              /* two cache lines */
    _Alignas(64) u64 waits; /* entries whose results it needs: sources; destinations where names are not changed */
    u64 names;              /* entries that read what it writes and have not issued; none where names are changed */
    u64 after;              /* entries it must not pass on the way to memory */
    u64 users;              /* entries that have it among `waits` */
    u64 from_cy;            /* issues no sooner */
    u64 uid;
    const struct tinst *t;
    u64 ready_cy; /* issued: its result can be on a bus from then on, and used in that cycle; NEVER: not known yet */
    u64 active, lanes;
    u64 covers;  /* lanes it writes, and those of the writers it waits for: who writes all of these needs none of them */
    u64 guards;  /* of waits: those whose predicates it reads, and has so much later than others do (tinst.guard_cy) */
    u32 flight;  /* of a memory instruction */
    u32 counted; /* warp instructions it counts for */
    i32 frame;
    u8 state, kind; /* enum entry_state; enum wait_kind of its result */
    u8 registers;   /* physical registers it holds */
    u8 giver;       /* a load: 1 + the entry of the store that will give it its value; 0: none */
    u8 tries;       /* times it was taken back */
    bool certain;   /* issues only when everything before it is complete */
    bool has_station;
    bool flies;  /* a memory instruction that memory is not done with */
    bool faults; /* it makes no access; the program ends when that is found */
};
struct entry_past { /* what is asked of an entry when others are taken back, and when it leaves */
    u64 issue_cy;   /* issued: when last */
    u64 given;      /* a load: uid of the store that gave it its value when it last issued; 0: none */
    u64 latency;    /* of a load whose latency is counted: from its last issue to its result */
    /* where instructions are taken back (windows.takes_back) */
    u64 deps;   /* entries it took or takes values from, complete or not; those that have left may be named, too */
    u64 merged; /* lanes it writes, and those of the writers before it, complete or not, whose values it took over */
};
struct pending_fault { /* of an instruction in a window that is not complete yet */
    u64 uid;
    struct strbuf text;                /* what function said */
    VEC(const struct tinst *) written; /* younger ones whose results are written, in order of time */
    bool closed;                       /* dispatch has ended */
};
struct window {
    u64 used, waiting, complete;
    u64 bound;                   /* of `waiting`: have waits, names or after */
    u64 timed;                   /* of `waiting`: may have a from_cy that has not come; known at every look */
    u64 certain;                 /* of `waiting`: entry.certain */
    u64 stores, memory;          /* of `waiting`: stores and the like; all memory instructions */
    u64 can;                     /* what may issue, as of the last look at its slot */
    u8 *oldest;                  /* entries by age, in `order` */
    u32 n;                       /* how many */
    i32 first;                   /* the oldest that waits, or NONE */
    i32 shown;                   /* entry its front presents to the scheduler, or NONE */
    u32 blocked;                 /* what kept the last try of dispatch: of 1 << enum stall */
    u32 registers;               /* physical registers held */
    u32 units;                   /* of `can`: 1 << enum unit */
    const struct tinst *asked;   /* what the last try of dispatch left as the next instruction */
    struct entry *at;            /* [order.window]; made anew by dispatch, not by a launch */
    struct entry_past *past;     /* [order.window] */
    u8 *writer;                  /* [registers, then predicates]: 1 + the entry that writes it next, 0: nobody under way */
    u8 *last;                    /* the same, until that entry leaves */
    u64 of_unit[UNIT_COUNT];     /* entries by unit; UNIT_NONE: those that need none */
    const struct tinst *serial;  /* one that dispatch stops at has issued: dispatch goes on when its results are there; or NULL */
    u64 sent_cy;                 /* 1 + the cycle of the last issue of a memory instruction */
    struct pending_fault *fault; /* the warp's first, or NULL */
    u32 branch;                  /* 1 + entry of the branch that dispatch waits for, or 0 */
    u32 flush;                /* 1 + entry of a branch guessed wrong that has to leave before dispatch goes on (future), or 0 */
    bool mistaken;            /* the branch that dispatch waits for was guessed wrong */
    u8 order[2 * WINDOW_MAX]; /* entries that leave at the front move `oldest` on, until the end is near */
};
struct completion { /* an issued entry's result, waiting for its cycle and for a bus */
    u64 cycle, uid;
    u16 slot;
    u8 entry, tries;
};
struct completions {
    VEC(struct completion) at;
};
struct release { /* a station that is free when its result has been broadcast */
    u64 cycle;
    u32 station; /* index into windows.stations */
};
struct windows {
    const struct order_window *how;
    struct window *at;                /* [warp slots] */
    struct entry *entries;            /* of all of them */
    struct entry_past *pasts;         /* likewise */
    u8 *writers;                      /* likewise */
    struct completions near[NEAR];    /* results to come, by cycle mod NEAR */
    u64 near_any;                     /* bit per cycle with some */
    VEC(struct completion) far;       /* those of later cycles: a heap by cycle */
    struct completions due;           /* of this cycle */
    u64 completed;                    /* first cycle whose results have not been told */
    u32 *stations;                    /* in use: [sub-core][pool] */
    VEC(struct release) releases;     /* of results that are written and not broadcast yet, by cycle ... */
    u32 released;                     /* ... after the first so many, which are over */
    struct memorder *memory;          /* 47_memorder.c */
    struct branch_counters *branches; /* [order.bimodal.entries] */
    u32 *turn;                        /* by scheduler: slot that dispatches first */
    u64 *mine;                        /* by scheduler: its slots */
    bool takes_back;                  /* a load may have been too early */
    u64 held;                         /* slots that have had a warp since window_stage found them empty */
    u64 full;            /* of held: their windows were full at their last try of dispatch, and none has left since */
    u64 asleep;          /* of held: dispatch stays blocked until somebody wakes them, or until their alarm */
    u64 unfed;           /* of asleep: their buffers were empty, and are being filled */
    u64 alarm[NEAR];     /* of asleep: to be woken, by cycle mod NEAR */
    u64 alarm_any;       /* bit per cycle with some */
    u64 open;            /* of held: dispatch could take their next instruction, whatever others do, and has had no turn since */
    u64 can[UNIT_COUNT]; /* slots whose window has something for the unit that may issue (window.units) */
    u64 complete;        /* slots with complete entries */
    u64 stay;            /* of these: the policy let none leave, and the window has not changed since */
};

static inline struct window *window_of(const struct core *c, u32 slot) { return &c->window->at[slot]; }
static inline struct entry_past *past_of(const struct window *w, u32 id) { return &w->past[id]; }
static inline struct window_view window_view_of(const struct core *c, const struct window *w, u64 able) {
    return (struct window_view){c->cfg, w->oldest, w->n, w->waiting, able, w->complete};
}
/* Dispatch tries again */
static inline void window_wake(struct core *c, u32 slot) { c->window->asleep &= ~(1ull << slot); }
/* What the policy sees of it is another: it is asked again what may leave, and whether there is room */
static inline void window_changes(struct core *c, u32 slot) {
    c->window->stay &= ~(1ull << slot);
    if (window_of(c, slot)->blocked & (1u << STALL_WINDOW | 1u << STALL_RENAME)) window_wake(c, slot);
}
/* What an entry that has not issued waits for has changed, or its time */
static inline void window_bind(struct window *w, u32 id) {
    const struct entry *e = &w->at[id];
    w->bound = (w->bound & ~(1ull << id)) | (u64)((e->waits | e->names | e->after) != 0) << id;
    w->timed |= 1ull << id;
}
/* Entry id waits for the result of `of` */
static inline void window_wait_for(struct window *w, u32 id, u32 of) {
    w->at[id].waits |= 1ull << of;
    w->at[of].users |= 1ull << id;
}
/* The first of these cycles (bits, by cycle mod NEAR) from `now` on */
static inline u64 near_next(u64 any, u64 now) {
    u32 at = (u32)(now % NEAR);
    return now + (u32)__builtin_ctzll(at ? any >> at | any << (NEAR - at) : any);
}
/* No need to look at a slot that waits as before. A look may tell of a bus that somebody waits for from that
 * cycle on, and the result come in that cycle: such a state has no time, but ends the one before it, and
 * shares of time are exact only among up to three causes (account.c, share_of). */
static inline bool has_few_causes(const struct core *c, u32 slot) {
    u32 set = c->fronts[slot].account.set, but_one = set & (set - 1);
    return !(but_one & (but_one - 1));
}
#define EACH_ENTRY(mask, i) for (u64 m_##i = (mask), i = 0; m_##i && (i = (u64)__builtin_ctzll(m_##i), true); m_##i &= m_##i - 1)
/* A result that became known for cycle `ready` can be used from then on by an entry of the window */
static inline u64 window_usable(const struct core *c, u64 ready) {
    return ready + c->cfg->broadcast_cy + (c->cfg->forwarding ? 0 : 2);
}

/* --- 44_dispatch.c */
u32 *window_station(const struct core *c, u32 slot, const struct tinst *t); /* those of its unit: how many are in use */
u64 dispatch_next(const struct core *c, u64 next); /* first cycle up to `next` in which one can dispatch, or its cause changes */
void dispatch_check(const struct core *c, u32 slot);                            /* W7, W8 */
void window_free_station(struct core *c, u32 slot, struct entry *e, u64 cycle); /* at that cycle, now or later */
void window_name_again(struct core *c, u32 slot, u32 id);                       /* its results are under way once more */
/* --- 47_memorder.c */
void memorder_init(struct core *c);
void memorder_launch(struct core *c);
void memorder_free(struct core *c);
void memorder_known(struct core *c, u32 slot, u32 id);                           /* a store's operands are there */
void memorder_dispatch(struct core *c, u32 slot, u32 id, const struct step *st); /* a memory instruction takes entry id */
u64 memorder_issue(struct core *c, u32 slot, u32 id,
                   u64 *read); /* and goes to memory; when it is complete, or NEVER: not known yet */
/* --- 48_precise.c */
u64 precise_since_copy(const struct core *c, const struct window *w, u32 id);
u64 precise_cost(const struct core *c, const struct window *w, u64 set); /* of taking these back: cycles beyond the next */
/* A branch that was guessed wrong issues, and is resolved `then`: when dispatch goes on, or NEVER: not
 * known yet */
u64 precise_resolves(const struct core *c, struct window *w, u32 id, u64 then);
void precise_leaves(struct core *c, u32 slot, u32 id);
bool fault_waits(struct core *c, u32 slot, const struct step *st); /* the instruction just dispatched faults; false: at once */
bool fault_stops(const struct window *w, const struct tinst *t);   /* not dispatched behind a fault */
void fault_completed(struct core *c, u32 slot, u32 id);            /* an entry's result is there */
bool fault_leaves(struct core *c, u32 slot, u64 leaving);          /* a fault is among those that would leave: it is raised */
void fault_forget(struct window *w);
/* --- 46_complete.c */
void completion_launch(struct core *c);
u64 completion_next(const struct core *c); /* cycle of the next result to come, now at the soonest; NEVER */
void completion_push(struct core *c, u32 slot, u32 entry, u64 cycle); /* its result may be on a bus from then on */
u64 window_leaving(const struct core *c, u32 slot);                   /* entries that leave in this cycle */

#endif
