/* Memory instructions in windows: which may pass which on the way to memory.
 *
 * Conservative: a load waits until every older store of its warp has issued; a store until every older memory
 * instruction has. Since the memory stage takes them in order of issue, accesses of a thread to one place are
 * made in program order wherever one of them writes.
 *
 * Invariants: M1 no store is overtaken by an older or younger memory instruction of its warp. */
#include "core/window.h"

static bool is_store(const struct tinst *t) { return t->in->iclass == ICLASS_STORE || t->in->iclass == ICLASS_ATOMIC; }

void memorder_dispatch(struct core *c, u32 slot, u32 id, const struct step *st) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    struct flight *f = lsu_record(c, slot, e->t, st, e->uid);
    f->windowed = true;
    f->entry = (u8)id;
    e->flight = f->id;
    e->flies = true;
    e->kind = f->mem.space == SPACE_SHARED || f->mem.is_const ? WAIT_SHORT : WAIT_LONG;
    e->after = is_store(e->t) ? w->memory : w->stores;
    w->memory |= 1ull << id;
    if (is_store(e->t)) w->stores |= 1ull << id;
}

u64 memorder_issue(struct core *c, u32 slot, u32 id, u64 *read) {
    struct window *w = window_of(c, slot);
    struct entry *e = &w->at[id];
    u64 bit = 1ull << id;
    w->memory &= ~bit;
    w->stores &= ~bit;
    EACH_ENTRY(w->memory, i) w->at[i].after &= ~bit;
    const struct flight *f = flight_at(c, e->flight);
    *read = lsu_send(c, flight_at(c, e->flight), false);
    return is_store(e->t) ? MAX(f->mem.ready_cy, c->now + 1) : NEVER;
}
