/* The pool of instructions in flight. Their arrays of lines, passes and packets are kept from one use to the
 * next.
 *
 * Invariants: F1 a flight is free or in use, never both; F2 flight_at(id)->id == id. */
#include "core/flight.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

void flight_init(struct core *c) { c->flights = base_alloc(sizeof(*c->flights)); }

void flight_free(struct core *c) {
    for (u32 i = 0; i < c->flights->at.n; i++) {
        struct memop *m = &c->flights->at.at[i].mem;
        free(m->lines.at), free(m->packets.at), free(m->passes.at);
        free(c->flights->at.at[i].members.at);
    }
    free(c->flights->at.at);
    free(c->flights->free.at);
    free(c->flights);
}

void flights_text(struct core *c, const struct text_change *y) {
    EACH_FLIGHT (c, f) f->t = text_now(y, f->t);
}

struct flight *flight_new(struct core *c) {
    struct flights *p = c->flights;
    if (!p->free.n) {
        struct flight empty = {.id = p->at.n};
        VEC_PUSH(&p->at, empty);
        VEC_PUSH(&p->free, empty.id);
    }
    struct flight *f = &p->at.at[p->free.at[--p->free.n]];
    u32 id = f->id;
    memset(f, 0, FLIGHT_CLEARED_B);
    f->id = id, f->used = true, f->mem.collector = NONE;
    f->mem.lines.n = f->mem.packets.n = f->mem.passes.n = f->members.n = 0;
    return f;
}

void flight_end(struct core *c, struct flight *f) {
    f->used = false;
    VEC_PUSH(&c->flights->free, f->id);
}

/* --- what is told of an instruction is told of each member, under its home and in its lanes */

static u64 seated(const struct member *m, u64 positions) {
    u64 lanes = 0;
    for (u64 left = m->lanes; left; left &= left - 1)
        if (positions >> m->seat[__builtin_ctzll(left)] & 1) lanes |= left & -left;
    return lanes;
}

void crew_tell(struct core *c, const struct crew *w, struct event e) {
    bool lanes = e.mask; /* of all threads: each member's own */
    for (u32 i = 0; i < w->n; i++) {
        e.uid = w->at[i].uid, e.slot = w->at[i].home;
        if (lanes) e.mask = w->at[i].lanes;
        emit(c, e);
    }
}

void flight_tell(struct core *c, const struct flight *f, struct event e) {
    struct member own;
    struct crew w = flight_crew(f, &own);
    u64 positions = e.mask;
    for (u32 i = 0; i < w.n; i++) {
        e.uid = w.at[i].uid, e.slot = w.at[i].home;
        if (f->members.n) e.mask = seated(&w.at[i], positions);
        if (e.mask || !positions) emit(c, e); /* an access may be of some members only */
    }
}

void flight_check(const struct core *c) {
    u32 used = 0;
    EACH_FLIGHT (c, f) used++, CHECK(flight_at(c, f->id) == f); /* F2 */
    CHECK(used + c->flights->free.n == c->flights->at.n);       /* F1 */
}
