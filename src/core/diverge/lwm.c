/* Large warps: the row. The stack that warps share is 37_stack.c's, their step 39_lockstep.c's.
 *
 * Paper: Narasiman, Shebanow, Lee, Miftakhutdinov, Mutlu, Patt, "Improving GPU Performance via Large Warps
 * and Two-Level Warp Scheduling" (MICRO 2011). */
#include "core/diverge_policy.h"

static struct squad_shape squad(const struct config *c) { return (struct squad_shape){.warps = c->lwm_warps, .lockstep = true}; }

const struct diverge_policy diverge_lwm = {
    .name = "lwm",
    .doc = "large warps: some warps of a block have one pc and one stack, and each of their instructions issues as sub-warps "
           "packed of the lanes that run",
    .paper = "Narasiman et al., MICRO 2011",
    .never_meet = true,
    .by_lane = true,
    .forms = true,
    .squad = squad,
};
