/* Samples of an MRI scan, taken along spokes through frequency space, brought onto a regular grid of side n.
 * Launches: mri_gridding_bin (places the samples and counts them cell by cell), mri_gridding_scan,
 * mri_gridding_sums and mri_gridding_shift (where each cell's samples begin), mri_gridding_reorder (samples
 * next to those of the same cell) and mri_gridding_gather (every grid point sums the samples within one
 * cell's width, weighted by their distance). Places are fixed point, 256 steps a cell, and all sums are whole
 * numbers modulo 2^32, so that no result depends on the order of samples in a cell. Scattered atomics and
 * stores first, then arithmetic on local memory, most of it in the middle of the grid. */
#define GROUP 256

/* Coordinate of a sample: `along` in 0 to 65535, drawn to the middle as `radius` shrinks */
static uint coordinate(uint along, uint radius, uint n) {
    uint at = (along * radius >> 16) + (65536 - radius) / 2;
    return at * (n * 256) >> 16;
}

/* along and place hold three planes */
__kernel void mri_gridding_bin(__global const uint *along, __global const uint *radius, __global uint *place, __global uint *cell,
                               __global uint *count, uint samples, uint n) {
    uint i = get_global_id(0);
    if (i >= samples) return;
    uint r = radius[i], x = coordinate(along[i], r, n);
    uint y = coordinate(along[samples + i], r, n), z = coordinate(along[2 * samples + i], r, n);
    place[i] = x;
    place[samples + i] = y;
    place[2 * samples + i] = z;
    cell[i] = ((z >> 8) * n + (y >> 8)) * n + (x >> 8);
    atomic_inc(&count[cell[i]]);
}

/* Sums of all work-items before this one; *all is the sum of the group */
static uint before_me(uint mine, __local uint *part, uint *all) {
    uint me = get_local_id(0);
    part[me] = mine;
    for (uint step = 1; step < GROUP; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint left = me >= step ? part[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[me] += left;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *all = part[GROUP - 1];
    uint result = part[me] - mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_gridding_scan(__global const uint *count, __global uint *start, __global uint *sum, uint cells) {
    __local uint part[GROUP];
    uint i = get_global_id(0), all;
    uint before = before_me(i < cells ? count[i] : 0, part, &all);
    if (i < cells) start[i] = before;
    if (get_local_id(0) == 0) sum[get_group_id(0)] = all;
}

/* One group */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mri_gridding_sums(__global uint *sum, uint groups) {
    __local uint part[GROUP];
    uint before = 0, all;
    for (uint base = 0; base < groups; base += GROUP) {
        uint i = base + get_local_id(0);
        uint here = before_me(i < groups ? sum[i] : 0, part, &all);
        if (i < groups) sum[i] = before + here;
        before += all;
    }
}

__kernel void mri_gridding_shift(__global uint *start, __global uint *next, __global const uint *sum, uint cells, uint samples) {
    uint i = get_global_id(0);
    if (i == 0) start[cells] = samples;
    if (i < cells) start[i] = next[i] = start[i] + sum[i / GROUP];
}

/* value and sorted_value hold a real and an imaginary plane */
__kernel void mri_gridding_reorder(__global const uint *place, __global const uint *cell, __global const int *value,
                                   __global uint *next, __global uint *sorted_place, __global int *sorted_value, uint samples) {
    uint i = get_global_id(0);
    if (i >= samples) return;
    uint at = atomic_inc(&next[cell[i]]);
    for (uint axis = 0; axis < 3; axis++) sorted_place[axis * samples + at] = place[axis * samples + i];
    for (uint part = 0; part < 2; part++) sorted_value[part * samples + at] = value[part * samples + i];
}

static uint square(uint a, uint b) {
    uint d = a > b ? a - b : b - a;
    return d * d;
}

/* A group has a brick of 8 x 4 x 8 grid points, a warp one layer of it. The samples of the cells around go
 * through local memory, row of cells by row of cells: cells side by side have their samples side by side.
 * grid holds a real and an imaginary plane. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mri_gridding_gather(__global const uint *place,
                                                                                     __global const int *value,
                                                                                     __global const uint *start,
                                                                                     __global uint *grid, uint samples, uint n) {
    __local uint at[3][GROUP];
    __local int taken[2][GROUP];
    uint me = get_local_id(0), across = (n + 7) / 8, down = (n + 3) / 4, brick = get_group_id(0);
    uint left = brick % across * 8, top = brick / across % down * 4, front = brick / (across * down) * 8;
    uint x = left + me % 8, y = top + me / 8 % 4, z = front + me / 32;
    uint re = 0, im = 0;
    for (uint cz = front > 0 ? front - 1 : 0; cz <= min(front + 8, n - 1); cz++)
        for (uint cy = top > 0 ? top - 1 : 0; cy <= min(top + 4, n - 1); cy++) {
            uint row = (cz * n + cy) * n, from = start[row + (left > 0 ? left - 1 : 0)],
                 to = start[row + min(left + 8, n - 1) + 1];
            for (uint base = from; base < to; base += GROUP) {
                uint s = base + me, end = min(to - base, (uint)GROUP);
                barrier(CLK_LOCAL_MEM_FENCE);
                if (s < to) {
                    for (uint axis = 0; axis < 3; axis++) at[axis][me] = place[axis * samples + s];
                    for (uint part = 0; part < 2; part++) taken[part][me] = value[part * samples + s];
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                if (cz + 1 < z || cz > z + 1) continue;
                for (uint k = 0; k < end; k++) {
                    uint squares =
                        square(at[0][k], x * 256 + 128) + square(at[1][k], y * 256 + 128) + square(at[2][k], z * 256 + 128);
                    if (squares >= 65536) continue;
                    uint nearness = (65536 - squares) >> 8, weight = nearness * nearness * nearness >> 14;
                    re += weight * (uint)taken[0][k];
                    im += weight * (uint)taken[1][k];
                }
            }
        }
    uint i = (z * n + y) * n + x;
    if (x >= n || y >= n || z >= n) return;
    grid[i] = re;
    grid[n * n * n + i] = im;
}
