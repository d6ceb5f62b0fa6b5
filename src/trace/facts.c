/* What instructions mean to the audit. See facts.h. */
#include "trace/facts.h"

#include <stdlib.h>

static bool is_exit(const struct kernel *k, const struct inst *in, u32 pc) {
    if (in->op == OP_exit) return true;
    if (in->op != OP_ret) return false;
    return !k->nfuncs || ((i32)pc >= k->funcs[0].entry_pc && (i32)pc <= k->funcs[0].exit_pc);
}

static bool is_barrier(const struct inst *in) {
    return (in->op == OP_bar || in->op == OP_barrier) && !(in->flags & INST_COLLECTIVE);
}

static u8 role_of(const struct inst *in, bool exits) {
    if (in->flags & INST_CALL) return ROLE_CALL;
    if (in->iclass == ICLASS_FENCE) return ROLE_GATE | ROLE_FENCE;
    if (is_barrier(in) || exits) return ROLE_GATE;
    u8 writes = in->iclass == ICLASS_STORE || in->iclass == ICLASS_ATOMIC || in->op == OP_stmatrix ? ROLE_WRITES : 0;
    switch (in->iclass) {
    case ICLASS_LOAD:
    case ICLASS_STORE:
    case ICLASS_ATOMIC: return (in->space == SPACE_PARAM || in->space == SPACE_REG ? ROLE_MAY_MEMORY : ROLE_MEMORY) | writes;
    case ICLASS_ASYNC:
    case ICLASS_MEMHINT:
    case ICLASS_TEX: return ROLE_MAY_MEMORY;
    default: break;
    }
    bool matrix = in->op == OP_ldmatrix || in->op == OP_stmatrix || in->op == OP_wmma;
    bool moved = in->op == OP_ld || in->op == OP_st; /* a function's parameters: they count as moves */
    return (matrix || moved || in->op == OP_mbarrier ? ROLE_MAY_MEMORY : 0) | writes;
}

static u64 add_regs(struct facts *f, const u16 *reg, u32 n) {
    u64 hash = 0;
    for (u32 i = 0; i < n; i++) {
        VEC_PUSH(&f->regs, reg[i]);
        hash |= 1ull << (reg[i] % 64);
    }
    return hash;
}

static void add_fact(struct facts *f, const struct inst *in, bool exits) {
    struct inst_regs r;
    struct pc_facts x = {.regs = f->regs.n, .role = role_of(in, exits)};
    inst_regs(in, &r);
    x.nsrc = r.nsrc, x.ndst = r.ndst;
    x.guard = in->guard != NONE ? (u16)(REG_PRED | in->guard) : 0;
    x.src_hash = add_regs(f, r.src, r.nsrc);
    x.dst_hash = add_regs(f, r.dst, r.ndst);
    VEC_PUSH(&f->at, x);
}

void facts_learn(struct facts *f, const struct kernel *k) {
    f->at.n = f->regs.n = 0;
    uids_clear(&f->changed);
    f->ninst = k->ninst;
    VEC_PUSH(&f->regs, 0); /* so that there is a list even when there are no registers */
    for (u32 pc = 0; pc < k->ninst; pc++) add_fact(f, &k->code[pc], is_exit(k, &k->code[pc], pc));
}

void facts_change(struct facts *f, u32 sm, u32 pc, const struct inst *in) {
    if (pc >= f->ninst) return;
    uids_put(&f->changed, sm, pc + 1ull, f->at.n);
    add_fact(f, in, in->flags & INST_EXIT);
}

u32 facts_changed(const struct facts *f, u32 sm, u32 pc) {
    i64 fact = uids_get(&f->changed, sm, pc + 1ull);
    return fact == UIDS_NONE ? pc : (u32)fact;
}

void facts_free(struct facts *f) {
    free(f->at.at);
    uids_free(&f->changed);
    free(f->regs.at);
}
