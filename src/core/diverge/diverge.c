/* Which group of a warp runs: four ways, over the groups and meeting points of func/converge.c, and what
 * others have in common with them.
 *
 *   pdom  the reconvergence stack of Fung 2007 (and of every GPU before Volta): the innermost group runs
 *         until it meets the others, waits or ends
 *   none  as pdom, but lanes that part never meet again: each part runs to the end (Jin chapter 2's
 *         serialisation)
 *   its   independent thread scheduling: groups take turns; one that waits for memory or a barrier lets
 *         another go (Volta's white paper)
 *   mimd  lanes never wait for each other: groups go their ways, become one where they happen to stand
 *         together, and all issue together, charged as one instruction: the upper bound of Jin chapter 5. It
 *         bounds issue, not memory: accesses that a warp would have made together may come apart in time
 *
 * Deviation: a real stack pushes both sides of a branch; here the side that falls through runs first and the
 * other waits as a group of its own, which gives the same order of work. A stack cannot give progress to
 * lanes that others wait for. Where func/ finds that lanes poll for long while others of their warp cannot
 * run, the kernel is stopped with a diagnosis instead of hanging. */
#include "core/diverge_policy.h"

/* The innermost group that can run and may; ties go to the lowest */
static i32 innermost(const struct diverge_view *v, bool (*may)(const struct diverge_view *v, u32 group)) {
    const struct warp *w = v->w;
    i32 best = NONE;
    for (u32 i = 0; i < w->groups.n; i++) {
        if (w->groups.at[i].state != GROUP_READY || (may && !may(v, i))) continue;
        if (best == NONE || diverge_depth(w, &w->groups.at[i]) > diverge_depth(w, &w->groups.at[best])) best = (i32)i;
    }
    return best;
}

bool diverge_choose_if(struct diverge_view *v, bool (*may)(const struct diverge_view *v, u32 group)) {
    struct warp *w = v->w;
    bool keep = true;
    for (;;) {
        if (keep && v->group < w->groups.n && w->groups.at[v->group].state == GROUP_READY) {
            if (diverge_arrives(v, v->group)) return true;
            if (v->group >= w->groups.n) v->group = 0;
        }
        i32 g = innermost(v, may);
        keep = g != NONE;
        if (keep) diverge_turn(v, (u32)g);
        else if (!diverge_release(v)) return false;
    }
}

bool diverge_choose(struct diverge_view *v) { return diverge_choose_if(v, NULL); }

static bool stack_next(struct diverge_view *v) { return !diverge_starves(v) && diverge_choose(v); }

/* --- its: groups take turns */

enum { ITS_POLLS = 16 }; /* polls before another group gets its turn */

static i32 other_ready(const struct diverge_view *v) {
    const struct warp *w = v->w;
    for (u32 i = 1; i < w->groups.n; i++) {
        u32 g = (v->group + i) % w->groups.n;
        if (w->groups.at[g].state == GROUP_READY) return (i32)g;
    }
    return NONE;
}

void diverge_yield(struct diverge_view *v, u32 polls) {
    i32 g = other_ready(v);
    if (g == NONE && warp_release_overdue(v->w, polls, 1 << 20)) g = other_ready(v);
    diverge_turn(v, g != NONE ? (u32)g : v->group);
}

static bool its_next(struct diverge_view *v) {
    const struct warp *w = v->w;
    if (w->groups.n && v->group < w->groups.n && w->polled - v->polled_at > ITS_POLLS) diverge_yield(v, ITS_POLLS);
    return diverge_choose(v);
}

static bool its_blocked(struct diverge_view *v) {
    i32 g = other_ready(v);
    if (g == NONE || diverge_waits(v, (u32)g)) return false;
    diverge_turn(v, (u32)g);
    return true;
}

/* --- mimd */

/* Groups at meeting points pass them, so that those which come from different ways are alike */
static void pass_all(const struct diverge_view *v) {
    for (u32 i = 0; i < v->w->groups.n; i++)
        if (v->w->groups.at[i].state == GROUP_READY && v->code[v->w->groups.at[i].pc].flags & INST_RECONV) group_pass(v->w, i);
}

void diverge_join_if(struct diverge_view *v, bool (*may)(const struct diverge_view *v, u32 a, u32 b)) {
    struct warp *w = v->w;
    if (w->launch->pass_by) pass_all(v);
    for (u32 i = 0; i < w->groups.n; i++)
        for (u32 k = w->groups.n; k-- > i + 1;) {
            const struct group *g = &w->groups.at[i], *h = &w->groups.at[k];
            if (g->state != GROUP_READY || h->state != GROUP_READY || g->pc != h->pc || g->frame != h->frame ||
                g->conv != h->conv || (may && !may(v, i, k)))
                continue;
            if (v->group == k) v->group = i;
            u32 last = w->groups.n - 1;
            group_join(w, i, k);
            if (v->group == last) v->group = k; /* the last one takes the place of the removed one */
            diverge_met(v);
        }
}

void diverge_join(struct diverge_view *v) { diverge_join_if(v, NULL); }

static bool mimd_next(struct diverge_view *v) {
    if (v->w->groups.n > 1) diverge_join(v);
    return its_next(v);
}

const struct diverge_policy diverge_pdom = {
    .name = "pdom",
    .doc = "reconvergence stack: the innermost part runs until it meets the others",
    .paper = "Fung, Sham, Yuan, Aamodt, MICRO 2007",
    .as_untimed = true,
    .next = stack_next,
};
const struct diverge_policy diverge_none = {
    .name = "none",
    .doc = "parts of a warp run one after the other to the end",
    .paper = "Jin 2012, chapter 2",
    .never_meet = true,
    .next = stack_next,
};
const struct diverge_policy diverge_its = {
    .name = "its",
    .doc = "parts take turns: one that waits for memory, lanes or a barrier lets another go",
    .paper = "NVIDIA Tesla V100 white paper, 2017",
    .as_untimed = true,
    .by_lane = true,
    .next = its_next,
    .blocked = its_blocked,
};
const struct diverge_policy diverge_mimd = {
    .name = "mimd",
    .doc = "lanes never wait for each other; all parts of a warp issue together, charged as one instruction (upper bound)",
    .paper = "Jin 2012, chapter 5",
    .never_meet = true,
    .by_lane = true,
    .joint = true,
    .next = mimd_next,
    .blocked = its_blocked,
};
