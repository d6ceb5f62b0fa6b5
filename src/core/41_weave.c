/* A second instruction in the lanes that the first one of a cycle leaves free: of another part of the same
 * warp (simultaneous branch interweaving, SBI), or of another warp of the scheduler (simultaneous warp
 * interweaving, SWI).
 *
 * A row of units has a lane for each thread of a warp, and two instructions whose lanes are disjoint can
 * share it. Beside an arithmetic instruction goes another for the same unit that takes it for no longer; it
 * enters the unit with the first and costs nothing more. The parts of one warp may also go to different
 * units, each of which must be free then; only one of the two goes to memory.
 *
 * Of the same warp it is the part next in order after the one that issued (diverge/interweave.c), if it does
 * not stand where branches meet: there it waits for the others, so that lanes that ran beside each other meet
 * again. Of other warps it is the one with most lanes among those that are candidates of the same scheduler
 * and fit; of several the oldest. Lanes of units are those of threads, or (interweave.lanes) permuted by
 * warp, so that warps of which the same lanes run can go together.
 *
 * Paper: Brunie, Collange, Diamos: Simultaneous branch and warp interweaving for sustained GPU performance,
 * ISCA 2012. Deviations are listed in diverge/interweave.c. */
#include "core/weave.h"

#include <stdlib.h>
#include <string.h>

void weave_init(struct core *c) {
    if (c->pol.diverge->weaves) c->weave = base_alloc(sizeof(*c->weave));
}

void weave_launch(struct core *c) {
    if (c->weave) memset(c->weave, 0, sizeof(*c->weave));
}

void weave_free(struct core *c) { free(c->weave); }

/* --- lanes of units */

static u64 mirror(u64 lanes, u32 size) {
    u64 out = 0;
    for (; lanes; lanes &= lanes - 1) out |= 1ull << (size - 1 - (u32)__builtin_ctzll(lanes));
    return out;
}

/* Those that lanes of a home's warp take */
static u64 unit_lanes(const struct core *c, u32 home, u64 lanes) {
    u32 size = c->cfg->warp_size, number = home / c->cfg->schedulers; /* among its scheduler's, whose lanes it would take */
    u64 out = 0;
    if (c->cfg->interweave_lanes == LANES_IDENTITY) return lanes;
    if (c->cfg->interweave_lanes == LANES_MIRROR) return number & 1 ? mirror(lanes, size) : lanes;
    for (; lanes; lanes &= lanes - 1) out |= 1ull << ((u32)__builtin_ctzll(lanes) ^ (number & (size - 1)));
    return out;
}

/* --- branches that issued beside other instructions */

static u64 *resolve_of(const struct core *c, u32 home) {
    struct weave *x = c->weave;
    if (x->age[home] != c->homes[home].age) memset(x->resolve[home], 0, sizeof(x->resolve[home]));
    x->age[home] = c->homes[home].age;
    return x->resolve[home];
}

static u64 resolved_at(const struct core *c, u32 home, u64 lanes) {
    const u64 *at = resolve_of(c, home);
    u64 last = 0;
    for (; lanes; lanes &= lanes - 1) last = later(last, at[__builtin_ctzll(lanes)]);
    return last;
}

void weave_presents(const struct core *c, struct front *f) {
    f->resolve_cy = later(f->resolve_cy, resolved_at(c, f->part[0].home, f->lanes));
}

/* --- of the same warp */

/* The group next in order that has not issued in this cycle; NONE */
static i32 next_group(const struct warp *w, u64 done) {
    i32 best = NONE;
    for (u32 i = 0; i < w->groups.n; i++) {
        if (w->groups.at[i].state != GROUP_READY || w->groups.at[i].mask & done) continue;
        if (best == NONE || diverge_before(w, &w->groups.at[i], &w->groups.at[best])) best = (i32)i;
    }
    return best;
}

static bool rides_with(const struct tinst *first, const struct tinst *t) {
    return first->kind == T_ALU && t->kind == T_ALU && t->unit == first->unit && t->busy <= first->busy;
}

/* It waits for no lanes and no warps, goes nowhere but by a jump, and the first leaves it a place */
static bool fits(const struct core *c, u32 slot, const struct tinst *first, const struct tinst *t) {
    if (t->pseudo || t->in->flags & (INST_RECONV | INST_COLLECTIVE)) return false;
    if (t->in->flags & INST_CONTROL && !(t->in->flags & (INST_JUMP | INST_TABLE))) return false;
    bool plain = t->kind == T_ALU || t->kind == T_BRANCH || t->kind == T_NOP;
    if (!plain && (t->kind != T_MEM || first->kind == T_MEM)) return false;
    return rides_with(first, t) || operands_available(c, issue_sub(c, slot), (enum unit)t->unit);
}

static void tell(struct core *c, u32 slot, u64 lanes, u64 beside) {
    CHECK(!(lanes & beside));
    EMIT(c, .kind = EV_WEAVE, .cycle = c->now, .slot = (u16)slot, .uid = c->uid, .mask = lanes, .a = beside, .pc = -1);
    (void)slot;
}

static bool weave_group(struct core *c, u32 slot, const struct tinst *first, u64 done) {
    struct warp *w = c->homes[slot].w;
    i32 gi = w->live ? next_group(w, done) : NONE;
    if (gi == NONE) return false;
    const struct tinst *t = &c->prog->at[w->groups.at[gi].pc];
    u64 lanes = w->groups.at[gi].mask;
    if (resolved_at(c, slot, lanes) > c->now || !fits(c, slot, first, t)) return false;
    struct part *p = &c->fronts[slot].part[0];
    u64 presented = p->group < w->groups.n ? w->groups.at[p->group].mask : 0;
    if (!issue_group(c, slot, (u32)gi, rides_with(first, t))) return false;
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].mask & presented) p->group = (u16)i;
    tell(c, slot, unit_lanes(c, slot, lanes), unit_lanes(c, slot, done));
    c->stats.woven_branches++;
    u64 *resolve = resolve_of(c, slot);
    for (u64 m = t->kind == T_BRANCH ? lanes : 0; m; m &= m - 1) resolve[__builtin_ctzll(m)] = c->now + c->cfg->branch_cy;
    slot_next(c, slot); /* its groups are others now */
    return true;
}

/* --- of another warp */

/* The candidate with most lanes that the first leaves free; NONE */
static i32 best_rider(const struct core *c, u32 slot, const struct tinst *first, u64 taken, const u64 *candidates) {
    i32 best = NONE;
    int most = 0;
    for (u32 i = 0; i < c->nslots; i++) {
        const struct front *f = &c->fronts[i];
        if (i == slot || !set_has(candidates, i) || !f->head || f->shown != f->head || home_renewed(&c->homes[i])) continue;
        int lanes = __builtin_popcountll(f->lanes);
        if (f->head->in->flags & (INST_CONTROL | INST_COLLECTIVE) || !rides_with(first, f->head)) continue;
        if (unit_lanes(c, i, f->lanes) & taken || lanes < most || (lanes == most && c->age[i] > c->age[best])) continue;
        best = (i32)i, most = lanes;
    }
    return best;
}

static bool weave_warp(struct core *c, u32 slot, const struct tinst *first, u64 taken, const u64 *candidates) {
    i32 other = best_rider(c, slot, first, taken, candidates);
    if (other == NONE) return false;
    u64 lanes = unit_lanes(c, (u32)other, c->fronts[other].lanes);
    if (!issue_rider(c, (u32)other)) return false;
    tell(c, (u32)other, lanes, taken);
    c->stats.woven_warps++;
    return true;
}

bool weave_issue(struct core *c, u32 slot, const struct tinst *first, u64 lanes, const u64 *candidates) {
    u32 with = c->cfg->interweave_with;
    u64 all = c->cfg->warp_size == 64 ? ~0ull : (1ull << c->cfg->warp_size) - 1;
    if (lanes == all) return false;
    if (with != WEAVE_WARPS && weave_group(c, slot, first, lanes)) return true;
    return with != WEAVE_BRANCHES && !c->view.faulted && weave_warp(c, slot, first, unit_lanes(c, slot, lanes), candidates);
}
