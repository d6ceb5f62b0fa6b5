/* diverge_policy: which threads of a warp go on together, and which of its groups a front presents.
 *
 * Owns: the group a front presents, and when lanes that parted meet again. May read: the warp, its groups and
 * meeting points, and the kernel's instructions; it changes groups through func's functions alone
 * (func/converge.c). May never touch: registers, memory, anything of the SM; what it has to tell or ask of it
 * are the functions at the end.
 *
 *   V1 next leaves in the view a group that is ready and does not stand at a meeting point where others are
 *      awaited (diverge_arrives)
 *   V2 when no group is ready it lets those go that nobody can join any more (diverge_release) before it
 *      answers false
 *   V3 lanes that poll do not keep the others of their warp from running for ever: groups take turns, or the
 *      kernel is stopped with a diagnosis (diverge_starves) */
#ifndef HEDDLE_DIVERGE_POLICY_H
#define HEDDLE_DIVERGE_POLICY_H

#include "config/config.h"
#include "func/func.h"

struct core;
struct front;
struct squad_shape { /* warps that share a reconvergence stack (37_squad.c) */
    u32 warps;       /* of a block, all of one scheduler; 0: all of the block */
    u32 form_cy;     /* cycles in which a front of their threads is formed */
    bool lockstep;   /* its fronts all issue an instruction before one issues the next (39_lockstep.c) */
};
struct diverge_view {
    struct warp *w;
    u32 group;               /* the group the front presents: in, and as it was chosen out */
    u64 polled_at;           /* w->polled when that group was chosen */
    const struct inst *code; /* of the kernel */
    const char *name;        /* of the policy, for messages */
    struct core *of;         /* whose it is, for the functions below */
    struct front *front;
    bool anywhere; /* lanes may meet where no branch of the program does (diverge_arrives) */
};
struct diverge_policy {
    const char *name, *doc, *paper;
    bool never_meet; /* lanes that part stay apart */
    bool as_untimed; /* warps execute the instructions that they execute without time, as often (func/converge.c) */
    bool by_lane;    /* results and accesses are awaited lane by lane: groups do not wait for each other's */
    bool joint;      /* all groups of a warp that can run issue together, charged once (mimd) */
    bool weaves;     /* a second instruction may issue in the lanes that the first leaves free (41_weave.c) */
    /* Fronts are formed, of threads of several warps (33_form.c) or of slices of one (43_gang.c); next is not
     * asked, and may be NULL */
    bool forms;
    /* Slices that a warp, and with it registers, collectors and units, is divided into (43_gang.c); NULL:
     * none */
    u32 (*slices)(const struct config *c);
    /* With slices: `set` becomes those of its fronts that the scheduler is offered first; `slices`: those of
     * each front, a bit each */
    void (*offer)(const struct config *c, const u32 *slices, u64 *set, u32 words);
    bool (*front_each)(const struct config *c); /* with slices: each has fetch and issue of its own, not the SM alone */
    u32 (*places)(const struct config *c);      /* fronts an SM can have at once; NULL: one for each warp */
    /* Lanes of a load go on when their own data is there (71_early.c), as warp-splits (36_split.c) or slices
     * (43_gang.c); NULL: never */
    bool (*by_load)(const struct config *c);
    struct squad_shape (*squad)(const struct config *c); /* NULL: each warp has a stack of its own */
    bool (*at_home)(const struct config *c);             /* with forms: threads sit in their home lanes alone; NULL: not */
    bool (*by_depth)(const struct config *c); /* fronts are chosen by the branches and calls around them; NULL: never */
    bool (*chooses)(const struct config *c);  /* who issues is its choice, not that of sm.sched (sched/dwf.c); NULL: never */
    /* The group has run an instruction, waits or is gone: chooses who is next. False: no group of the warp
     * can run now. Not asked while all live lanes are one group that can go on and has not polled. */
    bool (*next)(struct diverge_view *v);
    /* The group cannot issue for a long time (memory, an atomic, a fence); may choose another. True when it
     * did. May be NULL. */
    bool (*blocked)(struct diverge_view *v);
};
extern const struct diverge_policy *const diverge_policies[]; /* ends with NULL */
#define DIVERGE_POLICY(name) extern const struct diverge_policy diverge_##name;
#include "core/policies.def"

/* --- 32_diverge.c: what a policy tells and asks */
void diverge_turn(struct diverge_view *v, u32 group);        /* another group's turn */
void diverge_met(const struct diverge_view *v);              /* lanes have met */
bool diverge_waits(const struct diverge_view *v, u32 group); /* what its next instruction waits for has no known end either */

/* --- what policies have in common */
bool diverge_release(struct diverge_view *v);           /* lets parked lanes go that nobody can join. False: there are none */
bool diverge_arrive(struct diverge_view *v, u32 group); /* diverge_arrives, of a group at a meeting point */
bool diverge_stop(struct diverge_view *v);              /* diverge_starves, of lanes that have polled for long */
/* Chooses until a group stands where it may run: the present one, when it can go on, else the innermost (V1,
 * V2). False: none can */
bool diverge_choose(struct diverge_view *v);
/* The same, the innermost of those for which `may` says so */
bool diverge_choose_if(struct diverge_view *v, bool (*may)(const struct diverge_view *v, u32 group));
void diverge_yield(struct diverge_view *v, u32 polls); /* lanes that poll: the next group's turn, or of lanes parked for long */
void diverge_join(struct diverge_view *v);             /* groups that stand at one pc, heading for the same, become one */
/* The same of those pairs for which `may` says so */
void diverge_join_if(struct diverge_view *v, bool (*may)(const struct diverge_view *v, u32 a, u32 b));
bool diverge_lowest(struct diverge_view *v); /* the group of the lowest pc, groups at one pc become one: next of frontier */
bool diverge_before(const struct warp *w, const struct group *a, const struct group *b); /* in a deeper call, or at a lower pc */
u32 diverge_depth(const struct warp *w, const struct group *g);                          /* branches and calls around it */
enum { DIVERGE_POLLS = 100000 }; /* of one group while others of its warp wait for their turn */

/* --- 36_split.c: warp-splits (dws) */
void split_ran(struct diverge_view *v);         /* before all else: what is left of the presented group is what its split runs */
void split_shows(const struct diverge_view *v); /* another group is presented */
void split_settle(struct diverge_view *v);      /* groups have parted or met: which of them are splits */
bool split_ready(const struct diverge_view *v, u32 group);   /* it is what another split than the presented one runs */
bool split_may_run(const struct diverge_view *v, u32 group); /* no other group of its split runs and could go on */

/* False: the group has come to a meeting point and is parked there, and gone. Else it may be larger. */
static inline bool diverge_arrives(struct diverge_view *v, u32 group) {
    return !(v->anywhere || v->code[v->w->groups.at[group].pc].flags & INST_RECONV) || diverge_arrive(v, group);
}
/* True: its lanes have polled while others of their warp could not run, for so long that the kernel is
 * stopped with a diagnosis */
static inline bool diverge_starves(struct diverge_view *v) {
    return v->w->polled - v->polled_at > DIVERGE_POLLS && diverge_stop(v);
}

#endif
