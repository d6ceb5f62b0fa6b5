/* frontier: of the parts of a warp, the one at the lowest pc runs; parts that stand at one pc become one.
 *
 * Paper: Diamos, Ashbaugh, Maiyuran, Kerr, Wu, Yalamanchili: SIMD re-convergence at thread frontiers, MICRO
 * 2011 (Jin 2012, section 2.2, knows it as the reconvergence of simultaneous branch interweaving: "always
 * scheduling the warp-split of the minimal PC"). Blocks have priorities, those of a program's order; while a
 * block of higher priority has lanes, others wait, and lanes that come to where others wait join them. So
 * lanes meet at the first block they have in common, which unstructured control flow reaches before the
 * immediate post-dominator.
 *
 * Deviations: the priority of an instruction is its pc, in the order in which the program was written, not
 * one that a compiler computed; with the pcs of all parts in sight no conservative branches are needed. Calls
 * go before all of the caller that follows. Lanes that poll at a low pc for others at a higher one never let
 * these run: the kernel is stopped with a diagnosis, as on a stack.
 *
 * F1 the part that runs has the lowest pc among those of the deepest call that can run */
#include "core/diverge_policy.h"

static i32 lowest(const struct warp *w) {
    i32 best = NONE;
    for (u32 i = 0; i < w->groups.n; i++) {
        if (w->groups.at[i].state != GROUP_READY) continue;
        if (best == NONE || diverge_before(w, &w->groups.at[i], &w->groups.at[best])) best = (i32)i;
    }
    return best;
}

bool diverge_lowest(struct diverge_view *v) {
    struct warp *w = v->w;
    if (diverge_starves(v)) return false;
    for (;;) {
        if (w->groups.n > 1) diverge_join(v);
        i32 g = lowest(w);
        if (g == NONE) {
            if (!diverge_release(v)) return false;
            continue;
        }
        if ((u32)g != v->group) diverge_turn(v, (u32)g);
        if (diverge_arrives(v, v->group)) return true;
        if (v->group >= w->groups.n) v->group = 0;
    }
}

const struct diverge_policy diverge_frontier = {
    .name = "frontier",
    .doc = "thread frontiers: the part at the lowest pc runs, and parts that stand at one pc become one",
    .paper = "Diamos, Ashbaugh, Maiyuran, Kerr, Wu, Yalamanchili, MICRO 2011",
    .never_meet = true,
    .next = diverge_lowest,
};
