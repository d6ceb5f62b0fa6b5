/* A 5 x 5 binomial (blurring) filter over a square image of side n; outside it is 0. A work-group stages its
 * 16 x 16 pixels with a margin of two in local memory; the filter is in constant memory, where all lanes read
 * the same word. */
#define TILE   16
#define MARGIN 2
#define STAGED (TILE + 2 * MARGIN)

/* clang-format off */
__constant float weights[2 * MARGIN + 1][2 * MARGIN + 1] = {
    {0.00390625f, 0.015625f, 0.0234375f, 0.015625f, 0.00390625f},
    {0.015625f,   0.0625f,   0.09375f,   0.0625f,   0.015625f},
    {0.0234375f,  0.09375f,  0.140625f,  0.09375f,  0.0234375f},
    {0.015625f,   0.0625f,   0.09375f,   0.0625f,   0.015625f},
    {0.00390625f, 0.015625f, 0.0234375f, 0.015625f, 0.00390625f},
};
/* clang-format on */

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void conv2d(__global const float *in, __global float *out, int n) {
    __local float staged[STAGED][STAGED];
    int lx = get_local_id(0), ly = get_local_id(1);
    int left = (int)get_group_id(0) * TILE - MARGIN, top = (int)get_group_id(1) * TILE - MARGIN;

    for (int i = ly * TILE + lx; i < STAGED * STAGED; i += TILE * TILE) {
        int x = left + i % STAGED, y = top + i / STAGED;
        bool inside = x >= 0 && y >= 0 && x < n && y < n;
        staged[i / STAGED][i % STAGED] = inside ? in[y * n + x] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
#pragma unroll 1
    for (int dy = 0; dy <= 2 * MARGIN; dy++)
        for (int dx = 0; dx <= 2 * MARGIN; dx++) sum = fma(weights[dy][dx], staged[ly + dy][lx + dx], sum);
    int x = left + MARGIN + lx, y = top + MARGIN + ly;
    if (x < n && y < n) out[y * n + x] = sum;
}
