/* lud: Doolittle's method, element by element. Every element subtracts its products in ascending order with
 * one rounding each, as the tiles do. Bit-exact. */
#include "../ref.h"

bool workload_ref_lud(struct workload_buffers *b) {
    u32 n = ref_side(b, "m");
    float *m = ref_f32(b, "m", (u64)n * n);
    if (!m) return false;
    for (u32 i = 0; i < n; i++) {
        float *row = m + (u64)i * n;
        for (u32 j = 0; j < n; j++) {
            float value = row[j];
            for (u32 k = 0; k < MIN(i, j); k++) value = fmaf(-row[k], m[(u64)k * n + j], value);
            row[j] = j < i ? value / m[(u64)j * n + j] : value;
        }
    }
    return true;
}
