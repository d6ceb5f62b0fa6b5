/* find_first: the lowest slot that can issue.
 *
 * Paper: Aurud (2023) section 3.2.3, figure 3.8, where it is Vortex's choice in fetch; here it can be tried
 * at issue too. Deviation: none. Not fair: a high slot waits as long as a lower one can issue.
 *
 * F1 no candidate has a lower slot than the one picked */
#include "core/sched_policy.h"

static int find_first_pick(void *state, const struct sched_view *v) {
    (void)state;
    return set_first(v->candidates, v->words);
}

static int find_first_preferred(const void *state, const struct sched_view *v) {
    (void)state;
    return set_first(v->valid, v->words);
}

const struct sched_policy sched_find_first = {
    .name = "find_first",
    .doc = "the lowest slot that can issue",
    .paper = "Aurud 2023, 3.2.3",
    .state_size = stateless_size,
    .init = stateless_init,
    .pick = find_first_pick,
    .issued = stateless_issued,
    .preferred = find_first_preferred,
};
