/* gto: the warp that fetched last as long as it can, else the one that came to the SM first.
 *
 * Paper: Aurud (2023) section 3.2.3. Deviation: age is that of arrival, not of equation 3.2; a slot that was
 * given to another warp keeps its turn. */
#include "core/fetch_policy.h"

static int gto_pick(u32 *last, const struct fetch_view *v) {
    int slot = set_has(v->candidates, *last) ? (int)*last : set_oldest(v->candidates, v->words, v->age);
    if (slot != NONE) *last = (u32)slot;
    return slot;
}

const struct fetch_policy fetch_gto = {
    .name = "gto",
    .doc = "greedy then oldest: the last that fetched as long as it can, else the warp that arrived first",
    .paper = "Aurud 2023, 3.2.3",
    .pick = gto_pick,
};
