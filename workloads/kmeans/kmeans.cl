/* k-means clustering of points with 8 features into 8 clusters. A round is three launches: kmeans_clear, kmeans_assign,
 * kmeans_centre. Features are whole numbers below 256, so that the sums are exact in any order.
 * The points lie one after the other, so neighbouring lanes read addresses 32 bytes apart and come back to the same lines
 * feature by feature: with many warps resident the first level cache thrashes. */
#define CLUSTERS 8
#define FEATURES 8

__kernel void kmeans_clear(__global uint *sums, __global uint *sizes) {
    uint i = get_global_id(0);
    if (i < CLUSTERS * FEATURES) sums[i] = 0;
    if (i < CLUSTERS) sizes[i] = 0;
}

/* Finds each point's nearest centre, the first of several, and adds the point to that cluster's sums, first those of the
 * work-group in local memory. */
__kernel void kmeans_assign(__global const uint *points, __global const uint *centres, __global uint *member, __global uint *sums,
                            __global uint *sizes, uint n) {
    __local uint group_sums[CLUSTERS * FEATURES], group_sizes[CLUSTERS];
    uint point = get_global_id(0), me = get_local_id(0);
    if (me < CLUSTERS * FEATURES) group_sums[me] = 0;
    if (me < CLUSTERS) group_sizes[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (point < n) {
        uint nearest = 0;
        float least = INFINITY;
        for (uint c = 0; c < CLUSTERS; c++) {
            float distance = 0.0f;
            for (uint f = 0; f < FEATURES; f++) {
                float d = (float)points[point * FEATURES + f] - (float)centres[c * FEATURES + f];
                distance = fma(d, d, distance);
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        member[point] = nearest;
        for (uint f = 0; f < FEATURES; f++) atomic_add(&group_sums[nearest * FEATURES + f], points[point * FEATURES + f]);
        atomic_inc(&group_sizes[nearest]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (me < CLUSTERS * FEATURES) atomic_add(&sums[me], group_sums[me]);
    if (me < CLUSTERS) atomic_add(&sizes[me], group_sizes[me]);
}

/* The new centres: means, rounded down. An empty cluster keeps its centre. */
__kernel void kmeans_centre(__global uint *centres, __global const uint *sums, __global const uint *sizes) {
    uint i = get_global_id(0);
    if (i < CLUSTERS * FEATURES && sizes[i / FEATURES] != 0) centres[i] = sums[i] / sizes[i / FEATURES];
}
