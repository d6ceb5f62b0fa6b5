/* window: instructions of a warp between dispatch and the moment they leave. Included by 45_window.c,
 * 46_complete.c and 47_memorder.c alone. */
#ifndef HEDDLE_CORE_WINDOW_H
#define HEDDLE_CORE_WINDOW_H

#include "core/flight.h"
#include "core/order_policy.h"
#include "core/speculate_policy.h"

enum { WINDOW_MAX = 64, STATION_POOLS = UNIT_COUNT };
enum entry_state { ENTRY_WAITING, ENTRY_ISSUED, ENTRY_COMPLETE };
struct entry {
    u64 uid;
    const struct tinst *t;
    u64 active, lanes;
    u64 waits;    /* entries whose results it needs: sources; destinations where names are not changed */
    u64 names;    /* entries that read what it writes and have not issued; none where names are changed */
    u64 after;    /* entries it must not pass on the way to memory */
    u64 from_cy;  /* issues no sooner */
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
    u8 giver;     /* a load: 1 + the entry of the store that will give it its value; 0: none */
    u8 tries;     /* times it was taken back */
    bool certain; /* issues only when everything before it is complete */
    bool flies;   /* a memory instruction that memory is not done with */
};
struct window {
    struct entry at[WINDOW_MAX];
    u8 oldest[WINDOW_MAX]; /* entries by age */
    u32 n;
    u64 used, waiting, complete;
    u64 stores, memory;         /* of `waiting`: stores and the like; all memory instructions */
    u8 *last;                   /* the same, until that entry leaves */
    u8 *writer;                 /* [registers, then predicates]: 1 + the entry that writes it next, 0: nobody under way */
    u32 registers;              /* physical registers held */
    i32 shown;                  /* entry its front presents to the scheduler, or NONE */
    u32 blocked;                /* what kept the last try of dispatch: of 1 << enum stall */
    u64 branch;                 /* 1 + entry of the branch that dispatch waits for, or 0 */
    u64 sent_cy;                /* 1 + the cycle of the last issue of a memory instruction */
    const struct tinst *serial; /* one that dispatch stops at has issued: dispatch goes on when its results are there; or NULL */
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
};

static inline struct window *window_of(const struct core *c, u32 slot) { return &c->window->at[slot]; }
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
/* --- 46_complete.c */
void completion_push(struct core *c, u32 slot, u32 entry, u64 cycle); /* its result may be on a bus from then on */

#endif
