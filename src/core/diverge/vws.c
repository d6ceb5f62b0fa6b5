/* Variable warp sizing: the row. How gangs part and form again is 43_gang.c's, what each slice has of
 * registers, collectors and units 40_operands.c's and 50_execute.c's.
 *
 * Paper: Rogers, Johnson, O'Connor, Keckler, "A Variable Warp Size Architecture" (ISCA 2015). */
#include "base/set.h"
#include "core/diverge_policy.h"

static u32 slices(const struct config *c) { return c->warp_size / c->vws_slice; }

/* A place for each slice, for each scheduler */
static u32 places(const struct config *c) { return (c->warps + c->schedulers - 1) / c->schedulers * c->schedulers * slices(c); }

static bool by_load(const struct config *c) { return c->vws_memory != VWS_WAITS; }

/* vws.first: the gangs of most slices, or of fewest */
static void offer(const struct config *c, const u32 *slices, u64 *set, u32 words) {
    u32 best = 0;
    bool big = c->vws_first == VWS_BIG;
    if (c->vws_first == VWS_SCHED) return;
    SET_EACH (slot, set, words) {
        u32 n = (u32)__builtin_popcount(slices[slot]);
        if (!best || (big ? n > best : n < best)) best = n;
    }
    SET_EACH (slot, set, words)
        if ((u32)__builtin_popcount(slices[slot]) != best) set_drop(set, slot);
}

static bool front_each(const struct config *c) { return c->vws_front == VWS_OF_SLICES; }

const struct diverge_policy diverge_vws = {
    .name = "vws",
    .doc = "variable warp sizing: slices of a warp are small warps with a stack, registers and units of their own; they issue "
           "as one gang while they stand at one pc",
    .paper = "Rogers, Johnson, O'Connor, Keckler, ISCA 2015",
    .by_lane = true,
    .forms = true,
    .places = places,
    .by_load = by_load,
    .slices = slices,
    .offer = offer,
    .front_each = front_each,
};
