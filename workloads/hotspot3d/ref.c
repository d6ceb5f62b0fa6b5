/* hotspot3d: two time steps, there and back between two fields. Bit-exact. */
#include "../ref.h"

struct stack {
    u64 nx, ny, nz;
};

static float at(const struct stack *s, const float *t, u64 x, u64 y, u64 z) { return t[(z * s->ny + y) * s->nx + x]; }

static void time_step(const struct stack *s, const float *power, const float *from, float *to) {
    for (u64 z = 0; z < s->nz; z++)
        for (u64 y = 0; y < s->ny; y++)
            for (u64 x = 0; x < s->nx; x++) {
                u64 i = (z * s->ny + y) * s->nx + x;
                float t = from[i];
                float row = at(s, from, x > 0 ? x - 1 : x, y, z) + at(s, from, x + 1 < s->nx ? x + 1 : x, y, z);
                float column = at(s, from, x, y > 0 ? y - 1 : y, z) + at(s, from, x, y + 1 < s->ny ? y + 1 : y, z);
                float layers = at(s, from, x, y, z > 0 ? z - 1 : z) + at(s, from, x, y, z + 1 < s->nz ? z + 1 : z);
                float flow = fmaf(0.5f, (row + column) - 4.0f * t, power[i]);
                flow = fmaf(0.25f, layers - 2.0f * t, flow);
                flow = fmaf(0.0125f, 80.0f - t, flow);
                to[i] = fmaf(0.0625f, flow, t);
            }
}

bool workload_ref_hotspot3d(struct workload_buffers *b) {
    struct stack s = {ref_param(b, "nx"), ref_param(b, "ny"), ref_param(b, "nz")};
    u64 count = s.nx * s.ny * s.nz;
    const float *power = ref_f32(b, "power", count);
    float *temperature = ref_f32(b, "temperature", count), *other = ref_f32(b, "other", count);
    if (!count || !power || !temperature || !other) return false;
    time_step(&s, power, temperature, other);
    time_step(&s, power, other, temperature);
    return true;
}
