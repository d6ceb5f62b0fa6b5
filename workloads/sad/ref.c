/* sad: every table straight from the pixels, without the smaller ones. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

struct frames {
    const u8 *frame, *other;
    i64 width, height, reach;
};

static i64 within(i64 x, i64 end) { return x < 0 ? 0 : x >= end ? end - 1 : x; }

static u32 sum_of(const struct frames *f, i64 left, i64 top, i64 side, i64 dx, i64 dy) {
    i64 sum = 0;
    for (i64 i = 0; i < side * side; i++) {
        i64 x = left + i % side, y = top + i / side;
        sum += llabs((i64)f->frame[y * f->width + x] - f->other[within(y + dy, f->height) * f->width + within(x + dx, f->width)]);
    }
    return (u32)sum;
}

static void fill_table(const struct frames *f, i64 side, u16 *table) {
    for (i64 top = 0; top < f->height; top += side)
        for (i64 left = 0; left < f->width; left += side)
            for (i64 dy = -f->reach; dy <= f->reach; dy++)
                for (i64 dx = -f->reach; dx <= f->reach; dx++) *table++ = (u16)sum_of(f, left, top, side, dx, dy);
}

bool workload_ref_sad(struct workload_buffers *b) {
    u64 width = ref_param(b, "width"), height = ref_param(b, "height"), reach = ref_param(b, "reach");
    if (width % 16 || height % 16 || reach > 64) return false;
    u64 pixels = width * height, vectors = (2 * reach + 1) * (2 * reach + 1);
    struct frames f = {ref_u8(b, "frame", pixels), ref_u8(b, "other", pixels), (i64)width, (i64)height, (i64)reach};
    u16 *sums4 = ref_find(b, "sums4", "u16", pixels / 16 * vectors), *sums8 = ref_find(b, "sums8", "u16", pixels / 64 * vectors);
    u16 *sums16 = ref_find(b, "sums16", "u16", pixels / 256 * vectors);
    if (!f.frame || !f.other || !sums4 || !sums8 || !sums16) return false;
    fill_table(&f, 4, sums4);
    fill_table(&f, 8, sums8);
    fill_table(&f, 16, sums16);
    return true;
}
