/* heartwall: point by point through all frames. Bit-exact: sums are whole numbers, and the last division and
 * root are rounded as the kernel's. */
#include <stdlib.h>

#include "../ref.h"

#define SIDE   21
#define REACH  10
#define MARGIN (SIDE / 2 + REACH)

struct film {
    i64 width, height, frames;
    u8 *pixels;
};

static u8 *pixel_at(const struct film *f, i64 frame, i64 x, i64 y) { return &f->pixels[(frame * f->height + y) * f->width + x]; }

/* Correlation of the template with the pixels around (x, y), but for the template's own variance */
static float fit(const struct film *f, i64 frame, const u8 *template, i64 x, i64 y) {
    i64 n = (i64)SIDE * SIDE, a = 0, b = 0, aa = 0, ab = 0;
    for (i64 i = 0; i < n; i++) {
        i64 pixel = *pixel_at(f, frame, x - SIDE / 2 + i % SIDE, y - SIDE / 2 + i / SIDE);
        a += pixel;
        b += template[i];
        aa += pixel * pixel;
        ab += pixel * template[i];
    }
    return (float)(n * ab - a * b) / sqrtf((float)(n * aa - a * a + 1));
}

static i64 within(i64 v, i64 end) { return v < MARGIN ? MARGIN : v > end - 1 - MARGIN ? end - 1 - MARGIN : v; }

static void track(const struct film *f, i64 frame, u8 *template, u32 *x, u32 *y) {
    float best = -INFINITY;
    i64 best_x = 0, best_y = 0;
    for (i64 dy = -REACH; dy <= REACH; dy++)
        for (i64 dx = -REACH; dx <= REACH; dx++) {
            float value = fit(f, frame, template, *x + dx, *y + dy);
            if (value <= best) continue;
            best = value;
            best_x = *x + dx;
            best_y = *y + dy;
        }
    for (i64 i = 0; i < (i64)SIDE * SIDE; i++) {
        u32 pixel = *pixel_at(f, frame, best_x - SIDE / 2 + i % SIDE, best_y - SIDE / 2 + i / SIDE);
        template[i] = (u8)((3u * template[i] + pixel + 2) / 4);
    }
    *x = (u32)within(best_x, f->width);
    *y = (u32)within(best_y, f->height);
}

static void make_film(const struct film *f, const u8 *scene, const u8 *noise, i64 scene_width) {
    for (i64 frame = 0, i = 0; frame < f->frames; frame++)
        for (i64 y = 0; y < f->height; y++)
            for (i64 x = 0; x < f->width; x++, i++)
                f->pixels[i] = (u8)(scene[(y + 2 * frame) * scene_width + x + frame] + noise[i]);
}

bool workload_ref_heartwall(struct workload_buffers *b) {
    u64 points = ref_count(b, "x"), width = ref_param(b, "width"), height = ref_param(b, "height");
    u64 frames = ref_param(b, "frames"), extra = 2 * frames, pixels = width * height * frames;
    struct film f = {(i64)width, (i64)height, (i64)frames, ref_u8(b, "film", pixels)};
    const u8 *scene = ref_u8(b, "scene", (width + extra) * (height + extra)), *noise = ref_u8(b, "noise", pixels);
    u32 *x = ref_u32(b, "x", points), *y = ref_u32(b, "y", points);
    u8 *templates = ref_u8(b, "templates", points * SIDE * SIDE);
    if (width <= 2 * MARGIN || height <= 2 * MARGIN || !f.pixels || !scene || !noise || !x || !y || !templates) return false;
    make_film(&f, scene, noise, (i64)(width + extra));
    for (u64 p = 0; p < points; p++) {
        if (x[p] != within(x[p], f.width) || y[p] != within(y[p], f.height)) return false;
        u8 *template = templates + p * SIDE * SIDE;
        for (i64 i = 0; i < (i64)SIDE * SIDE; i++)
            template[i] = *pixel_at(&f, 0, x[p] - SIDE / 2 + i % SIDE, y[p] - SIDE / 2 + i / SIDE);
        for (i64 frame = 1; frame < f.frames; frame++) track(&f, frame, template, &x[p], &y[p]);
    }
    return true;
}
