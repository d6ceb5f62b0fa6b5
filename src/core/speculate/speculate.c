/* Where a branch will go: not asked, by its direction, or by what it did before.
 *
 * Paper: Smith 1981, as CMU 18-447 teaches it. Deviation: a warp's branch may also part its lanes, for which
 * bimodal has a counter of its own; it goes before the other.
 *
 * B1 counters have two bits and saturate */
#include "core/speculate_policy.h"

static enum branch_way by_direction(const struct branch_view *v) { return v->target <= v->pc ? WAY_TAKEN : WAY_NOT_TAKEN; }

static enum branch_way by_counters(const struct branch_view *v) {
    if (v->counters.parts >= 2) return WAY_PARTS;
    return v->counters.taken >= 2 ? WAY_TAKEN : WAY_NOT_TAKEN;
}

static void count(u8 *counter, bool up) {
    if (up && *counter < 3) ++*counter;
    if (!up && *counter) --*counter;
}

static void learn_counters(struct branch_counters *entry, enum branch_way way) {
    count(&entry->parts, way == WAY_PARTS);
    if (way != WAY_PARTS) count(&entry->taken, way == WAY_TAKEN);
}

const struct speculate_policy speculate_never = {
    .name = "never",
    .doc = "dispatch waits until a branch is resolved",
    .paper = "CMU 18-447, lecture 15",
};
const struct speculate_policy speculate_static = {
    .name = "static",
    .doc = "branches backward are taken, branches forward are not",
    .paper = "Smith 1981",
    .guess = by_direction,
};
const struct speculate_policy speculate_bimodal = {
    .name = "bimodal",
    .doc = "as the branch went before, by a table of two-bit counters: not taken, taken, or lanes part",
    .paper = "Smith 1981",
    .guess = by_counters,
    .learn = learn_counters,
};
