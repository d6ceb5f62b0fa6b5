/* Who watches the memory stages: hazard prediction, the re-execution queue and schedulers that listen, each a
 * row with the kinds of events it wants. Rows are added at a launch; where nobody wants a kind, telling it is
 * one test of a bit.
 *
 * Invariants: W1 events of one watcher come in the order in which things happen; a watcher changes nothing
 * that another sees, so the order of watchers does not matter. */
#include "core/flight.h"

void watch_launch(struct core *c) { c->watch = (struct watch){0}; }

void watch_add(struct core *c, const struct watcher *w) {
    CHECK(c->watch.n < ARRAY_LEN(c->watch.at));
    c->watch.at[c->watch.n++] = w;
    c->watch.kinds |= w->kinds;
}

void watch_call(struct core *c, const struct mem_event *e) {
    for (u32 i = 0; i < c->watch.n; i++)
        if (c->watch.at[i]->kinds >> e->kind & 1) c->watch.at[i]->seen(c, e);
}
