/* Which registers an instruction reads and writes, from its operands alone. Call arguments and results in
 * registers are among `extra`. */
#include "isa/isa.h"

static void add(const struct opnd *o, u16 *list, u8 *n) {
    if (o->absent || o->in == OPND_IN_POOL) return;
    if (o->in == OPND_IN_PRED) {
        if (*n < MAX_INST_REGS) list[(*n)++] = (u16)(REG_PRED | o->off);
        return;
    }
    for (u32 i = 0; i < o->rows && *n < MAX_INST_REGS; i++) list[(*n)++] = (u16)(o->reg + i);
}

void inst_regs(const struct inst *in, struct inst_regs *r) {
    r->nsrc = r->ndst = 0;
    for (u32 i = 0; i < 3; i++) add(&in->s[i], r->src, &r->nsrc);
    if (in->flags & INST_Q_READ) add(&in->q, r->src, &r->nsrc);
    for (u32 i = in->extra_d; i < in->extra_n; i++) add(&in->extra[i], r->src, &r->nsrc);
    if (in->guard != NONE && r->nsrc < MAX_INST_REGS) r->src[r->nsrc++] = (u16)(REG_PRED | in->guard);
    /* an atomic whose result nobody reads is a reduction: it has no destination in time */
    if (!(in->iclass == ICLASS_ATOMIC && in->flags & INST_DEAD)) add(&in->d, r->dst, &r->ndst);
    if (in->flags & INST_Q_WRITTEN) add(&in->q, r->dst, &r->ndst);
    for (u32 i = 0; i < in->extra_d; i++) add(&in->extra[i], r->dst, &r->ndst);
}
