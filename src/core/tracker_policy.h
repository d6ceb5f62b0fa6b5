/* tracker_policy: the kind of policy that says whether what a miss needs is free (sm.hazard.tracker;
 * 35_predict.c asks). Rows are in tracker/.
 *
 * The resource is sm.hazard.resource: the MSHRs of a cache, one tracker each, or places in the miss queue.
 *
 *   owns        struct track, one for each resource
 *   may read    the view: how much is in use now, how much there is, the machine's keys
 *   never       reaches into the core
 *
 *   K1 while is_free says no, loads that are expected to miss do not issue; with gives_credits one that does
 *      leaves with a credit, and 35_predict.c keeps the pool (its T1 to T3)
 *   K2 changed is called after every change of what is in use
 *   K3 what is_free says changes by a call of changed, by credits, or at the cycle that next names; without
 *      next, not by time */
#ifndef HEDDLE_TRACKER_POLICY_H
#define HEDDLE_TRACKER_POLICY_H

#include "config/config.h"

struct track {   /* of one resource */
    i32 pool;    /* credits the scheduler has; may be negative */
    u64 without; /* virtual credits so far */
    VEC(struct seen {
        u64 cycle;
        u32 used;
    })
    past; /* changes not yet seen, in order, from past_at on */
    u32 past_at, used;
};
struct track_view {
    const struct config *cfg;
    u64 now;
    u32 used, size;
};
struct tracker_policy {
    const char *name, *doc, *paper;
    bool gives_credits;
    bool (*is_free)(struct track *t, const struct track_view *v); /* NULL: nothing is tracked or predicted */
    void (*changed)(struct track *t, const struct track_view *v); /* may be NULL */
    u64 (*next)(const struct track *t, u64 now);                  /* may be NULL */
};
extern const struct tracker_policy *const tracker_policies[]; /* ends with NULL */
#define TRACKER_POLICY(name) extern const struct tracker_policy tracker_##name;
#include "core/policies.def"

#endif
