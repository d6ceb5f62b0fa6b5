/* Angular correlation of points on the sky: how many pairs stand how far apart, within the observed set (the
 * first), between it and each random set, and within each random set. tpacf_unit puts the points on the unit
 * sphere, the observed ones in sixteen clusters; tpacf_pairs takes 128 points of one set against all of
 * another, tile by tile through local memory, finds the bin of each pair by bisection and counts it in a
 * histogram of its warp's own. Arithmetic, and atomics that collide. */
#pragma OPENCL FP_CONTRACT OFF
#define BINS     20
#define TILE     128
#define CLUSTERS 16

/* raw and sky: for each set three planes of n */
__kernel void tpacf_unit(__global const float *raw, __global float *sky, uint n, uint sets) {
    uint i = get_global_id(0), set = get_global_id(1);
    if (i >= n || set >= sets) return;
    float p[3];
    for (uint axis = 0; axis < 3; axis++) {
        __global const float *plane = raw + (3 * set + axis) * n;
        p[axis] = set == 0 ? fma(0.125f, plane[i], plane[i % CLUSTERS]) : plane[i];
    }
    float length = sqrt(fma(p[0], p[0], fma(p[1], p[1], p[2] * p[2])));
    for (uint axis = 0; axis < 3; axis++) sky[(3 * set + axis) * n + i] = p[axis] / length;
}

/* The cosine of bin b's wider edge: 1 - 2^(1 - b); bin 0 is beyond a right angle */
#define EDGE(b) (1.0f - 2.0f / (1 << (b)))
__constant float edge[BINS] = {-2.0f,    EDGE(1),  EDGE(2),  EDGE(3),  EDGE(4),  EDGE(5),  EDGE(6),
                               EDGE(7),  EDGE(8),  EDGE(9),  EDGE(10), EDGE(11), EDGE(12), EDGE(13),
                               EDGE(14), EDGE(15), EDGE(16), EDGE(17), EDGE(18), EDGE(19)};

static uint bin_of(float cosine) {
    uint low = 0, high = BINS - 1;
    while (low < high) {
        uint middle = (low + high + 1) / 2;
        if (cosine >= edge[middle]) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* Group (t, job): tile t of points; job 0 the observed set with itself, then each random set with itself,
 * then the observed set with each random one. counts: three histograms, in that order. */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void tpacf_pairs(__global const float *sky, __global uint *counts,
                                                                            uint n, uint sets) {
    __local float tile[3][TILE];
    __local uint found[TILE / 32][BINS];
    uint me = get_local_id(0), i = get_global_id(0), job = get_group_id(1);
    bool within = job < sets;
    __global const float *a = sky + (within ? 3 * job * n : 0), *b = sky + 3 * (within ? job : job - sets + 1) * n;
    for (uint k = me; k < TILE / 32 * BINS; k += TILE) found[k / BINS][k % BINS] = 0;
    float x = i < n ? a[i] : 0.0f, y = i < n ? a[n + i] : 0.0f, z = i < n ? a[2 * n + i] : 0.0f;
    for (uint base = 0; base < n; base += TILE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint axis = 0; axis < 3; axis++) tile[axis][me] = base + me < n ? b[axis * n + base + me] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint end = min((uint)TILE, n - base);
        for (uint k = 0; k < end; k++) {
            if (i >= n || (within && base + k <= i)) continue;
            float cosine = fma(x, tile[0][k], fma(y, tile[1][k], z * tile[2][k]));
            atomic_inc(&found[me / 32][bin_of(cosine)]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint kind = job == 0 ? 0 : within ? 1 : 2;
    if (me < BINS) {
        uint sum = 0;
        for (uint warp = 0; warp < TILE / 32; warp++) sum += found[warp][me];
        if (sum != 0) atomic_add(&counts[kind * BINS + me], sum);
    }
}
