/* speculate_policy: the kind of policy that says where a branch will go before it is resolved, so that
 * dispatch need not wait (order.speculate; 44_dispatch.c asks). Rows are in speculate/.
 *
 *   owns        the answer, and through `learn` two bytes for each entry of a table (order.bimodal.entries)
 *               of each SM, 0 at a launch
 *   may read    the view
 *   never       reaches into the core
 *
 *   S1 it is asked about branches with a guard and one target only: others go where they say, or are waited
 *      for
 *   S2 the same view gets the same answer
 *   S3 learn is told each outcome once, in order of dispatch
 *
 * A branch of a warp has three ways: no lane takes it, all do, or they part. A wrong guess costs the time
 * until the branch is resolved; what would have been fetched and executed on the wrong path is not
 * modelled. */
#ifndef HEDDLE_SPECULATE_POLICY_H
#define HEDDLE_SPECULATE_POLICY_H

#include "base/base.h"

enum branch_way { WAY_NOT_TAKEN, WAY_TAKEN, WAY_PARTS };
struct branch_counters {
    u8 taken, parts; /* 0 to 3 */
};
struct branch_view {
    i32 pc, target;
    struct branch_counters counters; /* the branch's entry of the table */
};
struct speculate_policy {
    const char *name, *doc, *paper;
    enum branch_way (*guess)(const struct branch_view *v);             /* NULL: dispatch waits */
    void (*learn)(struct branch_counters *entry, enum branch_way way); /* NULL: it keeps no table */
};
extern const struct speculate_policy *const speculate_policies[]; /* ends with NULL */
#define SPECULATE_POLICY(name) extern const struct speculate_policy speculate_##name;
#include "core/policies.def"

#endif
