/* Between a front and its divergence policy (diverge/): the view it is asked with, and what it tells. */
#include "core/core.h"
#include "core/diverge_policy.h"

void diverge_turn(struct diverge_view *v, u32 group) {
    struct core *c = v->of;
    const struct group *g = &v->w->groups.at[group];
    v->group = group;
    v->polled_at = v->w->polled;
    c->stats.group_switches++;
    EMIT(c, .kind = EV_GROUP, .cycle = c->now, .slot = (u16)front_index(c, v->front), .mask = g->mask, .pc = g->pc);
    (void)g;
}

void diverge_met(const struct diverge_view *v) { v->of->stats.reconvergences++; }

bool diverge_waits(const struct diverge_view *v, u32 group) {
    const struct group *g = &v->w->groups.at[group];
    const struct tinst *t = &v->of->prog->at[g->pc];
    const struct home *s = &v->of->homes[v->front->part[0].home];
    for (u32 i = 0; i < (u32)t->nsrc + t->ndst; i++)
        if (sb_ready(s, t->reg[i], g->mask) == NEVER) return true;
    return t->kind == T_FRAME || t->kind == T_FENCE;
}

static struct diverge_view view_of(struct core *c, struct front *f) {
    return (struct diverge_view){.w = c->homes[f->part[0].home].w,
                                 .group = f->part[0].group,
                                 .polled_at = f->polled_at,
                                 .code = c->prog->k->code,
                                 .name = c->pol.diverge->name,
                                 .of = c,
                                 .front = f};
}

static void take(struct core *c, struct front *f, const struct diverge_view *v) {
    f->part[0].group = (u16)v->group;
    f->polled_at = v->polled_at;
    if (c->view.faulted) c->fault_cy = MIN(c->fault_cy, c->now);
}

bool front_choose(struct core *c, struct front *f) {
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
