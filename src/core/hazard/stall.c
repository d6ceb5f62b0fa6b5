/* stall: a memory instruction that meets a hazard keeps its place at the head of the memory pipe until it is accepted.
 *
 * Paper: Turner (2012) section 1.1.7, the baseline that replay is measured against. Deviation: none. */
#include "core/policy.h"

static enum hazard_action stall_refused(struct core *c, struct flight *f, enum hazard why) {
    (void)c, (void)f, (void)why;
    return HAZARD_HOLD;
}

const struct hazard_policy hazard_stall = {
    .name = "stall",
    .doc = "a refused memory instruction keeps its place and everything behind it waits",
    .paper = "Turner 2012, 1.1.7",
    .refused = stall_refused,
};
