/* tomasulo: instructions wait in reservation stations and issue as their operands come; results have names of
 * their own, and are told to all who wait on common data buses.
 *
 * Paper: Tomasulo 1967, as CMU 18-447 teaches it: a station is freed when its result is on a bus, registers
 * are written in any order. Values are in the stations, so there is nothing else to run out of. Deviation:
 * stations are those of a sub-core's units and its warps share them; each warp has an alias table of its
 * own. */
#include "core/order_policy.h"

const struct order_policy order_tomasulo = {
    .name = "tomasulo",
    .doc = "renaming, reservation stations and common data buses; registers are written in any order",
    .paper = "Tomasulo 1967; CMU 18-447, lecture 15",
    .out_of_order = true,
    .window = &(const struct order_window){.renames = true,
                                           .stations = true,
                                           .may_dispatch = order_dispatches,
                                           .may_issue = order_issues_any,
                                           .may_leave = order_leaves_any},
};
