/* Thread block compaction: the row. The block-wide stack is 37_stack.c's, how fronts are formed
 * 38_compact.c's.
 *
 * Paper: Fung, Aamodt, "Thread Block Compaction for Efficient SIMT Control Flow" (HPCA 2011). */
#include "core/diverge_policy.h"

static struct squad_shape squad(const struct config *c) { return (struct squad_shape){.form_cy = c->tbc_form_cy}; }

const struct diverge_policy diverge_tbc = {
    .name = "tbc",
    .doc = "thread block compaction: one stack a block; its warps wait for each other at branches, and are formed anew of those "
           "that "
           "go the same way",
    .paper = "Fung, Aamodt, HPCA 2011",
    .never_meet = true,
    .by_lane = true,
    .forms = true,
    .squad = squad,
};
