/* scoreboard: instructions issue in the order of the program and complete in any; a register has one writer
 * under way.
 *
 * Paper: Lecture (CMU 18-447), the in-order scoreboard. An instruction stands in dispatch until it can issue,
 * so the next one is dispatched when it has. With order.forwarding off a value is read in dispatch in the
 * cycle after it was written. Deviation: none known; that a reader may be overtaken cannot happen, as readers
 * issue in order and read at issue. */
#include "core/order_policy.h"

static bool none_waits(const struct window_view *v) { return !v->waiting; }

const struct order_policy order_scoreboard = {
    .name = "scoreboard",
    .doc = "issue in the order of the program, completion in any; results on counted buses, forwarded or read after they are "
           "written",
    .paper = "CMU 18-447, lecture 14",
    .window =
        &(const struct order_window){.may_dispatch = none_waits, .may_issue = order_issues_any, .may_leave = order_leaves_any},
};
