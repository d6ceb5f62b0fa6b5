/* dwt2d: line by line on a copy, rows first, then columns, level after level in place. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

/* Largest whole number not above a / 2^shift */
static i32 floor_shift(i32 a, u32 shift) { return (i32)floor((double)a / (double)(1u << shift)); }

/* x[0..n), n even: low frequencies to the first half, high to the second */
static void transform_line(i32 *line, u64 n, i32 *scratch) {
    i32 *low = scratch, *high = scratch + n / 2;
    for (u64 k = 0; k < n / 2; k++) {
        i32 right = 2 * k + 2 < n ? line[2 * k + 2] : line[n - 2];
        high[k] = line[2 * k + 1] - floor_shift(line[2 * k] + right, 1);
    }
    for (u64 k = 0; k < n / 2; k++) low[k] = line[2 * k] + floor_shift(high[k ? k - 1 : 0] + high[k] + 2, 2);
    memcpy(line, scratch, n * sizeof *line);
}

static void transform_plane(i32 *plane, u64 width, u64 height, u64 row, i32 *scratch) {
    i32 *column = scratch + MAX(width, height);
    for (u64 y = 0; y < height; y++) transform_line(plane + y * row, width, scratch);
    for (u64 x = 0; x < width; x++) {
        for (u64 y = 0; y < height; y++) column[y] = plane[y * row + x];
        transform_line(column, height, scratch);
        for (u64 y = 0; y < height; y++) plane[y * row + x] = column[y];
    }
}

bool workload_ref_dwt2d(struct workload_buffers *b) {
    u64 width = ref_param(b, "width"), height = ref_param(b, "height"), levels = ref_param(b, "levels"), pixels = width * height;
    const u8 *rgb = ref_u8(b, "rgb", 3 * pixels);
    i32 *out = ref_s32(b, "out", 3 * pixels);
    if (!pixels || !levels || levels > 8 || width % (1u << levels) || height % (1u << levels) || !rgb || !out) return false;
    for (u64 i = 0; i < pixels; i++) {
        i32 red = rgb[3 * i] - 128, green = rgb[3 * i + 1] - 128, blue = rgb[3 * i + 2] - 128;
        out[i] = floor_shift(red + 2 * green + blue, 2);
        out[pixels + i] = blue - green;
        out[2 * pixels + i] = red - green;
    }
    i32 *scratch = base_alloc(2 * MAX(width, height) * sizeof *scratch);
    for (u64 c = 0; c < 3; c++)
        for (u32 level = 0; level < levels; level++)
            transform_plane(out + c * pixels, width >> level, height >> level, width, scratch);
    free(scratch);
    return true;
}
