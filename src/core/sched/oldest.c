/* oldest: of the warps that can issue, the one that came to the SM first.
 *
 * Paper: the second half of greedy then oldest (Rogers et al., MICRO 2012), by itself.
 * Deviation: none. Not fair: a warp waits as long as older ones can issue.
 *
 * O1 no candidate is older than the one picked */
#include "core/sched_policy.h"

static int oldest_pick(void *state, const struct sched_view *v) {
    (void)state;
    return set_oldest(v->candidates, v->words, v->age);
}

static int oldest_preferred(const void *state, const struct sched_view *v) {
    (void)state;
    return set_oldest(v->valid, v->words, v->age);
}

const struct sched_policy sched_oldest = {
    .name = "oldest",
    .doc = "oldest first: the warp that arrived first of those that can issue",
    .paper = "Rogers, O'Connor, Aamodt, MICRO 2012",
    .state_size = stateless_size,
    .init = stateless_init,
    .pick = oldest_pick,
    .issued = stateless_issued,
    .preferred = oldest_preferred,
};
