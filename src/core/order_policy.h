/* order_policy: in which order the instructions of a front issue. Every machine here issues them as the program has them: dispatch
 * (functional execution) and issue are one call (30_issue.c), and the kind has no hook, because nobody's decision would depend on one. */
#ifndef HEDDLE_ORDER_POLICY_H
#define HEDDLE_ORDER_POLICY_H

struct order_policy {
    const char *name, *doc, *paper;
};
extern const struct order_policy *const order_policies[]; /* ends with NULL */
extern const struct order_policy order_in_order;

#endif
