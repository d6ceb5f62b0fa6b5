/* form: the inside of formed fronts, for 33_form.c and its companions, 34_gather.c, and those who form fronts
 * in other ways (37_squad.c, 38_compact.c, 43_gang.c). */
#ifndef HEDDLE_CORE_FORM_H
#define HEDDLE_CORE_FORM_H

#include "core/core.h"

struct look_up { /* an entry of the warp look-up table: the front that threads at this pc may join */
    i32 pc;      /* NONE: free */
    u16 front;
    u64 used;
};
struct piece { /* threads that stand at one instruction and go on together, on their way to a place */
    i32 pc;
    bool waits; /* at a barrier, or for lanes that a collective names */
    u64 opens;  /* of those whose barrier has opened, the first cycle in which some may go on; NEVER: none */
    u32 n;
    u64 came;  /* positions in which they came to the pool */
    u64 seats; /* those they take */
    struct part part[MAX_WARP];
};
struct form {
    u32 squeezes;       /* how threads that come to the pool are squeezed before they join others (sm.squeeze) */
    struct config cfg;  /* squeezes: the SM's, for the other stages */
    bool parting;       /* a front's threads are on their way to their places */
    bool from_barrier;  /* they come from a barrier, or to one */
    bool at_home;       /* no thread ever leaves its home lane */
    u32 width, beats;   /* SIMD lanes of a warp, and how many threads of a front each of them can serve */
    struct part *parts; /* [nfronts][warp_size] */
    u16 (*place)[MAX_WARP];
    u8 (*seat)[MAX_WARP];      /* [nslots]: the front of each thread, and its position there */
    u64 (*opens)[MAX_WARP];    /* [nslots]: the cycle in which its last barrier let each thread go */
    u64 *opened;               /* [nslots]: the last of these */
    u64 in_pool[SET_WORDS];    /* fronts that have not issued since their threads came: others may join */
    u64 at_barrier[SET_WORDS]; /* fronts whose last instruction was a barrier, or that wait at one */
    u64 robbed[SET_WORDS];     /* fronts whose threads, or some, another warp has ended, and which have yet to be looked at */
    u64 *entered;              /* [nfronts] cycle in which they came */
    /* entries of the pool (dwf.pool) */
    u64 holds[SET_WORDS];        /* fronts that have one */
    u64 outside[SET_WORDS];      /* fronts that came and found none */
    u64 *turn;                   /* [nfronts] of those: the order in which they came */
    u64 turns;                   /* so many have */
    u32 entries[MAX_SCHEDULERS]; /* in use */
    struct look_up *table;       /* [schedulers][dwf.table] */
    u64 uses;                    /* of the table */
    struct sched_fronts seen;    /* what schedulers are shown of them */
    bool depths;                 /* with the depth of each */
    u32 used;                    /* places with threads */
    /* lanes that poll for others (V3 of diverge_policy.h) */
    u64 polls;
    u64 *polled_at; /* [nfronts] `polls` when it last issued or came */
    /* the instruction under way */
    struct step one; /* of one part */
    struct member member[MAX_WARP];
    u32 nmembers;
    struct piece *pieces; /* [warp_size], scratch */
};

enum { NO_PLACE = UINT16_MAX };

static inline bool is_collective(const struct core *c, i32 pc) { return c->prog->k->code[pc].flags & INST_COLLECTIVE; }

/* --- 33_front.c: fronts in their places, for 37_squad.c, 38_compact.c and 43_gang.c too */
void front_begins(struct core *c, u32 slot, u64 age);               /* in an empty place */
void front_ends(struct core *c, u32 slot);                          /* nobody is left in it: the place is free */
void front_takes(struct core *c, u32 slot, const struct piece *x);  /* the threads of a piece are those of the front */
void front_settles(struct core *c, u32 slot, const struct part *p); /* these threads are in that place */
void front_shows(struct core *c, u32 slot, i32 pc);                 /* its next instruction; NONE: it waits */
void front_presents(struct core *c, u32 slot);                      /* what schedulers are shown of it is as it is now */
u32 front_place(const struct core *c, u32 like);                    /* a free one of the same scheduler */
void form_add_part(const struct core *c, struct part *at, u32 *n, struct part p); /* to these; it may become part of one */
const struct inst *front_advances(struct core *c, u32 slot); /* after straight code: where its parts stand; NULL after a fault */
void homes_end(struct core *c, const struct part *at, u32 n, u64 lanes); /* warps whose last threads were in these parts */

/* --- 33_seats.c: positions */
u64 seats_of_lanes(const struct core *c, u32 home, u64 lanes); /* without a look at each where all are at home */
u64 seats_of(const struct core *c, const struct part *p);
bool seats_find(struct core *c, struct piece *x, u64 there); /* beside those there; false: there is no room */
bool seats_at_home(const struct core *c, const struct part *p);
void seats_squeeze(struct core *c, struct piece *x);
void seats_go_home(const struct core *c, struct piece *x);

/* --- 33_pool.c */
bool pool_takes(struct core *c, u32 slot);               /* an entry for a front whose threads come; false: it waits outside */
void pool_gives(struct core *c, u32 slot);               /* its entry back, or its turn */
u32 pool_finds(const struct core *c, u32 slot, i32 pc);  /* the front that waits at pc and may be joined, or NO_PLACE */
void pool_names(const struct core *c, u32 slot, i32 pc); /* threads that come to pc shall join this front */

/* --- 33_form.c: a group runs an instruction that is not in the program; a collective together with the
 * groups of these lanes that stand there. False after a fault */
bool form_step_over(struct core *c, u32 home, u32 gi, u64 with);

/* --- 33_issued.c: threads of the home that wait, at a barrier or for lanes, and need not any longer go on
 * then */
void form_wake_waiting(struct core *c, u32 home, u64 cy, bool barrier);

/* --- 33_form.c */
void form_check_front(const struct core *c, u32 slot);

#endif
