/* Between a front and its divergence policy (diverge/): the view it is asked with, what it tells, and what
 * policies have in common. */
#include "core/core.h"
#include "core/diverge_policy.h"

void diverge_turn(struct diverge_view *v, u32 group) {
    struct core *c = v->of;
    const struct group *g = &v->w->groups.at[group];
    v->group = group;
    v->polled_at = v->w->polled;
    c->stats.group_switches++;
    EMIT(c, .kind = EV_GROUP, .cycle = c->now, .slot = (u16)v->front->slot, .mask = g->mask, .pc = g->pc);
    (void)g;
}

void diverge_met(const struct diverge_view *v) { v->of->stats.reconvergences++; }

bool diverge_arrive(struct diverge_view *v, u32 group) {
    struct warp *w = v->w;
    u64 before = w->groups.at[group].mask;
    if (!group_arrive(w, group)) return false;
    if (w->groups.at[group].mask != before) diverge_met(v);
    return true;
}

bool diverge_release(struct diverge_view *v) {
    struct warp *w = v->w;
    return warp_release_parked(w, false) || (!w->groups.n && w->live && warp_release_overdue(w, 0, 0));
}

static bool lanes_wait(const struct diverge_view *v) {
    const struct warp *w = v->w;
    u32 ready = 0;
    for (u32 i = 0; i < w->groups.n; i++) ready += w->groups.at[i].state == GROUP_READY;
    return ready > 1 || (w->groups.n && w->groups.at[v->group].mask != warp_enabled(w));
}

bool diverge_stop(struct diverge_view *v) {
    struct warp *w = v->w;
    if (!lanes_wait(v)) return false;
    const struct group *g = &w->groups.at[v->group];
    fault_at(w, &v->code[g->pc], __builtin_ctzll(g->mask),
             "lanes poll for other lanes of their warp, which sm.diverge = %s cannot run meanwhile; use sm.diverge = its",
             v->name);
    return true;
}

bool diverge_waits(const struct diverge_view *v, u32 group) {
    const struct group *g = &v->w->groups.at[group];
    const struct tinst *t = &v->of->prog->at[g->pc];
    const struct home *s = &v->of->homes[v->front->part[0].home];
    for (u32 i = 0; i < (u32)t->nsrc + t->ndst; i++)
        if (sb_ready(s, t->reg[i], g->mask) == NEVER) return true;
    return t->kind == T_FRAME || t->kind == T_FENCE;
}

bool diverge_before(const struct warp *w, const struct group *a, const struct group *b) {
    u32 x = w->frames.at[a->frame].depth, y = w->frames.at[b->frame].depth;
    return x != y ? x > y : a->pc < b->pc;
}

u32 diverge_depth(const struct warp *w, const struct group *g) {
    u32 d = 0;
    for (i32 ci = g->conv; ci != NONE; ci = w->convs.at[ci].parent) d++;
    return d + w->frames.at[g->frame].depth * 64u;
}

static struct diverge_view view_of(struct core *c, struct front *f) {
    return (struct diverge_view){.w = c->homes[f->part[0].home].w,
                                 .group = f->part[0].group,
                                 .polled_at = f->polled_at,
                                 .code = c->prog->k->code,
                                 .name = c->pol.diverge->name,
                                 .of = c,
                                 .front = f,
                                 .anywhere = c->pol.diverge->by_load};
}

static void take(struct core *c, struct front *f, const struct diverge_view *v) {
    f->part[0].group = (u16)v->group;
    f->polled_at = v->polled_at;
    if (c->view.faulted) c->fault_cy = MIN(c->fault_cy, c->now);
}

bool front_choose(struct core *c, struct front *f) {
    if (front_goes_on(c, f)) {
        front_is_whole(c, f);
        return true;
    }
    struct diverge_view v = view_of(c, f);
    bool runs = c->pol.diverge->next(&v);
    take(c, f, &v);
    return runs;
}

bool front_gives_way(struct core *c, struct front *f) {
    if (!c->pol.diverge->blocked) return false;
    struct diverge_view v = view_of(c, f);
    bool other = c->pol.diverge->blocked(&v);
    take(c, f, &v);
    return other;
}
