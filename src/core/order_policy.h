/* order_policy: when, as far as other instructions of the same warp go, an instruction may issue.
 *
 * There are two sorts. Without a window, dispatch (functional execution, in each thread's program order) and
 * issue are one call (30_issue.c): the policy cannot change which instruction is next, and says with
 * `earliest` from which cycle on that one may go. With a window, instructions are dispatched into it in
 * program order, wait there for their operands, issue, complete and leave (45_window.c); the policy says what
 * the window has (names, stations, registers) and answers three questions about it. Units, fences and
 * barriers are waited for besides, whatever it answers.
 *
 * Owns: the answers; no state. May read: the views. May never touch: anything else.
 *   O1 the same view gets the same answer
 *   O2 `earliest` answers a cycle that is known, or NEVER while something in the view is outstanding; when
 *      nothing is, a cycle
 *   O3 of a window with entries, the oldest one is never held for ever: dispatch into an empty window is
 *      allowed, the oldest entry may issue when it is able, and may leave when it is complete */
#ifndef HEDDLE_ORDER_POLICY_H
#define HEDDLE_ORDER_POLICY_H

#include "base/base.h"

struct config;
struct order_view {
    u64 drain_cy; /* the last result of a unit so far is there */
    u64 loads;    /* memory instructions whose results are awaited */
    u64 queued;   /* memory instructions that the memory stage has not taken wholly */
};
/* A warp's window. Entries are bits; oldest[0] to oldest[n-1] are those in it, by age. */
struct window_view {
    const struct config *cfg;
    const u8 *oldest;
    u32 n;
    u64 waiting;  /* have not issued */
    u64 able;     /* of these, those whose operands, names and memory order let them */
    u64 complete; /* results are there */
};
struct order_window {
    bool renames;   /* results get new names: only true dependences are waited for */
    bool stations;  /* an entry takes a reservation station of its unit until its result is there (order.stations) ... */
    bool collects;  /* ... or, these being operand collectors, until it issues */
    bool registers; /* a result takes a physical register until its instruction leaves (order.registers) */
    bool precise;   /* entries leave in program order, and a store goes to memory only as the oldest of its warp */
    bool (*may_dispatch)(const struct window_view *v); /* one more */
    u64 (*may_issue)(const struct window_view *v);     /* of `able` */
    u64 (*may_leave)(const struct window_view *v);     /* of `complete`, in one cycle */
};
struct order_policy {
    const char *name, *doc, *paper;
    u64 (*earliest)(const struct order_view *v); /* NULL: at once */
    const struct order_window *window;           /* NULL: none */
    bool out_of_order;                           /* an instruction may issue before an older one of its warp */
};
extern const struct order_policy *const order_policies[]; /* ends with NULL */
#define ORDER_POLICY(name) extern const struct order_policy order_##name;
#include "core/policies.def"

/* --- answers that policies have in common */
static inline bool order_dispatches(const struct window_view *v) { return v->n < 64; }
static inline u64 order_issues_any(const struct window_view *v) { return v->able; }
static inline u64 order_leaves_any(const struct window_view *v) { return v->complete; }

#endif
