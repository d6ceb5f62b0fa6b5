/* replay: a refused memory instruction leaves the pipe and is issued again (63_replay.c holds the mechanism).
 * One that has been served in part leaves too, unless sm.hazard.in_stage lets it keep the stage for its other
 * accesses.
 *
 * Paper: Turner (2012) chapter 5. Deviations: see 63_replay.c (ORDER).
 *
 * MSHR replays a line access under credit and hit: one, and one more for each time it held a credit and a
 * load without one took its MSHR on the way (his virtual credits allow it; 35_predict.c, T3). Never for want
 * of a place in the MSHR of a line on its way: that is the hazard merge, which the document does not have,
 * and needs no MSHR. */
#include "core/hazard_policy.h"

static enum hazard_action leave(const struct hazard_view *v) {
    (void)v;
    return HAZARD_LEAVE;
}

static enum hazard_action unfinished(const struct hazard_view *v) {
    u32 stays = v->why == HAZARD_BANK ? IN_STAGE_BANK : IN_STAGE_DIV;
    return v->cfg->in_stage == stays || v->cfg->in_stage == IN_STAGE_BOTH ? HAZARD_HOLD : HAZARD_LEAVE;
}

const struct hazard_policy hazard_replay = {
    .name = "replay",
    .doc = "a refused memory instruction leaves the pipe and is issued again for the threads that are left",
    .paper = "Turner 2012, chapter 5",
    .retains = true,
    .leaves = true,
    .refused = leave,
    .unfinished = unfinished,
};
