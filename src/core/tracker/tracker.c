/* What the scheduler knows of the resource that misses need: three trackers.
 *
 * Paper: Turner (2012) section 6.0.1. Deviation: none.
 *
 * N1 naive with sm.hazard.tracker_cy = n says at cycle t what was in use at t - n */
#include "core/tracker_policy.h"

static bool naive_is_free(struct track *t, const struct track_view *v) {
    if (!v->cfg->tracker_cy) return v->used < v->size;
    while (t->past_at < t->past.n && t->past.at[t->past_at].cycle <= v->now) t->used = t->past.at[t->past_at++].used;
    if (t->past_at == t->past.n) t->past_at = t->past.n = 0;
    return t->used < v->size;
}

static void naive_changed(struct track *t, const struct track_view *v) {
    if (!v->cfg->tracker_cy) return;
    struct seen x = {v->now + v->cfg->tracker_cy, v->used};
    VEC_PUSH(&t->past, x);
}

static u64 naive_next(const struct track *t, u64 now) {
    return t->past_at < t->past.n ? MAX(now, t->past.at[t->past_at].cycle) : UINT64_MAX;
}

static bool credit_is_free(struct track *t, const struct track_view *v) {
    (void)v;
    return t->pool > 0;
}

const struct tracker_policy tracker_none = {
    .name = "none",
    .doc = "nothing: no load is held back",
    .paper = "Turner 2012, chapter 5",
};
const struct tracker_policy tracker_naive = {
    .name = "naive",
    .doc = "how many are in use, sm.hazard.tracker_cy cycles ago",
    .paper = "Turner 2012, 6.0.1",
    .is_free = naive_is_free,
    .changed = naive_changed,
    .next = naive_next,
};
const struct tracker_policy tracker_credit = {
    .name = "credit",
    .doc = "credits, given out with each load that is expected to miss",
    .paper = "Turner 2012, 6.0.1",
    .gives_credits = true,
    .is_free = credit_is_free,
};
