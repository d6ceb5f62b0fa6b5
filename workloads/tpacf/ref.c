/* tpacf: all pairs, each bin found from the smallest angle on. Bit-exact: the roundings of a cosine are the
 * kernel's. */
#include <stdlib.h>

#include "../ref.h"

#define BINS     20
#define CLUSTERS 16

struct point {
    float at[3];
};

static struct point on_sphere(const float *raw, u64 n, u64 set, u64 i) {
    struct point p;
    for (u64 axis = 0; axis < 3; axis++) {
        const float *plane = raw + (3 * set + axis) * n;
        p.at[axis] = set ? plane[i] : fmaf(0.125f, plane[i], plane[i % CLUSTERS]);
    }
    float length = sqrtf(fmaf(p.at[0], p.at[0], fmaf(p.at[1], p.at[1], p.at[2] * p.at[2])));
    for (u64 axis = 0; axis < 3; axis++) p.at[axis] /= length;
    return p;
}

static u32 bin_of(const struct point *a, const struct point *b) {
    float cosine = fmaf(a->at[0], b->at[0], fmaf(a->at[1], b->at[1], a->at[2] * b->at[2]));
    for (u32 bin = BINS - 1; bin > 0; bin--)
        if (cosine >= 1.0f - ldexpf(2.0f, -(int)bin)) return bin;
    return 0;
}

bool workload_ref_tpacf(struct workload_buffers *b) {
    u64 sets = ref_param(b, "sets"), n = sets ? ref_count(b, "raw") / 3 / sets : 0;
    const float *raw = ref_f32(b, "raw", 3 * sets * n);
    u32 *counts = ref_u32(b, "counts", 3ull * BINS);
    if (!n || !raw || !counts) return false;
    struct point *sky = base_alloc(sets * n * sizeof *sky);
    for (u64 set = 0; set < sets; set++)
        for (u64 i = 0; i < n; i++) sky[set * n + i] = on_sphere(raw, n, set, i);
    for (u64 set = 0; set < sets; set++)
        for (u64 i = 0; i < n; i++) {
            u32 *within = counts + (set ? BINS : 0), *across = counts + 2ull * BINS;
            for (u64 j = i + 1; j < n; j++) within[bin_of(&sky[set * n + i], &sky[set * n + j])]++;
            for (u64 j = 0; j < n && set; j++) across[bin_of(&sky[i], &sky[set * n + j])]++;
        }
    free(sky);
    return true;
}
