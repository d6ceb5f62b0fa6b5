/* Energy of a launch, and the storage Mascar costs. */
#include "power/power.h"

const char *const energy_part_names[ENERGY_PARTS] = {
    [ENERGY_DRAM] = "dram",
    [ENERGY_L1] = "l1",
    [ENERGY_L2] = "l2",
    [ENERGY_NOC] = "interconnect",
    [ENERGY_REGISTERS] = "registers",
    [ENERGY_UNITS] = "units",
    [ENERGY_FRONT_END] = "front_end",
    [ENERGY_CLOCK] = "clock",
    [ENERGY_LEAKAGE] = "leakage",
};
const char *const energy_group_names[ENERGY_GROUPS] = {
    [ENERGY_GROUP_DRAM] = "dram", [ENERGY_GROUP_L1] = "l1", [ENERGY_GROUP_LEAKAGE] = "leakage", [ENERGY_GROUP_OTHERS] = "others"};

static const u8 group_of[ENERGY_PARTS] = {
    [ENERGY_DRAM] = ENERGY_GROUP_DRAM,        [ENERGY_L1] = ENERGY_GROUP_L1,
    [ENERGY_L2] = ENERGY_GROUP_OTHERS,        [ENERGY_NOC] = ENERGY_GROUP_OTHERS,
    [ENERGY_REGISTERS] = ENERGY_GROUP_OTHERS, [ENERGY_UNITS] = ENERGY_GROUP_OTHERS,
    [ENERGY_FRONT_END] = ENERGY_GROUP_OTHERS, [ENERGY_CLOCK] = ENERGY_GROUP_OTHERS,
    [ENERGY_LEAKAGE] = ENERGY_GROUP_LEAKAGE,
};

/* --- the words of energy.def */

static double lines(u32 bytes) { return bytes / 128.0; }
static double warps(const struct config *c) { return c->warp_size / 32.0; }
/* Lanes that worked in cycles of a unit so wide */
static double lanes(const struct sm_stats *s, u64 busy, u32 width) {
    return s->thread_instructions ? (double)busy * width * (double)s->active_lanes / (double)s->thread_instructions : 0;
}

struct energy energy_of(const struct config *c, const struct launch_stats *l) {
    const struct sm_stats *s = &l->sum;
    const struct mem_stats *m = &l->mem;
    struct energy e = {0};
#define ENERGY(of, what, expression) e.part[ENERGY_##of] += (expression) * 1e-12;
#include "power/energy.def"
#undef ENERGY
    for (u32 i = 0; i < ENERGY_PARTS; i++) e.group[group_of[i]] += e.part[i], e.total += e.part[i];
    return e;
}

/* --- Mascar, table II: an entry has the line's base address, each thread's offset in the line, the warp, the
 * destination register */

static u32 bits_for(u32 values) {
    u32 bits = 0;
    while ((1ull << bits) < values) bits++;
    return bits;
}

enum { ADDRESS_BITS = 64, REGISTER_BITS = 7 };

struct mascar_cost mascar_cost_of(const struct config *c) {
    u32 warp = bits_for(c->warps);
    struct mascar_cost x = {.owner_bits = warp, .status_bits = 2 * c->warps, .entries = c->reexec};
    x.entry_bits = ADDRESS_BITS + bits_for(c->l1_line_b) * c->warp_size + warp + REGISTER_BITS;
    x.owner_b = (x.owner_bits + 7) / 8;
    x.status_b = (x.status_bits + 7) / 8;
    x.queue_b = (x.entry_bits + 7) / 8 * x.entries;
    return x;
}

/* --- Jin's units */

enum { PC_BITS = 32, NAND_ADDER = 6, NAND_COMPARE = 4, NAND_MUX = 3 }; /* gates a bit: full adder, comparator, 2:1 multiplexer */
#define GATE_UM2 0.7                                                   /* a two-input NAND gate in 40 nm */
#define BIT_UM2  0.5 /* a bit of a small array in 40 nm, with its share of the periphery */

/* Count the lanes of each beat, sort beats by that, and for each SIMD lane move threads to other beats: a
 * multiplexer for each beat over the thread numbers of all */
static u32 squeezer_gates(const struct config *c, u32 beats, u32 width) {
    u32 counts = beats * width * NAND_ADDER, swaps = beats * (beats - 1) / 2, thread = bits_for(c->threads);
    u32 sort = swaps * (bits_for(width + 1) * NAND_COMPARE + 2 * bits_for(beats) * NAND_MUX);
    u32 moves = width * beats * (beats - 1) * thread * NAND_MUX;
    return beats > 1 ? counts + sort + moves : 0;
}

struct jin_cost jin_cost_of(const struct config *c) {
    u32 width = MIN(c->alu_width, c->warp_size), beats = (c->warp_size + width - 1) / width;
    struct jin_cost x = {.pool_entries = c->dwf_pool ? c->dwf_pool * c->schedulers : c->threads};
    x.table_entries = c->dwf_table * c->schedulers;
    x.rank_bits = beats > 1 ? bits_for(beats) * c->warp_size : 0;
    x.mask_bits = beats > 1 ? beats : 0;
    x.warp_bits = x.rank_bits + x.mask_bits;
    x.squeeze_b = (x.warp_bits * c->warps + 7) / 8;
    x.pool_bits = PC_BITS + c->warp_size * (bits_for(c->threads) + 1) + x.mask_bits;
    x.table_bits = PC_BITS + c->warp_size + bits_for(x.pool_entries);
    x.pool_b = (x.pool_bits * x.pool_entries + 7) / 8;
    x.table_b = (x.table_bits * x.table_entries + 7) / 8;
    x.gates = squeezer_gates(c, beats, width);
    x.squeeze_mm2 = (x.gates * GATE_UM2 + 8.0 * x.squeeze_b * BIT_UM2) * 1e-6;
    x.form_mm2 = 8.0 * (x.pool_b + x.table_b) * BIT_UM2 * 1e-6;
    return x;
}
