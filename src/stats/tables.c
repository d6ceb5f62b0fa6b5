/* The rows of stall.def, cpi.def, hazard.def and lost.def as tables, and the names that have no .def of their
 * own. */
#include "stats/stats.h"

const struct stall_row stall_table[STALL_COUNT] = {
#define STALL(id, name, cpi, doc) [STALL_##id] = {name, doc, CPI_##cpi},
#include "stats/stall.def"
#undef STALL
};

const struct cpi_row cpi_table[CPI_COUNT] = {
#define CPI(id, name, strong, weak, doc) [CPI_##id] = {name, doc, strong, weak},
#include "stats/cpi.def"
#undef CPI
};

const struct named hazard_table[HAZARD_COUNT] = {
#define HAZARD(id, name, doc) [HAZARD_##id] = {name, doc},
#include "stats/hazard.def"
#undef HAZARD
};

const struct named lost_table[LOST_COUNT] = {
#define LOST(id, name, doc) [LOST_##id] = {name, doc},
#include "stats/lost.def"
#undef LOST
};

/* Turner 7.1.3; restrict is of his figure 7.10 */
const char *const sched_cycle_names[SCHED_CYCLES] = {
    [SCHED_IDLE] = "idle",     [SCHED_RAW] = "raw",       [SCHED_STALL] = "stall",
    [SCHED_ISSUE1] = "issue1", [SCHED_ISSUE2] = "issue2", [SCHED_RESTRICT] = "restrict",
};
const char *const sched_cycle_docs[SCHED_CYCLES] = {
    [SCHED_IDLE] = "The scheduler had no warp with work.",
    [SCHED_RAW] = "No warp could issue: operands or destinations were awaited.",
    [SCHED_STALL] = "A warp had its operands, but the pipeline took no instruction.",
    [SCHED_ISSUE1] = "One instruction issued.",
    [SCHED_ISSUE2] = "Two or more instructions of one warp issued.",
    [SCHED_RESTRICT] = "Instructions were held back because a hazard was predicted.",
};

const char *const cpi_method_names[CPI_METHODS] = {
    [CPI_SELECTED] = "selected",
    [CPI_GSI] = "gsi",
    [CPI_PROPORTIONAL] = "proportional",
};
