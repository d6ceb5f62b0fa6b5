/* order_policy: when, as far as earlier instructions of the same front go, its next one may issue.
 *
 * Dispatch (functional execution, in each thread's program order) and issue are one call on every machine
 * here (30_issue.c), so a policy cannot change which instruction is next; it says from which cycle on that
 * one may go. Registers, units, fences and barriers are waited for besides, whatever it answers.
 *
 * Owns: the answer; no state. May read: the view. May never touch: anything else.
 *   O1 the same view gets the same answer
 *   O2 it answers a cycle that is known, or NEVER while something in the view is outstanding; when nothing
 *      is, a cycle */
#ifndef HEDDLE_ORDER_POLICY_H
#define HEDDLE_ORDER_POLICY_H

#include "base/base.h"

struct order_view {
    u64 drain_cy; /* the last result of a unit so far is there */
    u32 loads;    /* memory instructions whose results are awaited */
    u32 queued;   /* memory instructions that the memory stage has not taken wholly */
};
struct order_policy {
    const char *name, *doc, *paper;
    u64 (*earliest)(const struct order_view *v); /* NULL: at once */
};
extern const struct order_policy *const order_policies[]; /* ends with NULL */
#define ORDER_POLICY(name) extern const struct order_policy order_##name;
#include "core/policies.def"

#endif
