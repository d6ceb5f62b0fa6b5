/* lrr: loose round robin. From the slot behind the one that issued last, the first that can.
 *
 * Paper: the baseline of most; Mascar (HPCA 2015) section IV-A, Aurud (2023) section 2.2 and, as "ready
 * scheduling", section 3.2.1. Deviation: none. Cycles in which nothing issues do not move the turn.
 *
 * R1 a slot that can issue in every cycle issues at least once in as many picks as the scheduler has slots */
#include "core/sched_policy.h"

struct lrr {
    u32 last; /* slot that issued last */
};

static size_t lrr_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct lrr);
}

static void lrr_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)c, (void)index;
    struct lrr *s = state;
    s->last = fronts - 1; /* so that the first turn is slot 0's */
}

static int lrr_pick(void *state, const struct sched_view *v) {
    const struct lrr *s = state;
    return set_after(v->candidates, v->words, s->last);
}

static void lrr_issued(void *state, int slot) {
    struct lrr *s = state;
    s->last = (u32)slot;
}

static int lrr_preferred(const void *state, const struct sched_view *v) {
    const struct lrr *s = state;
    return set_after(v->valid, v->words, s->last);
}

const struct sched_policy sched_lrr = {
    .name = "lrr",
    .doc = "loose round robin: the next slot after the last issued that can issue",
    .paper = "Mascar, HPCA 2015, IV-A; Aurud 2023, 2.2",
    .state_size = lrr_size,
    .init = lrr_init,
    .pick = lrr_pick,
    .issued = lrr_issued,
    .preferred = lrr_preferred,
};
