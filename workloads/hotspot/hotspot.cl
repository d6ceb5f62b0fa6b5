/* Heat in a chip: one explicit time step of the temperature of a square die of side n under a map of
 * dissipated power. A work-group stages its 16 x 16 cells and their neighbours in local memory; at the edges
 * a cell is its own neighbour. */
#pragma OPENCL FP_CONTRACT OFF
#define TILE       16
#define AMBIENT    80.0f
#define STEP       0.0625f
#define LATERAL    0.5f
#define TO_AMBIENT 0.0125f

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void hotspot(__global const float *power, __global const float *in,
                                                                           __global float *out, uint n) {
    __local float tile[TILE + 2][TILE + 2];
    int lx = get_local_id(0), ly = get_local_id(1), last = (int)n - 1;
    int left = (int)get_group_id(0) * TILE - 1, top = (int)get_group_id(1) * TILE - 1;

    for (int i = ly * TILE + lx; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int ty = i / (TILE + 2), tx = i % (TILE + 2);
        tile[ty][tx] = in[clamp(top + ty, 0, last) * (int)n + clamp(left + tx, 0, last)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int x = left + 1 + lx, y = top + 1 + ly;
    if (x > last || y > last) return;
    float here = tile[ly + 1][lx + 1];
    float vertical = (tile[ly][lx + 1] + tile[ly + 2][lx + 1]) - 2.0f * here;
    float horizontal = (tile[ly + 1][lx] + tile[ly + 1][lx + 2]) - 2.0f * here;
    float flow = fma(LATERAL, vertical + horizontal, power[y * (int)n + x]);
    flow = fma(TO_AMBIENT, AMBIENT - here, flow);
    out[y * (int)n + x] = fma(STEP, flow, here);
}
