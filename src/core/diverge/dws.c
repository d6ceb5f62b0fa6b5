/* dws: dynamic warp subdivision. The sides of a branch, and lanes of a load whose data is there while others
 * wait for a miss, are warp-splits: each goes on by itself when another waits for memory.
 *
 * Paper: Meng, Tarjan, Skadron: Dynamic warp subdivision for integrated branch and memory divergence
 * tolerance, ISCA 2010. Splits at branches and at memory; a bounded warp-split table; three schemes of when
 * to split at memory (aggressive, lazy, revive); re-convergence before the next branch (limited) or beyond it
 * (bypass), at post-dominators, and where splits stand at one pc. The table and the splits at loads are
 * 36_split.c's, who has its data 71_early.c's.
 *
 * Deviations: a warp shows its scheduler one instruction a cycle, that of the split whose turn it is, and the
 * turn changes when that one waits for memory, an atomic or a fence; in the paper each split has a slot of
 * the scheduler. The paper's cores stop a warp at a load, and its lanes part there; here a warp goes on to
 * the first instruction that needs the value, and parts there. Every branch whose lanes part may make a
 * split, where the paper leaves out some that a compiler finds to be of no use. Splits that stand at one pc
 * become one only if they wait for the same: lanes that have just parted do not meet at once. Lanes that poll
 * for others of their warp give way to them, as under its.
 *
 * D1 a part that takes its turn is of another split than the one that waits, and does not wait itself */
#include "core/diverge_policy.h"

enum { DWS_POLLS = 16 }; /* polls before another group gets its turn */

static bool wait_alike(const struct diverge_view *v, u32 a, u32 b) { return diverge_waits(v, a) == diverge_waits(v, b); }

static void join(struct diverge_view *v) {
    diverge_join_if(v, wait_alike);
    for (u32 i = 0; i < v->w->groups.n; i++) group_met(v->w, i);
}

static bool dws_next(struct diverge_view *v) {
    const struct warp *w = v->w;
    split_ran(v);
    if (w->groups.n > 1) join(v);
    if (w->groups.n && v->group < w->groups.n && w->polled - v->polled_at > DWS_POLLS) diverge_yield(v, DWS_POLLS);
    bool runs = diverge_choose_if(v, split_may_run);
    split_settle(v);
    return runs;
}

static bool dws_blocked(struct diverge_view *v) {
    const struct warp *w = v->w;
    for (u32 i = 1; i < w->groups.n; i++) {
        u32 g = (v->group + i) % w->groups.n;
        if (w->groups.at[g].state != GROUP_READY || !split_ready(v, g) || diverge_waits(v, g)) continue;
        diverge_turn(v, g);
        split_shows(v);
        return true;
    }
    return false;
}

static bool by_load(const struct config *c) { return c->dws_split != DWS_BRANCH; }

const struct diverge_policy diverge_dws = {
    .name = "dws",
    .doc = "dynamic warp subdivision: sides of a branch, and lanes of a load that need not wait for others' misses, are "
           "warp-splits that take turns when one waits for memory",
    .paper = "Meng, Tarjan, Skadron, ISCA 2010",
    .by_lane = true,
    .by_load = by_load,
    .next = dws_next,
    .blocked = dws_blocked,
};
