/* Lanes of a load that have all their data before others of the same load: those that hit in the L1 while
 * others wait for a miss, and those whose line comes before other lanes' lines. Their registers are written
 * when it is known, so that they need not wait (dws, vws).
 *
 * A load is looked at when the memory stage has taken its last access: hits and misses are known then. Loads
 * of global and local memory through the L1 are followed; constants, textures, atomics, and what goes past
 * the L1 come home at once, and so do loads of more than 64 lines.
 *
 * Paper: Meng, Tarjan, Skadron: Dynamic warp subdivision for integrated branch and memory divergence
 * tolerance, ISCA 2010.
 *
 * Invariants (early_check): Y1 a lane's registers are written once, early or with the last of the load: those
 * written early lack nothing, and a lane lacks as many accesses as touch it and have not come. */
#include "core/early.h"

#include <stdlib.h>
#include <string.h>

void early_init(struct core *c) {
    if (c->pol.diverge->by_load && c->pol.diverge->by_load(c->cfg)) c->early = base_alloc(sizeof(*c->early));
}

void early_free(struct core *c) {
    if (c->early) free(c->early->at.at);
    free(c->early);
}

static struct early_load *early_at(const struct core *c, u32 flight) { return &c->early->at.at[flight]; }

static void owe(struct early_load *x, u64 lanes, int by) {
    for (; lanes; lanes &= lanes - 1) x->owed[__builtin_ctzll(lanes)] = (u8)(x->owed[__builtin_ctzll(lanes)] + by);
}

static bool is_followed(const struct flight *f) {
    const struct memop *m = &f->mem;
    bool cached = (m->space == SPACE_GLOBAL || m->space == SPACE_LOCAL) && !m->is_const && !m->is_texture;
    return cached && m->kind == PROBE_LOAD && f->t->ndst && !m->packets.n && !m->is_async && m->nlines > 1 && m->nlines <= 64;
}

static void begins(struct core *c, const struct flight *f) {
    while (c->early->at.n <= f->id) VEC_PUSH(&c->early->at, (struct early_load){0});
    struct early_load *x = early_at(c, f->id);
    *x = (struct early_load){.followed = is_followed(f)};
    for (u32 i = 0; x->followed && i < f->mem.nlines; i++) owe(x, f->mem.lines.at[i].lanes, 1);
}

/* Data of an access is there, or comes after the latency of the cache */
static void comes(struct early_load *x, const struct flight *f, u32 access) {
    x->come |= 1ull << access;
    owe(x, f->mem.lines.at[access].lanes, -1);
}

static void seen(struct core *c, const struct mem_event *e) {
    if (e->kind == MEM_ENTERED) begins(c, e->f);
    else if (early_at(c, e->f->id)->followed) comes(early_at(c, e->f->id), e->f, e->f->mem.next);
}

static const struct watcher early_watcher = {.kinds = 1u << MEM_ENTERED | 1u << MEM_HIT, .seen = seen};

void early_launch(struct core *c) {
    if (!c->early) return;
    c->early->at.n = 0;
    watch_add(c, &early_watcher);
}

/* Lanes that lack nothing any more, and have not been told so */
static u64 lanes_here(const struct early_load *x, const struct flight *f) {
    u64 here = 0;
    for (u64 m = f->lanes & ~x->written; m; m &= m - 1)
        if (!x->owed[__builtin_ctzll(m)]) here |= m & -m;
    return here;
}

static void write_here(struct core *c, struct flight *f, u64 cy, bool hits) {
    struct early_load *x = early_at(c, f->id);
    u64 lanes = x->followed ? lanes_here(x, f) : 0;
    if (!lanes) return;
    x->written |= lanes;
    if (c->split) split_offered(c, f->slot, hits);
    writeback_early(c, f, lanes, MAX(MAX(f->result_cy, c->now), cy));
}

void early_accepted(struct core *c, struct flight *f) { write_here(c, f, c->now, true); }

void early_filled(struct core *c, u32 flight, u64 line, u64 cy) {
    struct flight *f = flight_at(c, flight);
    struct early_load *x = early_at(c, flight);
    u32 i = 0;
    if (!x->followed) return;
    while (i < f->mem.nlines && (f->mem.lines.at[i].line != line || x->come >> i & 1)) i++;
    CHECK(i < f->mem.nlines);
    comes(x, f, i);
    if (f->mem.accepted && f->mem.outstanding > 1) write_here(c, f, cy, false); /* else it comes home as a whole */
}

u64 early_lanes(const struct core *c, const struct flight *f) { return early_at(c, f->id)->written; }

static void check_load(const struct early_load *x, const struct flight *f) {
    u8 owed[MAX_WARP] = {0};
    CHECK(!(x->written & ~f->lanes)); /* Y1 */
    for (u32 i = 0; i < f->mem.nlines; i++)
        for (u64 m = x->come >> i & 1 ? 0 : f->mem.lines.at[i].lanes; m; m &= m - 1) owed[__builtin_ctzll(m)]++;
    for (u32 i = 0; i < MAX_WARP; i++) CHECK(x->owed[i] == owed[i] && !(owed[i] && x->written >> i & 1)); /* Y1 */
}

void early_check(const struct core *c) {
    if (!c->early) return;
    EACH_FLIGHT (c, f)
        if (f->sent && early_at(c, f->id)->followed) check_load(early_at(c, f->id), f);
}
