/* loog: renaming into the register file, operand collectors as reservation stations, no reorder buffer.
 *
 * Paper: Iliakis, Xydis, Soudris, "LOOG: Improving GPU Efficiency With Light-Weight Out-Of-Order Execution",
 * IEEE CAL 2019; "Repurposing GPU Microarchitectures with Light-Weight Out-Of-Order Execution", TPDS 2022.
 * Values are in the register file, so an instruction has a physical register for each result until it leaves
 * (order.registers); stations are few and shared (order.stations, order.stations.shared), and free when
 * their instruction goes to its unit. Instructions leave in any order: GPUs promise no precise state.
 *
 * We know the papers' abstracts (structures that are there are used again, area grows by 0.74 to 3.94 %, low
 * occupancy is what it is for) and what GhOST (Chaturvedi and others, ISCA 2024), whose authors had LOOG's
 * simulator and include LOOG's, says of it: a register alias table that all operand collectors know, a bus
 * for results, load and store queues that compare addresses, and collectors that fill up with instructions
 * which wait for results of others. It was given 32 collectors an SM, four times those of its machine.
 *
 * Our reading, therefore: a station is free when its instruction goes to its unit, a physical register when
 * its instruction leaves, not when its name's next writer does; loads wait until the addresses of older
 * stores are known (conservative). Deviation: the collectors of sm.collectors, which read operands after
 * issue, are there besides. */
#include "core/order_policy.h"

const struct order_policy order_loog = {
    .name = "loog",
    .doc = "renaming into the register file and few stations, as operand collectors make them; instructions leave in any order",
    .paper = "Iliakis, Xydis, Soudris, IEEE CAL 2019 and TPDS 2022",
    .out_of_order = true,
    .window = &(const struct order_window){.renames = true,
                                           .stations = true,
                                           .collects = true,
                                           .registers = true,
                                           .may_dispatch = order_dispatches,
                                           .may_issue = order_issues_any,
                                           .may_leave = order_leaves_any},
};
