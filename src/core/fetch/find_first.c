/* find_first: the lowest slot that can fetch.
 *
 * Paper: Aurud (2023) sections 3.1.2 and 3.2.3: Vortex's warp scheduler. Deviation: none. */
#include "core/fetch_policy.h"

static int find_first_pick(u32 *last, const struct fetch_view *v) {
    int slot = set_first(v->candidates, v->words);
    if (slot != NONE) *last = (u32)slot;
    return slot;
}

const struct fetch_policy fetch_find_first = {
    .name = "find_first",
    .doc = "the lowest slot that can fetch",
    .paper = "Aurud 2023, 3.1.2",
    .pick = find_first_pick,
};
