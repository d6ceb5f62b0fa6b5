/* particlefilter: frame by frame, the drawing by one walk along the running sums. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

#define FRAMES 2

struct spot {
    u32 x, y;
};

static u32 weigh(const u8 *image, i64 side, struct spot s) {
    i64 score = 0;
    for (i64 k = 0; k < 25; k++) {
        i64 row = ((i64)s.y + k / 5 - 2 + side) % side, column = ((i64)s.x + k % 5 - 2 + side) % side;
        score += 112 * (image[row * side + column] - 128); /* (p - 100)^2 - (p - 156)^2 */
    }
    if (score <= 0) return 1;
    return 1 + (u32)(score / 64 < 8191 ? score / 64 : 8191);
}

static u32 move(u32 at, i64 by, i64 side) { return (u32)(((i64)at + by + side) % side); }

bool workload_ref_particlefilter(struct workload_buffers *b) {
    u64 n = ref_count(b, "x");
    u32 side = ref_side(b, "image");
    const u8 *image = ref_u8(b, "image", (u64)side * side);
    u32 *x = ref_u32(b, "x", n), *y = ref_u32(b, "y", n), *weight = ref_u32(b, "weight", n);
    const u32 *noise = ref_u32(b, "noise", 2 * n);
    if (!n || side < 8 || !image || !x || !y || !weight || !noise) return false;
    struct spot *now = base_alloc(n * sizeof *now), *next = base_alloc(n * sizeof *next);
    for (u64 i = 0; i < n; i++) now[i] = (struct spot){x[i], y[i]};
    for (u32 frame = 0; frame < FRAMES; frame++) {
        u64 total = 0, reached = 0, at = 0;
        for (u64 i = 0; i < n; i++) {
            now[i].x = move(now[i].x, (i64)noise[2 * i] - 4, side);
            now[i].y = move(now[i].y, (i64)noise[2 * i + 1] - 3, side);
            weight[i] = weigh(image, side, now[i]);
            total += weight[i];
        }
        if (total > UINT32_MAX) break;
        reached = weight[0];
        for (u64 i = 0; i < n; i++) {
            while (at + 1 < n && reached <= (total * i + n / 2) / n) reached += weight[++at];
            next[i] = now[at];
        }
        struct spot *t = now;
        now = next;
        next = t;
    }
    for (u64 i = 0; i < n; i++) x[i] = now[i].x, y[i] = now[i].y;
    free(now);
    free(next);
    return true;
}
