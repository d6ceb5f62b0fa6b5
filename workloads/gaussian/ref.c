/* gaussian: elimination and back substitution. Every element is reduced in the order of the pivots with one
 * rounding each. Bit-exact. */
#include "../ref.h"

static void eliminate(float *a, float *rhs, u32 n) {
    for (u32 pivot = 0; pivot + 1 < n; pivot++) {
        const float *from = a + (u64)pivot * n;
        for (u32 r = pivot + 1; r < n; r++) {
            float *row = a + (u64)r * n;
            float multiplier = row[pivot] / from[pivot];
            for (u32 c = pivot; c < n; c++) row[c] = fmaf(-multiplier, from[c], row[c]);
            rhs[r] = fmaf(-multiplier, rhs[pivot], rhs[r]);
        }
    }
}

bool workload_ref_gaussian(struct workload_buffers *b) {
    u32 n = (u32)ref_count(b, "x");
    float *a = ref_f32(b, "a", (u64)n * n);
    float *rhs = ref_f32(b, "b", n);
    float *x = ref_f32(b, "x", n);
    if (!a || !rhs || !x) return false;
    eliminate(a, rhs, n);
    for (u32 i = n; i-- > 0;) {
        float rest = rhs[i];
        for (u32 j = n; --j > i;) rest = fmaf(-a[(u64)i * n + j], x[j], rest);
        x[i] = rest / a[(u64)i * n + i];
    }
    return true;
}
