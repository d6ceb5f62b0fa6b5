/* diverge_policy: which threads of a warp go on together, and which of its groups a front presents.
 *
 * Owns: the group a front presents, and when lanes that parted meet again. May read: the warp, its groups and meeting points, and the
 * kernel's instructions; it changes groups through func's functions alone (func/converge.c). May never touch: registers, memory,
 * anything of the SM; what it has to tell or ask of it are the three functions at the end. */
#ifndef HEDDLE_DIVERGE_POLICY_H
#define HEDDLE_DIVERGE_POLICY_H

#include "func/func.h"

struct core;
struct front;
struct diverge_view {
    struct warp *w;
    u32 group;               /* the group the front presents: in, and as it was chosen out */
    u64 polled_at;           /* w->polled when that group was chosen */
    const struct inst *code; /* of the kernel */
    const char *name;        /* of the policy, for messages */
    struct core *of;         /* whose it is, for the functions below */
    struct front *front;
};
struct diverge_policy {
    const char *name, *doc, *paper;
    bool never_meet; /* lanes that part stay apart */
    bool by_lane;    /* results are awaited lane by lane: groups do not wait for each other's */
    bool joint;      /* all groups of a warp that can run issue together, charged once (mimd) */
    /* The group has run an instruction, waits or is gone: chooses who is next. False: no group of the warp can run now. */
    bool (*next)(struct diverge_view *v);
    /* The group cannot issue for a long time (memory, an atomic, a fence); may choose another. True when it did. May be NULL. */
    bool (*blocked)(struct diverge_view *v);
};
extern const struct diverge_policy *const diverge_policies[]; /* ends with NULL */

/* --- 32_diverge.c: what a policy tells and asks */
void diverge_turn(struct diverge_view *v, u32 group);        /* another group's turn */
void diverge_met(const struct diverge_view *v);              /* lanes have met */
bool diverge_waits(const struct diverge_view *v, u32 group); /* what its next instruction waits for has no known end either */

#endif
