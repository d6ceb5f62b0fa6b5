/* srad: two rounds. Bit-exact: the roundings are the kernel's, operation by operation. */
#include <stdlib.h>

#include "../ref.h"

#define ROUNDS 2

enum side { NORTH, SOUTH, WEST, EAST, SIDES };

struct pixel {
    float delta[SIDES]; /* neighbour minus pixel */
    float coefficient;
};

static u64 neighbour(u64 i, u32 n, enum side side) {
    u64 x = i % n, y = i / n;
    switch (side) {
    case NORTH: return y > 0 ? i - n : i;
    case SOUTH: return y + 1 < n ? i + n : i;
    case WEST: return x > 0 ? i - 1 : i;
    default: return x + 1 < n ? i + 1 : i;
    }
}

/* How freely a pixel of value `v` exchanges with its neighbours, 0 to 1 */
static float diffusion(const float d[SIDES], float v, float q0) {
    float squares = d[EAST] * d[EAST];
    for (int s = WEST; s >= NORTH; s--) squares = fmaf(d[s], d[s], squares);
    float gradient = squares / (v * v);
    float laplacian = ((d[NORTH] + d[SOUTH]) + (d[WEST] + d[EAST])) / v;
    float scale = fmaf(0.25f, laplacian, 1.0f);
    float q = fmaf(0.5f, gradient, -0.0625f * (laplacian * laplacian)) / (scale * scale);
    float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    return fminf(fmaxf(c, 0.0f), 1.0f);
}

static void one_round(float *image, struct pixel *pixels, u32 n, float q0) {
    u64 count = (u64)n * n;
    for (u64 i = 0; i < count; i++) {
        for (int s = 0; s < SIDES; s++) pixels[i].delta[s] = image[neighbour(i, n, (enum side)s)] - image[i];
        pixels[i].coefficient = diffusion(pixels[i].delta, image[i], q0);
    }
    for (u64 i = 0; i < count; i++) {
        const float *d = pixels[i].delta;
        float here = pixels[i].coefficient;
        float flow = pixels[neighbour(i, n, EAST)].coefficient * d[EAST];
        flow = fmaf(here, d[WEST], flow);
        flow = fmaf(pixels[neighbour(i, n, SOUTH)].coefficient, d[SOUTH], flow);
        flow = fmaf(here, d[NORTH], flow);
        image[i] = fmaf(0.125f, flow, image[i]);
    }
}

bool workload_ref_srad(struct workload_buffers *b) {
    u32 n = ref_side(b, "image");
    float *image = ref_f32(b, "image", (u64)n * n);
    float *speckle = ref_f32(b, "speckle", 1);
    if (!image || !speckle || !n) return false;
    struct pixel *pixels = base_alloc((u64)n * n * sizeof *pixels);
    for (u32 round = 0; round < ROUNDS; round++) {
        one_round(image, pixels, n, speckle[0]);
        speckle[0] *= 0.9f;
    }
    free(pixels);
    return true;
}
