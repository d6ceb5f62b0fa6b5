/* lrr: of the warps that can fetch, the next slot after the one that fetched last.
 *
 * Paper: Aurud (2023) section 3.2.3. Deviation: none. */
#include "core/fetch_policy.h"

static int lrr_pick(u32 *last, const struct fetch_view *v) {
    int slot = set_after(v->candidates, v->words, *last);
    if (slot != NONE) *last = (u32)slot;
    return slot;
}

const struct fetch_policy fetch_lrr = {
    .name = "lrr",
    .doc = "loose round robin: the next slot after the last that can fetch",
    .paper = "Aurud 2023, 3.2.3",
    .pick = lrr_pick,
};
