/* cp: in double precision. The kernel's reciprocal square root is approximate, hence a tolerance. */
#include "../ref.h"

bool workload_ref_cp(struct workload_buffers *b) {
    u64 n = ref_side(b, "potential"), atoms = ref_count(b, "atoms") / 4;
    const float *atom = ref_f32(b, "atoms", 4 * atoms), *z = ref_f32(b, "height", 1);
    float *potential = ref_f32(b, "potential", n * n);
    if (!atom || !z || !potential) return false;
    for (u64 i = 0; i < n * n; i++) {
        double point[3] = {0.5 * (double)(i % n), 0.5 * (double)(i / n), z[0]}, sum = 0;
        for (const float *a = atom; a < atom + 4 * atoms; a += 4)
            sum += a[3] / hypot(hypot(point[0] - a[0], point[1] - a[1]), point[2] - a[2]);
        potential[i] = (float)sum;
    }
    return true;
}
