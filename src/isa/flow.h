/* flow: the control flow of one function as cfg.c sees it, whatever instruction set it is of: instructions
 * with their targets in, basic blocks and the places where the lanes of branches meet out.
 *
 * Blocks are numbered in the order of the text; the number after the last is the function's exit. An exit
 * holds no instruction, but counts as one (index ninsts), so that "read at the exit" has a place. */
#ifndef HEDDLE_FLOW_H
#define HEDDLE_FLOW_H

#include "isa/isa.h"

struct flow_inst {      /* what cfg.c and regalloc.c need to know of an instruction */
    i32 target;         /* branch target, or NONE; brx.idx uses `targets` */
    const i32 *targets; /* several targets, or NULL */
    u32 ntargets;
    bool falls;   /* may continue at i + 1: not an unguarded bra, brx, ret, exit */
    bool leaves;  /* may go to the function's exit: ret, exit (also guarded ones) */
    bool guarded; /* writes are partial: a destination stays live from before */
    u16 nread, nwrite;
    const i32 *read, *write; /* virtual registers */
};
struct flow {
    u32 ninsts;
    const struct flow_inst *inst;
    u32 nvregs;
    const u8 *vreg_rows; /* 0 predicate, 1, 2 or 4 rows */
};

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

/* reconv[i] for every instruction with a target: immediate post-dominator, ninsts for the exit. Unreachable
 * code gets ninsts. */
void cfg_reconvergence(const struct flow *f, i32 *reconv, struct arena *scratch);

#endif
