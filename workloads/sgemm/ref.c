/* sgemm: C = A B. Every element sums its products in ascending k with one rounding each, so it is
 * bit-exact. */
#include "../ref.h"

bool workload_ref_sgemm(struct workload_buffers *b) {
    u32 n = ref_side(b, "c");
    u64 count = (u64)n * n;
    const float *ma = ref_f32(b, "a", count);
    const float *mb = ref_f32(b, "b", count);
    float *mc = ref_f32(b, "c", count);
    if (!ma || !mb || !mc || !n) return false;
    for (u32 i = 0; i < n; i++) {
        float *row = mc + (u64)i * n;
        for (u32 j = 0; j < n; j++) row[j] = 0.0f;
        for (u32 k = 0; k < n; k++)
            for (u32 j = 0; j < n; j++) row[j] = fmaf(ma[(u64)i * n + k], mb[(u64)k * n + j], row[j]);
    }
    return true;
}
