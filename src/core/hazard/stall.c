/* stall and retain: a memory instruction that meets a hazard keeps its place at the head of the memory pipe
 * until it is accepted.
 *
 * Paper: Turner (2012) section 1.1.7, the baseline that replay is measured against; retain is the control of
 * his figure 7.1: as under replay, entries of the instruction buffer are kept until all threads are done.
 * Deviation: none. */
#include "core/hazard_policy.h"

static enum hazard_action hold(const struct hazard_view *v) {
    (void)v;
    return HAZARD_HOLD;
}

const struct hazard_policy hazard_stall = {
    .name = "stall",
    .doc = "a refused memory instruction keeps its place and everything behind it waits",
    .paper = "Turner 2012, 1.1.7",
    .refused = hold,
};

const struct hazard_policy hazard_retain = {
    .name = "retain",
    .doc = "as stall, but memory instructions keep their buffer entry until all their threads are done",
    .paper = "Turner 2012, 7.1.1",
    .retains = true,
    .refused = hold,
};
