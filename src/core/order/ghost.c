/* ghost: of a warp's next few instructions the oldest that can issue does; registers keep their names.
 *
 * Paper: Chaturvedi, Godala, Wu, Xu, Iliakis, Eleftherakis, Xydis, Soudris, Sorensen, Campanoni, Aamodt,
 * August, "GhOST: a GPU Out-of-Order Scheduling Technique for Stall Reduction", ISCA 2024. It looks at the
 * instructions a warp has decoded (order.ahead of them) and needs no renaming: one waits for the results of
 * older ones it reads or overwrites, and until older ones have read what it writes. Deviation: memory
 * instructions pass each other as order.memory = conservative says; nothing is issued beyond a branch. */
#include "config/config.h"
#include "core/order_policy.h"

static bool few_wait(const struct window_view *v) { return (u32)__builtin_popcountll(v->waiting) < v->cfg->ahead; }

const struct order_policy order_ghost = {
    .name = "ghost",
    .doc = "the oldest of a warp's next few instructions that can issue does; no renaming",
    .paper = "Chaturvedi and others, ISCA 2024",
    .window =
        &(const struct order_window){.may_dispatch = few_wait, .may_issue = order_issues_any, .may_leave = order_leaves_any},
};
