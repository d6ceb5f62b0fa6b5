/* The re-execution queue (Mascar, HPCA 2015, III-C and III-D): accesses that the L1 refuses step aside, so that others can pass and hit.
 *
 * With sm.lsu.reexec entries, a line access of the pipe's first instruction that is refused (MSHR, COMQ, RSV, TLB, OWNER) leaves the pipe for the queue and the pipe goes on with the next line or
 * instruction. Addresses are not generated again. The queue's first entry is tried when the pipe has nothing for the memory stage; one that is refused goes to the tail. When the pipe's first access
 * is refused and the queue has no room, the hazard policy acts: with `stall` only the queue is served until an entry is free, with `replay` the instruction is issued again later.
 * A warp has entries of one instruction at most: its later memory instructions (not those of shared memory) do not issue meanwhile, and those already in the pipe wait there, the queue being
 * served in their place. An instruction is accepted when its last access has been taken, here or in the pipe.
 *
 * Deviations: after a round in which all were refused and nothing has changed since (no response, no packet gone, no other owner), tries are not repeated until something does; with the queue full, the
 * pipe's first access has a try of its own at the end of the round. A pipe that is never idle lets the queue have every PATIENCE_CY-th cycle, so that no entry waits for ever.
 * Constants and shared memory do not step aside.
 *
 * Invariants (reexec_check): E1 entries of a slot are of one instruction, that of memop[slot], and as many as its `aside`; E2 an instruction that is `away` has entries, or has been accepted. */
#include "core/core.h"

enum { PATIENCE_CY = 32 };

static struct reexec_entry *entry(const struct core *c, u32 i) { return &c->reexec.at[(c->reexec.head + i) % c->cfg->reexec]; }

void reexec_launch(struct core *c) {
    struct reexec_entry *at = c->reexec.at;
    c->reexec = (struct reexec){.at = at, .walk_cy = NEVER, .full = NONE};
}

void reexec_wake(struct core *c) { c->reexec.refused = 0; }

static void note_refusal(struct core *c, enum hazard why) {
    if (why == HAZARD_TLB) c->reexec.walk_cy = MIN(c->reexec.walk_cy, tlb_next(c));
    if (c->lsu_again) c->reexec.refused = 0; /* it has changed something (a dirty line went) */
    else c->reexec.refused++;
}

bool reexec_take(struct core *c, u32 id, enum hazard why) {
    struct reexec *r = &c->reexec;
    struct memop *m = &c->memops.at[id];
    if (!c->cfg->reexec || m->is_const || why == HAZARD_ORDER) return false;
    if (c->lsu_again) return false; /* it comes again in the next cycle */
    if (r->n == c->cfg->reexec) {
        note_refusal(c, why);
        if (!c->pol.hazard->replays) r->full = (i32)why;
        return false;
    }
    *entry(c, r->n++) = (struct reexec_entry){id, m->next, (u8)why};
    r->slots |= 1ull << m->slot;
    r->memop[m->slot] = id;
    m->aside++;
    note_refusal(c, why);
    c->stats.reexec_entered++;
    lsu_hazard(c, m, why);
    return true;
}

bool reexec_over(struct core *c, u32 id) {
    struct memop *m = &c->memops.at[id];
    m->away = m->aside != 0;
    return !m->away;
}

bool reexec_behind(const struct core *c, u32 id) {
    const struct memop *m = &c->memops.at[id];
    return c->reexec.slots >> m->slot & 1 && c->reexec.memop[m->slot] != id && m->space != SPACE_SHARED && !m->is_const;
}

/* --- who goes */

/* A try may succeed: something has changed since the last round, or a translation has come */
static bool worth_trying(const struct core *c, u32 tries) { return c->reexec.refused < tries || c->reexec.walk_cy <= c->now; }

static void taken(struct core *c, u32 id) {
    struct reexec *r = &c->reexec;
    struct memop *m = &c->memops.at[id];
    r->head = (r->head + 1) % c->cfg->reexec;
    r->n--;
    r->refused = 0;
    r->full = NONE;
    c->lsu_again = true; /* the pipe's first access may have room now, or nothing of its warp before it */
    c->stats.reexec_taken++;
    if (--m->aside) return;
    r->slots &= ~(1ull << m->slot);
    if (m->away) memop_done(c, id);
}

void reexec_serve(struct core *c) {
    struct reexec *r = &c->reexec;
    r->passed_over = 0;
    if (r->walk_cy <= c->now) r->walk_cy = NEVER, r->refused = 0;
    if (r->refused >= r->n) return;
    struct reexec_entry e = *entry(c, 0);
    u64 hits = c->stats.l1_hits;
    c->stats.reexec_tries++;
    int why = memop_access(c, e.memop, e.line);
    c->stats.reexec_hits += c->stats.l1_hits - hits;
    if (why == NONE) {
        taken(c, e.memop);
        return;
    }
    e.why = (u8)why;
    r->head = (r->head + 1) % c->cfg->reexec;
    *entry(c, r->n - 1) = e;
    note_refusal(c, (enum hazard)why);
}

static void hold_pipe(struct core *c, const struct memop *m, enum hazard why) {
    c->lsu_held_by = (i32)why;
    c->stats.lsu_stall_cycles++;
    lsu_hazard(c, m, why);
    reexec_serve(c);
}

bool reexec_first(struct core *c, u32 id) {
    struct reexec *r = &c->reexec;
    const struct memop *m = &c->memops.at[id];
    if (!c->pol.hazard->replays && reexec_behind(c, id)) {
        hold_pipe(c, m, HAZARD_ORDER);
        return true;
    }
    if (r->full != NONE && !m->is_const && m->next < m->nlines && !m->cycles_left) {
        if (r->refused == r->n && r->walk_cy > c->now) return false; /* its own try, at the end of the round */
        hold_pipe(c, m, (enum hazard)r->full);
        return true;
    }
    if (!worth_trying(c, r->n) || ++r->passed_over < PATIENCE_CY) return false;
    reexec_serve(c);
    return true;
}

u64 reexec_next(const struct core *c) {
    const struct reexec *r = &c->reexec;
    if (worth_trying(c, r->full == NONE ? r->n : r->n + 1)) return c->now;
    return MAX(c->now, r->walk_cy);
}

void reexec_check(const struct core *c) {
    u32 of[MAX_SLOTS] = {0};
    for (u32 i = 0; i < c->reexec.n; i++) {
        const struct reexec_entry *e = entry(c, i);
        const struct memop *m = &c->memops.at[e->memop];
        CHECK(m->used && !m->accepted && e->line < m->nlines);
        CHECK(c->reexec.slots >> m->slot & 1 && c->reexec.memop[m->slot] == e->memop); /* E1 */
        of[m->slot]++;
    }
    for (u32 i = 0; i < MAX_SLOTS; i++) {
        CHECK((of[i] != 0) == (c->reexec.slots >> i & 1));
        if (of[i]) CHECK(c->memops.at[c->reexec.memop[i]].aside == of[i]); /* E1 */
    }
    for (u32 i = 0; i < c->memops.n; i++)
        if (c->memops.at[i].used && c->memops.at[i].away) CHECK(c->memops.at[i].accepted || c->memops.at[i].aside); /* E2 */
}
