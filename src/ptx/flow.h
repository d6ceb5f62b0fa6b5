/* flow: what cfg.c and regalloc.c share and nobody else needs: basic blocks of a struct flow and their edges.
 *
 * Blocks are numbered in the order of the text; the number after the last is the function's exit. An exit holds no instruction, but
 * counts as one (index ninsts), so that "read at the exit" has a place. */
#ifndef HEDDLE_PTX_FLOW_H
#define HEDDLE_PTX_FLOW_H

#include "ptx/ptx.h"

struct flow_edge {
    u32 from, to;
};

/* Neighbours of node x, in one direction: to[at[x]] up to, not including, to[at[x + 1]]. Parallel edges are kept. */
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

#endif
