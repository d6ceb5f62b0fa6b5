/* The pool of instructions in flight. Their arrays of lines, passes and packets are kept from one use to the
 * next.
 *
 * Invariants: F1 a flight is free or in use, never both; F2 flight_at(id)->id == id. */
#include "core/flight.h"

#include <stdlib.h>

void flight_init(struct core *c) { c->flights = base_alloc(sizeof(*c->flights)); }

void flight_free(struct core *c) {
    for (u32 i = 0; i < c->flights->at.n; i++) {
        struct memop *m = &c->flights->at.at[i].mem;
        free(m->lines.at), free(m->packets.at), free(m->passes.at);
    }
    free(c->flights->at.at);
    free(c->flights->free.at);
    free(c->flights);
}

struct flight *flight_new(struct core *c) {
    struct flights *p = c->flights;
    if (!p->free.n) {
        struct flight empty = {.id = p->at.n};
        VEC_PUSH(&p->at, empty);
        VEC_PUSH(&p->free, empty.id);
    }
    struct flight *f = &p->at.at[p->free.at[--p->free.n]];
    struct memop old = f->mem;
    *f = (struct flight){.id = f->id, .used = true, .mem.collector = NONE};
    f->mem.lines = old.lines, f->mem.packets = old.packets, f->mem.passes = old.passes;
    f->mem.lines.n = f->mem.packets.n = f->mem.passes.n = 0;
    return f;
}

void flight_end(struct core *c, struct flight *f) {
    f->used = false;
    VEC_PUSH(&c->flights->free, f->id);
}

void flight_check(const struct core *c) {
    u32 used = 0;
    EACH_FLIGHT (c, f) used++, CHECK(flight_at(c, f->id) == f); /* F2 */
    CHECK(used + c->flights->free.n == c->flights->at.n);       /* F1 */
}
