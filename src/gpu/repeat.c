/* Launches that repeat: a kernel launched again and again with the same grid is timed at first and now and
 * then, and otherwise executed without time (warm.c). What such a launch would have taken follows from the
 * timed ones of its class, a line through (instructions, cycles): a fixed part for the launch itself, and a
 * part for each instruction.
 *
 * Timed are the first FIRST launches of a class; of those that follow one in STRIDE, fewer when many have
 * been timed; and the one after a launch whose instructions lie outside of what has been timed so far. Only
 * launches that block sampling (sample.c) leaves whole are left out.
 *
 * The interval of a launch that was left out has two parts: the scatter of launches around the line, which
 * is another one for each launch (a variance), and how well the line is known, which is the same for all of
 * them (systematic).
 *
 * Not modelled: launches that depend on when in the program they come, beyond the state of the L2. */
#include "gpu/chip.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdlib.h>

#define OUTSIDE    0.25 /* instructions so far beyond those timed are new */
#define SYSTEMATIC 0.01 /* of the cycles that are estimated; a launch that is left out has no edges as a gap has (estimate.c) */

enum { FIRST = 4, STRIDE = 4, MAX_STRIDE = 64 };

static struct repeated *class_of(struct gpu *g, const struct launch *l) {
    for (u32 i = 0; i < g->repeated.n; i++) {
        struct repeated *c = &g->repeated.at[i];
        if (c->k == l->k && c->ctas == l->ctas && c->threads == l->threads && c->shared_b == l->shared_b) return c;
    }
    struct repeated c = {.k = l->k, .ctas = l->ctas, .threads = l->threads, .shared_b = l->shared_b};
    VEC_PUSH(&g->repeated, c);
    return &g->repeated.at[g->repeated.n - 1];
}

static u32 stride_of(const struct repeated *c) {
    u32 stride = STRIDE;
    for (u32 n = 2 * FIRST; n <= c->points.n && stride < MAX_STRIDE; n *= 2) stride *= 2;
    return stride;
}

bool repeat_skips(struct gpu *g, const struct launch *l) {
    struct repeated *c = class_of(g, l);
    if (c->points.n < FIRST || c->is_new || ++c->since >= stride_of(c)) {
        c->since = 0;
        c->is_new = false;
        return false;
    }
    return true;
}

void repeat_timed(struct gpu *g, const struct launch *l, u64 instructions, u64 cycles) {
    struct repeated *c = class_of(g, l);
    struct point p = {(double)instructions, (double)cycles};
    VEC_PUSH(&c->points, p);
}

/* --- the line */

struct line {
    double mean_x, mean_y, sxx, slope;
    double scatter; /* variance around it */
    u32 n, df;
};

static struct line line_through(const struct repeated *c) {
    struct line l = {.n = c->points.n};
    double sxy = 0, rest = 0;
    for (u32 i = 0; i < l.n; i++) l.mean_x += c->points.at[i].x / l.n, l.mean_y += c->points.at[i].y / l.n;
    for (u32 i = 0; i < l.n; i++) {
        double x = c->points.at[i].x - l.mean_x, y = c->points.at[i].y - l.mean_y;
        l.sxx += x * x, sxy += x * y;
    }
    bool flat = l.sxx <= 1e-6 * l.mean_x * l.mean_x * l.n || sxy < 0; /* all alike, or no line that could be */
    l.slope = flat ? 0 : sxy / l.sxx;
    l.df = l.n - (flat ? 1 : 2);
    for (u32 i = 0; i < l.n; i++) {
        double d = c->points.at[i].y - l.mean_y - l.slope * (c->points.at[i].x - l.mean_x);
        rest += d * d;
    }
    l.scatter = rest / l.df;
    return l;
}

static void note_range(struct repeated *c, double x) {
    double low = INFINITY, high = 0;
    for (u32 i = 0; i < c->points.n; i++) low = fmin(low, c->points.at[i].x), high = fmax(high, c->points.at[i].x);
    c->is_new = x > high * (1 + OUTSIDE) || x < low / (1 + OUTSIDE);
}

struct estimate repeat_estimate(struct gpu *g, const struct launch *l, u64 instructions) {
    struct repeated *c = class_of(g, l);
    struct line line = line_through(c);
    double x = (double)instructions, away = x - line.mean_x, t = student_95(line.df);
    struct estimate e = {.cycles = fmax(line.mean_y + line.slope * away, 0)};
    double known = line.scatter / line.n + (line.slope > 0 ? line.scatter * away * away / line.sxx : 0);
    e.variance = line.scatter * t * t / (student_95(1000) * student_95(1000));
    e.systematic = t * sqrt(known) + SYSTEMATIC * e.cycles;
    if (line.slope <= 0 && line.mean_x > 0) e.systematic += fabs(away) / line.mean_x * line.mean_y; /* it cannot tell */
    note_range(c, x);
    return e;
}

void repeat_free(struct gpu *g) {
    for (u32 i = 0; i < g->repeated.n; i++) free(g->repeated.at[i].points.at);
    free(g->repeated.at);
}
