/* conv2d: the filter is the outer product of (1 4 6 4 1) / 16 with itself, exact in binary. Bit-exact. */
#include "../ref.h"

static const float binomial[5] = {1, 4, 6, 4, 1};

static float filtered(const float *image, i64 n, i64 x, i64 y) {
    float sum = 0.0f;
    for (i64 dy = -2; dy <= 2; dy++)
        for (i64 dx = -2; dx <= 2; dx++) {
            bool inside = x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n;
            float weight = binomial[dx + 2] * binomial[dy + 2] / 256.0f;
            if (inside) sum = fmaf(weight, image[(y + dy) * n + x + dx], sum);
        }
    return sum;
}

bool workload_ref_conv2d(struct workload_buffers *b) {
    i64 n = ref_side(b, "in");
    const float *in = ref_f32(b, "in", (u64)(n * n));
    float *out = ref_f32(b, "out", (u64)(n * n));
    if (!in || !out) return false;
    for (i64 y = 0; y < n; y++)
        for (i64 x = 0; x < n; x++) out[y * n + x] = filtered(in, n, x, y);
    return true;
}
