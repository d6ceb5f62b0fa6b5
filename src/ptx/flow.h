/* flow: what regalloc.c and schedule.c share and nobody else needs: what is live where basic blocks
 * meet (isa/flow.h has the blocks), and the order of the instructions in them. */
#ifndef HEDDLE_PTX_FLOW_H
#define HEDDLE_PTX_FLOW_H

#include "ptx/ptx.h"

/* --- regalloc.c: what is live where blocks meet; live_out as for regalloc() */
struct flow_live {
    struct flow_graph g;
    u32 *rows_in; /* by block: 32-bit registers live at its start */
    u32 *out_at;  /* nblocks + 1: out[out_at[b]] up to out[out_at[b + 1]] */
    i32 *out;     /* virtual registers that block b touches and that are live at its end */
};
struct flow_live flow_live_build(const struct flow *f, const i32 *live_out, u32 nlive_out, struct arena *scratch);

/* --- schedule.c: reorders the instructions of each basic block of f, and f->inst with them */
struct ptx_schedule;
void schedule_function(const struct ptx_schedule *how, const struct flow_live *live, const struct flow *f,
                       struct flow_inst *flow_insts, struct inst *code, struct arena *scratch);

#endif
