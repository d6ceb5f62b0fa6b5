/* Gangs: variable warp sizing. A warp is divided into slices, small warps of vws.slice lanes. Slices that
 * stand at one pc are a gang, which issues as one front: one fetch, one instruction, and its accesses to
 * memory coalesced over all its lanes.
 *
 * A slice has a reconvergence stack of its own: lanes that part at a branch meet again at its immediate
 * post-dominator when all of the slice have come, whatever the others do. A gang whose slices go different
 * ways at a branch parts: those that go the same way stay together, or (vws.control = all) each is alone. It
 * also parts (vws.memory) where an instruction has its data in some slices and waits for a miss in others.
 * With vws.gang = elastic two gangs of one warp become one when they stand at one pc and neither waits for
 * memory; slices that have all parted, not before they have issued. With inelastic they never do. A gang of
 * two slices or more takes an entry of the SM's gang table (vws.gangs), and slices that find none go on
 * alone. Slices and their stacks are 43_slices.c's; who becomes one, and who parts at loads, is in 43_meet.c.
 *
 * Each slice has its share of registers, collectors and units (40_operands.c, 50_execute.c), of the one
 * pipe where there is one (sm.pipe), and (vws.front = slices) a fetch of its own (10_fetch.c), so gangs
 * that have no slice in common can issue in one cycle (30_issue.c): the scheduler picks among those that can
 * issue until no slice is left that somebody could use. With vws.front = warps it picks once a cycle, and
 * fetch is that of warps. vws.first says who is offered first.
 *
 * Kernels with shuffles, votes or matrix instructions that name no lanes find their lanes in step: their
 * warps are one slice. At those that name lanes the named ones wait for each other, whatever their gangs.
 *
 * Paper: Rogers, Johnson, O'Connor, Keckler, "A Variable Warp Size Architecture" (ISCA 2015). Modelled are
 * inelastic ganging (I-VWS: gangs part at branches and never form again), elastic ganging (E-VWS:
 * opportunistically at a common pc), both with and without parting at memory divergence, by groups that have
 * their data or into single slices at once, a bounded gang table, and priority of big or little gangs.
 * Deviations: the paper has one scheduler for each slice and one for gangs, here the scheduler of the sub-
 * core picks several times a cycle, by the same sm.sched; slices share the instruction cache, and have no
 * first-level one of their own; who leaves a gang has what that has fetched; gangs are of slices of one
 * warp; nobody waits for slices that have yet to come to the pc. All units take as long for a slice as for a
 * whole warp, of which it has so many lanes' share. sm.sched sees gangs as warps.
 *
 * Invariants (gang_check):
 *   U1 a live thread's slice is in exactly one front, and a front's place is one of its warp's: that of one
 *      of its slices while that one lives, but where a program has switched that one's lanes on again
 *   U2 a front that can run has one group of each of its slices, all at its pc; other groups of the slice
 *      have no place
 *   U3 a group of a slice's stack has no lanes of another slice while it waits for its turn or for its
 *      meeting point, but those that a program has switched on or had come together there
 *   U4 gangs of two slices or more are `used`, those that can run at most vws.gangs */
#include "core/gang.h"

#include <stdlib.h>
#include <string.h>

static void stir(struct core *c, u32 home, u64 cy, bool barrier);

/* --- building */

void gang_init(struct core *c) {
    if (!c->pol.diverge->slices) return;
    struct gangs *x = c->gang = base_alloc(sizeof(*x));
    x->slices = base_alloc(sizeof(*x->slices) * c->nfronts);
    x->parted = base_alloc(sizeof(*x->parted) * c->nfronts);
    x->of = base_alloc(sizeof(*x->of) * c->nslots);
    x->stride = c->nfronts / c->pol.diverge->slices(c->cfg);
}

void gang_free(struct core *c) {
    if (c->gang) free(c->gang->slices), free(c->gang->parted), free(c->gang->of);
    free(c->gang);
}

/* It has instructions that find lanes together without naming them */
static bool wants_whole_warps(const struct kernel *k) {
    for (u32 i = 0; i < k->ninst; i++)
        if ((k->code[i].iclass == ICLASS_WARP || k->code[i].iclass == ICLASS_TENSOR) && !(k->code[i].flags & INST_COLLECTIVE))
            return true;
    return false;
}

void gang_launch(struct core *c) {
    struct gangs *x = c->gang;
    if (!x) return;
    x->n = wants_whole_warps(c->prog->k) ? 1 : c->pol.diverge->slices(c->cfg);
    x->width = c->cfg->warp_size / x->n;
    operands_divide(c, x->n);
    x->used = 0;
    memset(x->slices, 0, sizeof(*x->slices) * c->nfronts);
    memset(x->parted, 0, sizeof(*x->parted) * c->nfronts);
}

void gang_offers(const struct core *c, u64 *set) { c->pol.diverge->offer(c->cfg, c->gang->slices, set, c->words); }
bool gang_front_each(const struct core *c) { return c->pol.diverge->front_each(c->cfg); }

/* --- gangs and their places */

void gang_counts(struct core *c, u32 before, u32 after) {
    c->gang->used += is_gang(after);
    c->gang->used -= is_gang(before);
}

/* U4: gangs that find no entry are slices. The front's own entry is one that they can have */
void gang_finds_entries(struct core *c, u32 own, struct parts_of *x) {
    u32 used = c->gang->used - is_gang(own), n = x->n;
    for (u32 i = 0; i < n && c->cfg->vws_gangs; i++) {
        if (!is_gang(x->at[i].slices) || used++ < c->cfg->vws_gangs) continue;
        struct part_of all = x->at[i];
        c->stats.slices_alone += (u32)__builtin_popcount(all.slices);
        x->at[i].slices = all.slices & -all.slices;
        for (u32 m = all.slices & (all.slices - 1); m; m &= m - 1) x->at[x->n++] = (struct part_of){m & -m, all.pc, all.waits};
    }
}

/* The threads of some slices as a piece; groups that stand together, on the same way, are one again */
static void gather_piece(const struct core *c, u32 home, const struct part_of *p, const struct stand *at, struct piece *x) {
    x->pc = p->pc, x->waits = p->waits, x->opens = NEVER, x->n = 0, x->seats = 0;
    for (u32 m = p->slices; m; m &= m - 1) {
        struct part one = {.home = (u16)home, .lanes = at[__builtin_ctz(m)].lanes};
        x->seats |= one.lanes;
        if (p->waits) x->part[x->n++] = one;
        else form_add_part(c, x->part, &x->n, one);
    }
    x->came = x->seats;
}

/* The place of the lowest of these slices. Others may have it, who kept it when all lanes of that slice were
 * off: then another of the warp's, which has as many as slices. */
static u32 place_for(const struct core *c, u32 home, u32 slices) {
    u32 at = place_of(c, home, (u32)__builtin_ctz(slices));
    for (u32 i = 0; c->gang->slices[at]; i++) at = place_of(c, home, i);
    return at;
}

/* A part of the front gets a front: the one it comes from, or a place of its own, with a copy of what the
 * gang has fetched where it goes on from there */
static u32 part_goes(struct core *c, u32 slot, bool stays, u32 home, const struct part_of *p, const struct stand *at,
                     const struct ibuffer *fetched) {
    struct piece *x = &c->form->pieces[0];
    u32 to = stays ? slot : place_for(c, home, p->slices);
    gather_piece(c, home, p, at, x);
    if (!stays) front_begins(c, to, c->age[slot]);
    if (!stays && fetched->next == p->pc) c->fronts[to].ib = *fetched, c->fronts[to].ib.miss = false;
    c->gang->slices[to] = p->slices;
    for (u32 m = p->slices; m; m &= m - 1) c->gang->of[home][__builtin_ctz(m)].at = (u16)to;
    front_takes(c, to, x);
    front_shows(c, to, x->waits ? NONE : x->pc);
    ibuffer_want(c, &c->fronts[to]);
    if (x->waits && form_waits(c, &c->fronts[to]) == 1u << STALL_BARRIER) set_add(c->form->at_barrier, to);
    else set_drop(c->form->at_barrier, to);
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)to, .pc = x->pc, .mask = x->seats, .a = x->seats,
         .cause = FRONT_COMES);
    return to;
}

/* The front's slices go on as these parts. The one with the slice whose place it has stays, or if that slice
 * has ended the first (U1) */
void gang_parts(struct core *c, u32 slot, const struct parts_of *x, const struct stand *at) {
    u32 home = home_of(c, slot), own = slot / c->gang->stride, keep = 0, were = c->gang->slices[slot], places[VWS_SLICES];
    const struct ibuffer fetched = c->fronts[slot].ib;
    for (u32 i = 0; i < x->n; i++)
        if (x->at[i].slices >> own & 1) keep = i;
    for (u64 m = slices_lanes(c, were); m; m &= m - 1) c->form->place[home][__builtin_ctzll(m)] = NO_PLACE;
    gang_counts(c, were, 0);
    for (u32 i = 0; i < x->n; i++) gang_counts(c, 0, x->at[i].slices);
    c->stats.gangs_peak = MAX(c->stats.gangs_peak, c->gang->used);
    places[keep] = part_goes(c, slot, true, home, &x->at[keep], at, &fetched);
    for (u32 i = 0; i < x->n; i++)
        if (i != keep) places[i] = part_goes(c, slot, false, home, &x->at[i], at, &fetched);
    for (u32 i = 0; i < x->n; i++) c->gang->parted[places[i]] = x->alone;
    for (u32 i = 0; i < x->n; i++)
        if (i != keep) slot_look(c, places[i], c->now);
}

/* Nobody is left in it */
void gang_ends(struct core *c, u32 slot) {
    gang_counts(c, c->gang->slices[slot], 0);
    c->gang->slices[slot] = 0;
    front_ends(c, slot);
}

/* --- before the issue of a cycle: who goes on where */

/* Slices by where they stand: those that go on, or wait, at one pc are a part */
static void sort_slices(struct core *c, u32 slices, const struct stand *at, struct parts_of *x) {
    for (u32 m = slices; m; m &= m - 1) {
        const struct stand *s = &at[__builtin_ctz(m)];
        u32 i = 0;
        while (i < x->n && (x->at[i].pc != s->pc || x->at[i].waits != s->waits)) i++;
        if (i == x->n) x->at[x->n++] = (struct part_of){0, s->pc, s->waits};
        x->at[i].slices |= m & -m;
    }
    if (x->n == 1) return;
    u32 most = 0;
    for (u32 i = 0; i < x->n; i++) most = MAX(most, (u32)__builtin_popcount(x->at[i].slices));
    c->stats.slices_control += (u32)__builtin_popcount(slices) - most;
    if (c->cfg->vws_control != VWS_ALL_APART) return;
    x->n = 0, x->alone = true;
    for (u32 m = slices; m; m &= m - 1)
        x->at[x->n++] = (struct part_of){m & -m, at[__builtin_ctz(m)].pc, at[__builtin_ctz(m)].waits};
}

static void slices_end(struct core *c, u32 home, u32 slices) {
    for (; slices; slices &= slices - 1) c->gang->of[home][__builtin_ctz(slices)].at = NO_PLACE;
}

void gang_regroup(struct core *c, u32 slot) {
    u32 home = home_of(c, slot), slices = c->gang->slices[slot], live = 0;
    struct part was = c->fronts[slot].part[0];
    struct stand at[VWS_SLICES];
    struct parts_of x = {0};
    account_change(c, slot);
    slices_part(c, c->homes[home].w, slices_lanes(c, slices));
    for (u32 m = slices; m; m &= m - 1) {
        u32 s = (u32)__builtin_ctz(m);
        if (slice_stands(c, home, s, &at[s])) live |= 1u << s;
        if (c->view.faulted) return;
    }
    slices_end(c, home, slices & ~live);
    if (c->prog->k->gathers) slices_part(c, c->homes[home].w, slices_lanes(c, live)); /* some may have come together */
    if (!live) {
        gang_ends(c, slot);
        homes_end(c, &was, 1, was.lanes);
        return;
    }
    gang_counts(c, slices, live);
    c->gang->slices[slot] = live;
    sort_slices(c, live, at, &x);
    gang_finds_entries(c, live, &x);
    gang_parts(c, slot, &x, at);
    stir(c, home, c->now, false);
}

void gang_starts(struct core *c, u32 home) {
    const struct warp *w = c->homes[home].w;
    u64 lanes = warp_enabled(w);
    u32 slices = slices_of(c, lanes), slot = place_of(c, home, (u32)__builtin_ctz(slices));
    for (u32 i = 0; i < c->gang->n; i++)
        c->gang->of[home][i] = (struct sliced){slices >> i & 1 ? (u16)slot : NO_PLACE, (u8)(i * c->gang->width), w->polled};
    for (u32 i = 0; i < c->cfg->warp_size; i++) c->form->seat[home][i] = (u8)i;
    struct piece *x = &c->form->pieces[0];
    *x = (struct piece){.waits = true, .n = 1, .part[0] = {.home = (u16)home, .lanes = lanes}, .seats = lanes};
    front_begins(c, slot, c->homes[home].age);
    gang_counts(c, 0, slices);
    c->gang->slices[slot] = slices;
    front_takes(c, slot, x);
    slot_look(c, slot, c->now);
}

/* --- after an issue: nothing of other fronts changes before the next cycle (I1 of 29_look.c) */

/* Fronts of the home that wait, at a barrier or for lanes, and need not any longer look again then */
static void stir(struct core *c, u32 home, u64 cy, bool barrier) {
    u32 seen = 0;
    const struct warp *w = c->homes[home].w;
    if (!w || home_renewed(&c->homes[home])) return;
    for (u32 i = 0; i < c->gang->n; i++) {
        u32 at = c->gang->of[home][i].at;
        if (at == NO_PLACE || seen >> i & 1) continue;
        struct front *f = &c->fronts[at];
        seen |= c->gang->slices[at];
        if (f->head || f->resolve_cy > c->now || f->release_cy > c->now || barrier != set_has(c->form->at_barrier, at)) continue;
        if (!slices_ready(c, home, c->gang->slices[at])) continue;
        if (barrier) f->release_cy = cy;
        slot_alarm(c, at, cy);
    }
}

void gang_wake_block(struct core *c, const struct cta_place *p, u64 cy) {
    for (u64 m = cta_slots(p); m; m &= m - 1) stir(c, (u32)__builtin_ctzll(m), cy, true);
}

/* Before an instruction at which lanes may part: each slice has its own meeting point */
void gang_apart(struct core *c, struct front *f) {
    u32 home = f->part[0].home, n = 0;
    u64 lanes = f->lanes;
    slices_part(c, c->homes[home].w, lanes);
    for (u32 m = slices_of(c, lanes); m; m &= m - 1)
        f->part[n++] = (struct part){.home = (u16)home, .lanes = lanes & slice_lanes(c, (u32)__builtin_ctz(m))};
    f->nparts = n;
}

/* Straight on: all stand at the next instruction */
static void go_on(struct core *c, u32 slot) {
    const struct inst *in = front_advances(c, slot);
    if (!in) return;
    if (in->flags & (INST_PSEUDO | INST_RECONV)) {
        slot_alarm(c, slot, c->now + 1);
        return;
    }
    front_shows(c, slot, (i32)(in - c->prog->k->code));
    if (c->cfg->vws_gang == VWS_ELASTIC && gang_beside(c, slot) != NO_PLACE) slot_alarm(c, slot, c->now + 1);
}

/* A collective that named no others than the front's, all of which have run it */
static bool ran_together(const struct core *c, const struct front *f) {
    if (f->head->in->flags & INST_CONTROL || f->nparts > 1) return false;
    const struct group *g = form_group(c, &f->part[0]);
    return g->mask == f->part[0].lanes && g->state == GROUP_READY && g->pc == f->head->pc + 1;
}

/* Another front of the home than `slot` ends when all its lanes are off */
static void front_switched(struct core *c, u32 slot, u32 home, u32 other) {
    u32 slices = c->gang->slices[other];
    if (other == slot || slices_lanes(c, slices) & warp_enabled(c->homes[home].w)) return;
    slices_end(c, home, slices);
    gang_ends(c, other);
    slot_alarm(c, other, c->now + 1);
}

/* An instruction of the front has switched lanes on or off. Slices that had none on and now have some are the
 * front's */
static void slices_switched(struct core *c, u32 slot) {
    u32 home = home_of(c, slot), were = c->gang->slices[slot], on = slices_of(c, warp_enabled(c->homes[home].w)), all = were;
    for (u32 i = 0; i < c->gang->n; i++) {
        struct sliced *x = &c->gang->of[home][i];
        if (x->at != NO_PLACE) front_switched(c, slot, home, x->at);
        else if (on >> i & 1) x->at = (u16)slot, all |= 1u << i;
    }
    gang_counts(c, were, all);
    c->gang->slices[slot] = all;
}

void gang_ran(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    u32 home = home_of(c, slot), flags = f->head->in->flags;
    if (c->view.faulted) return;
    c->gang->parted[slot] = false;
    if (!(flags & (INST_CONTROL | INST_COLLECTIVE)) || ran_together(c, f)) {
        go_on(c, slot);
        return;
    }
    if (c->prog->k->gathers) slices_switched(c, slot);
    struct part was = {.home = (u16)home, .lanes = slices_lanes(c, c->gang->slices[slot])};
    u64 live = was.lanes & warp_enabled(c->homes[home].w);
    if (f->head->kind == T_BARRIER) set_add(c->form->at_barrier, slot);
    else set_drop(c->form->at_barrier, slot);
    f->release_cy = 0;
    front_shows(c, slot, NONE);
    if (live) {
        f->part[0] = (struct part){.home = (u16)home, .lanes = live};
        f->nparts = 1, f->lanes = live;
        slot_alarm(c, slot, c->now + 1);
    } else {
        slices_end(c, home, c->gang->slices[slot]);
        gang_ends(c, slot);
    }
    stir(c, home, c->now + 1, false);
    homes_end(c, &was, 1, was.lanes);
}

void gang_forgets(struct core *c, u32 home) {
    for (u32 i = 0; i < c->gang->n; i++) {
        u32 at = c->gang->of[home][i].at;
        if (at == NO_PLACE) continue;
        slices_end(c, home, c->gang->slices[at]);
        gang_ends(c, at);
        set_add(c->form->robbed, at);
    }
    memset(c->form->place[home], 0xFF, sizeof(*c->form->place));
}

/* --- invariants */

static void check_front(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    u32 slices = c->gang->slices[slot], home = f->part[0].home;
    CHECK((slices != 0) == (f->nparts != 0));
    if (!slices || home_renewed(&c->homes[home])) return;
    const struct warp *w = c->homes[home].w;
    u32 own = slot / c->gang->stride;
    CHECK(slot % c->gang->stride == home);                                                     /* U1 */
    CHECK(slices >> own & 1 || c->gang->of[home][own].at == NO_PLACE || c->prog->k->gathers);  /* U1 */
    for (u32 m = slices; m; m &= m - 1) CHECK(c->gang->of[home][__builtin_ctz(m)].at == slot); /* U1 */
    if (!f->head) return;
    CHECK(slices_of(c, f->lanes) == slices); /* U2 */
    u64 lanes = 0;
    for (u32 i = 0; i < f->nparts; i++) {
        const struct group *g = form_group(c, &f->part[i]);
        CHECK(g->mask == f->part[i].lanes && g->pc == f->head->pc && g->state == GROUP_READY && !(lanes & g->mask)); /* U2 */
        lanes |= g->mask;
    }
    CHECK(lanes == f->lanes); /* U2 */
    for (u64 m = slices_lanes(c, slices) & warp_enabled(w); m; m &= m - 1)
        CHECK(c->form->place[home][__builtin_ctzll(m)] == (lanes & m & -m ? slot : (u32)NO_PLACE)); /* U2 */
}

/* U3 */
static void check_stack(const struct core *c, const struct warp *w) {
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *g = &w->groups.at[i];
        for (i32 k = g->conv; k != NONE; k = w->convs.at[k].parent)
            CHECK(!is_gang(slices_of(c, w->convs.at[k].expected | g->mask)));
    }
}

void gang_check(const struct core *c) {
    u32 gangs = 0, at_work = 0;
    if (!c->gang) return;
    for (u32 i = 0; i < c->nfronts; i++) {
        check_front(c, i);
        gangs += is_gang(c->gang->slices[i]);
        at_work += c->fronts[i].head && is_gang(c->gang->slices[i]);
    }
    for (u32 i = 0; i < c->nslots; i++) {
        const struct warp *w = c->homes[i].w;
        if (!w || !w->live || home_renewed(&c->homes[i])) continue;
        if (!c->prog->k->gathers) check_stack(c, w);
        for (u32 s = 0; s < c->gang->n; s++)
            CHECK(!(slice_lanes(c, s) & warp_enabled(w)) || c->gang->slices[c->gang->of[i][s].at] >> s & 1); /* U1 */
    }
    CHECK(gangs == c->gang->used && (!c->cfg->vws_gangs || at_work <= c->cfg->vws_gangs)); /* U4 */
}
