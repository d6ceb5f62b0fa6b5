/* stencil: two steps, field to other and back. Bit-exact. */
#include "../ref.h"

static void step(const float *from, float *to, u32 n) {
    memcpy(to, from, (u64)n * n * sizeof *to);
    for (u32 y = 1; y + 1 < n; y++) {
        const float *north = from + (u64)(y - 1) * n, *here = north + n, *south = here + n;
        for (u32 x = 1; x + 1 < n; x++) {
            float vertical = north[x] + south[x], horizontal = here[x - 1] + here[x + 1];
            to[(u64)y * n + x] = fmaf(0.125f, vertical + horizontal, 0.5f * here[x]);
        }
    }
}

bool workload_ref_stencil(struct workload_buffers *b) {
    u32 n = ref_side(b, "field");
    float *field = ref_f32(b, "field", (u64)n * n);
    float *other = ref_f32(b, "other", (u64)n * n);
    if (!field || !other) return false;
    step(field, other, n);
    step(other, field, n);
    return true;
}
