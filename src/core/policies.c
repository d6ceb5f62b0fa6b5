/* policies: the tables of every kind of policy, and finding a row by the name in the configuration.
 *
 * A new policy is a row of policies.def. Any policy of one kind goes with any of the others, but for the
 * pairs of the table below, each refused with the reason. */
#include "core/policies.h"

#include "core/diverge_policy.h"
#include "core/fetch_policy.h"
#include "core/hazard_policy.h"
#include "core/order_policy.h"
#include "core/predictor_policy.h"
#include "core/sched_policy.h"
#include "core/speculate_policy.h"
#include "core/tracker_policy.h"

#include <stdio.h>
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

/* --- pairs that do not go together */

struct chosen {
    const struct config *c;
    const struct policies *p;
};
typedef bool is_fn(const struct chosen *x);

static bool forms(const struct chosen *x) { return x->p->diverge->forms; }
static bool slices(const struct chosen *x) { return x->p->diverge->slices; }
static bool slices_at_loads(const struct chosen *x) { return slices(x) && x->p->diverge->by_load(x->c); }
static bool splits_at_loads(const struct chosen *x) {
    return !forms(x) && x->p->diverge->by_load && x->p->diverge->by_load(x->c);
}
static bool weaves(const struct chosen *x) { return x->p->diverge->weaves; }
static bool weaves_branches(const struct chosen *x) { return weaves(x) && x->c->interweave_with == WEAVE_BRANCHES; }
static bool joint(const struct chosen *x) { return x->p->diverge->joint; }
static bool windowed(const struct chosen *x) { return x->p->order->window; }
static bool imprecise(const struct chosen *x) { return !x->p->order->window || !x->p->order->window->precise; }
static bool waits_for_all(const struct chosen *x) { return !windowed(x) && x->p->order->earliest; }
static bool issues_again(const struct chosen *x) { return x->p->hazard->retains || x->p->hazard->leaves; }
static bool tracked(const struct chosen *x) { return x->p->tracker->is_free; }
static bool reexecutes(const struct chosen *x) { return x->c->reexec; }
static bool vortex(const struct chosen *x) { return x->c->pipeline == PIPELINE_VORTEX; }
static bool issues_several(const struct chosen *x) { return x->c->issue_width > 1; }
static bool hybrid(const struct chosen *x) { return x->c->warp_scale; }
static bool squeezes_odd(const struct chosen *x) {
    return x->c->squeeze && x->c->warp_size % MIN(x->c->alu_width, x->c->warp_size);
}
static bool sched_shares(const struct chosen *x) {
    return x->p->sched->shared_size && !(x->p->diverge->chooses && x->p->diverge->chooses(x->c));
}
static bool sched_shares_alone(const struct chosen *x) { return sched_shares(x) && !x->p->diverge->chooses; }
static bool sched_shares_instead(const struct chosen *x) { return sched_shares(x) && x->p->diverge->chooses; }
static bool too_many_places(const struct chosen *x) { return x->p->diverge->places && x->p->diverge->places(x->c) > MAX_FRONTS; }
static bool loads_go_early(const struct chosen *x) { return x->c->memory_order; }
static bool keeps_state(const struct chosen *x) { return x->c->precise; }
static bool guesses(const struct chosen *x) { return x->p->speculate->guess; }

/* {sm.diverge} and the like stand for a key's value, {schedulers} for those that follow no warps */
static const struct pair {
    is_fn *one, *other;
    const char *why;
} pairs[] = {
    {joint, issues_again,
     "sm.diverge = {sm.diverge} does not go with sm.hazard = {sm.hazard}: several instructions of a warp issue at once, and a "
     "buffer entry has one active mask; use sm.hazard = stall"},
    {reexecutes, tracked,
     "sm.lsu.reexec does not go with sm.hazard.tracker: a credit is for an instruction in the pipe, and the queue holds accesses "
     "that have left it; use sm.hazard.tracker = none or sm.lsu.reexec = 0"},
    {joint, tracked,
     "sm.diverge = {sm.diverge} does not go with sm.hazard.tracker: prediction looks at the one instruction a warp would issue "
     "next, and several issue at once; use sm.hazard.tracker = none"},
    {joint, windowed,
     "sm.order = {sm.order} does not go with sm.diverge = {sm.diverge}: a window has the instructions of one part of a warp "
     "after another, not of several at once; use sm.diverge = pdom, none or its"},
    /* instructions that issue beside others */
    {weaves, windowed,
     "sm.order = {sm.order} does not go with sm.diverge = {sm.diverge}: a window has the instructions of one part of a warp "
     "after another, not of two at once; use sm.order = in_order or single"},
    {weaves, issues_again,
     "sm.diverge = {sm.diverge} does not go with sm.hazard = {sm.hazard}: two instructions of a warp issue at once, and a buffer "
     "entry has one active mask; use sm.hazard = stall"},
    {weaves, tracked,
     "sm.diverge = {sm.diverge} does not go with sm.hazard.tracker: prediction looks at the one instruction a warp would issue "
     "next, and two issue at once; use sm.hazard.tracker = none"},
    {joint, vortex,
     "sm.diverge = {sm.diverge} does not go with sm.pipeline = vortex: several instructions of a warp issue at once, and its "
     "units take one a cycle; use sm.diverge = pdom, none or its, or sm.pipeline = common"},
    {weaves, vortex,
     "sm.diverge = {sm.diverge} does not go with sm.pipeline = vortex: two instructions of a cycle go to one unit, and its units "
     "take one; use sm.diverge = pdom, none or its, or sm.pipeline = common"},
    {splits_at_loads, vortex,
     "sm.diverge = {sm.diverge} at loads does not go with sm.pipeline = vortex: its load queue tells when a word has come, not "
     "which lanes hit; use dws.split = branch or sm.pipeline = common"},
    {weaves, issues_several,
     "sm.diverge = {sm.diverge} does not go with sm.issue_width = {sm.issue_width}: the second place of a cycle is for what goes "
     "beside the first; use sm.issue_width = 1"},
    {weaves_branches, waits_for_all,
     "sm.order = {sm.order} does not go with interweave.with = branches: no two parts of a warp have an instruction under way; "
     "use sm.order = in_order"},
    {weaves, hybrid,
     "sm.diverge = {sm.diverge} does not go with sm.warp_scale = hybrid: a second instruction goes in the lanes whose beats "
     "hybrid warps leave out; use sm.warp_scale = off"},
    /* warps that are subdivided at loads */
    {splits_at_loads, windowed,
     "sm.order = {sm.order} does not go with sm.diverge = {sm.diverge} at loads: lanes of an instruction in a window have their "
     "results together; use dws.split = branch, or sm.order = in_order or single"},
    {splits_at_loads, waits_for_all,
     "sm.order = {sm.order} does not go with sm.diverge = {sm.diverge} at loads: no lane of a warp goes on while a load of it is "
     "under way; use dws.split = branch or sm.order = in_order"},
    {splits_at_loads, issues_again,
     "sm.diverge = {sm.diverge} at loads does not go with sm.hazard = {sm.hazard}: a load that is issued again has not told "
     "which of its lanes hit; use dws.split = branch or sm.hazard = stall"},
    {splits_at_loads, reexecutes,
     "sm.diverge = {sm.diverge} at loads does not go with sm.lsu.reexec: a load leaves the pipe before all its accesses were "
     "looked up; use dws.split = branch or sm.lsu.reexec = 0"},
    /* formed fronts */
    {forms, windowed,
     "sm.order = {sm.order} does not go with sm.diverge = {sm.diverge}: a window has the instructions of one warp, and fronts "
     "that are formed are of several warps or of parts of one; use sm.order = in_order or single"},
    {forms, issues_again,
     "sm.diverge = {sm.diverge} does not go with sm.hazard = {sm.hazard}: an instruction is issued again from its warp's buffer, "
     "and a formed front may have parted by then; use sm.hazard = stall"},
    {forms, tracked,
     "sm.diverge = {sm.diverge} does not go with sm.hazard.tracker: prediction looks at the next load of one warp, and fronts "
     "that are formed have loads of several or of parts of one; use sm.hazard.tracker = none"},
    {forms, reexecutes,
     "sm.diverge = {sm.diverge} does not go with sm.lsu.reexec: the queue keeps the accesses of a warp in order, and fronts "
     "that are formed have those of several or of parts of one; use sm.lsu.reexec = 0"},
    {forms, vortex,
     "sm.diverge = {sm.diverge} does not go with sm.pipeline = vortex: its front end fetches for warps, not for formed fronts; "
     "use sm.pipeline = common"},
    {forms, squeezes_odd,
     "sm.diverge = {sm.diverge} does not go with sm.squeeze where sm.warp_size, {sm.warp_size}, is no multiple of sm.alu.width, "
     "{sm.alu.width}: a beat that is not whole has no place for a thread that moves; use sm.squeeze = off"},
    {forms, sched_shares_alone,
     "sm.diverge = {sm.diverge} does not go with sm.sched = {sm.sched}: it follows warps and their blocks through memory, and "
     "formed fronts come and go; use {schedulers}"},
    {forms, sched_shares_instead,
     "sm.diverge = {sm.diverge} does not go with sm.sched = {sm.sched}: it follows warps and their blocks through memory, and "
     "formed fronts come and go; use {schedulers}, or a dwf.policy other than sched"},
    {forms, too_many_places,
     "sm.diverge = {sm.diverge} needs a place for each thread: those of sm.warps, {sm.warps}, in whole rounds of "
     "sm.schedulers, {sm.schedulers}, with sm.warp_size = {sm.warp_size} are more than 4096"},
    /* slices of warps */
    {slices, issues_several,
     "sm.diverge = {sm.diverge} does not go with sm.issue_width = {sm.issue_width}: further places of a cycle are for gangs in "
     "other slices; use sm.issue_width = 1"},
    {slices, hybrid,
     "sm.diverge = {sm.diverge} does not go with sm.warp_scale = hybrid: what a gang leaves free of a unit is its other slices'; "
     "use sm.warp_scale = off"},
    {slices_at_loads, waits_for_all,
     "sm.order = {sm.order} does not go with vws.memory: no thread goes on while a load of it is under way, whether it has its "
     "data or not; use vws.memory = off or sm.order = in_order"},
    /* windows */
    {windowed, issues_again,
     "sm.order = {sm.order} does not go with sm.hazard = {sm.hazard}: an instruction leaves the instruction buffer when it is "
     "dispatched, and cannot be issued again from there; use sm.hazard = stall"},
    {windowed, tracked,
     "sm.order = {sm.order} does not go with sm.hazard.tracker: prediction looks at the one instruction a warp would issue next, "
     "before it is executed; use sm.hazard.tracker = none"},
    {loads_go_early, imprecise,
     "order.memory = {order.memory} does not go with sm.order = {sm.order}: a load that went too early must be taken back, and "
     "with it what used its value; use sm.order = rob or order.memory = conservative"},
    {keeps_state, imprecise,
     "order.precise does not go with sm.order = {sm.order}, which has no precise state: use sm.order = rob, or leave "
     "order.precise = rob"},
    {guesses, imprecise,
     "order.speculate = {order.speculate} does not go with sm.order = {sm.order}: what is executed beyond a branch must not be "
     "final before that is resolved; use sm.order = rob or order.speculate = never"},
};
_Static_assert(MAX_FRONTS == 4096, "as the text says");
_Static_assert(2 * MAX_SLOTS * VWS_SLICES <= MAX_FRONTS, "slices of whole rounds always have places");

static void say_schedulers(struct strbuf *out) {
    const char *last = NULL, *before = "";
    for (u32 i = 0; sched_policies[i]; i++) {
        if (sched_policies[i]->shared_size) continue;
        if (last) strbuf_add(out, "%s%s", before, last), before = ", ";
        last = sched_policies[i]->name;
    }
    strbuf_add(out, " or %s", last);
}

/* The text with the keys' values */
static void say_why(const struct config *c, const char *why, struct strbuf *out) {
    for (const char *s = why; *s; s++) {
        const char *end = *s == '{' ? strchr(s, '}') : NULL;
        char name[64] = "", value[64] = "";
        if (!end) {
            strbuf_add(out, "%c", *s);
            continue;
        }
        snprintf(name, sizeof(name), "%.*s", (int)(end - s - 1), s + 1);
        s = end;
        if (strcmp(name, "schedulers") == 0) {
            say_schedulers(out);
            continue;
        }
        const struct cfg_key *key = cfg_key_find(name);
        CHECK(key);
        config_get_text(c, key, value, sizeof(value));
        strbuf_add(out, "%s", value);
    }
}

static bool go_together(const struct config *c, const struct policies *p, struct diag *d) {
    u32 before = d->errors;
    const struct chosen x = {c, p};
    for (u32 i = 0; i < ARRAY_LEN(pairs); i++) {
        if (!pairs[i].one(&x) || !pairs[i].other(&x)) continue;
        struct strbuf why = {0};
        say_why(c, pairs[i].why, &why);
        diag_error(d, c->machine, 0, 0, "%s", why.s);
        strbuf_free(&why);
    }
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
    return ok && go_together(c, p, d);
}
