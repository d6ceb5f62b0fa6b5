/* Formed fronts in their places: who is in one, what it shows, when it begins and ends.
 *
 * A place has room for one front; there are as many as the divergence policy asks for (`places`). The threads
 * of a front are its parts, each of one home. Lanes of one warp that stand together, in the same call and on
 * the way to the same meeting point, are one group and one part. Which threads go together is not decided
 * here, but by 33_form.c, 37_squad.c and 43_gang.c. G1 to G3 are in 33_form.c. */
#include "core/form.h"

#include <string.h>

/* --- threads and their groups */

struct group *form_group(const struct core *c, const struct part *p) {
    struct warp *w = c->homes[p->home].w;
    if (p->group < w->groups.n && w->groups.at[p->group].mask & p->lanes) return &w->groups.at[p->group];
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].mask & p->lanes) return &w->groups.at[i];
    CHECK(!"lanes of a front are in a group");
    return NULL;
}

/* Lanes of one warp that stand together, in the same call and on the way to the same meeting point, become
 * one group; true when they did */
static bool join_groups(const struct core *c, struct part *a, const struct part *b) {
    if (a->home != b->home) return false;
    struct warp *w = c->homes[a->home].w;
    const struct group *g = form_group(c, a), *h = form_group(c, b);
    if (g == h || g->state != GROUP_READY || h->state != GROUP_READY || g->frame != h->frame || g->conv != h->conv) return false;
    a->lanes |= b->lanes;
    group_join(w, (u32)(g - w->groups.at), (u32)(h - w->groups.at));
    return true;
}

void form_add_part(const struct core *c, struct part *at, u32 *n, struct part p) {
    for (u32 i = 0; i < *n; i++)
        if (join_groups(c, &at[i], &p)) return;
    CHECK(*n < c->cfg->warp_size);
    at[(*n)++] = p;
}

/* --- places */

void front_presents(struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    struct sched_fronts *s = &c->form->seen;
    u32 *at_pc = s->at_pc + (size_t)(slot % c->cfg->schedulers) * s->pcs;
    if (s->pc[slot] != NONE) at_pc[s->pc[slot]] -= s->threads[slot];
    s->pc[slot] = f->head ? f->head->pc : NONE;
    s->threads[slot] = (u16)__builtin_popcountll(f->lanes);
    if (f->head) at_pc[f->head->pc] += s->threads[slot];
    s->depth[slot] = 0;
    for (u32 i = 0; c->form->depths && f->head && i < f->nparts; i++) {
        u32 d = diverge_depth(part_home(c, &f->part[i])->w, form_group(c, &f->part[i]));
        s->depth[slot] = (u16)MAX(s->depth[slot], MIN(d, (u32)UINT16_MAX));
    }
}

u32 front_place(const struct core *c, u32 like) { /* a free one of the same scheduler */
    u32 step = c->cfg->schedulers;
    if (!c->fronts[like].nparts) return like;
    int p = sched_vacant(c, like % step);
    CHECK(p != NONE && !c->fronts[p].nparts); /* there is a place for each thread */
    return (u32)p;
}

/* Nobody is left in it: the place is free */
void front_ends(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    account_change(c, slot);
    f->nparts = 0;
    f->lanes = 0;
    f->head = f->shown = NULL;
    f->ib.fetch_pc = NONE;
    f->ib.n = 0;
    f->release_cy = f->resolve_cy = 0;
    ibuffer_want(c, f);
    sched_leaves(c, slot);
    set_drop(c->form->in_pool, slot), set_drop(c->form->at_barrier, slot);
    pool_gives(c, slot);
    c->form->used--;
    front_presents(c, slot);
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .cause = FRONT_ENDS);
}

void front_begins(struct core *c, u32 slot, u64 age) {
    struct front *f = &c->fronts[slot];
    account_change(c, slot);
    c->words = MAX(c->words, slot / 64 + 1);
    struct account account = f->account; /* time goes on through the change of threads */
    *f = (struct front){.slot = slot, .part = &c->form->parts[slot * c->cfg->warp_size], .ready_cy = NEVER, .account = account};
    f->ib.next = f->ib.fetch_pc = NONE;
    c->age[slot] = age;
    c->form->polled_at[slot] = c->form->polls;
    c->form->used++;
    c->stats.formed_peak = MAX(c->stats.formed_peak, c->form->used);
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .cause = FRONT_BEGINS);
}

void front_settles(struct core *c, u32 slot, const struct part *p) {
    for (u64 m = p->lanes; m; m &= m - 1) c->form->place[p->home][__builtin_ctzll(m)] = (u16)slot;
}

/* The threads of a piece are those of the front */
void front_takes(struct core *c, u32 slot, const struct piece *x) {
    struct front *f = &c->fronts[slot];
    f->nparts = x->n;
    f->lanes = x->seats;
    memcpy(f->part, x->part, sizeof(*x->part) * x->n);
    for (u32 i = 0; i < x->n; i++) front_settles(c, slot, &x->part[i]);
    sched_arrives(c, slot, cta_number(part_home(c, &f->part[0])->place));
}

void front_shows(struct core *c, u32 slot, i32 pc) { /* NONE: it waits */
    struct front *f = &c->fronts[slot];
    f->head = pc == NONE ? NULL : &c->prog->at[pc];
    f->fence_seq = atomics_made(c);
    if (f->head && pc != f->ib.next) ibuffer_flush(c, f, pc);
    front_squeeze(c, f);
    front_presents(c, slot);
}

/* Warps whose last threads were in these parts, of a front of these lanes, and have ended */
void homes_end(struct core *c, const struct part *at, u32 n, u64 lanes) {
    for (u32 i = 0; i < n; i++) {
        const struct home *s = &c->homes[at[i].home];
        if (s->w && !s->w->live && !s->ended) cta_warp_ended(c, at[i].home, lanes);
    }
}

/* --- straight code */

/* Instructions that are not in the program and do not set the pc; false after a fault */
static bool pass_pseudo(struct core *c, struct front *f) {
    for (;;) {
        const struct inst *in = &c->prog->k->code[form_group(c, &f->part[0])->pc];
        if (!(in->flags & INST_PSEUDO) || in->flags & (INST_CONTROL | INST_RECONV)) return true;
        for (u32 i = 0; i < f->nparts; i++) {
            struct warp *w = part_home(c, &f->part[i])->w;
            if (!warp_step(w, (u32)(form_group(c, &f->part[i]) - w->groups.at), c->now, &c->form->one)) return false;
        }
    }
}

const struct inst *front_advances(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    f->head = NULL;
    if (pass_pseudo(c, f)) return &c->prog->k->code[form_group(c, &f->part[0])->pc];
    c->fault_cy = MIN(c->fault_cy, c->now);
    return NULL;
}
