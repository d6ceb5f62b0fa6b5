/* Instruction buffers: for each warp a ring of decoded instructions, consecutive in memory from its next one on. An entry has the cycle from which it can issue.
 *
 * Fetch goes on in order past branches; a branch that is taken empties the buffer, and the warp fetches from the target when the branch is resolved. Not modelled: the fetches that hardware
 * makes beyond a taken branch until it is resolved.
 *
 * A policy that may replay (hazard/) keeps the entries of memory instructions until all their threads are done, and with them every later one that has issued: the issue tail pointer
 * moves in order (Turner 5.2.3; 63_replay.c).
 *
 * Invariants: B1 at most sm.ibuffer entries, those still being fetched included; B2 entry i is the i-th instruction from ib_next on; B3 ready times do not decrease. */
#include "core/core.h"

/* A slot wants to fetch when a whole fetch has room, it knows where, and it waits for nothing of the front end. */
void ibuffer_want(struct core *c, struct slot *s) {
    u64 bit = 1ull << slot_index(c, s);
    bool room = s->ib_n + s->behind + MIN(c->cfg->fetch_insts, c->cfg->ibuffer) <= c->cfg->ibuffer;
    if (s->w && !s->ended && room && s->fetch_pc != NONE && !s->ib_miss && s->resolve_cy <= c->now + 1) c->fetch_want |= bit;
    else c->fetch_want &= ~bit;
}

void ibuffer_flush(struct core *c, struct slot *s, i32 pc) {
    c->stats.fetch_flushed += s->ib_n;
    EMIT(c, .kind = EV_FLUSH, .cycle = c->now, .slot = (u16)slot_index(c, s), .pc = pc);
    s->ib_n = 0;
    s->ib_next = s->fetch_pc = pc;
    s->ib_miss = false;
    ibuffer_want(c, s);
}

void ibuffer_pop(struct core *c, struct slot *s) {
    if (c->pol.hazard->retains) buffer_keep(c, s, s->ib_head, s->head->kind == T_MEM);
    s->ib_head = (s->ib_head + 1) % MAX_IBUFFER;
    s->ib_n--;
    s->ib_next = s->head->next;
    ibuffer_want(c, s);
}
