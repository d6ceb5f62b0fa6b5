/* A particle filter that follows an object through frames. A frame is four launches: particle_move (a step
 * and some noise), particle_weigh (how much the image around a particle looks like the object: 25 bytes
 * gathered from a large image), particle_sum (running sums of the weights, one work-group) and particle_draw
 * (the particles of the next frame: each searches the running sums from their beginning) or particle_bisect
 * (the same by bisection, for many particles). All in integers, so that which particle is drawn depends on no
 * rounding. */
__kernel void particle_move(__global uint *x, __global uint *y, __global const uint *noise, uint n, uint side) {
    uint i = get_global_id(0);
    if (i >= n) return;
    x[i] = (x[i] + 1 + noise[2 * i] + side - 5) % side;
    y[i] = (y[i] + 2 + noise[2 * i + 1] + side - 5) % side;
}

/* The object is bright (156), the rest dark (100): the score is how much nearer to bright than to dark the
 * pixels are */
__kernel void particle_weigh(__global const uchar *image, __global const uint *x, __global const uint *y, __global uint *weight,
                             uint n, uint side) {
    uint i = get_global_id(0);
    if (i >= n) return;
    int score = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int pixel = image[(y[i] + side + dy) % side * side + (x[i] + side + dx) % side];
            score += (pixel - 100) * (pixel - 100) - (pixel - 156) * (pixel - 156);
        }
    weight[i] = 1 + (score > 0 ? min(score >> 6, 8191) : 0);
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void particle_sum(__global const uint *weight, __global uint *sum,
                                                                            uint n) {
    __local uint part[256];
    uint me = get_local_id(0), before = 0;
    for (uint base = 0; base < n; base += 256) {
        part[me] = base + me < n ? weight[base + me] : 0;
        for (uint step = 1; step < 256; step *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint left = me >= step ? part[me - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            part[me] += left;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (base + me < n) sum[base + me] = before + part[me];
        before += part[255];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void particle_draw(__global const uint *sum, __global const uint *x, __global const uint *y, __global uint *next_x,
                            __global uint *next_y, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    uint point = (uint)(((ulong)sum[n - 1] * i + n / 2) / n), drawn = 0;
    while (drawn < n - 1 && sum[drawn] <= point) drawn++;
    next_x[i] = x[drawn];
    next_y[i] = y[drawn];
}

__kernel void particle_bisect(__global const uint *sum, __global const uint *x, __global const uint *y, __global uint *next_x,
                              __global uint *next_y, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    uint point = (uint)(((ulong)sum[n - 1] * i + n / 2) / n), low = 0, high = n - 1;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sum[middle] <= point) low = middle + 1;
        else high = middle;
    }
    next_x[i] = x[low];
    next_y[i] = y[low];
}
