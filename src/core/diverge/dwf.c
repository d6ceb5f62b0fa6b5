/* Dynamic warp formation: the row. How fronts are formed is 33_form.c's, who of them issues sched/dwf.c's.
 *
 * Paper: Fung, Sham, Yuan, Aamodt, MICRO 2007 and TACO 2009; Jin 2012, 3.6 and 4.4. */
#include "core/diverge_policy.h"

/* A place for each thread, for each scheduler */
static u32 places(const struct config *c) {
    return (c->warps + c->schedulers - 1) / c->schedulers * c->schedulers * c->warp_size;
}

static bool chooses(const struct config *c) { return c->dwf_policy != DWF_SCHED; }

/* But where fronts are squeezed, which 33_form.c knows */
static bool at_home(const struct config *c) { return !c->dwf_permute && c->dwf_conflict != DWF_MOVE && c->dwf_lanes != DWF_FREE; }

static bool by_depth(const struct config *c) { return c->dwf_policy == DWF_PDOM; }

const struct diverge_policy diverge_dwf = {
    .name = "dwf",
    .doc = "dynamic warp formation: threads of all warps of a scheduler that stand at one pc, in free lanes, become one front",
    .paper = "Fung, Sham, Yuan, Aamodt, MICRO 2007; Jin 2012, 3.6 and 4.4",
    .by_lane = true,
    .forms = true,
    .places = places,
    .at_home = at_home,
    .by_depth = by_depth,
    .chooses = chooses,
};
