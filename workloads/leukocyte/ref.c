/* leukocyte: slopes on demand, scores, discs and patches pixel by pixel. Bit-exact: the roundings are the
 * kernel's, operation by operation. */
#include <stdlib.h>

#include "../ref.h"

#define CIRCLES 7
#define POINTS  60
#define MARGIN  20
#define DISC    12
#define PATCH   32
#define ROUNDS  10

struct picture {
    i64 width, height;
    const float *at;
};

static float pixel(const struct picture *p, i64 x, i64 y) {
    bool inside = x >= 0 && y >= 0 && x < p->width && y < p->height;
    return inside ? p->at[y * p->width + x] : 0.0f;
}

/* Slope across or down; none at the edges */
static float slope(const struct picture *p, i64 x, i64 y, i64 dx, i64 dy) {
    bool edge = dx ? x == 0 || x == p->width - 1 : y == 0 || y == p->height - 1;
    return edge ? 0.0f : 0.5f * (pixel(p, x + dx, y + dy) - pixel(p, x - dx, y - dy));
}

static float circle_score(const struct picture *p, const float *circle, i64 x, i64 y, float radius) {
    float sum = 0.0f, squares = 0.0f;
    for (u32 k = 0; k < POINTS; k++) {
        float across = circle[2 * k], down = circle[2 * k + 1];
        i64 px = x + (i32)(radius * across), py = y + (i32)(radius * down);
        float outwards = fmaf(slope(p, px, py, 1, 0), across, slope(p, px, py, 0, 1) * down);
        sum += outwards;
        squares = fmaf(outwards, outwards, squares);
    }
    float mean = sum / POINTS, variance = squares / POINTS - mean * mean;
    return mean * mean / (fabsf(variance) + 0.001f);
}

static float score(const struct picture *p, const float *circle, i64 x, i64 y) {
    float best = 0.0f;
    if (x < MARGIN || y < MARGIN || x >= p->width - MARGIN || y >= p->height - MARGIN) return best;
    for (u32 c = 0; c < CIRCLES; c++) best = fmaxf(best, circle_score(p, circle, x, y, 6.0f + 2.0f * (float)c));
    return best;
}

static float disc(const struct picture *p, i64 x, i64 y) {
    float most = 0.0f;
    for (i64 dy = -DISC; dy <= DISC; dy++)
        for (i64 dx = -DISC; dx <= DISC; dx++)
            if (dx * dx + dy * dy <= (i64)DISC * DISC) most = fmaxf(most, pixel(p, x + dx, y + dy));
    return most;
}

static i64 within(i64 v) { return v < 0 ? 0 : v >= PATCH ? PATCH - 1 : v; }

static float spread(const float *flow, float edge, i64 x, i64 y) {
    float here = flow[y * PATCH + x], drawn = 0.0f;
    for (i64 k = 0; k < 9; k++) {
        float more = flow[within(y + k / 3 - 1) * PATCH + within(x + k % 3 - 1)] - here;
        float gate = 0.5f + 0.5f * (more / (fabsf(more) + 0.1f));
        drawn = fmaf(gate, more, drawn);
    }
    return (here + 0.125f * drawn) - 0.25f * edge * (here - edge);
}

static void flow_patch(const struct picture *p, i64 left, i64 top, float *out) {
    float next[PATCH * PATCH];
    for (i64 i = 0; i < (i64)PATCH * PATCH; i++) out[i] = pixel(p, left + i % PATCH, top + i / PATCH);
    for (u32 round = 0; round < ROUNDS; round++) {
        for (i64 i = 0; i < (i64)PATCH * PATCH; i++)
            next[i] = spread(out, pixel(p, left + i % PATCH, top + i / PATCH), i % PATCH, i / PATCH);
        memcpy(out, next, sizeof next);
    }
}

bool workload_ref_leukocyte(struct workload_buffers *b) {
    u64 pixels = ref_count(b, "image"), width = ref_param(b, "width"), cells = ref_count(b, "left");
    struct picture p = {(i64)width, width ? (i64)(pixels / width) : 0, ref_f32(b, "image", pixels)};
    const float *circle = ref_f32(b, "circle", 2ull * POINTS);
    float *scores = ref_f32(b, "score", pixels), *dilated = ref_f32(b, "dilated", pixels);
    const u32 *left = ref_u32(b, "left", cells), *top = ref_u32(b, "top", cells);
    float *flow = ref_f32(b, "flow", cells * PATCH * PATCH);
    if (!width || pixels % width || !p.at || !circle || !scores || !dilated || !left || !top || !flow) return false;
    for (i64 i = 0; i < (i64)pixels; i++) scores[i] = score(&p, circle, i % p.width, i / p.width);
    struct picture found = {p.width, p.height, scores};
    for (i64 i = 0; i < (i64)pixels; i++) dilated[i] = disc(&found, i % p.width, i / p.width);
    for (u64 c = 0; c < cells; c++) flow_patch(&p, left[c], top[c], flow + c * PATCH * PATCH);
    return true;
}
