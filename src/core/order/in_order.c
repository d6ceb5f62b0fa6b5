/* in_order: the instructions of a warp issue in the order of the program.
 *
 * Paper: Lecture (CMU 18-447), the in-order scoreboard; every GPU of the other sources. Deviation: none. */
#include "core/policy.h"

static u32 in_order_candidate(const struct core *c, const struct front *f) {
    (void)c, (void)f;
    return 0;
}

const struct order_policy order_in_order = {
    .name = "in_order",
    .doc = "the instructions of a warp issue in the order of the program",
    .paper = "CMU 18-447, lecture 14",
    .candidate = in_order_candidate,
};
