/* White blood cells found and followed in a microscope's film. leukocyte_gradient (slopes of the image),
 * leukocyte_score (for every pixel: along which of seven circles around it do the slopes point outwards most
 * evenly), leukocyte_dilate (the greatest score within a disc of radius 12) and leukocyte_flow (for each cell
 * found: the edges in a patch of 32 x 32 pixels spread to their surroundings, ten rounds in local memory).
 * Slopes and scores are read as textures: loads that go through the texture cache and nothing else; where
 * there is no texture unit (RISC-V), as images of OpenCL C. */
#pragma OPENCL FP_CONTRACT OFF
#define CIRCLES 7
#define POINTS  60 /* on a circle */
#define MARGIN  20 /* pixels at each edge without score */
#define DISC    12
#define PATCH   32
#define ROUNDS  10
#define GROUP   256

#ifdef __NVPTX__
#define IMAGE ulong
static float texel(ulong texture, int x, int y) {
    float r, g, b, a;
    __asm__("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
            : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
            : "l"(texture), "r"(x), "r"(y));
    return r;
}
#else
#define IMAGE read_only image2d_t
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
static float texel(read_only image2d_t image, int x, int y) { return read_imagef(image, nearest, (int2)(x, y)).x; }
#endif

__kernel void leukocyte_gradient(__global const float *image, __global float *slope_x, __global float *slope_y, uint width,
                                 uint height) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    uint i = y * width + x;
    slope_x[i] = x > 0 && x < width - 1 ? 0.5f * (image[i + 1] - image[i - 1]) : 0.0f;
    slope_y[i] = y > 0 && y < height - 1 ? 0.5f * (image[i + width] - image[i - width]) : 0.0f;
}

/* circle: cosine and minus sine of each point's angle. The score is the mean slope along the radius, squared,
 * over its variance; of several circles the greatest. */
__kernel void leukocyte_score(IMAGE slope_x, IMAGE slope_y, __constant float2 *circle, __global float *score, uint width,
                              uint height) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float best = 0.0f;
    bool inside = x >= MARGIN && y >= MARGIN && x < width - MARGIN && y < height - MARGIN;
    for (uint c = 0; inside && c < CIRCLES; c++) {
        float radius = 6.0f + 2.0f * c, sum = 0.0f, squares = 0.0f;
        for (uint p = 0; p < POINTS; p++) {
            float2 way = circle[p];
            int px = (int)x + (int)(radius * way.x), py = (int)y + (int)(radius * way.y);
            float slope = fma(texel(slope_x, px, py), way.x, texel(slope_y, px, py) * way.y);
            sum += slope;
            squares = fma(slope, slope, squares);
        }
        float mean = sum / POINTS, variance = squares / POINTS - mean * mean;
        best = fmax(best, mean * mean / (fabs(variance) + 0.001f));
    }
    score[y * width + x] = best;
}

__kernel void leukocyte_dilate(IMAGE score, __global float *dilated, uint width, uint height) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float most = 0.0f;
    for (int dy = -DISC; dy <= DISC; dy++) {
        int reach = (int)sqrt((float)(DISC * DISC - dy * dy));
        for (int dx = -reach; dx <= reach; dx++) most = fmax(most, texel(score, (int)x + dx, (int)y + dy));
    }
    dilated[y * width + x] = most;
}

/* About a step from 0 to 1 at x = 0 */
static float gate(float x) { return 0.5f + 0.5f * (x / (fabs(x) + 0.1f)); }

/* One pixel's next value: drawn to neighbours that are greater, and back to the edges themselves */
static float spread(__local const float *flow, float edge, uint x, uint y) {
    float here = flow[y * PATCH + x], drawn = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            uint nx = clamp((int)x + dx, 0, PATCH - 1), ny = clamp((int)y + dy, 0, PATCH - 1);
            float more = flow[ny * PATCH + nx] - here;
            drawn = fma(gate(more), more, drawn);
        }
    return (here + 0.125f * drawn) - 0.25f * edge * (here - edge);
}

/* A group per cell, whose patch begins at (left, top) */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void leukocyte_flow(__global const float *image,
                                                                                __global const uint *left,
                                                                                __global const uint *top, __global float *out,
                                                                                uint width) {
    __local float edge[PATCH * PATCH], a[PATCH * PATCH], b[PATCH * PATCH];
    uint me = get_local_id(0), cell = get_group_id(0);
    for (uint i = me; i < PATCH * PATCH; i += GROUP)
        a[i] = edge[i] = image[(top[cell] + i / PATCH) * width + left[cell] + i % PATCH];
    for (uint round = 0; round < ROUNDS; round++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        __local float *from = round % 2 ? b : a, *to = round % 2 ? a : b;
#pragma unroll 1
        for (uint i = me; i < PATCH * PATCH; i += GROUP) to[i] = spread(from, edge[i], i % PATCH, i / PATCH);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = me; i < PATCH * PATCH; i += GROUP) out[cell * PATCH * PATCH + i] = a[i];
}
