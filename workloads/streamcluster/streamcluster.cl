/* Clustering of a stream of points: would opening a centre at a candidate point pay? For each candidate six
 * launches: streamcluster_clear, _gain (what every point would save), _collect (sums per centre), _decide,
 * _apply and _shut; before all of them streamcluster_start. Coordinates are whole numbers below 32, so that
 * every sum is exact in any order. The coordinates lie dimension by dimension (coalesced streams); the table
 * of savings has a row per point, so its accesses are a row apart. */
#define DIMS 32

static int distance_to(__global const uint *points, uint n, uint i, uint j) {
    int sum = 0;
    for (uint d = 0; d < DIMS; d++) {
        int delta = (int)points[d * n + i] - (int)points[d * n + j];
        sum += delta * delta;
    }
    return sum;
}

/* Centre number c is point c at first; the last `rounds` numbers are for candidates */
__kernel void streamcluster_start(__global const uint *points, __global const uint *centre, __global int *cost,
                                  __global uint *open, uint n, uint slots, uint rounds) {
    uint i = get_global_id(0);
    if (i < slots) open[i] = i < slots - rounds;
    if (i < n) cost[i] = distance_to(points, n, i, centre[i]);
}

__kernel void streamcluster_clear(__global int *saved, uint count) {
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) saved[i] = 0;
}

/* saved has `slots` columns, one per centre, and a last one: what the points that prefer the candidate would
 * save */
__kernel void streamcluster_gain(__global const uint *points, __global const uint *centre, __global const int *cost,
                                 __global int *saved, __global uint *prefers, __global const uint *candidate, uint n, uint slots,
                                 uint round) {
    uint i = get_global_id(0);
    if (i >= n) return;
    int saving = cost[i] - distance_to(points, n, i, candidate[round]);
    prefers[i] = saving > 0;
    saved[i * (slots + 1) + (saving > 0 ? slots : centre[i])] = saving;
}

/* One work-group a column */
__kernel void streamcluster_collect(__global const int *saved, __global int *total, uint n, uint slots) {
    __local int part[128];
    uint me = get_local_id(0), column = get_group_id(0);
    int sum = 0;
    for (uint i = me; i < n; i += get_local_size(0)) sum += saved[i * (slots + 1) + column];
    part[me] = sum;
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step) part[me] += part[me + step];
    }
    if (me == 0) total[column] = part[0];
}

/* open: 0 shut, 1 open, 2 to be shut now. The candidate gets centre number `fresh` when that pays. */
__kernel void streamcluster_decide(__global const int *total, __global uint *open, __global int *gain,
                                   __global const int *price_of_one, uint slots, uint fresh, uint round) {
    if (get_global_id(0) != 0) return;
    int price = price_of_one[0], sum = total[slots] - price;
    for (uint c = 0; c < slots; c++)
        if (open[c] && total[c] + price > 0) sum += total[c] + price;
    gain[round] = sum;
    if (sum <= 0) return;
    for (uint c = 0; c < slots; c++)
        if (open[c]) open[c] = total[c] + price > 0 ? 2 : 1;
    open[fresh] = 1;
}

__kernel void streamcluster_apply(__global const uint *points, __global uint *centre, __global int *cost,
                                  __global const uint *prefers, __global const uint *open, __global const int *gain,
                                  __global const uint *candidate, uint n, uint fresh, uint round) {
    uint i = get_global_id(0);
    if (i >= n || gain[round] <= 0) return;
    if (!prefers[i] && open[centre[i]] != 2) return;
    centre[i] = fresh;
    cost[i] = distance_to(points, n, i, candidate[round]);
}

__kernel void streamcluster_shut(__global uint *open, uint slots) {
    uint c = get_global_id(0);
    if (c < slots && open[c] == 2) open[c] = 0;
}
