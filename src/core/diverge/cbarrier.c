/* cbarrier: convergence barriers, as NVIDIA's machines have them since Volta: a part of a warp runs until it
 * has to wait for the others at a barrier, ends or yields; then another goes on.
 *
 * Paper: Control flow management in modern GPUs (Hanoi), arXiv 2407.02944: BSSY names the lanes that will
 * wait for each other at a BSYNC, BREAK takes lanes out of a barrier, YIELD lets another part go on. Here a
 * meeting point (func/converge.c) is such a barrier: made at the branch, at its immediate post-dominator, for
 * all lanes of the branch; lanes that end leave it.
 *
 * What distinguishes it: from pdom, parts are not a stack, so lanes that poll for others of their warp yield
 * and all make progress; from its, a part that waits for memory keeps its warp (no switch but at a barrier,
 * an end or a yield), and results are awaited by the whole warp, whose parts share its scoreboard.
 *
 * Deviations: no instructions are spent on barriers and there are as many as nesting needs (hardware has 16
 * registers, B0 to B15, and spills them); lanes that poll yield after YIELD_POLLS polls, where hardware
 * yields at instructions a compiler put there; which part goes on after a yield is the next in order, after a
 * barrier or an end the innermost. The paper's order of the two sides of a branch is not followed: as
 * everywhere here the side that falls through goes first. */
#include "core/diverge_policy.h"

enum { YIELD_POLLS = 16 };

static bool cbarrier_next(struct diverge_view *v) {
    if (v->w->groups.n && v->group < v->w->groups.n && v->w->polled - v->polled_at > YIELD_POLLS) diverge_yield(v, YIELD_POLLS);
    return diverge_choose(v);
}

const struct diverge_policy diverge_cbarrier = {
    .name = "cbarrier",
    .doc =
        "convergence barriers: a part runs until it waits for others at a barrier, ends or polls for long, then another goes on",
    .paper = "Hanoi: Control flow management in modern GPUs, arXiv 2407.02944, 2024",
    .next = cbarrier_next,
};
