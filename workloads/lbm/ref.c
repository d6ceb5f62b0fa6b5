/* lbm: two steps in double precision: every cell pushes to its neighbours, then mixes. Single precision in
 * the kernel, hence a tolerance. */
#include <stdlib.h>

#include "../ref.h"

#define DIRS  19
#define STEPS 2

struct velocity {
    int c[3];
};

/* The order is that of the planes: rest, axes, diagonals, opposite ones next to each other */
static void list_velocities(struct velocity v[DIRS]) {
    static const int planes[6][4] = {{0, 1, 1, 1}, {0, 1, 1, -1}, {0, 2, 1, 1}, {0, 2, 1, -1}, {1, 2, 1, 1}, {1, 2, 1, -1}};
    memset(v, 0, DIRS * sizeof *v);
    for (u32 axis = 0; axis < 3; axis++) v[1 + 2 * axis].c[axis] = 1;
    for (u32 p = 0; p < 6; p++) {
        v[7 + 2 * p].c[planes[p][0]] = planes[p][2];
        v[7 + 2 * p].c[planes[p][1]] = planes[p][3];
    }
    for (u32 d = 2; d < DIRS; d += 2)
        for (u32 k = 0; k < 3; k++) v[d].c[k] = -v[d - 1].c[k];
}

static double weight(u32 d) { return d == 0 ? 1.0 / 3 : d < 7 ? 1.0 / 18 : 1.0 / 36; }

/* What the values in a cell become before they leave it */
static void mix(double f[DIRS], bool solid, const struct velocity *v) {
    double density = 0, u[3] = {0};
    if (solid) {
        for (u32 d = 1; d < DIRS; d += 2) {
            double t = f[d];
            f[d] = f[d + 1];
            f[d + 1] = t;
        }
        return;
    }
    for (u32 d = 0; d < DIRS; d++) {
        density += f[d];
        for (u32 k = 0; k < 3; k++) u[k] += v[d].c[k] * f[d];
    }
    double uu = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / (density * density);
    for (u32 d = 0; d < DIRS; d++) {
        double cu = (v[d].c[0] * u[0] + v[d].c[1] * u[1] + v[d].c[2] * u[2]) / density;
        f[d] += (double)1.2f * (weight(d) * density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu) - f[d]);
    }
}

bool workload_ref_lbm(struct workload_buffers *b) {
    u64 cells = ref_count(b, "solid");
    const u64 size[3] = {ref_param(b, "nx"), ref_param(b, "ny"), ref_param(b, "nz")};
    const u32 *solid = ref_u32(b, "solid", cells);
    const float *noise = ref_f32(b, "noise", cells);
    float *out = ref_f32(b, "a", DIRS * cells);
    if (!solid || !noise || !out || size[0] * size[1] * size[2] != cells) return false;
    struct velocity v[DIRS];
    double(*f)[DIRS] = base_alloc(cells * sizeof *f), (*g)[DIRS] = base_alloc(cells * sizeof *g);
    list_velocities(v);
    for (u64 i = 0; i < cells; i++)
        for (u32 d = 0; d < DIRS; d++) f[i][d] = weight(d) * (1 + 0.1 * noise[i] * (d % 3));
    /* the kernel pulls and then mixes; so here every value first moves, then mixes where it arrived */
    for (u32 step = 0; step < STEPS; step++) {
        for (u64 i = 0; i < cells; i++)
            for (u32 d = 0; d < DIRS; d++) {
                u64 at[3] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
                for (u32 k = 0; k < 3; k++) at[k] = (at[k] + size[k] + (u64)(i64)v[d].c[k]) % size[k];
                g[(at[2] * size[1] + at[1]) * size[0] + at[0]][d] = f[i][d];
            }
        for (u64 i = 0; i < cells; i++) mix(g[i], solid[i] == 0, v);
        double(*t)[DIRS] = f;
        f = g;
        g = t;
    }
    for (u64 i = 0; i < cells; i++)
        for (u64 d = 0; d < DIRS; d++) out[d * cells + i] = (float)f[i][d];
    free(f);
    free(g);
    return true;
}
