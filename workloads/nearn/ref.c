/* nearn: sorts the records by distance. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

struct record {
    float distance;
    u32 index;
};

static int nearer(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

bool workload_ref_nearn(struct workload_buffers *b) {
    u64 n = ref_count(b, "latitude"), wanted = ref_count(b, "nearest");
    const float *latitude = ref_f32(b, "latitude", n), *longitude = ref_f32(b, "longitude", n);
    const float *y = ref_f32(b, "at_latitude", 1), *x = ref_f32(b, "at_longitude", 1);
    u32 *nearest = ref_u32(b, "nearest", wanted);
    float *how_far = ref_f32(b, "how_far", wanted);
    if (!latitude || !longitude || !y || !x || !nearest || !how_far || wanted > n) return false;
    struct record *all = base_alloc(n * sizeof *all);
    for (u32 i = 0; i < n; i++) {
        float dy = latitude[i] - y[0], dx = longitude[i] - x[0];
        all[i] = (struct record){sqrtf(dy * dy + dx * dx), i};
    }
    qsort(all, n, sizeof *all, nearer);
    for (u64 i = 0; i < wanted; i++) {
        nearest[i] = all[i].index;
        how_far[i] = all[i].distance;
    }
    free(all);
    return true;
}
