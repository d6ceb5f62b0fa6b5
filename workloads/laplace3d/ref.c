/* laplace3d: two steps, in to other and back. Bit-exact: additions in the kernel's order. */
#include "../ref.h"

struct cube {
    u64 nx, ny, nz;
};

static void step(const struct cube *c, const float *from, float *to) {
    u64 row = c->nx, plane = c->nx * c->ny;
    memcpy(to, from, plane * c->nz * sizeof *to);
    for (u64 z = 1; z + 1 < c->nz; z++)
        for (u64 y = 1; y + 1 < c->ny; y++)
            for (u64 x = 1; x + 1 < c->nx; x++) {
                const float *p = from + z * plane + y * row + x;
                float along_x = p[-1] + p[1], along_y = p[-(i64)row] + p[row], along_z = p[-(i64)plane] + p[plane];
                to[p - from] = (along_x + along_y + along_z) / 6;
            }
}

bool workload_ref_laplace3d(struct workload_buffers *b) {
    struct cube c = {ref_param(b, "nx"), ref_param(b, "ny"), ref_param(b, "nz")};
    float *field = ref_f32(b, "field", c.nx * c.ny * c.nz), *other = ref_f32(b, "other", c.nx * c.ny * c.nz);
    if (!field || !other) return false;
    step(&c, field, other);
    step(&c, other, field);
    return true;
}
