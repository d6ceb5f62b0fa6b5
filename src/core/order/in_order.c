/* in_order: the instructions of a warp issue in the order of the program.
 *
 * Paper: Lecture (CMU 18-447), the in-order scoreboard; every GPU of the other sources. Deviation: none. */
#include "core/order_policy.h"

const struct order_policy order_in_order = {
    .name = "in_order",
    .doc = "the instructions of a warp issue in the order of the program",
    .paper = "CMU 18-447, lecture 14",
};
