/* Points of a heart's wall followed through the frames of an ultrasound film. heartwall_film makes the frames
 * (a scene that drifts, and noise), heartwall_cut takes each point's template, 21 x 21 pixels, from the first
 * frame; then heartwall_track, once per frame and with a work-group per point, slides the template over the
 * 41 x 41 pixels around the point, moves it to where the normalised correlation is greatest, and mixes what
 * is there into the template. All sums are whole numbers. Long loops over local memory, a tree of maxima, few
 * work-groups. */
#define SIDE    21
#define REACH   10
#define REGION  (SIDE + 2 * REACH)
#define OFFSETS ((2 * REACH + 1) * (2 * REACH + 1))
#define PIXELS  (SIDE * SIDE)
#define GROUP   256
#define DRIFT_X 1 /* of the scene, a frame */
#define DRIFT_Y 2

/* film: frame after frame; the scene has `extra` more columns and rows */
__kernel void heartwall_film(__global const uchar *scene, __global const uchar *noise, __global uchar *film, uint width,
                             uint height, uint frames, uint extra) {
    uint i = get_global_id(0), pixels = width * height;
    if (i >= frames * pixels) return;
    uint f = i / pixels, x = i % pixels % width, y = i % pixels / width;
    film[i] = scene[(y + DRIFT_Y * f) * (width + extra) + x + DRIFT_X * f] + noise[i];
}

/* x and y are centres, at least SIDE / 2 + REACH from every edge */
__kernel void heartwall_cut(__global const uchar *film, __global const uint *x, __global const uint *y, __global uchar *templates,
                            uint points, uint width) {
    uint i = get_global_id(0);
    if (i >= points * PIXELS) return;
    uint p = i / PIXELS, dx = i % PIXELS % SIDE, dy = i % PIXELS / SIDE;
    templates[i] = film[(y[p] + dy - SIDE / 2) * width + x[p] + dx - SIDE / 2];
}

/* How well the template fits at an offset: the correlation but for the template's own variance, which is the
 * same for all. total is the sum of the template's pixels. */
static float fit(__local const int *region, __local const int *template, int total, uint offset) {
    __local const int *corner = region + offset / (2 * REACH + 1) * REGION + offset % (2 * REACH + 1);
    int sum = 0, squares = 0, products = 0;
    for (uint dy = 0; dy < SIDE; dy++)
#pragma unroll 7
        for (uint dx = 0; dx < SIDE; dx++) {
            int pixel = corner[dy * REGION + dx];
            sum += pixel;
            squares += pixel * pixel;
            products += pixel * template[dy * SIDE + dx];
        }
    long along = (long)PIXELS * products - (long)sum * total, variance = (long)PIXELS * squares - (long)sum * sum;
    return (float)along / sqrt((float)(variance + 1));
}

/* The offset with the greatest fit, the first of several, in where[0] */
static void greatest(__local float *best, __local uint *where) {
    uint me = get_local_id(0);
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step && (best[me + step] > best[me] || (best[me + step] == best[me] && where[me + step] < where[me]))) {
            best[me] = best[me + step];
            where[me] = where[me + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heartwall_track(__global const uchar *film, __global uint *x,
                                                                                 __global uint *y, __global uchar *templates,
                                                                                 uint width, uint height, uint frame) {
    __local int region[REGION * REGION], template[PIXELS];
    __local float best[GROUP];
    __local uint where[GROUP];
    __local int total;
    uint me = get_local_id(0), p = get_group_id(0);
    uint left = x[p] - SIDE / 2 - REACH, top = y[p] - SIDE / 2 - REACH;
    __global const uchar *picture = film + frame * width * height + top * width + left;
    if (me == 0) total = 0;
    for (uint i = me; i < REGION * REGION; i += GROUP) region[i] = picture[i / REGION * width + i % REGION];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = me; i < PIXELS; i += GROUP) {
        template[i] = templates[p * PIXELS + i];
        atomic_add(&total, template[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    best[me] = -INFINITY;
    where[me] = OFFSETS;
    for (uint offset = me; offset < OFFSETS; offset += GROUP) {
        float f = fit(region, template, total, offset);
        if (f > best[me]) {
            best[me] = f;
            where[me] = offset;
        }
    }
    greatest(best, where);

    uint dx = where[0] % (2 * REACH + 1), dy = where[0] / (2 * REACH + 1);
    for (uint i = me; i < PIXELS; i += GROUP) {
        uint pixel = region[(i / SIDE + dy) * REGION + i % SIDE + dx];
        templates[p * PIXELS + i] = (3 * template[i] + pixel + 2) / 4;
    }
    uint margin = SIDE / 2 + REACH;
    if (me == 0) {
        x[p] = clamp(left + dx + SIDE / 2, margin, width - 1 - margin);
        y[p] = clamp(top + dy + SIDE / 2, margin, height - 1 - margin);
    }
}
