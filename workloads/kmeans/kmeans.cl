/* k-means clustering of points with 34 features into 5 clusters. kmeans_swap turns the points' features from
 * point by point to feature by feature; then a round is three launches: kmeans_clear, kmeans_assign,
 * kmeans_centre. Features are whole numbers below 256, so that all sums are exact in any order. In
 * kmeans_swap neighbouring lanes read addresses 136 bytes apart, some 34 lines a load, and come back to the
 * same lines feature by feature: with many warps resident the first level cache thrashes, with few it does
 * not. kmeans_assign then reads whole lines, and computes. */
#define CLUSTERS 5
#define FEATURES 34

__kernel void kmeans_swap(__global const uint *points, __global uint *swapped, uint n, uint features) {
    uint point = get_global_id(0);
    if (point >= n) return;
    for (uint f = 0; f < features; f++) swapped[f * n + point] = points[point * features + f];
}

__kernel void kmeans_clear(__global uint *sums, __global uint *sizes) {
    uint i = get_global_id(0);
    if (i < CLUSTERS * FEATURES) sums[i] = 0;
    if (i < CLUSTERS) sizes[i] = 0;
}

/* Finds each point's nearest centre, the first of several, and adds the point to that cluster's sums, first
 * those of the work-group in local memory. */
__kernel void kmeans_assign(__global const uint *swapped, __constant uint *centres, __global uint *member, __global uint *sums,
                            __global uint *sizes, uint n) {
    __local uint group_sums[CLUSTERS * FEATURES], group_sizes[CLUSTERS];
    uint point = get_global_id(0), me = get_local_id(0), width = get_local_size(0);
    for (uint i = me; i < CLUSTERS * FEATURES; i += width) group_sums[i] = 0;
    if (me < CLUSTERS) group_sizes[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (point < n) {
        uint nearest = 0;
        float least = INFINITY;
        for (uint c = 0; c < CLUSTERS; c++) {
            float distance = 0.0f;
            for (uint f = 0; f < FEATURES; f++) {
                float d = (float)swapped[f * n + point] - (float)centres[c * FEATURES + f];
                distance = fma(d, d, distance);
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        member[point] = nearest;
        for (uint f = 0; f < FEATURES; f++) atomic_add(&group_sums[nearest * FEATURES + f], swapped[f * n + point]);
        atomic_inc(&group_sizes[nearest]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = me; i < CLUSTERS * FEATURES; i += width) atomic_add(&sums[i], group_sums[i]);
    if (me < CLUSTERS) atomic_add(&sizes[me], group_sizes[me]);
}

/* The new centres: means, rounded down. An empty cluster keeps its centre. */
__kernel void kmeans_centre(__global uint *centres, __global const uint *sums, __global const uint *sizes) {
    uint i = get_global_id(0);
    if (i < CLUSTERS * FEATURES && sizes[i / FEATURES] != 0) centres[i] = sums[i] / sizes[i / FEATURES];
}
