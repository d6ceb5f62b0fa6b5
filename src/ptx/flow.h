/* flow: what cfg.c, regalloc.c and schedule.c share and nobody else needs: basic blocks of a struct flow and
 * their edges.
 *
 * Blocks are numbered in the order of the text; the number after the last is the function's exit. An exit
 * holds no instruction, but counts as one (index ninsts), so that "read at the exit" has a place. */
#ifndef HEDDLE_PTX_FLOW_H
#define HEDDLE_PTX_FLOW_H

#include "ptx/ptx.h"

struct flow_edge {
    u32 from, to;
};

/* Neighbours of node x, in one direction: to[at[x]] up to, not including, to[at[x + 1]]. Parallel edges are
 * kept. */
struct flow_adjacency {
    u32 *at; /* nodes + 1 */
    u32 *to;
};

struct flow_graph {
    u32 nblocks;   /* without the exit, whose number this is */
    u32 *first;    /* nblocks + 2: block b holds instructions first[b] up to first[b + 1]; first[nblocks] is ninsts */
    u32 *block_of; /* ninsts + 1: the block of an instruction; block_of[ninsts] is the exit */
    u32 nedges;
    struct flow_edge *edges;
    struct flow_adjacency succ, pred;
};

/* --- cfg.c. Everything lives in `scratch`. */
struct flow_graph flow_graph_build(const struct flow *f, struct arena *scratch);

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
struct inst;
void schedule_function(const struct ptx_schedule *how, const struct flow_live *live, const struct flow *f,
                       struct flow_inst *flow_insts, struct inst *code, struct arena *scratch);

#endif
