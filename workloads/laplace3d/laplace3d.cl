/* Jacobi steps of the Laplace equation in three dimensions: out is the mean of the six neighbours, the border
 * stays. A work-group covers 32 x 4 columns and walks up in z: the values above and below stay in registers,
 * those beside are exchanged through local memory, and lanes at the edge of the tile load what it lacks:
 * branches, barriers, half-empty warps. */
#pragma OPENCL FP_CONTRACT OFF
#define W 32
#define H 4

__kernel __attribute__((reqd_work_group_size(W, H, 1))) void laplace3d(__global const float *in, __global float *out, uint nx,
                                                                       uint ny, uint nz) {
    __local float tile[H + 2][W + 2];
    uint lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    bool inside = x < nx && y < ny, border = x == 0 || y == 0 || x + 1 >= nx || y + 1 >= ny;
    uint plane = nx * ny, i = y * nx + x;
    float below = 0.0f, here = inside ? in[i] : 0.0f, above = 0.0f;

    for (uint z = 0; z < nz; z++, i += plane) {
        above = inside && z + 1 < nz ? in[i + plane] : 0.0f;
        tile[ly + 1][lx + 1] = here;
        if (inside && !border) {
            if (lx == 0) tile[ly + 1][0] = in[i - 1];
            if (lx == W - 1) tile[ly + 1][W + 1] = in[i + 1];
            if (ly == 0) tile[0][lx + 1] = in[i - nx];
            if (ly == H - 1) tile[H + 1][lx + 1] = in[i + nx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inside) {
            float sum = (tile[ly + 1][lx] + tile[ly + 1][lx + 2]) + (tile[ly][lx + 1] + tile[ly + 2][lx + 1]) + (below + above);
            out[i] = border || z == 0 || z + 1 == nz ? here : sum / 6.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        below = here;
        here = above;
    }
}
