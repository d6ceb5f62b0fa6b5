/* interweave: thread frontiers whose part at the lowest pc issues, and beside it in the same cycle the next
 * part of its warp (SBI), or an instruction of another warp (SWI), in the lanes that it leaves free.
 *
 * Paper: Brunie, Collange, Diamos: Simultaneous branch and warp interweaving for sustained GPU performance,
 * ISCA 2012: two instructions go to disjoint lanes of one row of units; parts of a warp re-converge by lowest
 * pc, the second one waiting at re-convergence points; a second scheduler fills lanes from other warps, whose
 * lanes are shuffled. What goes beside what is 41_weave.c's.
 *
 * Deviations: the second part's instruction needs no fetch of its own and no place in a buffer, but when the
 * part becomes the first of its warp, its instructions are fetched anew; it issues only beside the first,
 * not alone while that one waits; a branch of the first part holds both until it is resolved. The paper's
 * second scheduler looks at some of the warps, in sets; here at all candidates of the scheduler. The
 * operands of what issues beside are read with the first's and written when they leave the unit, without
 * conflicts in banks. Priorities are the pcs of the program as it was written, as under frontier, and lanes
 * that poll at a low pc for others at a higher one are diagnosed as there.
 *
 * E1 lanes of instructions that issue together are disjoint */
#include "core/diverge_policy.h"

const struct diverge_policy diverge_interweave = {
    .name = "interweave",
    .doc = "simultaneous branch and warp interweaving: beside the part at the lowest pc another of its warp, or another warp's "
           "instruction, issues in lanes that are free",
    .paper = "Brunie, Collange, Diamos, ISCA 2012",
    .never_meet = true,
    .by_lane = true,
    .weaves = true,
    .next = diverge_lowest,
};
