/* The table of exec functions (exec.def), and the flags of instructions that follow from it. */
#include "func/func.h"

const struct exec_row exec_table[EXEC_COUNT] = {
#define EXEC(id, flags, facts, effect) {#id, exec_##id, flags, facts, EFFECT_##effect},
#include "func/exec.def"
#undef EXEC
};

void exec_choose(struct inst *in, exec_fn *run) {
    u32 id = 0;
    while (id < EXEC_COUNT && exec_table[id].run != run) id++;
    CHECK(id < EXEC_COUNT);
    in->exec = run;
    in->exec_id = (u8)id;
    in->flags |= exec_table[id].flags;
}

bool inst_reads_q(const struct inst *in) {
    if (in->q.absent) return false;
    u32 facts = exec_of(in)->facts;
    return facts & FACT_Q_CARRY ? (in->imm & CARRY_IN) != 0 : !(facts & FACT_Q_RESULT);
}

bool inst_writes_q(const struct inst *in) {
    u32 facts = exec_of(in)->facts;
    return !in->q.absent && (facts & FACT_Q_RESULT || (facts & FACT_Q_CARRY && in->imm & CARRY_OUT));
}

void exec_settle(struct inst *in) {
    const u32 breaks = INST_RECONV | INST_SYNC_POLL | INST_COLLECTIVE | INST_CONTROL;
    if (inst_reads_q(in)) in->flags |= INST_Q_READ;
    if (inst_writes_q(in)) in->flags |= INST_Q_WRITTEN;
    if (in->iclass == ICLASS_MOVE) in->flags &= ~(u32)INST_MEMORY;
    if (in->flags & INST_PSEUDO) in->flags &= ~(u32)(INST_EXIT | INST_FRAME);
    if (in->guard != NONE || in->flags & breaks) return;
    in->flags |= INST_STRAIGHT;
    if (exec_of(in)->facts & FACT_ROWS && !in->d.absent) in->flags |= INST_PLAIN;
}
