/* What an issue does to a formed front, and to those that wait for its threads.
 *
 * Straight on, a front shows its next instruction. After a branch, call, barrier, exit or collective, or
 * where branches meet, its threads have to part, which they do before the issue of the next cycle
 * (33_form.c). Nothing of other fronts changes before the next cycle (I1 of 29_look.c), but that lanes may
 * have been taken from those that waited for a collective. */
#include "core/form.h"

#include <string.h>

/* --- threads that wait and need not any longer */

/* A thread that waited at a barrier may go on from cycle `cy`; its front looks then, or sooner, when another
 * of its threads may */
static void let_go(struct core *c, u32 slot, u32 home, u32 lane, u64 cy) {
    struct front *f = &c->fronts[slot];
    u64 *opens = &c->form->opens[home][lane];
    if (*opens > c->now || f->release_cy == c->now) return; /* it may already, or its front parts in this cycle */
    *opens = cy;
    c->form->opened[home] = MAX(c->form->opened[home], cy);
    if (f->release_cy > c->now && f->release_cy <= cy) return;
    f->release_cy = cy;
    slot_alarm(c, slot, cy);
}

/* Threads of the home that wait, at a barrier or for lanes, and need not any longer go on then */
void form_wake_waiting(struct core *c, u32 home, u64 cy, bool barrier) {
    const struct warp *w = c->homes[home].w;
    if (home_renewed(&c->homes[home])) return; /* its threads have yet to begin */
    for (u32 i = 0; w && i < w->groups.n; i++) {
        if (w->groups.at[i].state != GROUP_READY) continue;
        for (u64 m = w->groups.at[i].mask; m; m &= m - 1) {
            u32 lane = (u32)__builtin_ctzll(m), slot = c->form->place[home][lane];
            const struct front *f = &c->fronts[slot];
            if (f->head || f->resolve_cy > c->now || barrier != set_has(c->form->at_barrier, slot)) continue;
            if (barrier) let_go(c, slot, home, lane, cy);
            else slot_alarm(c, slot, cy);
        }
    }
}

void form_wake_block(struct core *c, const struct cta_place *p, u64 cy) {
    for (u64 m = cta_slots(p); m; m &= m - 1) form_wake_waiting(c, (u32)__builtin_ctzll(m), cy, true);
}

/* --- after an instruction at which threads part or meet */

/* A thread leaves its front, which ends with the last */
static void leave_front(struct core *c, u32 slot, u32 home, u32 lane) {
    struct front *f = &c->fronts[slot];
    u32 left = 0;
    for (u32 i = 0; i < f->nparts; i++) {
        if (f->part[i].home == home) f->part[i].lanes &= ~(1ull << lane);
        if (f->part[i].lanes) f->part[left++] = f->part[i];
    }
    f->lanes &= ~(1ull << c->form->seat[home][lane]);
    f->nparts = left;
    if (!left) front_ends(c, slot), slot_alarm(c, slot, c->now + 1);
}

/* Lanes that waited for a collective have become one group with those that came last, and go on with them; so
 * do those that it has switched on */
static void take_from(struct core *c, u32 slot, struct part *p, u64 lanes) {
    for (u64 m = lanes; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctzll(m), other = c->form->place[p->home][lane];
        if (other != NO_PLACE && other != slot) leave_front(c, other, p->home, lane);
        c->form->seat[p->home][lane] = (u8)form_home_seat(c, p->home, lane);
    }
    p->lanes |= lanes;
    front_settles(c, slot, p);
}

void form_forgets(struct core *c, u32 home) {
    u16 *place = c->form->place[home];
    for (u32 lane = 0; lane < c->cfg->warp_size; lane++) {
        if (place[lane] == NO_PLACE) continue;
        u32 slot = place[lane];
        const struct front *f = &c->fronts[slot];
        account_change(c, slot);
        leave_front(c, slot, home, lane);
        place[lane] = NO_PLACE;
        set_add(c->form->robbed, slot);
        if (!f->nparts || front_renewed(c, f)) continue; /* who is left is about to leave as well */
        front_squeeze(c, &c->fronts[slot]);
        front_presents(c, slot);
    }
}

void form_look_again(struct core *c) {
    SET_EACH (slot, c->form->robbed, c->words) {
        set_drop(c->form->robbed, slot);
        slot_look(c, slot, c->now);
    }
}

/* Lanes of the home that have ended or are off leave their fronts; `slot` leaves out its own itself. Returns
 * those that have been switched on, and are in none. */
static u64 leave_off(struct core *c, u32 slot, u32 home) {
    u16 *place = c->form->place[home];
    u64 on = warp_enabled(c->homes[home].w), come = 0;
    for (u32 lane = 0; lane < c->cfg->warp_size; lane++) {
        if (on >> lane & 1) {
            if (place[lane] == NO_PLACE) come |= 1ull << lane;
            continue;
        }
        if (place[lane] != slot && place[lane] != NO_PLACE) leave_front(c, place[lane], home, lane);
        place[lane] = NO_PLACE;
    }
    return come;
}

/* Lanes that are together and in several fronts, because those that brought them together are off now, part
 * again */
static void part_by_front(const struct core *c, u32 home) {
    struct warp *w = c->homes[home].w;
    const u16 *place = c->form->place[home];
    for (u32 i = 0; i < w->groups.n; i++) {
        struct group *g = &w->groups.at[i];
        u64 away = 0;
        for (u64 m = g->mask; m; m &= m - 1)
            if (place[__builtin_ctzll(m)] != place[__builtin_ctzll(g->mask)]) away |= m & -m;
        if (away) group_split_to(w, g, away, g->pc);
    }
}

/* Lanes that have ended or are off leave; those that a collective brought together come. False: nobody is
 * left */
static bool gather(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    u32 left = 0;
    f->lanes = 0;
    for (u32 i = 0; i < f->nparts; i++) {
        struct part p = f->part[i];
        const struct warp *w = c->homes[p.home].w;
        u64 come = c->prog->k->gathers ? leave_off(c, slot, p.home) : 0;
        p.lanes &= warp_enabled(w);
        if (come) take_from(c, slot, &p, come);
        for (u32 k = 0; k < left; k++) /* a part before it has become one with it */
            if (f->part[k].home == p.home) p.lanes &= ~f->part[k].lanes;
        for (u32 k = 0; k < w->groups.n; k++) {
            u64 mask = w->groups.at[k].mask;
            if (mask & p.lanes && mask & ~p.lanes && is_collective(c, f->head->pc)) take_from(c, slot, &p, mask & ~p.lanes);
        }
        if (c->prog->k->gathers && !p.lanes) part_by_front(c, p.home);
        if (!p.lanes) continue;
        f->lanes |= seats_of(c, &p);
        f->part[left++] = p;
    }
    f->nparts = left;
    return left;
}

static void changed_homes(struct core *c, const struct part *at, u32 n, u64 lanes) {
    for (u32 i = 0; i < n; i++)
        if (!c->homes[at[i].home].ended) form_wake_waiting(c, at[i].home, c->now + 1, false);
    homes_end(c, at, n, lanes);
}

/* --- after any */

/* All lanes of one warp, in their home positions: nobody could join them */
static bool is_whole(const struct core *c, const struct front *f) {
    const struct part *p = &f->part[0];
    return f->nparts == 1 && p->lanes == warp_enabled(part_home(c, p)->w) && seats_at_home(c, p);
}

/* Straight on: where branches meet, and at collectives, they come to the pool */
static void go_on(struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    const struct inst *in = front_advances(c, slot);
    if (!in) return;
    bool meets = in->flags & (INST_PSEUDO | INST_RECONV) || (in->flags & INST_COLLECTIVE && !is_whole(c, f));
    if (meets) slot_alarm(c, slot, c->now + 1);
    else front_shows(c, slot, (i32)(in - c->prog->k->code));
}

void form_ran(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    struct part was[MAX_WARP];
    u32 n = f->nparts, flags = f->head->in->flags;
    u64 lanes = f->lanes;
    if (c->view.faulted) return;
    bool together =
        flags & INST_COLLECTIVE && !(flags & INST_CONTROL) && is_whole(c, f) && form_group(c, &f->part[0])->state == GROUP_READY;
    if (!(flags & (INST_CONTROL | INST_COLLECTIVE)) || together) {
        go_on(c, slot);
        return;
    }
    if (f->head->kind == T_BARRIER) set_add(c->form->at_barrier, slot);
    f->release_cy = 0;
    memcpy(was, f->part, sizeof(*was) * n);
    bool some = gather(c, slot);
    f->head = NULL;
    front_presents(c, slot);
    if (some) slot_alarm(c, slot, c->now + 1);
    else front_ends(c, slot);
    changed_homes(c, was, n, lanes);
}

void form_issued(struct core *c, u32 slot) {
    struct form *x = c->form;
    x->polled_at[slot] = x->polls;
    if (!set_has(x->in_pool, slot)) return;
    set_drop(x->in_pool, slot);
    c->stats.formed_wait_max = MAX(c->stats.formed_wait_max, c->now - x->entered[slot]);
}
