/* mri_gridding: every sample spreads to the grid points around it, without sorting. Bit-exact. */
#include "../ref.h"

struct grid {
    u32 *re, *im;
    i64 n;
};

static i64 coordinate(u64 along, u64 radius, u64 n) {
    u64 at = along * radius / 65536 + (65536 - radius) / 2;
    return (i64)(at * n * 256 / 65536);
}

/* Distance along one axis from the grid point of cell `c`, squared */
static i64 apart(i64 at, i64 c) { return (at - c * 256 - 128) * (at - c * 256 - 128); }

static void spread(const struct grid *g, const i64 at[3], i32 re, i32 im) {
    for (i64 dz = -1; dz <= 1; dz++)
        for (i64 dy = -1; dy <= 1; dy++)
            for (i64 dx = -1; dx <= 1; dx++) {
                i64 x = at[0] / 256 + dx, y = at[1] / 256 + dy, z = at[2] / 256 + dz;
                i64 squares = apart(at[0], x) + apart(at[1], y) + apart(at[2], z);
                if (x < 0 || y < 0 || z < 0 || x >= g->n || y >= g->n || z >= g->n || squares >= 65536) continue;
                u32 nearness = (u32)(65536 - squares) / 256, weight = nearness * nearness * nearness / 16384;
                g->re[(z * g->n + y) * g->n + x] += weight * (u32)re;
                g->im[(z * g->n + y) * g->n + x] += weight * (u32)im;
            }
}

bool workload_ref_mri_gridding(struct workload_buffers *b) {
    u64 samples = ref_count(b, "radius"), n = ref_param(b, "side");
    const u32 *along = ref_u32(b, "along", 3 * samples), *radius = ref_u32(b, "radius", samples);
    const i32 *value = ref_s32(b, "value", 2 * samples);
    u32 *out = ref_u32(b, "grid", 2 * n * n * n);
    if (!along || !radius || !value || !out || n > 1024) return false;
    struct grid g = {out, out + n * n * n, (i64)n};
    for (u64 i = 0; i < samples; i++) {
        if (radius[i] > 65536) return false;
        i64 at[3];
        for (u64 axis = 0; axis < 3; axis++) {
            if (along[axis * samples + i] > 65535) return false;
            at[axis] = coordinate(along[axis * samples + i], radius[i], n);
        }
        spread(&g, at, value[i], value[samples + i]);
    }
    return true;
}
