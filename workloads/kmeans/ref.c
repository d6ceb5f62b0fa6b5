/* kmeans: two rounds in integers. Bit-exact. */
#include "../ref.h"

#define CLUSTERS 5
#define FEATURES 34
#define ROUNDS   2

typedef u32 point[FEATURES];

static u32 nearest_centre(const u32 *p, const point *centres) {
    u32 best = 0;
    u64 least = UINT64_MAX;
    for (u32 c = 0; c < CLUSTERS; c++) {
        u64 distance = 0;
        for (u32 f = 0; f < FEATURES; f++) {
            i64 d = (i64)p[f] - (i64)centres[c][f];
            distance += (u64)(d * d);
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

bool workload_ref_kmeans(struct workload_buffers *b) {
    u64 n = ref_count(b, "member");
    const u32 *coordinates = ref_u32(b, "points", n * FEATURES);
    point *centres = (point *)ref_u32(b, "centres", CLUSTERS * FEATURES);
    u32 *member = ref_u32(b, "member", n);
    u32 *sizes = ref_u32(b, "sizes", CLUSTERS);
    if (!coordinates || !centres || !member || !sizes) return false;
    const point *points = (const point *)coordinates;
    for (u32 round = 0; round < ROUNDS; round++) {
        u32 sums[CLUSTERS][FEATURES] = {0};
        memset(sizes, 0, CLUSTERS * sizeof *sizes);
        for (u64 i = 0; i < n; i++) {
            u32 c = nearest_centre(points[i], (const point *)centres);
            member[i] = c;
            sizes[c]++;
            for (u32 f = 0; f < FEATURES; f++) sums[c][f] += points[i][f];
        }
        for (u32 c = 0; c < CLUSTERS; c++)
            for (u32 f = 0; f < FEATURES && sizes[c] > 0; f++) centres[c][f] = sums[c][f] / sizes[c];
    }
    return true;
}
