/* ghost: of a warp's next few instructions the oldest that can issue does; registers keep their names.
 *
 * Paper: Chaturvedi, Godala, Wu, Xu, Iliakis, Eleftherakis, Xydis, Soudris, Sorensen, Campanoni, Aamodt,
 * August, "GhOST: a GPU Out-of-Order Scheduling Technique for Stall Reduction", ISCA 2024. It looks at the
 * instructions a warp has decoded (order.ahead of them) and needs no renaming: one waits for the results of
 * older ones it reads or overwrites, and until older ones have read what it writes. Loads and stores wait
 * until older stores have issued, loads pass loads, and nothing issues beyond a branch or a barrier: so does
 * the simulator that was published with the paper. The paper's issue buffer has 8 entries a warp, and it
 * measures 4, 16 and 32 as well.
 *
 * Deviations. An entry of that buffer is free when its instruction issues; here instructions that have
 * issued are in the window until they are complete, so that order.window bounds how many of a warp are under
 * way (64 is nearest to the paper). The paper's scheduler keeps the two oldest that can issue of each warp,
 * and passes over a warp whose unit is busy; here the oldest whose unit is free issues. A store also waits
 * until older loads have issued, which the published simulator asks for only where it keeps state precise:
 * what it writes may be what they read. Atomics with a result stop dispatch; there they do so where state is
 * precise. Its variants with renaming, branch prediction and precise state are not modelled here. */
#include "config/config.h"
#include "core/order_policy.h"

static bool few_wait(const struct window_view *v) { return (u32)__builtin_popcountll(v->waiting) < v->cfg->ahead; }

const struct order_policy order_ghost = {
    .name = "ghost",
    .doc = "the oldest of a warp's next few instructions that can issue does; no renaming",
    .paper = "Chaturvedi and others, ISCA 2024",
    .out_of_order = true,
    .window =
        &(const struct order_window){.may_dispatch = few_wait, .may_issue = order_issues_any, .may_leave = order_leaves_any},
};
