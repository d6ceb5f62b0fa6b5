/* policies: the tables of every kind of policy, and finding a row by the name in the configuration.
 *
 * A new policy is a row of policies.def. Any policy of one kind goes with any of the others, but for the
 * pairs that policies_find refuses, with the reason. */
#include "core/policies.h"

#include "core/diverge_policy.h"
#include "core/fetch_policy.h"
#include "core/hazard_policy.h"
#include "core/order_policy.h"
#include "core/predictor_policy.h"
#include "core/sched_policy.h"
#include "core/speculate_policy.h"
#include "core/tracker_policy.h"

#include <stdlib.h>
#include <string.h>

#define SCHED_POLICY(name) &sched_##name,
const struct sched_policy *const sched_policies[] = {
#include "core/policies.def"
    NULL};
#define FETCH_POLICY(name) &fetch_##name,
const struct fetch_policy *const fetch_policies[] = {
#include "core/policies.def"
    NULL};
#define DIVERGE_POLICY(name) &diverge_##name,
const struct diverge_policy *const diverge_policies[] = {
#include "core/policies.def"
    NULL};
#define ORDER_POLICY(name) &order_##name,
const struct order_policy *const order_policies[] = {
#include "core/policies.def"
    NULL};
#define SPECULATE_POLICY(name) &speculate_##name,
const struct speculate_policy *const speculate_policies[] = {
#include "core/policies.def"
    NULL};
#define HAZARD_POLICY(name) &hazard_##name,
const struct hazard_policy *const hazard_policies[] = {
#include "core/policies.def"
    NULL};
#define TRACKER_POLICY(name) &tracker_##name,
const struct tracker_policy *const tracker_policies[] = {
#include "core/policies.def"
    NULL};
#define PREDICTOR_POLICY(name) &predictor_##name,
const struct predictor_policy *const predictor_policies[] = {
#include "core/policies.def"
    NULL};

/* --- the kinds. The name of one begins that of its table and is the field of struct config and struct
 * policies, and the kind of its key in config.def. */
#define KINDS KIND(sched) KIND(fetch) KIND(diverge) KIND(order) KIND(speculate) KIND(hazard) KIND(tracker) KIND(predictor)

/* Row i of one kind; past the last, the name is NULL */
#define KIND(kind)                                                                                                               \
    static struct policy_row kind##_row(u32 i) {                                                                                 \
        if (!kind##_policies[i]) return (struct policy_row){#kind, NULL, NULL, NULL};                                            \
        return (struct policy_row){#kind, kind##_policies[i]->name, kind##_policies[i]->doc, kind##_policies[i]->paper};         \
    }
KINDS
#undef KIND

typedef struct policy_row row_fn(u32 i);
static row_fn *const kinds[] = {
#define KIND(kind) kind##_row,
    KINDS
#undef KIND
};

u32 policy_count(void) {
    u32 n = 0;
    while (policy_at(n).name) n++;
    return n;
}

struct policy_row policy_at(u32 i) {
    for (u32 k = 0; k < ARRAY_LEN(kinds); k++)
        for (u32 r = 0; kinds[k](r).name; r++)
            if (i-- == 0) return kinds[k](r);
    return (struct policy_row){NULL, NULL, NULL, NULL};
}

/* --- by name */
static const char *key_of(const char *kind) {
    for (const struct cfg_key *k = cfg_keys; k < cfg_keys + cfg_key_count; k++)
        if (k->type == KEY_TYPE_POLICY && strcmp(k->choices, kind) == 0) return k->name;
    base_check_failed(__FILE__, __LINE__, "every kind of policy has a key");
}

static void say_unknown(const struct config *c, row_fn *row, const char *name, struct diag *d) {
    struct strbuf legal = {0};
    VEC(const char *) names = {0};
    for (u32 i = 0; row(i).name; i++) {
        VEC_PUSH(&names, row(i).name);
        strbuf_add(&legal, "%s%s", i == 0 ? "" : row(i + 1).name ? ", " : " or ", row(i).name);
    }
    const char *near = text_nearest(name, names.at, names.n);
    diag_error(d, c->machine, 0, 0, "%s must be %s, not \"%s\"%s%s%s", key_of(row(0).kind), legal.s, name,
               near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(names.at);
    strbuf_free(&legal);
}

static i32 find_row(const struct config *c, row_fn *row, const char *name, struct diag *d) {
    for (u32 i = 0; row(i).name; i++)
        if (strcmp(row(i).name, name) == 0) return (i32)i;
    say_unknown(c, row, name, d);
    return NONE;
}

/* Instructions that issue beside others and what they do not go with */
static bool weaves_go_with(const struct config *c, const struct policies *p, struct diag *d) {
    const char *name = p->diverge->name;
    u32 before = d->errors;
    if (p->order->window)
        diag_error(d, c->machine, 0, 0,
                   "sm.order = %s does not go with sm.diverge = %s: a window has the instructions of one part of a warp after "
                   "another, not of two at once; use sm.order = in_order or single",
                   p->order->name, name);
    if (p->hazard->retains || p->hazard->leaves)
        diag_error(
            d, c->machine, 0, 0,
            "sm.diverge = %s does not go with sm.hazard = %s: two instructions of a warp issue at once, and a buffer entry "
            "has one active mask; use sm.hazard = stall",
            name, p->hazard->name);
    if (p->tracker->is_free)
        diag_error(
            d, c->machine, 0, 0,
            "sm.diverge = %s does not go with sm.hazard.tracker: prediction looks at the one instruction a warp would issue "
            "next, and two issue at once; use sm.hazard.tracker = none",
            name);
    if (c->issue_width > 1)
        diag_error(
            d, c->machine, 0, 0,
            "sm.diverge = %s does not go with sm.issue_width = %u: the second place of a cycle is for what goes beside the "
            "first; use sm.issue_width = 1",
            name, c->issue_width);
    if (p->order->earliest && c->interweave_with == WEAVE_BRANCHES)
        diag_error(d, c->machine, 0, 0,
                   "sm.order = %s does not go with interweave.with = branches: no two parts of a warp have an instruction under "
                   "way; use sm.order = in_order",
                   p->order->name);
    if (c->warp_scale)
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s does not go with sm.warp_scale = hybrid: a second instruction goes in the lanes whose beats "
                   "hybrid warps leave out; use sm.warp_scale = off",
                   name);
    return d->errors == before;
}

/* Windows and what they do not go with */
static bool window_goes_with(const struct config *c, const struct policies *p, struct diag *d) {
    bool ok = true;
    if (p->hazard->retains || p->hazard->leaves) {
        diag_error(d, c->machine, 0, 0,
                   "sm.order = %s does not go with sm.hazard = %s: an instruction leaves the instruction buffer when it is "
                   "dispatched, and cannot be issued again from there; use sm.hazard = stall",
                   p->order->name, p->hazard->name);
        ok = false;
    }
    if (p->tracker->is_free) {
        diag_error(d, c->machine, 0, 0,
                   "sm.order = %s does not go with sm.hazard.tracker: prediction looks at the one instruction a warp would issue "
                   "next, before it is executed; use sm.hazard.tracker = none",
                   p->order->name);
        ok = false;
    }
    if (p->diverge->joint) {
        diag_error(d, c->machine, 0, 0,
                   "sm.order = %s does not go with sm.diverge = %s: a window has the instructions of one part of a warp after "
                   "another, not of several at once; use sm.diverge = pdom, none or its",
                   p->order->name, p->diverge->name);
        ok = false;
    }
    return ok;
}

/* Formed fronts and what they do not go with */
static bool forms_goes_with(const struct config *c, const struct policies *p, struct diag *d) {
    const char *name = p->diverge->name;
    u32 before = d->errors;
    if (p->order->window)
        diag_error(
            d, c->machine, 0, 0,
            "sm.order = %s does not go with sm.diverge = %s: a window has the instructions of one warp, and a formed front "
            "is of several; use sm.order = in_order or single",
            p->order->name, name);
    if (p->hazard->retains || p->hazard->leaves)
        diag_error(
            d, c->machine, 0, 0,
            "sm.diverge = %s does not go with sm.hazard = %s: an instruction is issued again from its warp's buffer, and a "
            "formed front may have parted by then; use sm.hazard = stall",
            name, p->hazard->name);
    if (p->tracker->is_free)
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s does not go with sm.hazard.tracker: prediction looks at the next load of one warp, and a "
                   "formed front has loads of several; use sm.hazard.tracker = none",
                   name);
    if (c->reexec)
        diag_error(
            d, c->machine, 0, 0,
            "sm.diverge = %s does not go with sm.lsu.reexec: the queue keeps the accesses of a warp in order, and a formed "
            "front has those of several; use sm.lsu.reexec = 0",
            name);
    if (c->pipeline == PIPELINE_VORTEX)
        diag_error(
            d, c->machine, 0, 0,
            "sm.diverge = %s does not go with sm.pipeline = vortex: its front end fetches for warps, not for formed fronts; "
            "use sm.pipeline = common",
            name);
    if (c->squeeze && c->warp_size % MIN(c->alu_width, c->warp_size))
        diag_error(
            d, c->machine, 0, 0,
            "sm.diverge = %s does not go with sm.squeeze where sm.warp_size, %u, is no multiple of sm.alu.width, %u: a beat "
            "that is not whole has no place for a thread that moves; use sm.squeeze = off",
            name, c->warp_size, c->alu_width);
    if (p->sched->shared_size && !(p->diverge->chooses && p->diverge->chooses(c)))
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s does not go with sm.sched = %s: it follows warps and their blocks through memory, and formed "
                   "fronts come and go; use lrr, gto or two_level%s",
                   name, p->sched->name, p->diverge->chooses ? ", or a dwf.policy other than sched" : "");
    if (p->diverge->places && (c->warps + c->schedulers - 1) / c->schedulers * c->schedulers * c->warp_size > MAX_FRONTS)
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s needs a place for each thread: sm.warps %u, in whole rounds of sm.schedulers %u, times "
                   "sm.warp_size %u is more than %d",
                   name, c->warps, c->schedulers, c->warp_size, MAX_FRONTS);
    return d->errors == before;
}

/* Warps that are subdivided at loads and what they do not go with */
static bool splits_go_with(const struct config *c, const struct policies *p, struct diag *d) {
    const char *name = p->diverge->name;
    u32 before = d->errors;
    if (p->order->window)
        diag_error(d, c->machine, 0, 0,
                   "sm.order = %s does not go with sm.diverge = %s at loads: lanes of an instruction in a window have their "
                   "results together; use dws.split = branch, or sm.order = in_order or single",
                   p->order->name, name);
    else if (p->order->earliest)
        diag_error(
            d, c->machine, 0, 0,
            "sm.order = %s does not go with sm.diverge = %s at loads: no lane of a warp goes on while a load of it is under "
            "way; use dws.split = branch or sm.order = in_order",
            p->order->name, name);
    if (p->hazard->retains || p->hazard->leaves)
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s at loads does not go with sm.hazard = %s: a load that is issued again has not told which of "
                   "its lanes hit; use dws.split = branch or sm.hazard = stall",
                   name, p->hazard->name);
    if (c->reexec)
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s at loads does not go with sm.lsu.reexec: a load leaves the pipe before all its accesses were "
                   "looked up; use dws.split = branch or sm.lsu.reexec = 0",
                   name);
    return d->errors == before;
}

bool policies_out_of_order(const struct config *c) {
    for (u32 i = 0; order_policies[i]; i++)
        if (strcmp(order_policies[i]->name, c->order) == 0) return order_policies[i]->out_of_order;
    return false;
}

bool policies_find(const struct config *c, struct policies *p, struct diag *d) {
    bool ok = true;
#define KIND(kind)                                                                                                               \
    i32 kind = find_row(c, kind##_row, c->kind, d);                                                                              \
    p->kind = kind == NONE ? NULL : kind##_policies[kind];                                                                       \
    ok &= kind != NONE;
    KINDS
#undef KIND
    if (ok && p->diverge->joint && p->hazard->retains) {
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s does not go with sm.hazard = %s: several instructions of a warp issue at once, and a buffer "
                   "entry has one active "
                   "mask; use sm.hazard = stall",
                   p->diverge->name, p->hazard->name);
        ok = false;
    }
    if (ok && c->reexec && p->tracker->is_free) {
        diag_error(d, c->machine, 0, 0,
                   "sm.lsu.reexec does not go with sm.hazard.tracker: a credit is for an instruction in the pipe, and the queue "
                   "holds accesses "
                   "that have left it; use sm.hazard.tracker = none or sm.lsu.reexec = 0");
        ok = false;
    }
    if (ok && p->diverge->joint && p->tracker->is_free) {
        diag_error(d, c->machine, 0, 0,
                   "sm.diverge = %s does not go with sm.hazard.tracker: prediction looks at the one instruction a warp would "
                   "issue next, and "
                   "several issue at once; use sm.hazard.tracker = none",
                   p->diverge->name);
        ok = false;
    }
    if (ok && p->diverge->weaves) ok = weaves_go_with(c, p, d);
    if (ok && p->diverge->by_load && p->diverge->by_load(c)) ok = splits_go_with(c, p, d);
    if (ok && p->diverge->forms) ok = forms_goes_with(c, p, d);
    else if (ok && p->order->window) ok = window_goes_with(c, p, d);
    if (ok && c->memory_order && !(p->order->window && p->order->window->precise)) {
        diag_error(d, c->machine, 0, 0,
                   "order.memory = %s does not go with sm.order = %s: a load that went too early must be taken back, and with it "
                   "what used its value; use sm.order = rob or order.memory = conservative",
                   c->memory_order == 1 ? "aggressive" : "predicted", p->order->name);
        ok = false;
    }
    if (ok && c->precise && !(p->order->window && p->order->window->precise)) {
        diag_error(d, c->machine, 0, 0,
                   "order.precise does not go with sm.order = %s, which has no precise state: use sm.order = rob, or leave "
                   "order.precise = rob",
                   p->order->name);
        ok = false;
    }
    if (ok && p->speculate->guess && !(p->order->window && p->order->window->precise)) {
        diag_error(
            d, c->machine, 0, 0,
            "order.speculate = %s does not go with sm.order = %s: what is executed beyond a branch must not be final before "
            "that is resolved; use sm.order = rob or order.speculate = never",
            p->speculate->name, p->order->name);
        ok = false;
    }
    return ok;
}
