/* The reversible wavelet transform of JPEG 2000 (5/3 lifting) of a colour image. dwt2d_components splits the
 * pixels into three planes, brightness and two differences; dwt2d_level then transforms a plane once in both
 * directions, 32 x 32 results a work-group, through a tile with a border in local memory. The quarter of low
 * frequencies is the next level's plane. Both sides are even at every level. Streams, barriers, strides of
 * two in local memory. */
#define TILE   32
#define BEFORE 2 /* pixels needed before and, with one less, behind the tile */
#define SIDE   (TILE + 3)
#define GROUP  256

/* Bytes r, g, b in turn; planes one after the other */
__kernel void dwt2d_components(__global const uchar *rgb, __global int *plane, uint pixels) {
    uint i = get_global_id(0);
    if (i >= pixels) return;
    int r = rgb[3 * i] - 128, g = rgb[3 * i + 1] - 128, b = rgb[3 * i + 2] - 128;
    plane[i] = (r + 2 * g + b) >> 2;
    plane[pixels + i] = b - g;
    plane[2 * pixels + i] = r - g;
}

/* Where position i of a line of n lies when the line goes on as its mirror image; within it in any case */
static uint mirrored(int i, uint n) {
    if (i < 0) i = -i;
    if (i >= (int)n) i = 2 * ((int)n - 1) - i;
    return clamp(i, 0, (int)n - 1);
}

/* Half of the positions of a lifting step: `count` of them from `first` in steps of two, in each of `lines`
 * lines; along a line positions are `stride` apart, lines `pitch` */
static void lift_odd(__local int *tile, uint lines, uint stride, uint pitch) {
    for (uint k = get_local_id(0); k < lines * (TILE / 2 + 1); k += GROUP) {
        __local int *at = tile + k % lines * pitch + (1 + k / lines * 2) * stride;
        *at -= (at[-(int)stride] + at[stride]) >> 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static void lift_even(__local int *tile, uint lines, uint stride, uint pitch) {
    for (uint k = get_local_id(0); k < lines * (TILE / 2); k += GROUP) {
        __local int *at = tile + k % lines * pitch + (BEFORE + k / lines * 2) * stride;
        *at += (at[-(int)stride] + at[stride] + 2) >> 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* from: width x height, at offset `skip`. Low frequencies go to `low`, the others to the quarters of `out`,
 * whose rows are `row` long; on the last level `low` is `out`. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void dwt2d_level(__global const int *from, __global int *low,
                                                                             __global int *out, uint width, uint height,
                                                                             uint skip, uint low_row, uint low_skip, uint row,
                                                                             uint out_skip) {
    __local int tile[SIDE * SIDE];
    uint left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    for (uint k = get_local_id(0); k < SIDE * SIDE; k += GROUP) {
        uint x = mirrored((int)(left + k % SIDE) - BEFORE, width), y = mirrored((int)(top + k / SIDE) - BEFORE, height);
        tile[k] = from[skip + y * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    lift_odd(tile, SIDE, 1, SIDE);
    lift_even(tile, SIDE, 1, SIDE);
    lift_odd(tile, SIDE, SIDE, 1);
    lift_even(tile, SIDE, SIDE, 1);
    for (uint k = get_local_id(0); k < TILE * TILE; k += GROUP) {
        /* lanes side by side write results side by side: first a row's low half, then its high half */
        uint a = k % TILE, b = k / TILE, dx = a % 16 * 2 + a / 16, dy = b % 16 * 2 + b / 16;
        uint x = left + dx, y = top + dy;
        if (x >= width || y >= height) continue;
        int value = tile[(dy + BEFORE) * SIDE + dx + BEFORE];
        if (x % 2 == 0 && y % 2 == 0) low[low_skip + y / 2 * low_row + x / 2] = value;
        else out[out_skip + (y / 2 + y % 2 * (height / 2)) * row + x / 2 + x % 2 * (width / 2)] = value;
    }
}
