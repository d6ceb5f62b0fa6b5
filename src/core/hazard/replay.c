/* retain and replay: memory instructions keep their buffer entries; refused ones leave the pipe and are issued again (63_replay.c holds the mechanism).
 *
 * Paper: Turner (2012) chapter 5; retain is the control of his figure 7.1: entries are kept, the pipe stalls. Deviations: see 63_replay.c (ORDER).
 *
 * MSHR replays a line access under credit and hit: one, and one more for each time it held a credit and a load without one took its MSHR on the way (his virtual credits allow it; 35_predict.c, T3). Never for want
 * of a place in the MSHR of a line on its way: that is the hazard merge, which the document does not have, and needs no MSHR. */
#include "core/policy.h"

static enum hazard_action hold(struct core *c, struct flight *f, enum hazard why) {
    (void)c, (void)f, (void)why;
    return HAZARD_HOLD;
}

const struct hazard_policy hazard_retain = {
    .name = "retain",
    .doc = "as stall, but memory instructions keep their buffer entry until all their threads are done",
    .paper = "Turner 2012, 7.1.1",
    .retains = true,
    .refused = hold,
};

const struct hazard_policy hazard_replay = {
    .name = "replay",
    .doc = "a refused memory instruction leaves the pipe and is issued again for the threads that are left",
    .paper = "Turner 2012, chapter 5",
    .retains = true,
    .replays = true,
    .refused = hold,
};
