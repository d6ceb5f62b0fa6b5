/* lavamd: all pairs of particles in touching boxes, in double precision. exp() and the order of additions
 * differ, hence a tolerance. */
#include <stdlib.h>

#include "../ref.h"

#define PER_BOX 32

struct box {
    i64 x, y, z;
};

static struct box box_of(u64 particle, i64 side) {
    i64 i = (i64)(particle / PER_BOX);
    return (struct box){i % side, i / side % side, i / side / side};
}

static bool touch(struct box a, struct box b) { return llabs(a.x - b.x) <= 1 && llabs(a.y - b.y) <= 1 && llabs(a.z - b.z) <= 1; }

static void add_pair(const float *a, const float *b, double sum[4]) {
    double d[3], r2 = 0;
    for (u32 k = 0; k < 3; k++) {
        d[k] = (double)a[k] - b[k];
        r2 += d[k] * d[k];
    }
    double pull = b[3] * exp(-0.5 * r2);
    sum[0] += pull;
    for (u32 k = 0; k < 3; k++) sum[k + 1] += pull * d[k];
}

bool workload_ref_lavamd(struct workload_buffers *b) {
    u64 n = ref_count(b, "particles") / 4;
    i64 side = llround(cbrt((double)(n / PER_BOX)));
    const float *particles = ref_f32(b, "particles", 4 * n);
    float *force = ref_f32(b, "force", 4 * n);
    if (!particles || !force || (u64)(side * side * side) * PER_BOX != n) return false;
    for (u64 i = 0; i < n; i++) {
        double sum[4] = {0};
        for (u64 first = 0; first < n; first += PER_BOX) {
            if (!touch(box_of(i, side), box_of(first, side))) continue;
            for (u64 j = first; j < first + PER_BOX; j++) add_pair(particles + 4 * i, particles + 4 * j, sum);
        }
        for (u32 k = 0; k < 4; k++) force[4 * i + k] = (float)sum[k];
    }
    return true;
}
