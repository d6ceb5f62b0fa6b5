/* Slices of a warp (vws): which lanes are whose, and which group of a slice runs.
 *
 * A slice has a reconvergence stack of its own: lanes that part at a branch meet again at its immediate
 * post-dominator when all of the slice have come, whatever the others do. Of its groups that can run it is
 * the innermost one's turn; one that polls gives way after a while. U3 of 43_gang.c: a group of a slice's
 * stack has no lanes of another slice. */
#include "core/gang.h"

enum { SLICE_POLLS = 16 }; /* polls of a warp before another group of a slice that polls, or a parked one, gets its turn */

u64 slices_lanes(const struct core *c, u32 slices) {
    u64 lanes = 0;
    for (; slices; slices &= slices - 1) lanes |= slice_lanes(c, (u32)__builtin_ctz(slices));
    return lanes;
}

/* Those with some of these lanes */
u32 slices_of(const struct core *c, u64 lanes) {
    u32 slices = 0;
    for (u32 i = 0; i < c->gang->n; i++)
        if (lanes & slice_lanes(c, i)) slices |= 1u << i;
    return slices;
}

u64 gang_lanes(const struct core *c, u32 slot) { return slices_lanes(c, slices_of(c, c->fronts[slot].lanes)); }

/* Groups with some of these lanes that can run become groups of one slice each */
void slices_part(const struct core *c, struct warp *w, u64 lanes) {
    for (u32 i = 0; i < w->groups.n; i++) {
        u64 mask = w->groups.at[i].mask;
        if (!(mask & lanes) || w->groups.at[i].state != GROUP_READY) continue;
        for (u32 s = (u32)__builtin_ctzll(mask) / c->gang->width + 1; s < c->gang->n; s++)
            if (mask & slice_lanes(c, s)) group_split_to(w, &w->groups.at[i], mask & slice_lanes(c, s), w->groups.at[i].pc);
    }
}

/* --- whose turn it is in a slice */

/* The innermost group of the slice that can run, beside those with the lanes `not`; NONE */
static i32 innermost(const struct warp *w, u64 lanes, u64 not) {
    i32 best = NONE;
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *g = &w->groups.at[i];
        if (!(g->mask & lanes) || g->mask & not|| g->state != GROUP_READY) continue;
        if (best == NONE || diverge_depth(w, g) > diverge_depth(w, &w->groups.at[best])) best = (i32)i;
    }
    return best;
}

/* Some group of the slice, in whatever state; NONE: all its lanes are at meeting points */
static i32 any_group(const struct warp *w, u64 lanes) {
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].mask & lanes) return (i32)i;
    return NONE;
}

/* The group whose turn it is; NONE: none can run */
static i32 turn_of(struct core *c, struct sliced *x, struct warp *w, u64 lanes) {
    i32 g = NONE, kept = NONE;
    u64 lead = 1ull << x->lead;
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].mask & lead && w->groups.at[i].state == GROUP_READY) g = kept = (i32)i;
    if (g != NONE && w->polled - x->polled_at > SLICE_POLLS) { /* lanes that poll give way to others of the slice */
        g = innermost(w, lanes, lead);
        if (g == NONE && warp_release_overdue(w, SLICE_POLLS, 1 << 20)) g = innermost(w, lanes, lead);
        if (g == NONE) g = kept;
        x->polled_at = w->polled;
    }
    if (g == NONE) g = innermost(w, lanes, 0);
    if (g != NONE && g != kept) {
        c->stats.group_switches++;
        x->lead = (u8)__builtin_ctzll(w->groups.at[g].mask);
        x->polled_at = w->polled;
    }
    return g;
}

/* The group that the slice runs stands at an instruction of the program, with everybody it was to meet; NONE:
 * the slice waits, or after a fault */
static i32 slice_runs(struct core *c, u32 home, u32 slice) {
    struct warp *w = c->homes[home].w;
    struct sliced *x = &c->gang->of[home][slice];
    u64 lanes = slice_lanes(c, slice) & warp_enabled(w);
    while ((lanes &= warp_enabled(w))) {
        i32 g = turn_of(c, x, w, lanes);
        if (g == NONE) {
            if (warp_release_parked(w, false)) continue; /* lanes of this slice, or of one that looks at itself */
            if (any_group(w, lanes) != NONE || !warp_release_overdue(w, 0, 0)) return NONE;
            continue;
        }
        u64 before = w->groups.at[g].mask;
        if (c->prog->k->code[w->groups.at[g].pc].flags & INST_RECONV) {
            if (!group_arrive(w, (u32)g)) continue;
            c->stats.reconvergences += w->groups.at[g].mask != before;
        }
        if (!c->prog->at[w->groups.at[g].pc].pseudo) return g;
        if (!warp_step(w, (u32)g, c->now, &c->form->one)) {
            c->fault_cy = MIN(c->fault_cy, c->now);
            return NONE;
        }
    }
    return NONE;
}

/* Where the slice's threads stand; false: all have ended, or after a fault */
bool slice_stands(struct core *c, u32 home, u32 slice, struct stand *s) {
    struct warp *w = c->homes[home].w;
    i32 g = slice_runs(c, home, slice);
    u64 lanes = slice_lanes(c, slice) & warp_enabled(w);
    if (!lanes || c->view.faulted) return false;
    s->waits = g == NONE;
    if (g == NONE) g = any_group(w, lanes);
    CHECK(g != NONE); /* lanes at meeting points are let go when nobody can come */
    s->pc = w->groups.at[g].pc, s->lanes = w->groups.at[g].mask & lanes;
    return true;
}

bool slices_ready(const struct core *c, u32 home, u32 slices) {
    return innermost(c->homes[home].w, slices_lanes(c, slices), 0) != NONE;
}

void gang_led(struct core *c, const struct part *p, u32 group) {
    const struct warp *w = c->homes[p->home].w;
    u32 slice = (u32)__builtin_ctzll(p->lanes) / c->gang->width;
    u64 lanes = group < w->groups.n ? w->groups.at[group].mask & slice_lanes(c, slice) : 0;
    if (lanes) c->gang->of[p->home][slice].lead = (u8)__builtin_ctzll(lanes);
}
