/* hotspot: four time steps, there and back between two fields. Bit-exact. */
#include "../ref.h"

#define STEPS 4

static void time_step(const float *power, const float *from, float *to, u32 n) {
    for (u32 y = 0; y < n; y++) {
        const float *here = from + (u64)y * n;
        const float *north = y > 0 ? here - n : here;
        const float *south = y + 1 < n ? here + n : here;
        for (u32 x = 0; x < n; x++) {
            float west = here[x > 0 ? x - 1 : x], east = here[x + 1 < n ? x + 1 : x], t = here[x];
            float curvature = ((north[x] + south[x]) - 2.0f * t) + ((west + east) - 2.0f * t);
            float flow = fmaf(0.5f, curvature, power[(u64)y * n + x]);
            flow = fmaf(0.0125f, 80.0f - t, flow);
            to[(u64)y * n + x] = fmaf(0.0625f, flow, t);
        }
    }
}

bool workload_ref_hotspot(struct workload_buffers *b) {
    u32 n = ref_side(b, "temperature");
    u64 count = (u64)n * n;
    const float *power = ref_f32(b, "power", count);
    float *temperature = ref_f32(b, "temperature", count);
    float *other = ref_f32(b, "other", count);
    if (!power || !temperature || !other) return false;
    for (u32 step = 0; step < STEPS; step += 2) {
        time_step(power, temperature, other, n);
        time_step(power, other, temperature, n);
    }
    return true;
}
