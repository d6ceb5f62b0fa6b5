/* squad: warps that share one reconvergence stack. For 37_squad.c, 37_stack.c, 38_compact.c and 39_lockstep.c
 * alone. */
#ifndef HEDDLE_CORE_SQUAD_H
#define HEDDLE_CORE_SQUAD_H

#include "core/form.h"

struct entry { /* of the stack: threads that go on together until they meet those of its parent */
    bool used;
    i32 parent;           /* index, or NONE */
    i32 meets_pc;         /* where its threads wait for the others of the parent; NONE: nowhere */
    u32 meets_depth;      /* calls deep they are there */
    u32 level;            /* entries below it */
    u32 children;         /* entries above it. With some its own threads have come to where those meet, and wait */
    u64 turn;             /* when it last had its turn */
    u64 lanes[MAX_SLOTS]; /* its threads by home, those of the entries above it left out; some may have ended */
};
struct squad {
    u64 homes;    /* its warps, whose places are its fronts' too; 0: there is none */
    u64 begun_cy; /* the cycle in which they began */
    VEC(struct entry) at;
    u32 used;             /* entries in use */
    i32 running;          /* the one that has fronts; NONE: all threads have ended */
    u64 fronts;           /* places with one */
    u64 came;             /* of these, that wait where all of the entry wait for each other */
    u64 waits;            /* of these, that wait at a barrier or for lanes */
    u64 held;             /* of these, that have issued what others have yet to (39_lockstep.c) */
    u32 steps[MAX_SLOTS]; /* by place: instructions that the front has issued since the fronts began together */
    i32 by[MAX_SLOTS];    /* the instruction that may have parted a front's threads, by place; NONE */
    u32 depth[MAX_SLOTS]; /* calls deep it stood there */
    u64 formed;           /* threads when the fronts were formed */
    bool at_home;         /* each front is of one home, and has all its threads of the entry */
    bool forced;          /* only because a collective asked for that: the next branch compacts again */
    bool due;             /* a front has ended: somebody else's turn may have come */
    u64 polls;            /* instructions that may poll, since somebody came or went */
    u64 turns;
};
struct squads {
    struct squad at[MAX_SLOTS];
    u8 of[MAX_SLOTS]; /* by home: its squad, if that has it */
    struct squad_shape shape;
    struct piece *pieces; /* [nslots] scratch: by place */
};

static inline struct squad *squad_of(const struct core *c, u32 home) { return &c->squads->at[c->squads->of[home]]; }

struct stand { /* where threads are */
    i32 pc;
    u32 depth;
    bool waits;
};

/* Polls of an entry, with nobody coming or going, after which others that can run have their turn, and after
 * which those do that wait at a meeting point */
enum { SQUAD_POLLS = 256, SQUAD_POLLS_LONG = 1024 };

/* --- 37_squad.c: fronts that wait look again then */
void squad_stir(struct core *c, struct squad *t, u64 cy);

/* --- 37_stack.c */
/* Threads of an entry: those of a home that live, whether there are some, how many */
u64 stack_lanes(const struct core *c, const struct entry *e, u32 home);
bool stack_has_threads(const struct core *c, const struct squad *t, const struct entry *e);
u64 stack_count(const struct core *c, const struct squad *t, const struct entry *e);
/* Where they stand: the first of them, and whether all do there and go on or wait alike (true). Calls deep a
 * group is; whether threads there have come to where the entry meets the others */
bool stack_stands(const struct core *c, const struct squad *t, const struct entry *e, i32 *pc, u32 *depth, bool *waits);
u32 stack_depth(const struct warp *w, const struct group *g);
bool stack_at_meeting(const struct entry *e, i32 pc, u32 depth);
/* An entry like another, without threads; one that nobody is left in goes, and those below of which it was
 * the last */
u32 stack_add(struct squad *t, const struct entry *like);
void stack_drop(const struct core *c, struct squad *t, i32 i);
/* Lanes of the home that are off or have ended are in no entry; those in none that are on are the running
 * one's, and are returned */
u64 stack_takes(const struct core *c, struct squad *t, u32 home);
void stack_forgets(const struct core *c, struct squad *t, u32 home); /* no thread of the home is in an entry */
/* Threads pass what is not in the program, but where they meet; false after a fault. They have come to where
 * they meet the others; those that do not stand there leave for another entry */
bool stack_settle(struct core *c, const struct squad *t, const struct entry *e, i32 meets_pc, u32 meets_depth);
bool stack_settle_lanes(struct core *c, u32 home, u64 lanes, const struct entry *e, i32 meets_pc, u32 meets_depth);
void stack_arrive(struct squad *t, i32 i, u32 home, u64 lanes);
void stack_part(const struct core *c, struct squad *t, u32 i, struct stand s, u32 to);
/* Somebody's turn, or in `turns` another's than the last, and its fronts are formed */
void stack_choose(struct core *c, struct squad *t, u32 self, bool turns);
void stack_check(const struct core *c, const struct squad *t, u32 i, u64 *seen);

/* --- 38_compact.c */
/* The fronts of the entry that runs are formed anew, in the places of the squad; nothing is done for the
 * front of place `self`, which looks at itself */
void squad_form(struct core *c, struct squad *t, u32 self);
void squad_dissolve(struct core *c, struct squad *t); /* all its fronts end; their threads have no place */
void compact_check(const struct core *c, const struct squad *t);

/* --- 39_lockstep.c: nothing, where the policy has no lockstep */
void lockstep_issued(struct core *c, struct squad *t, u32 slot); /* a front has issued */
void lockstep_changed(struct core *c, struct squad *t);          /* one waits, goes on, or has left */
void lockstep_begins(struct squad *t);                           /* all begin together: formed, or behind a branch */
void lockstep_check(const struct core *c, const struct squad *t);

#endif
