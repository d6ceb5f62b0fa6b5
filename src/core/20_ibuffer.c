/* Instruction buffers: for each warp a ring of decoded instructions, consecutive in memory from its next one
 * on. An entry has the cycle from which it can issue.
 *
 * Fetch goes on in order past branches; a branch that is taken empties the buffer, and the warp fetches from
 * the target when the branch is resolved. Not modelled: the fetches that hardware makes beyond a taken branch
 * until it is resolved.
 *
 * A policy that may replay (hazard/) keeps the entries of memory instructions until all their threads are
 * done, and with them every later one that has issued: the issue tail pointer moves in order (Turner 5.2.3;
 * 63_replay.c).
 *
 * Invariants: B1 at most sm.ibuffer entries, those still being fetched included; B2 entry i is the i-th
 * instruction from ib_next on; B3 ready times do not decrease. */
#include "core/fetch.h"

/* A front wants to fetch when a whole fetch has room, it knows where, and it waits for nothing of the front
 * end. */
void ibuffer_want(struct core *c, struct front *f) {
    if (c->vfetch) {
        vfetch_want(c, f);
        return;
    }
    const struct ibuffer *b = &f->ib;
    bool room = b->n + b->behind <= c->fetch->room, resolved = f->resolve_cy <= c->now + 1;
    /* all are asked: which one says no cannot be foretold, and a wrong guess costs more than the answers */
    set_put(c->fetch->want, f->slot, room & resolved & !b->miss & (b->fetch_pc != NONE) & (f->nparts != 0));
}

bool ibuffer_awaits(const struct core *c, const struct front *f) {
    return !c->vfetch && !f->ib.n && (f->ib.miss || set_has(c->fetch->want, f->slot));
}

void ibuffer_flush(struct core *c, struct front *f, i32 pc) {
    if (c->vfetch) {
        vfetch_flush(c, f, pc);
        return;
    }
    c->stats.fetch_flushed += f->ib.n;
    EMIT(c, .kind = c->form ? EV_FRONT : EV_FLUSH, .cycle = c->now, .slot = (u16)f->slot, .pc = pc,
         .cause = c->form ? FRONT_FLUSHES : 0);
    f->ib.n = 0;
    f->ib.next = f->ib.fetch_pc = pc;
    f->ib.miss = false;
    ibuffer_want(c, f);
}

void ibuffer_pop(struct core *c, struct front *f) {
    struct ibuffer *b = &f->ib;
    if (c->replay) replay_keep(c, f, b->head, f->head->kind == T_MEM);
    b->head = (b->head + 1) & c->ib_mask;
    b->n--;
    b->next = f->head->next;
    if (c->vfetch) vfetch_popped(c, f);
    else ibuffer_want(c, f);
}
