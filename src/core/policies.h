/* policies: the kinds of policy an SM has, and finding the rows a configuration names. Commands and reports
 * need no more than this. */
#ifndef HEDDLE_POLICIES_H
#define HEDDLE_POLICIES_H

#include "base/base.h"
#include "config/config.h"

struct sched_policy;
struct fetch_policy;
struct diverge_policy;
struct hazard_policy;
struct order_policy;
struct speculate_policy;

struct policies {
    const struct sched_policy *sched;
    const struct fetch_policy *fetch;
    const struct diverge_policy *diverge;
    const struct hazard_policy *hazard;
    const struct order_policy *order;
    const struct speculate_policy *speculate;
    const struct tracker_policy *tracker;
    const struct predictor_policy *predictor;
};
/* --- policies.c: by the names in the configuration; false with messages (unknown names, pairs that do not go
 * together) */
bool policies_find(const struct config *c, struct policies *p, struct diag *d);
/* An instruction of a warp may issue before an older one (sm.order); false for names that are unknown */
bool policies_out_of_order(const struct config *c);
struct policy_row {
    const char *kind, *name, *doc, *paper;
};
u32 policy_count(void);
struct policy_row policy_at(u32 i);

#endif
