/* Lattice Boltzmann, 19 directions in three dimensions, periodic, with solid cells that send everything back.
 * lbm_start once, then lbm_step per time step, from one set of 19 planes to the other. A cell pulls 19 values
 * from 19 planes, mixes them and writes 19: almost nothing but streams. */
#define DIRS 19

/* Rest, six along the axes, twelve diagonals; direction 2k + 1 and 2k + 2 are opposite */
__constant int dir_x[DIRS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
__constant int dir_y[DIRS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
__constant int dir_z[DIRS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
#define WEIGHT(d) ((d) == 0 ? 1.0f / 3 : (d) < 7 ? 1.0f / 18 : 1.0f / 36)
#define OMEGA     1.2f

__kernel void lbm_start(__global const float *noise, __global float *f, uint cells) {
    uint i = get_global_id(0);
    if (i >= cells) return;
#pragma unroll
    for (uint d = 0; d < DIRS; d++) f[d * cells + i] = WEIGHT(d) * (1.0f + 0.1f * noise[i] * (d % 3));
}

__kernel void lbm_step(__global const float *from, __global float *to, __global const uint *solid, uint nx, uint ny, uint nz) {
    uint i = get_global_id(0), cells = nx * ny * nz;
    if (i >= cells) return;
    uint x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    float f[DIRS];
    float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (uint d = 0; d < DIRS; d++) {
        uint sx = (x + nx - dir_x[d]) % nx, sy = (y + ny - dir_y[d]) % ny, sz = (z + nz - dir_z[d]) % nz;
        f[d] = from[d * cells + (sz * ny + sy) * nx + sx];
        density += f[d];
        ux += dir_x[d] * f[d];
        uy += dir_y[d] * f[d];
        uz += dir_z[d] * f[d];
    }
    if (solid[i] == 0) {
        to[i] = f[0];
#pragma unroll
        for (uint d = 1; d < DIRS; d += 2) {
            to[d * cells + i] = f[d + 1];
            to[(d + 1) * cells + i] = f[d];
        }
        return;
    }
    ux /= density;
    uy /= density;
    uz /= density;
    float squares = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (uint d = 0; d < DIRS; d++) {
        float along = 3.0f * (dir_x[d] * ux + dir_y[d] * uy + dir_z[d] * uz);
        float rest = WEIGHT(d) * density * (1.0f + along + 0.5f * along * along - squares);
        to[d * cells + i] = f[d] + OMEGA * (rest - f[d]);
    }
}
