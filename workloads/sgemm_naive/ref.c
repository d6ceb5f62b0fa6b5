/* sgemm_naive: C = A B, dot products in ascending k with one rounding each. Bit-exact. */
#include "../ref.h"

static float dot(const float *row, const float *column, u32 n) {
    float sum = 0.0f;
    for (u32 k = 0; k < n; k++) sum = fmaf(row[k], column[(u64)k * n], sum);
    return sum;
}

bool workload_ref_sgemm_naive(struct workload_buffers *b) {
    u32 n = ref_side(b, "c");
    u64 count = (u64)n * n;
    const float *ma = ref_f32(b, "a", count);
    const float *mb = ref_f32(b, "b", count);
    float *mc = ref_f32(b, "c", count);
    if (!ma || !mb || !mc) return false;
    for (u64 i = 0; i < count; i++) mc[i] = dot(ma + i / n * n, mb + i % n, n);
    return true;
}
