/* fwt: the transform of a vector from those of its halves. Bit-exact: the tree of additions is the
 * kernel's. */
#include "../ref.h"

static void transform(float *v, u64 n) {
    if (n < 2) return;
    u64 half = n / 2;
    transform(v, half);
    transform(v + half, half);
    for (u64 i = 0; i < half; i++) {
        float a = v[i], b = v[i + half];
        v[i] = a + b;
        v[i + half] = a - b;
    }
}

bool workload_ref_fwt(struct workload_buffers *b) {
    u64 n = ref_count(b, "data");
    float *data = ref_f32(b, "data", n);
    if (!data || !n || (n & (n - 1))) return false;
    transform(data, n);
    return true;
}
