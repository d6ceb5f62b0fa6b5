/* hazard_policy: the kind of policy that decides what a memory instruction does which the memory stage cannot
 * finish in one cycle (sm.hazard). Rows are in hazard/.
 *
 * The stage works on the first instruction of the pipe only. An access of it is accepted or refused (enum
 * hazard says why), and after one that was accepted others may be left. In both cases the policy answers
 * whether the instruction keeps the stage or leaves it, to be issued again for the lanes that are left.
 *
 *   owns        the answer; no state
 *   may read    the view, and through it the machine's keys
 *   never       reaches into the core: it is handed no pointer to it
 *
 * What the stage does with an answer (60_lsu.c, 63_replay.c):
 *   H1 HOLD: the instruction keeps its place and tries again in the next cycle in which something may have
 *      changed; everything behind it waits
 *   H2 LEAVE: it gives up its place, and the word reaches its warp one cycle and sm.hazard.signal_cy later;
 *      the warp presents its oldest such instruction to the scheduler, which may choose it like any other.
 *      Only a policy with `leaves` may answer so.
 *   H3 `refused` is asked for each access that was refused and could not step aside (sm.lsu.reexec). It is
 *      not asked where an older access of the same warp is in the way and not done: such an instruction
 *      leaves under every policy with `leaves` (what it waits for may stand behind it), and cannot be met
 *      under others.
 *   H4 `unfinished` is asked after an access that was accepted while others are left (HAZARD_DIV,
 *      HAZARD_BANK), of policies with `leaves` alone; under others the instruction holds the stage.
 *   H5 the same view gets the same answer: the stage may ask twice in a cycle
 * No instruction may wait for ever: one that holds is tried whenever something changes, one that leaves is
 * issued again. */
#ifndef HEDDLE_HAZARD_POLICY_H
#define HEDDLE_HAZARD_POLICY_H

#include "config/config.h"
#include "stats/stats.h"

enum hazard_action { HAZARD_HOLD, HAZARD_LEAVE };
struct hazard_view {
    const struct config *cfg;
    enum hazard why;
    u32 left;   /* accesses of the instruction that are left, the refused one included */
    u64 waited; /* cycles since it issued for the first time */
};
struct hazard_policy {
    const char *name, *doc, *paper;
    bool retains; /* memory instructions keep their entry of the instruction buffer until the stage has said that all their
                     threads are done; needed by `leaves` */
    bool leaves;  /* it may answer HAZARD_LEAVE: the stage makes one access a cycle and knows which lanes it serves */
    enum hazard_action (*refused)(const struct hazard_view *v);
    enum hazard_action (*unfinished)(const struct hazard_view *v); /* with `leaves`; else NULL */
};
extern const struct hazard_policy *const hazard_policies[]; /* ends with NULL */
#define HAZARD_POLICY(name) extern const struct hazard_policy hazard_##name;
#include "core/policies.def"

#endif
