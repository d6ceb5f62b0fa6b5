/* operands: register banks, collectors and units of the sub-cores. Included by 40_operands.c and 50_execute.c
 * alone. */
#ifndef HEDDLE_CORE_OPERANDS_H
#define HEDDLE_CORE_OPERANDS_H

#include "core/core.h"

enum { BANK_WINDOW = 512, BANK_WORDS = BANK_WINDOW / 64, MAX_SUBCORES = 16, MAX_UNITS = 16, MAX_COLLECTORS = 64 };

struct subcore {
    u64 unit_free[UNIT_COUNT][MAX_UNITS];
    u32 units[UNIT_COUNT];
    u64 collector_free[MAX_COLLECTORS]; /* NEVER: held by a memory instruction */
    u64 free_known;                     /* collectors known to be free; others may be free by now */
    u64 none_before[3];                 /* by pool: no collector is free before this cycle, unless a memory instruction lets go */
    u64 *bank;                          /* calendars: [bank][port][BANK_WORDS], bit cycle mod BANK_WINDOW: taken */
    u64 bank_word;                      /* cycle / 64 up to which past words have been emptied */
};
struct pool { /* collectors that serve a unit's instructions */
    u64 mask;
    u32 first, n, index; /* index: which pool */
};
struct operands {
    struct subcore subs[MAX_SUBCORES];
    struct pool pools[UNIT_COUNT];
    u32 ncollectors; /* of a sub-core */
    u32 bank_mask;   /* number of banks less one, where it is a power of two; else 0 */
};

#endif
