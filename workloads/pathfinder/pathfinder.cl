/* The cheapest way down a wall, row by row, moving at most one column sideways each time. A launch takes 8
 * rows: a work-group of 256 carries the costs of its columns in local memory, recomputing 8 columns to either
 * side (a ghost zone) that shrinks by one with every row. */
#define GROUP  256
#define ROWS   8
#define USEFUL (GROUP - 2 * ROWS)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void pathfinder(__global const uint *wall, __global const uint *in,
                                                                            __global uint *out, uint columns, uint first_row) {
    __local uint cost[2][GROUP];
    int me = get_local_id(0), last = (int)columns - 1;
    int column = (int)get_group_id(0) * USEFUL - ROWS + me;
    bool inside = column >= 0 && column <= last;

    cost[0][me] = inside ? in[column] : UINT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = 0; r < ROWS; r++) {
        __local const uint *before = cost[r % 2];
        __local uint *after = cost[1 - r % 2];
        uint least = min(before[me], min(before[max(me - 1, 0)], before[min(me + 1, GROUP - 1)]));
        after[me] = inside ? least + wall[(first_row + r) * columns + column] : UINT_MAX;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside && me >= ROWS && me < GROUP - ROWS) out[column] = cost[0][me];
}
