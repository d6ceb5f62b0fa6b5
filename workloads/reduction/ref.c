/* reduction: the sum in double precision. Compared with a tolerance: the kernel adds in single precision, in
 * a tree. */
#include "../ref.h"

bool workload_ref_reduction(struct workload_buffers *b) {
    u64 n = ref_count(b, "in");
    const float *in = ref_f32(b, "in", n);
    float *total = ref_f32(b, "total", 1);
    if (!in || !total) return false;
    double sum = 0;
    for (u64 i = 0; i < n; i++) sum += (double)in[i];
    total[0] = (float)sum;
    return true;
}
