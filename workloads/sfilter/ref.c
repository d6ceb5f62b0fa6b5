/* sfilter: weights 0.0625, 0.125 and 0.25, which are powers of two, so only the additions round.
 * Bit-exact. */
#include "../ref.h"

bool workload_ref_sfilter(struct workload_buffers *b) {
    u64 n = ref_side(b, "out"), width = n + 2;
    const float *in = ref_f32(b, "in", width * width);
    float *out = ref_f32(b, "out", n * n);
    if (!n || !in || !out) return false;
    for (u64 i = 0; i < n * n; i++) {
        const float *p = in + i / n * width + i % n; /* the upper left of nine */
        float edges = (p[1] + p[2 * width + 1]) + (p[width] + p[width + 2]);
        float corners = (p[0] + p[2]) + (p[2 * width] + p[2 * width + 2]);
        out[i] = (p[width + 1] / 4 + edges / 8) + corners / 16;
    }
    return true;
}
