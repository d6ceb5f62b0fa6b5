/* Gangs that become one at a common pc, and that part at loads (vws).
 *
 * With vws.gang = elastic two gangs of one warp become one when they stand at one pc and neither waits for
 * memory; slices that have all parted, not before they have issued. A gang parts (vws.memory) where an
 * instruction has its data in some slices and waits for a miss in others. */
#include "core/gang.h"

/* Its next instruction needs a value that has no known end in these lanes */
static bool waits_for_memory(const struct core *c, const struct front *f, u64 lanes) {
    const struct home *s = part_home(c, &f->part[0]);
    for (u32 i = 0; i < (u32)f->head->nsrc + f->head->ndst; i++)
        if (sb_ready(s, f->head->reg[i], lanes) == NEVER) return true;
    return false;
}

static bool can_meet(const struct core *c, const struct front *f) {
    return f->head && !c->gang->parted[f->slot] && f->release_cy <= c->now && f->resolve_cy <= c->now &&
           !waits_for_memory(c, f, f->lanes);
}

/* `b` has instructions, and `a` has not; or is larger */
static bool absorbs(const struct core *c, const struct front *a, const struct front *b) {
    if (!a->ib.n != !b->ib.n) return b->ib.n;
    return gang_size(c, b->slot) > gang_size(c, a->slot);
}

/* The front of place `from` becomes part of the one of place `to` */
static void gang_joins(struct core *c, u32 to, u32 from) {
    struct front *f = &c->fronts[to];
    const struct front *g = &c->fronts[from];
    u32 home = home_of(c, to), slices = c->gang->slices[from], all = slices | c->gang->slices[to];
    u64 lanes = g->lanes;
    account_change(c, to);
    for (u32 i = 0; i < g->nparts; i++) {
        for (u64 m = g->part[i].lanes; m; m &= m - 1) c->form->place[home][__builtin_ctzll(m)] = (u16)to;
        form_add_part(c, f->part, &f->nparts, g->part[i]);
    }
    for (u32 m = slices; m; m &= m - 1) c->gang->of[home][__builtin_ctz(m)].at = (u16)to;
    f->lanes |= lanes;
    c->age[to] = MIN(c->age[to], c->age[from]);
    c->stats.slices_ganged += (u32)__builtin_popcount(slices);
    gang_ends(c, from);
    gang_counts(c, c->gang->slices[to], all);
    c->stats.gangs_peak = MAX(c->stats.gangs_peak, c->gang->used);
    c->gang->slices[to] = all;
    front_shows(c, to, f->head->pc);
    EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)to, .pc = f->head->pc, .mask = lanes, .a = lanes,
         .b = COMES_TO_OTHERS, .cause = FRONT_COMES);
}

/* There is an entry for the gang that two fronts would be */
static bool entry_for(const struct core *c, u32 a, u32 b) {
    u32 have = is_gang(c->gang->slices[a]) + is_gang(c->gang->slices[b]);
    return have || !c->cfg->vws_gangs || c->gang->used < c->cfg->vws_gangs;
}

/* Another front of the warp at the same instruction; NO_PLACE */
u32 gang_beside(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    u32 home = home_of(c, slot);
    for (u32 i = 0; i < c->gang->n && f->head; i++) {
        u32 at = c->gang->of[home][i].at;
        if (at != NO_PLACE && at != slot && c->fronts[at].head == f->head) return at;
    }
    return NO_PLACE;
}

void gang_meets(struct core *c, u32 slot) {
    u32 home = home_of(c, slot);
    if (c->cfg->vws_gang == VWS_INELASTIC || !can_meet(c, &c->fronts[slot])) return;
    for (u32 i = 0; i < c->gang->n; i++) {
        u32 at = c->gang->of[home][i].at;
        if (at == NO_PLACE || at == slot || c->fronts[at].head != c->fronts[slot].head) continue;
        if (!can_meet(c, &c->fronts[at]) || !entry_for(c, slot, at)) continue;
        bool leaves = absorbs(c, &c->fronts[slot], &c->fronts[at]);
        gang_joins(c, leaves ? at : slot, leaves ? slot : at);
        slot_look(c, at, c->now); /* which may join more */
        if (leaves) return;
    }
}

/* --- at loads */

/* Its slices that have all that the next instruction needs, or know when they will */
static u32 slices_supplied(const struct core *c, const struct front *f) {
    u32 supplied = 0;
    for (u32 m = c->gang->slices[f->slot]; m; m &= m - 1) {
        u32 s = (u32)__builtin_ctz(m);
        if (!waits_for_memory(c, f, f->lanes & slice_lanes(c, s))) supplied |= 1u << s;
    }
    return supplied;
}

bool gang_divides(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    u32 slices = c->gang->slices[slot];
    if (c->cfg->vws_memory == VWS_WAITS || !f->head || !is_gang(slices)) return false;
    u32 supplied = slices_supplied(c, f);
    return supplied && supplied != slices;
}

void gang_part_at_load(struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    u32 slices = c->gang->slices[slot], supplied = slices_supplied(c, f);
    struct stand at[VWS_SLICES];
    struct parts_of x = {0};
    i32 pc = f->head->pc;
    slices_part(c, c->homes[home_of(c, slot)].w, f->lanes);
    for (u32 m = slices; m; m &= m - 1) {
        u32 s = (u32)__builtin_ctz(m);
        at[s] = (struct stand){pc, false, f->lanes & slice_lanes(c, s)};
        if (c->cfg->vws_memory == VWS_SINGLY) x.at[x.n++] = (struct part_of){1u << s, pc, false};
    }
    if (c->cfg->vws_memory == VWS_LOADED_TOGETHER) {
        x = (struct parts_of){2, false, {{supplied, pc, false}, {slices & ~supplied, pc, false}}};
        gang_finds_entries(c, slices, &x);
    }
    x.alone = c->cfg->vws_memory == VWS_SINGLY;
    c->stats.slices_memory += (u32)__builtin_popcount(supplied);
    account_change(c, slot);
    gang_parts(c, slot, &x, at);
}
