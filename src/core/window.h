/* window: instructions of a warp between dispatch and the moment they leave. Included by 45_window.c,
 * 46_complete.c, 47_memorder.c and 48_precise.c alone. */
#ifndef HEDDLE_CORE_WINDOW_H
#define HEDDLE_CORE_WINDOW_H

#include "core/flight.h"
#include "core/order_policy.h"
#include "core/speculate_policy.h"

enum { WINDOW_MAX = 64, STATION_POOLS = UNIT_COUNT };
enum entry_state { ENTRY_WAITING, ENTRY_ISSUED, ENTRY_COMPLETE };
struct entry {
    /* looked at whenever the window is asked what may issue */
    u64 waits;    /* entries whose results it needs: sources; destinations where names are not changed */
    u64 names;    /* entries that read what it writes and have not issued; none where names are changed */
    u64 after;    /* entries it must not pass on the way to memory */
    u64 from_cy;  /* issues no sooner */
    bool certain; /* issues only when everything before it is complete */
    /* the rest */
    u64 uid;
    const struct tinst *t;
    u64 active, lanes;
    u64 issue_cy; /* issued: when last */
    u64 ready_cy; /* issued: its result can be on a bus from then on, and used in that cycle; NEVER: not known yet */
    u64 deps;     /* entries it took or takes values from, complete or not */
    u64 guards;   /* of deps: those whose predicates it reads, and has so much later than others do (tinst.guard_cy) */
    u64 given;    /* a load: uid of the store that gave it its value when it last issued; 0: none */
    u64 covers;   /* lanes it writes, and those of the writers it waits for: who writes all of these needs none of them */
    u64 merged;   /* lanes it writes, and those of the writers before it, complete or not, whose values it took over */
    u64 latency;  /* of a load whose latency is counted: from its last issue to its result */
    u32 flight;   /* of a memory instruction */
    u32 counted;  /* warp instructions it counts for */
    i32 frame;
    u8 state, kind; /* enum entry_state; enum wait_kind of its result */
    u8 registers;   /* physical registers it holds */
    bool has_station;
    u8 giver;    /* a load: 1 + the entry of the store that will give it its value; 0: none */
    u8 tries;    /* times it was taken back */
    bool flies;  /* a memory instruction that memory is not done with */
    bool faults; /* it makes no access; the program ends when that is found */
};
struct pending_fault { /* of an instruction in a window that is not complete yet */
    u64 uid;
    struct strbuf text;                /* what function said */
    VEC(const struct tinst *) written; /* younger ones whose results are written, in order of time */
    bool closed;                       /* dispatch has ended */
};
struct window {
    u8 oldest[WINDOW_MAX]; /* entries by age */
    u32 n;
    u64 used, waiting, complete;
    u64 stores, memory;          /* of `waiting`: stores and the like; all memory instructions */
    u8 *last;                    /* the same, until that entry leaves */
    u8 *writer;                  /* [registers, then predicates]: 1 + the entry that writes it next, 0: nobody under way */
    u32 registers;               /* physical registers held */
    u64 can;                     /* what may issue, as of the last look at its slot */
    u64 of_unit[UNIT_COUNT];     /* entries by unit; UNIT_NONE: those that need none */
    i32 shown;                   /* entry its front presents to the scheduler, or NONE */
    u32 blocked;                 /* what kept the last try of dispatch: of 1 << enum stall */
    u64 branch;                  /* 1 + entry of the branch that dispatch waits for, or 0 */
    u64 sent_cy;                 /* 1 + the cycle of the last issue of a memory instruction */
    struct pending_fault *fault; /* the warp's first, or NULL */
    u64 flush;                  /* 1 + entry of a branch guessed wrong that has to leave before dispatch goes on (future), or 0 */
    bool mistaken;              /* the branch that dispatch waits for was guessed wrong */
    const struct tinst *serial; /* one that dispatch stops at has issued: dispatch goes on when its results are there; or NULL */
    struct entry at[WINDOW_MAX]; /* last: made anew by dispatch, not by a launch */
};
struct completion { /* an issued entry's result, waiting for its cycle and for a bus */
    u64 cycle, uid;
    u32 slot, entry, tries;
};
struct release { /* a station that is free when its result has been broadcast */
    u64 cycle;
    u32 station; /* index into windows.stations */
};
struct windows {
    const struct order_window *how;
    struct window *at;                /* [warp slots] */
    u8 *writers;                      /* of all of them */
    VEC(struct completion) heap;      /* results to come, by cycle, then uid */
    VEC(struct completion) due;       /* of this cycle */
    u32 *stations;                    /* in use: [sub-core][pool] */
    VEC(struct release) releases;     /* of results that are written and not broadcast yet, by cycle ... */
    u32 released;                     /* ... after the first so many, which are over */
    struct memorder *memory;          /* 47_memorder.c */
    struct branch_counters *branches; /* [order.bimodal.entries] */
    u32 *turn;                        /* by scheduler: slot that dispatches first */
    u64 *mine;                        /* by scheduler: its slots */
    u64 held;                         /* slots that have had a warp since window_stage found them empty */
    u64 full;     /* of held: their windows were full at their last try of dispatch, and none has left since */
    u64 idle;     /* of held: dispatch waits for a branch of unknown time or for the window to drain, and will until that comes */
    u64 open;     /* of held: dispatch could take their next instruction, whatever others do, and has had no turn since */
    u64 complete; /* slots with complete entries */
    u64 stay;     /* of these: the policy let none leave, and the window has not changed since */
};

static inline struct window *window_of(const struct core *c, u32 slot) { return &c->window->at[slot]; }
/* What the policy sees of it is another: it is asked again what may leave */
static inline void window_changes(struct core *c, u32 slot) { c->window->stay &= ~(1ull << slot); }
#define EACH_ENTRY(mask, i) for (u64 m_##i = (mask), i = 0; m_##i && (i = (u64)__builtin_ctzll(m_##i), true); m_##i &= m_##i - 1)
/* A result that became known for cycle `ready` can be used from then on by an entry of the window */
static inline u64 window_usable(const struct core *c, u64 ready) {
    return ready + c->cfg->broadcast_cy + (c->cfg->forwarding ? 0 : 2);
}

/* --- 45_window.c */
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
void completion_push(struct core *c, u32 slot, u32 entry, u64 cycle); /* its result may be on a bus from then on */
u64 window_leaving(const struct core *c, u32 slot);                   /* entries that leave in this cycle */

#endif
