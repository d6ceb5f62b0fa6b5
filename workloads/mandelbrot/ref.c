/* mandelbrot: escape times. Bit-exact, for every rounding of the iteration is the kernel's. */
#include "../ref.h"

#define LIMIT 96

struct point {
    float re, im;
};

static u32 escape_time(struct point c) {
    struct point z = {0.0f, 0.0f};
    for (u32 i = 0; i < LIMIT; i++) {
        float re2 = z.re * z.re, im2 = z.im * z.im;
        if (re2 + im2 > 4.0f) return i;
        z = (struct point){.re = re2 - im2 + c.re, .im = fmaf(2.0f * z.re, z.im, c.im)};
    }
    return LIMIT;
}

bool workload_ref_mandelbrot(struct workload_buffers *b) {
    u32 n = ref_side(b, "iterations");
    u32 *iterations = ref_u32(b, "iterations", (u64)n * n);
    if (!iterations || !n) return false;
    float step = 3.0f / (float)n;
    for (u32 row = 0; row < n; row++)
        for (u32 col = 0; col < n; col++)
            *iterations++ = escape_time((struct point){fmaf((float)col, step, -2.0f), fmaf((float)row, step, -1.5f)});
    return true;
}
