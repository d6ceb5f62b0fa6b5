/* predictor_policy: the kind of policy that says which loads will miss, before they issue
 * (sm.hazard.predictor; 35_predict.c asks). Rows are in predictor/.
 *
 *   owns        the answer, and through `learn` one byte for each entry of the table (sm.hazard.counter.*), 0
 *               at a launch
 *   may read    the view
 *   never       reaches into the core or the cache: the view's `present` looks, and changes nothing
 *
 *   Y1 it is asked about loads only that may need an MSHR; those known to miss (refused for want of one
 *      before) are not asked about
 *   Y2 the same view gets the same answer
 *   Y3 learn is told each outcome once an issue, in order; tables of several SMs are merged at multiples of
 *      the window */
#ifndef HEDDLE_PREDICTOR_POLICY_H
#define HEDDLE_PREDICTOR_POLICY_H

#include "base/base.h"

struct predict_view {
    u8 counter;                                    /* the instruction's entry of the table */
    u32 bits;                                      /* sm.hazard.counter.bits */
    bool (*present)(const struct predict_view *v); /* its next line is in the cache, or on its way there */
};
struct predictor_policy {
    const char *name, *doc, *paper;
    bool (*expects_miss)(const struct predict_view *v);
    void (*learn)(u8 *counter, u32 bits, bool missed); /* NULL: it keeps no table */
};
extern const struct predictor_policy *const predictor_policies[]; /* ends with NULL */
#define PREDICTOR_POLICY(name) extern const struct predictor_policy predictor_##name;
#include "core/policies.def"

#endif
