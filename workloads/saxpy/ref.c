/* saxpy: y = alpha x + y, one rounding per element. Bit-exact. */
#include "../ref.h"

bool workload_ref_saxpy(struct workload_buffers *b) {
    u64 n = ref_count(b, "y");
    const float *alpha = ref_f32(b, "alpha", 1);
    const float *x = ref_f32(b, "x", n);
    float *y = ref_f32(b, "y", n);
    if (!alpha || !x || !y) return false;
    for (u64 i = 0; i < n; i++) y[i] = fmaf(alpha[0], x[i], y[i]);
    return true;
}
