/* Results of memory come home: registers are written when the last part of an instruction's data is there, through the same bank ports as others. */
#include "core/core.h"

void writeback_part(struct core *c, u32 id, u64 cy) {
    struct memop *m = &c->memops.at[id];
    m->result_cy = MAX(m->result_cy, cy);
    CHECK(m->used && m->outstanding);
    if (--m->outstanding == 0 && m->accepted) writeback_result(c, id);
}

static void release_registers(struct core *c, struct slot *s, const struct memop *m) {
    const struct tinst *t = m->t;
    u64 written = operands_write(c, m->sub, s, t, m->result_cy);
    u64 ready = c->cfg->bypass ? m->result_cy : written;
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++)
        sb_write(s, t->reg[i], m->lanes, ready, (enum wait_kind)s->sb[t->reg[i]].kind);
    s->drain_cy = MAX(s->drain_cy, ready);
    EMIT(c, .kind = EV_READY, .cycle = ready, .uid = m->uid, .slot = m->slot, .mask = m->lanes);
}

/* Accepted, and nothing outstanding: the instruction is over. */
void writeback_result(struct core *c, u32 id) {
    struct memop *m = &c->memops.at[id];
    struct slot *s = &c->slots[m->slot];
    u32 slot = m->slot;
    bool mine = s->w && s->age == m->age, has_result = m->kind == PROBE_LOAD || (m->t->ndst && !m->red);
    m->result_cy = MAX(m->result_cy, c->now);
    if (mine && has_result) {
        if (m->t->ndst) release_registers(c, s, m);
        s->loads--;
        s->asyncs -= m->is_async;
        s->drain_cy = MAX(s->drain_cy, m->result_cy);
    }
    if (m->kind == PROBE_LOAD && (m->space == SPACE_GLOBAL || m->space == SPACE_LOCAL)) {
        c->stats.load_latency_cycles += m->result_cy - m->issue_cy;
        c->pcs[m->t->in - c->prog->k->code].latency += m->result_cy - m->issue_cy;
    }
    EMIT(c, .kind = EV_COMPLETE, .cycle = m->result_cy, .uid = m->uid, .slot = m->slot, .mask = m->active);
    EMIT(c, .kind = EV_DONE, .cycle = m->result_cy, .uid = m->uid, .slot = m->slot);
    memop_free(c, id);
    if (mine && has_result) slot_look(c, slot, c->now);
}
