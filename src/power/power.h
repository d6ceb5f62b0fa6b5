/* power: energy from counters, after a launch: it costs nothing while a launch runs.
 *
 * Every event has an energy (keys power.*, with their sources; docs/energy.md), every cycle leaks and is
 * clocked. energy.def says which counters are which events. The defaults are GPUWattch's for the GTX 480, 40
 * nm; a machine of another process or with other arrays needs its own power.* keys, and with the defaults
 * only comparisons between runs of one machine mean something. Not modelled: voltage and frequency scaling,
 * clock gating, temperature, data values, what immediates cost, idle SMs.
 *
 * Invariants: W1 the parts sum to the total; W2 no part is negative; W3 a part without events is 0 */
#ifndef HEDDLE_POWER_H
#define HEDDLE_POWER_H

#include "config/config.h"
#include "gpu/gpu.h"

enum energy_part {
    ENERGY_DRAM,
    ENERGY_L1, /* data cache, shared memory, constant cache */
    ENERGY_L2,
    ENERGY_NOC,
    ENERGY_REGISTERS,
    ENERGY_UNITS,
    ENERGY_FRONT_END,
    ENERGY_CLOCK, /* flows always, but is not leakage */
    ENERGY_LEAKAGE,
    ENERGY_PARTS
};
extern const char *const energy_part_names[ENERGY_PARTS];
enum energy_group {
    ENERGY_GROUP_DRAM,
    ENERGY_GROUP_L1,
    ENERGY_GROUP_LEAKAGE,
    ENERGY_GROUP_OTHERS,
    ENERGY_GROUPS
}; /* Mascar's figure 14 */
extern const char *const energy_group_names[ENERGY_GROUPS];

struct energy { /* joules */
    double part[ENERGY_PARTS], group[ENERGY_GROUPS];
    double total;
};
struct energy energy_of(const struct config *c, const struct launch_stats *l);

/* Storage that Mascar adds to an SM (its table II), from the machine. */
struct mascar_cost {
    u32 owner_bits;                 /* warp readiness checker: the owner's number */
    u32 status_bits;                /* warp status table: two bits a warp */
    u32 entry_bits, entries;        /* re-execution queue */
    u32 owner_b, status_b, queue_b; /* bytes, entries rounded up to whole bytes */
};
struct mascar_cost mascar_cost_of(const struct config *c);

/* What Jin's units hold and take on an SM, from the machine (his chapter 7 leaves it open):
 * docs/divergence.md. Pool and table are those of dynamic warp formation, were it there. */
struct jin_cost {
    u32 rank_bits, mask_bits, warp_bits;    /* squeezer, a warp: the beat of each lane; beats in use; both */
    u32 squeeze_b;                          /* of all warps */
    u32 pool_entries, pool_bits, pool_b;    /* warp pool: pc, a thread number for each lane, beats in use */
    u32 table_entries, table_bits, table_b; /* warp look-up table: pc, lanes taken, pool entry */
    u32 gates;                              /* squeezer's logic, in two-input NAND gates */
    double squeeze_mm2, form_mm2;           /* squeezer with its bits; pool and table: in 40 nm */
};
struct jin_cost jin_cost_of(const struct config *c);

#endif
