/* gto_wait: the warp that fetched last as long as it can, else the one that was passed over most often since
 * it last fetched.
 *
 * Paper: Aurud (2023) section 3.2.3 with equation 3.2, as the scheduler of the same name. Deviation: none.
 * Ties go to the lowest slot. */
#include "core/fetch_policy.h"

static int gto_wait_pick(u32 *last, const struct fetch_view *v) {
    int best = set_has(v->candidates, *last) ? (int)*last : NONE;
    if (best != NONE) return best;
    SET_EACH (slot, v->candidates, v->words)
        if (best == NONE || v->waited[slot] > v->waited[best]) best = (int)slot;
    if (best != NONE) *last = (u32)best;
    return best;
}

const struct fetch_policy fetch_gto_wait = {
    .name = "gto_wait",
    .doc = "greedy then longest waiting: the last that fetched as long as it can, else the one passed over most often",
    .paper = "Aurud 2023, 3.2.3",
    .pick = gto_wait_pick,
    .waits = true,
};
