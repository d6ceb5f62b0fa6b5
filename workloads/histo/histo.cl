/* A histogram with far more bins than local memory holds, whose counts end at 255. Four launches:
 * histo_prescan (where the values lie: least and greatest), histo_intermediates (values split into a band of
 * 4096 bins and a place in it), histo_main (a work-group counts one band near the middle of the values in
 * local memory; what lies in none of these bands goes to global memory with atomics) and histo_final (counts
 * cut and packed to bytes). Streams, local atomics that collide, scattered global atomics. */
#define BAND  4096
#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histo_prescan(__global const uint *input, __global uint *least,
                                                                               __global uint *greatest, uint n) {
    __local uint low[GROUP], high[GROUP];
    uint me = get_local_id(0), lowest = 0xFFFFFFFFu, highest = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        lowest = min(lowest, input[i]);
        highest = max(highest, input[i]);
    }
    low[me] = lowest;
    high[me] = highest;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step) {
            low[me] = min(low[me], low[me + step]);
            high[me] = max(high[me], high[me + step]);
        }
    }
    if (me == 0) {
        atomic_min(least, low[0]);
        atomic_max(greatest, high[0]);
    }
}

__kernel void histo_intermediates(__global const uint *input, __global uint *split, uint n) {
    uint i = get_global_id(0);
    if (i < n) split[i] = input[i] / BAND << 16 | input[i] % BAND;
}

/* Group (chunk, b) counts band first + b of its chunk of the values */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histo_main(__global const uint *split, __global uint *table,
                                                                            __global const uint *least,
                                                                            __global const uint *greatest, uint n, uint bands) {
    __local uint counts[BAND];
    uint me = get_local_id(0), near = get_num_groups(1);
    uint middle = (least[0] + (greatest[0] - least[0]) / 2) / BAND;
    uint first = min(middle > near / 2 ? middle - near / 2 : 0, bands - near), mine = first + get_group_id(1);
    for (uint i = me; i < BAND; i += GROUP) counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint word = split[i], band = word >> 16;
        if (band == mine) atomic_inc(&counts[word & 0xFFFF]);
        else if (get_group_id(1) == 0 && band - first >= near) atomic_inc(&table[band * BAND + (word & 0xFFFF)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = me; i < BAND; i += GROUP)
        if (counts[i] != 0) atomic_add(&table[mine * BAND + i], counts[i]);
}

__kernel void histo_final(__global const uint4 *table, __global uchar4 *result, uint quarters) {
    uint i = get_global_id(0);
    if (i >= quarters) return;
    uint4 counts = min(table[i], (uint4)(255));
    result[i] = (uchar4)(counts.x, counts.y, counts.z, counts.w);
}
