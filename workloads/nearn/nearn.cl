/* The records nearest to a place: nearn_distance for all of them, then per neighbour wanted nearn_group (the
 * nearest in each work-group's share) and nearn_pick (the nearest of those, which is then taken out).
 * Streams, and tree searches with barriers. The lesser index wins between equals. */
#pragma OPENCL FP_CONTRACT OFF
#define GROUP 256

__kernel void nearn_distance(__global const float *latitude, __global const float *longitude, __global float *distance, uint n,
                             float at_latitude, float at_longitude) {
    uint i = get_global_id(0);
    if (i >= n) return;
    float dy = latitude[i] - at_latitude, dx = longitude[i] - at_longitude;
    distance[i] = sqrt(dy * dy + dx * dx);
}

/* Leaves the nearest of the group's candidates in element 0 of both */
static void tree(__local float *d, __local uint *who) {
    uint me = get_local_id(0);
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me >= step) continue;
        if (d[me + step] < d[me] || (d[me + step] == d[me] && who[me + step] < who[me])) {
            d[me] = d[me + step];
            who[me] = who[me + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void nearn_group(__global const float *distance,
                                                                             __global uint *winner, uint n) {
    __local float d[GROUP];
    __local uint who[GROUP];
    uint i = get_global_id(0), me = get_local_id(0);
    d[me] = i < n ? distance[i] : INFINITY;
    who[me] = i < n ? i : 0xFFFFFFFF;
    tree(d, who);
    if (me == 0) winner[get_group_id(0)] = who[0];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void nearn_pick(__global float *distance, __global const uint *winner,
                                                                            __global uint *nearest, __global float *how_far,
                                                                            uint groups, uint rank) {
    __local float d[GROUP];
    __local uint who[GROUP];
    uint me = get_local_id(0);
    d[me] = INFINITY;
    who[me] = 0xFFFFFFFF;
    for (uint i = me; i < groups; i += GROUP)
        if (distance[winner[i]] < d[me]) {
            d[me] = distance[winner[i]];
            who[me] = winner[i];
        }
    tree(d, who);
    if (me != 0) return;
    nearest[rank] = who[0];
    how_far[rank] = d[0];
    distance[who[0]] = INFINITY;
}
