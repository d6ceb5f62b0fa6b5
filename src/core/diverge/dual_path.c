/* dual_path: a reconvergence stack whose top has both sides of a branch, which take turns: when one waits for
 * long, the other goes on.
 *
 * Paper: Rhu, Erez: The dual-path execution model for efficient GPU control flow, HPCA 2013, section 3: an
 * entry of the stack has a path for each side; a scoreboard with a bit for the path lets both be under way at
 * once. Only the two paths of the topmost entry take turns: when one of them parts again, the other waits
 * until the inner branch is over, as there.
 *
 * Deviations: a warp shows its scheduler one instruction a cycle, that of the path whose turn it is, and the
 * turn changes when that one waits for memory, an atomic or a fence; in the paper both paths are seen in
 * every cycle, so that short waits overlap too. Results are awaited lane by lane, which is the path's own
 * scoreboard without a bound on entries. Lanes that poll for the other side of their own branch are helped
 * by its turn; those that poll for others of their warp are not, as on any stack: diagnosed.
 *
 * P1 a part that is chosen heads for the innermost meeting point among its warp's parts that can run */
#include "core/diverge_policy.h"

static bool dual_next(struct diverge_view *v) { return !diverge_starves(v) && diverge_choose(v); }

/* The other side of the same branch, when it can run and does not wait too */
static bool dual_blocked(struct diverge_view *v) {
    const struct warp *w = v->w;
    const struct group *g = &w->groups.at[v->group];
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *h = &w->groups.at[i];
        if (i == v->group || h->state != GROUP_READY || h->conv != g->conv || h->conv == NONE || diverge_waits(v, i)) continue;
        diverge_turn(v, i);
        return true;
    }
    return false;
}

const struct diverge_policy diverge_dual_path = {
    .name = "dual_path",
    .doc = "dual-path stack: the two sides of the innermost branch take turns when one waits for memory",
    .paper = "Rhu, Erez, HPCA 2013",
    .as_untimed = true,
    .by_lane = true,
    .next = dual_next,
    .blocked = dual_blocked,
};
