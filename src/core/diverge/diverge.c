/* Which group of a warp runs: four ways, over the groups and meeting points of func/converge.c.
 *
 *   pdom  the reconvergence stack of Fung 2007 (and of every GPU before Volta): the innermost group runs until it meets the others, waits or ends
 *   none  as pdom, but lanes that part never meet again: each part runs to the end (Jin chapter 2's serialisation)
 *   its   independent thread scheduling: groups take turns; one that waits for memory or a barrier lets another go (Volta's white paper)
 *   mimd  lanes never wait for each other: groups go their ways, become one where they happen to stand together, and all issue together, charged as one
 *         instruction: the upper bound of Jin chapter 5. It bounds issue, not memory: accesses that a warp would have made together may come apart in time
 *
 * Deviation: a real stack pushes both sides of a branch; here the side that falls through runs first and the other waits as a group of its own, which gives the same order of work.
 * A stack cannot give progress to lanes that others wait for. Where func/ finds that lanes poll for long while others of their warp cannot run, the kernel is stopped with a
 * diagnosis instead of hanging. */
#include "core/core.h"

enum { SPIN_LIMIT = 100000 }; /* polls of one group while others of its warp wait for their turn */

static struct warp *warp_of(const struct core *c, const struct front *f) { return c->slots[f->part[0].home].w; }

/* True when the group may run; false when it is parked at a meeting point and gone */
static bool settle(struct core *c, struct warp *w, u32 gi) {
    const struct inst *in = &c->prog->k->code[w->groups.at[gi].pc];
    u64 before = w->groups.at[gi].mask;
    if (!(in->flags & INST_RECONV)) return true;
    if (!group_arrive(w, gi)) return false;
    if (w->groups.at[gi].mask != before) c->stats.reconvergences++;
    return true;
}

static u32 depth(const struct warp *w, const struct group *g) {
    u32 d = 0;
    for (i32 ci = g->conv; ci != NONE; ci = w->convs.at[ci].parent) d++;
    return d + w->frames.at[g->frame].depth * 64u;
}

static void turn(struct core *c, struct front *f) {
    const struct group *g = part_group(c, &f->part[0]);
    f->polled_at = warp_of(c, f)->polled;
    c->stats.group_switches++;
    EMIT(c, .kind = EV_GROUP, .cycle = c->now, .slot = (u16)front_index(c, f), .mask = g->mask, .pc = g->pc);
    (void)g;
}

/* The innermost group that can run; ties go to the lowest */
static i32 innermost(const struct warp *w) {
    i32 best = NONE;
    for (u32 i = 0; i < w->groups.n; i++) {
        if (w->groups.at[i].state != GROUP_READY) continue;
        if (best == NONE || depth(w, &w->groups.at[i]) > depth(w, &w->groups.at[best])) best = (i32)i;
    }
    return best;
}

/* Chooses again until a group stands where it may run. `keep`: the current one, when it can go on. */
static bool choose(struct core *c, struct front *f, bool keep) {
    struct warp *w = warp_of(c, f);
    for (;;) {
        if (keep && f->part[0].group < w->groups.n && w->groups.at[f->part[0].group].state == GROUP_READY) {
            if (settle(c, w, f->part[0].group)) return true;
            if (f->part[0].group >= w->groups.n) f->part[0].group = 0;
            keep = false;
            continue;
        }
        keep = false;
        i32 g = innermost(w);
        if (g == NONE && !(warp_release_parked(w, false) || (!w->groups.n && w->live && warp_release_overdue(w, 0, 0))))
            return false;
        if (g == NONE) continue;
        f->part[0].group = (u16)g;
        turn(c, f);
        keep = true;
    }
}

static bool lanes_wait(const struct core *c, const struct front *f) {
    const struct warp *w = warp_of(c, f);
    u32 ready = 0;
    for (u32 i = 0; i < w->groups.n; i++) ready += w->groups.at[i].state == GROUP_READY;
    return ready > 1 || (w->groups.n && w->groups.at[f->part[0].group].mask != w->live);
}

static bool stack_next(struct core *c, struct front *f) {
    struct warp *w = warp_of(c, f);
    if (w->polled - f->polled_at > SPIN_LIMIT && lanes_wait(c, f)) {
        struct group *g = &w->groups.at[f->part[0].group];
        fault_at(w, &c->prog->k->code[g->pc], __builtin_ctzll(g->mask),
                 "lanes poll for other lanes of their warp, which sm.diverge = %s cannot run meanwhile; use sm.diverge = its",
                 c->pol.diverge->name);
        c->fault_cy = MIN(c->fault_cy, c->now);
        return false;
    }
    return choose(c, f, true);
}

static bool never_blocked(struct core *c, struct front *f) {
    (void)c, (void)f;
    return false;
}

/* --- its: groups take turns */

enum { ITS_POLLS = 16 }; /* polls before another group gets its turn */

static i32 other_ready(const struct core *c, const struct front *f) {
    const struct warp *w = warp_of(c, f);
    for (u32 i = 1; i < w->groups.n; i++) {
        u32 g = (f->part[0].group + i) % w->groups.n;
        if (w->groups.at[g].state == GROUP_READY) return (i32)g;
    }
    return NONE;
}

static bool its_next(struct core *c, struct front *f) {
    struct warp *w = warp_of(c, f);
    if (w->groups.n && f->part[0].group < w->groups.n && w->polled - f->polled_at > ITS_POLLS) {
        i32 g = other_ready(c, f);
        if (g == NONE && warp_release_overdue(w, ITS_POLLS, 1 << 20)) g = other_ready(c, f);
        if (g != NONE) f->part[0].group = (u16)g;
        turn(c, f);
    }
    return choose(c, f, true);
}

static bool its_blocked(struct core *c, struct front *f) {
    struct warp *w = warp_of(c, f);
    i32 g = other_ready(c, f);
    if (g == NONE) return false;
    const struct tinst *t = &c->prog->at[w->groups.at[g].pc];
    for (u32 i = 0; i < (u32)t->nsrc + t->ndst; i++)
        if (sb_ready(&c->slots[f->part[0].home], t->reg[i], w->groups.at[g].mask) == NEVER) return false; /* it waits as well */
    if (t->kind == T_FRAME || t->kind == T_FENCE) return false;
    f->part[0].group = (u16)g;
    turn(c, f);
    return true;
}

/* --- mimd */

static void merge_alike(struct core *c, struct front *f) {
    struct warp *w = warp_of(c, f);
    for (u32 i = 0; i < w->groups.n; i++)
        for (u32 k = w->groups.n; k-- > i + 1;) {
            struct group *g = &w->groups.at[i], *h = &w->groups.at[k];
            if (g->state != GROUP_READY || h->state != GROUP_READY || g->pc != h->pc || g->frame != h->frame ||
                g->conv != h->conv)
                continue;
            g->mask |= h->mask;
            if (f->part[0].group == k) f->part[0].group = (u16)i;
            u32 last = w->groups.n - 1, was = f->part[0].group;
            group_remove(w, k);
            if (was == last) f->part[0].group = (u16)k; /* the last one takes the place of the removed one */
            c->stats.reconvergences++;
        }
}

static bool mimd_next(struct core *c, struct front *f) {
    if (warp_of(c, f)->groups.n > 1) merge_alike(c, f);
    return its_next(c, f);
}

const struct diverge_policy diverge_pdom = {
    .name = "pdom",
    .doc = "reconvergence stack: the innermost part runs until it meets the others",
    .paper = "Fung, Sham, Yuan, Aamodt, MICRO 2007",
    .next = stack_next,
    .blocked = never_blocked,
};
const struct diverge_policy diverge_none = {
    .name = "none",
    .doc = "parts of a warp run one after the other to the end",
    .paper = "Jin 2012, chapter 2",
    .never_meet = true,
    .next = stack_next,
    .blocked = never_blocked,
};
const struct diverge_policy diverge_its = {
    .name = "its",
    .doc = "parts take turns: one that waits for memory, lanes or a barrier lets another go",
    .paper = "NVIDIA Tesla V100 white paper, 2017",
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
const struct diverge_policy *const diverge_policies[] = {&diverge_pdom, &diverge_none, &diverge_its, &diverge_mimd, NULL};
