/* The re-execution queue (Mascar, HPCA 2015, III-C and III-D): accesses that the L1 refuses step aside, so
 * that others can pass and hit.
 *
 * With sm.lsu.reexec entries, a line access of the pipe's first instruction that is refused (MSHR, COMQ, RSV,
 * TLB, OWNER) leaves the pipe for the queue and the pipe goes on with the next line or instruction. Addresses
 * are not generated again. The queue's first entry is tried when the pipe has nothing for the memory stage;
 * one that is refused goes to the tail. When the pipe's first access is refused and the queue has no room,
 * the hazard policy acts: with `stall` only the queue is served until an entry is free, with `replay` the
 * instruction is issued again later. A warp has entries of one instruction at most. What that means for its
 * later memory instructions (not those of shared memory or constants) can be read in two ways:
 *   sm.lsu.reexec.order = issue: they do not issue meanwhile, and those already in the pipe wait there, the
 *     queue being served in their place.
 *   sm.lsu.reexec.order = push: they issue. A load behind a load is tried in its turn; one that is refused
 *     may not enter the queue as well, and holds the pipe as if the queue were full. A thread's access to a
 *     line that another of its own waits for, stores and atomics, and what follows these, wait as above.
 * An instruction is accepted when its last access has been taken, here or in the pipe. With
 * sm.lsu.reexec.first = queued the queue goes before the pipe while one of its entries might be taken.
 *
 * Deviations: after a round in which all were refused and nothing has changed since (no response, no packet
 * gone, no other owner), tries are not repeated until something does; with the queue full, the pipe's first
 * access has a try of its own at the end of the round. A pipe that is never idle lets the queue have every
 * PATIENCE_CY-th cycle, so that no entry waits for ever, and a queue that goes first the pipe. Constants and
 * shared memory do not step aside.
 *
 * Invariants (reexec_check): E1 entries of a slot are of one instruction, that of flight[slot], and as many
 * as its `aside`; E2 an instruction that is `away` has entries, or has been accepted. */
#include "core/reexec.h"

#include <stdlib.h>

enum { PATIENCE_CY = 32 };

/* --- building */

void reexec_init(struct core *c) {
    if (!c->cfg->reexec) return;
    c->reexec = base_alloc(sizeof(*c->reexec));
    c->reexec->at = base_alloc(sizeof(*c->reexec->at) * c->cfg->reexec);
}

void reexec_free(struct core *c) {
    if (!c->reexec) return;
    free(c->reexec->at);
    free(c->reexec->op.at);
    free(c->reexec);
}

static void seen(struct core *c, const struct mem_event *e) {
    (void)e;
    reexec_wake(c);
}

static const struct watcher watcher = {1u << MEM_GONE | 1u << MEM_RESPONSE, seen};

void reexec_launch(struct core *c) {
    if (!c->reexec) return;
    watch_add(c, &watcher);
    reexec_abandon(c);
}

void reexec_abandon(struct core *c) {
    struct reexec *r = c->reexec;
    r->head = r->n = 0;
    set_clear(r->slots, c->words);
    r->refused = r->passed_over = r->ahead = 0;
    r->walk_cy = NEVER;
    r->full = NONE;
}

void reexec_issued(struct core *c, const struct flight *f) {
    struct reexec *r = c->reexec;
    while (r->op.n <= f->id) VEC_PUSH(&r->op, (struct reexec_op){0});
    r->op.at[f->id] = (struct reexec_op){0};
}

static struct reexec_entry *entry(const struct core *c, u32 i) { return &c->reexec->at[(c->reexec->head + i) % c->cfg->reexec]; }

/* --- accesses step aside */

void reexec_wake(struct core *c) { c->reexec->refused = 0; }

static void note_refusal(struct core *c, enum hazard why) {
    struct reexec *r = c->reexec;
    if (why == HAZARD_TLB) r->walk_cy = MIN(r->walk_cy, tlb_next(c));
    if (lsu_comes_again(c)) r->refused = 0; /* it has changed something (a dirty line went) */
    else r->refused++;
}

/* An older instruction of its warp has entries */
static bool has_elder(const struct core *c, const struct flight *f) {
    const struct reexec *r = c->reexec;
    return set_has(r->slots, f->slot) && r->flight[f->slot] != f->id;
}

enum reexec_answer reexec_take(struct core *c, struct flight *f, enum hazard why) {
    struct reexec *r = c->reexec;
    if (f->mem.is_const || why == HAZARD_ORDER) return REEXEC_NO;
    if (lsu_comes_again(c)) return REEXEC_NO; /* it comes again in the next cycle */
    if (r->n == c->cfg->reexec || has_elder(c, f)) {
        note_refusal(c, why);
        return REEXEC_FULL;
    }
    *entry(c, r->n++) = (struct reexec_entry){f->id, f->mem.next, (u8)why};
    set_add(r->slots, f->slot);
    r->flight[f->slot] = f->id;
    r->op.at[f->id].aside++;
    note_refusal(c, why);
    c->stats.reexec_entered++;
    lsu_hazard(c, f, why);
    return REEXEC_TAKEN;
}

void reexec_hold(struct core *c, enum hazard why) { c->reexec->full = (i32)why; }

void reexec_passed(struct core *c) { c->reexec->full = NONE; }

bool reexec_over(struct core *c, const struct flight *f) {
    struct reexec_op *o = &c->reexec->op.at[f->id];
    o->away = o->aside != 0;
    return !o->away;
}

/* One of its threads has an access to the same line in the queue */
static bool waits_for_same(const struct core *c, const struct flight *f, u32 elder) {
    if (f->mem.next >= f->mem.nlines) return false;
    const struct line_access *x = &f->mem.lines.at[f->mem.next];
    for (u32 i = 0; i < c->reexec->n; i++) {
        const struct reexec_entry *e = entry(c, i);
        const struct line_access *o = &flight_at(c, e->flight)->mem.lines.at[e->line];
        if (e->flight == elder && o->line == x->line && o->lanes & x->lanes) return true;
    }
    return false;
}

bool reexec_behind(const struct core *c, const struct flight *f) {
    if (!has_elder(c, f) || f->mem.space == SPACE_SHARED || f->mem.is_const) return false;
    const struct flight *elder = flight_at(c, c->reexec->flight[f->slot]);
    bool loads = f->mem.kind == PROBE_LOAD && elder->mem.kind == PROBE_LOAD;
    return c->cfg->reexec_order == REEXEC_ISSUE || !loads || waits_for_same(c, f, elder->id);
}

/* --- who goes */

/* A try may succeed: something has changed since the last round, or a translation has come */
static bool worth_trying(const struct core *c, u32 tries) { return c->reexec->refused < tries || c->reexec->walk_cy <= c->now; }

static void taken(struct core *c, struct flight *f) {
    struct reexec *r = c->reexec;
    struct reexec_op *o = &r->op.at[f->id];
    r->head = (r->head + 1) % c->cfg->reexec;
    r->n--;
    r->refused = 0;
    r->full = NONE;
    lsu_wake(c, LSU_ASIDE_SERVED);
    c->stats.reexec_taken++;
    if (--o->aside) return;
    set_drop(r->slots, f->slot);
    if (o->away) lsu_done(c, f);
}

void reexec_serve(struct core *c) {
    struct reexec *r = c->reexec;
    r->passed_over = 0;
    if (r->walk_cy <= c->now) r->walk_cy = NEVER, r->refused = 0;
    if (r->refused >= r->n) return;
    struct reexec_entry e = *entry(c, 0);
    u64 hits = c->stats.l1_hits;
    c->stats.reexec_tries++;
    int why = lsu_access(c, flight_at(c, e.flight), e.line);
    c->stats.reexec_hits += c->stats.l1_hits - hits;
    if (why == NONE) {
        taken(c, flight_at(c, e.flight));
        return;
    }
    e.why = (u8)why;
    r->head = (r->head + 1) % c->cfg->reexec;
    *entry(c, r->n - 1) = e;
    note_refusal(c, (enum hazard)why);
}

static bool hold_pipe(struct core *c, struct flight *f, enum hazard why) {
    lsu_hold(c, f, why);
    reexec_serve(c);
    return true;
}

/* Neither has a claim to this cycle: is it the queue's? */
static bool queue_goes(struct core *c) {
    struct reexec *r = c->reexec;
    if (!worth_trying(c, r->n)) return false;
    if (c->cfg->reexec_first == REEXEC_QUEUED) return ++r->ahead % PATIENCE_CY != 0;
    return ++r->passed_over >= PATIENCE_CY;
}

bool reexec_first(struct core *c, struct flight *f) {
    struct reexec *r = c->reexec;
    const struct memop *m = &f->mem;
    if (reexec_behind(c, f) && lsu_asks(c, f, HAZARD_ORDER) == HAZARD_HOLD) return hold_pipe(c, f, HAZARD_ORDER);
    if (r->full != NONE && !m->is_const && m->next < m->nlines && !m->cycles_left) {
        if (r->refused == r->n && r->walk_cy > c->now) return false; /* its own try, at the end of the round */
        return hold_pipe(c, f, (enum hazard)r->full);
    }
    if (!queue_goes(c)) return false;
    reexec_serve(c);
    return true;
}

/* --- what others may know */

bool reexec_waits(const struct core *c) { return c->reexec->n; }

const u64 *reexec_slots(const struct core *c) { return c->reexec && c->reexec->n ? c->reexec->slots : NULL; }

const u64 *reexec_holding(const struct core *c) { return c->cfg->reexec_order == REEXEC_ISSUE ? reexec_slots(c) : NULL; }

bool reexec_full(const struct core *c) { return c->reexec && c->reexec->full != NONE; }

i32 reexec_first_slot(const struct core *c) {
    return c->reexec && c->reexec->n ? (i32)flight_at(c, entry(c, 0)->flight)->slot : NONE;
}

u64 reexec_next(const struct core *c) {
    const struct reexec *r = c->reexec;
    if (worth_trying(c, r->full == NONE ? r->n : r->n + 1)) return c->now;
    return MAX(c->now, r->walk_cy);
}

void reexec_check(const struct core *c) {
    const struct reexec *r = c->reexec;
    u32 of[MAX_FRONTS] = {0};
    if (!r) return;
    for (u32 i = 0; i < r->n; i++) {
        const struct reexec_entry *e = entry(c, i);
        const struct flight *f = flight_at(c, e->flight);
        CHECK(f->used && !f->mem.accepted && e->line < f->mem.nlines);
        CHECK(set_has(r->slots, f->slot) && r->flight[f->slot] == e->flight); /* E1 */
        of[f->slot]++;
    }
    for (u32 i = 0; i < c->nfronts; i++) {
        CHECK((of[i] != 0) == set_has(r->slots, i));
        if (of[i]) CHECK(r->op.at[r->flight[i]].aside == of[i]); /* E1 */
    }
    EACH_FLIGHT (c, f)
        if (f->sent && r->op.at[f->id].away) CHECK(f->mem.accepted || r->op.at[f->id].aside); /* E2 */
}
