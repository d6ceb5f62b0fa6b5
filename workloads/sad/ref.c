/* sad: every table straight from the pixels, without the smaller ones. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

struct frames {
    const u8 *frame, *other;
    i64 width, height, reach;
};

struct shape {
    const char *table;
    i64 width, height;
    bool needed; /* else only where the manifest has it */
};

static const struct shape shapes[] = {
    {"sums4", 4, 4, true},    {"wide8", 8, 4, false},   {"tall8", 4, 8, false},   {"sums8", 8, 8, true},
    {"wide16", 16, 8, false}, {"tall16", 8, 16, false}, {"sums16", 16, 16, true},
};

static i64 within(i64 x, i64 end) { return x < 0 ? 0 : x >= end ? end - 1 : x; }

static u16 sum_of(const struct frames *f, i64 left, i64 top, const struct shape *s, i64 dx, i64 dy) {
    i64 sum = 0;
    for (i64 y = top; y < top + s->height; y++)
        for (i64 x = left; x < left + s->width; x++)
            sum += llabs((i64)f->frame[y * f->width + x] -
                         f->other[within(y + dy, f->height) * f->width + within(x + dx, f->width)]);
    return (u16)sum;
}

/* Sums of a block lie `stride` before those of the next, which may be one more than there are vectors */
static void fill_table(const struct frames *f, const struct shape *s, u16 *table, u64 stride) {
    for (i64 top = 0; top < f->height; top += s->height)
        for (i64 left = 0; left < f->width; left += s->width, table += stride) {
            u16 *to = table;
            for (i64 dy = -f->reach; dy <= f->reach; dy++)
                for (i64 dx = -f->reach; dx <= f->reach; dx++) *to++ = sum_of(f, left, top, s, dx, dy);
        }
}

bool workload_ref_sad(struct workload_buffers *b) {
    u64 width = ref_param(b, "width"), height = ref_param(b, "height"), reach = ref_param(b, "reach");
    if (!width || !height || width % 16 || height % 16 || reach > 64) return false;
    u64 pixels = width * height, vectors = (2 * reach + 1) * (2 * reach + 1), stride = ref_count(b, "sums4") / (pixels / 16);
    struct frames f = {ref_u8(b, "frame", pixels), ref_u8(b, "other", pixels), (i64)width, (i64)height, (i64)reach};
    if (!f.frame || !f.other || (stride != vectors && stride != vectors + 1)) return false;
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        const struct shape *s = &shapes[i];
        u16 *table = ref_find(b, s->table, "u16", pixels / (u64)(s->width * s->height) * stride);
        if (!table && (s->needed || ref_count(b, s->table))) return false;
        if (table) fill_table(&f, s, table, stride);
    }
    return true;
}
