/* vecadd: c = a + b. Bit-exact. */
#include "../ref.h"

bool workload_ref_vecadd(struct workload_buffers *b) {
    u64 n = ref_count(b, "c");
    const float *x = ref_f32(b, "a", n);
    const float *y = ref_f32(b, "b", n);
    float *sum = ref_f32(b, "c", n);
    if (!x || !y || !sum) return false;
    for (u64 i = 0; i < n; i++) sum[i] = x[i] + y[i];
    return true;
}
