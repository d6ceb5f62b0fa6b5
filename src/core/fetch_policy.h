/* fetch_policy: which front fetches. Asked once for each fetch of a cycle, while somebody can.
 *
 * Owns: nothing but the number of the slot that fetched last, which the stage keeps for it. May read: the
 * view. */
#ifndef HEDDLE_FETCH_POLICY_H
#define HEDDLE_FETCH_POLICY_H

#include "core/sched_policy.h"

struct fetch_view {
    const u64 *candidates; /* slots that can fetch: a set (base/set.h) */
    u32 words;
    const u64 *age;
    const u64 *waited; /* by slot: times that another one fetched while it could, since it fetched itself; with `waits` */
};
struct fetch_policy {
    const char *name, *doc, *paper;
    int (*pick)(u32 *last, const struct fetch_view *v); /* last: the slot that fetched last */
    bool waits;                                         /* it reads `waited`, which the stage then counts */
};
/* One of these was chosen; the others are passed over (Aurud's equation 3.2) */
static inline void fetch_pass_over(u64 *waited, const u64 *candidates, u32 words, u32 chosen) {
    SET_EACH (other, candidates, words) waited[other]++;
    waited[chosen] = 0;
}
extern const struct fetch_policy *const fetch_policies[]; /* ends with NULL */
#define FETCH_POLICY(name) extern const struct fetch_policy fetch_##name;
#include "core/policies.def"

#endif
