/* pathfinder: dynamic programming over whole rows. The last launch leaves the result in `cost`. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

static void descend(const u32 *wall_row, const u32 *from, u32 *to, u64 columns) {
    for (u64 c = 0; c < columns; c++) {
        u32 least = from[c];
        if (c > 0) least = MIN(least, from[c - 1]);
        if (c + 1 < columns) least = MIN(least, from[c + 1]);
        to[c] = least + wall_row[c];
    }
}

bool workload_ref_pathfinder(struct workload_buffers *b) {
    u64 columns = ref_count(b, "cost"), cells = ref_count(b, "wall");
    const u32 *wall = ref_u32(b, "wall", cells);
    u32 *cost = ref_u32(b, "cost", columns);
    if (!wall || !cost || !columns || cells % columns) return false;
    u32 *next = base_alloc(columns * sizeof *next);
    for (u64 start = 0; start < cells; start += columns) {
        descend(wall + start, cost, next, columns);
        memcpy(cost, next, columns * sizeof *next);
    }
    free(next);
    return true;
}
