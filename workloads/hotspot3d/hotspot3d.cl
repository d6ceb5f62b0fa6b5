/* Heat in a stack of chips: one explicit time step of the temperature of nz layers of nx x ny cells. A
 * work-item has a column and walks through its layers, with the cells above, here and below in registers; at
 * the edges a cell is its own neighbour. */
#pragma OPENCL FP_CONTRACT OFF
#define AMBIENT    80.0f
#define STEP       0.0625f
#define LATERAL    0.5f
#define VERTICAL   0.25f
#define TO_AMBIENT 0.0125f

__kernel __attribute__((reqd_work_group_size(64, 4, 1))) void hotspot3d(__global const float *power, __global const float *in,
                                                                        __global float *out, uint nx, uint ny, uint nz) {
    uint x = get_global_id(0), y = get_global_id(1), layer = nx * ny;
    if (x >= nx || y >= ny) return;
    uint at = y * nx + x;
    uint west = x > 0 ? 1 : 0, east = x + 1 < nx ? 1 : 0;
    uint north = y > 0 ? nx : 0, south = y + 1 < ny ? nx : 0;
    float here = in[at], below = here;
    for (uint z = 0; z < nz; z++, at += layer) {
        float above = z + 1 < nz ? in[at + layer] : here;
        float sides = ((in[at - west] + in[at + east]) + (in[at - north] + in[at + south])) - 4.0f * here;
        float flow = fma(LATERAL, sides, power[at]);
        flow = fma(VERTICAL, (below + above) - 2.0f * here, flow);
        flow = fma(TO_AMBIENT, AMBIENT - here, flow);
        out[at] = fma(STEP, flow, here);
        below = here;
        here = above;
    }
}
