/* SVG, written directly: see study_plot.h. Three layers: a frame (rows with axes), what stands in it (bars,
 * stacks), and points with names that do not overlap. */
#include "study_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const colours[PLOT_SERIES] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377",
                                                 "#bbbbbb", "#222255", "#994455", "#117733", "#ddaa33", "#000000"};
enum { TOP = 46, ROW = 290, PLOT = 180, TALL = 380, LEFT = 66, RIGHT = 24, WIDEST = 1240, LEAST = 900 };

static const char *dir;
static const char *const *name;
static u32 names;

void plot_setup(const char *to, const char *const *along, u32 n) {
    CHECK(n <= PLOT_NAMES);
    dir = to, name = along, names = n;
}

double plot_mean(const struct plot *p, u32 series) {
    double sum = 0;
    for (u32 w = 0; w < names; w++) sum += (p->kind == GAINS ? log(1 + p->at[series][w]) : p->at[series][w]) / names;
    return p->kind == GAINS ? exp(sum) - 1 : sum;
}

double plot_part_mean(u32 c, u32 part, plot_part *value) {
    double sum = 0;
    for (u32 w = 0; w < names; w++) sum += value(w, c, part) / names;
    return sum;
}

/* --- frames */

struct frame {
    FILE *f;
    double low, high, group; /* values at the lower and upper edge; width of a name's place */
    double height;           /* of a row's plot */
    u32 width, per_row, rows;
    u32 order[PLOT_NAMES];
    enum plot_kind kind;
};

static void svg_open(struct frame *p, const char *file, const char *title, u32 height) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.svg", dir, file);
    if (!(p->f = fopen(path, "w"))) {
        fprintf(stderr, "study: cannot write %s\n", path);
        exit(2);
    }
    fprintf(
        p->f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" "
        "font-size=\"10\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"16\" "
        "font-size=\"13\">%s</text>\n",
        p->width, height, p->width, height, LEFT, title);
}

static void svg_close(struct frame *p) {
    fputs("</svg>\n", p->f);
    if (fclose(p->f)) exit(2);
}

static double y_of(const struct frame *p, u32 row, double v) {
    double share = (MIN(MAX(v, p->low), p->high) - p->low) / (p->high - p->low);
    return TOP + ROW * row + p->height * (1 - share);
}

static double step_of(double range) {
    double step = pow(10, floor(log10(range / 8)));
    static const double by[] = {1, 2, 5, 10};
    for (u32 i = 0; i < ARRAY_LEN(by); i++)
        if (range / (step * by[i]) <= 8) return step * by[i];
    return range;
}

static void axis(const struct frame *p, u32 row) {
    double step = step_of(p->high - p->low);
    for (double v = ceil(p->low / step - 1e-9) * step; v <= p->high + step / 1000; v += step) {
        bool zero = fabs(v) < step / 1000;
        double y = y_of(p, row, v), shown = zero ? 0 : v * (p->kind == NUMBERS ? 1 : 100);
        fprintf(p->f,
                "<line x1=\"%d\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.4g%s</text>\n",
                LEFT, p->width - RIGHT, y, y, zero ? "#000" : "#ddd", LEFT - 4, y + 3, shown, p->kind == NUMBERS ? "" : " %");
    }
}

static void legend(FILE *f, const char *const *of, u32 n) {
    u32 x = LEFT;
    for (u32 i = 0; i < n; i++) {
        fprintf(f, "<rect x=\"%u\" y=\"24\" width=\"9\" height=\"9\" fill=\"%s\"/><text x=\"%u\" y=\"32\">%s</text>\n", x,
                colours[i % PLOT_SERIES], x + 12, of[i]);
        x += 24 + 6 * (u32)strlen(of[i]);
    }
}

/* Place of the name that is i-th in order, the last one being the mean */
static u32 row_of(const struct frame *p, u32 i) { return i / p->per_row; }
static double x_of(const struct frame *p, u32 i) { return LEFT + 4 + p->group * (i % p->per_row + (i == names ? 0.6 : 0)); }

static void frame_open(struct frame *p, const char *file, const char *title, const char *const *of, u32 n) {
    p->height = PLOT;
    p->per_row = MAX(1u, (u32)((WIDEST - LEFT - RIGHT) / p->group));
    p->rows = (names + p->per_row) / p->per_row;
    p->per_row = (names + p->rows) / p->rows; /* rows of one length */
    p->width = MAX((u32)LEAST, (u32)(LEFT + RIGHT + p->group * (p->per_row + 1)));
    svg_open(p, file, title, TOP + ROW * p->rows);
    legend(p->f, of, n);
    for (u32 row = 0; row < p->rows; row++) axis(p, row);
}

static void frame_close(struct frame *p) {
    for (u32 i = 0; i <= names; i++) {
        bool mean = i == names;
        fprintf(p->f, "<text transform=\"translate(%.1f %d) rotate(-55)\" text-anchor=\"end\"%s>%s</text>\n",
                x_of(p, i) + p->group / 2, TOP + ROW * (int)row_of(p, i) + PLOT + 12, mean ? " font-weight=\"bold\"" : "",
                mean ? "mean" : name[p->order[i]]);
    }
    svg_close(p);
}

static const double *sort_key;
static int by_key(const void *a, const void *b) {
    double x = sort_key[*(const u32 *)a], y = sort_key[*(const u32 *)b];
    return x < y ? 1 : x > y ? -1 : (int)*(const u32 *)a - (int)*(const u32 *)b;
}
static void order_by(u32 *order, const double *key) {
    for (u32 w = 0; w < names; w++) order[w] = w;
    sort_key = key;
    qsort(order, names, sizeof *order, by_key);
}

/* --- bars */

static int largest_first(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The scale's end on one side: beyond all values, or beyond all but two names' where these would flatten the
 * others */
static double outer(const struct plot *p, int sign) {
    static double all[PLOT_SERIES * PLOT_NAMES];
    u32 n = 0, beyond = 2 * p->series;
    for (u32 s = 0; s < p->series; s++)
        for (u32 w = 0; w < names; w++) all[n++] = MAX(0, sign * p->at[s][w]);
    qsort(all, n, sizeof *all, largest_first);
    return n > 4 * beyond && all[0] > 2 * all[beyond] && all[beyond] > 0.01 ? 1.3 * all[beyond] : all[0];
}

static void draw_bar(const struct frame *p, u32 i, double x, double width, double v, const char *colour) {
    double a = y_of(p, row_of(p, i), v), zero = y_of(p, row_of(p, i), 0);
    fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, MIN(a, zero), width,
            fabs(a - zero), colour);
}

/* The farthest of a name's bars that leave the scale, above or below them */
static void draw_beyond(const struct frame *p, u32 i, double farthest) {
    bool above = farthest > p->high;
    if (!above && farthest >= p->low) return;
    fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"8\" text-anchor=\"middle\">%.0f</text>\n",
            x_of(p, i) + p->group / 2 - 2, y_of(p, row_of(p, i), farthest) + (above ? -2 : 9),
            farthest * (p->kind == NUMBERS ? 1 : 100));
}

void plot_bars(const struct plot *p) {
    double wide = MAX(2.5, 12.0 / p->series);
    struct frame f = {.low = -outer(p, -1), .high = MAX(0.02, outer(p, 1)), .group = wide * p->series + 4, .kind = p->kind};
    order_by(f.order, p->at[p->sort]);
    frame_open(&f, p->file, p->title, p->names, p->series);
    for (u32 i = 0; i <= names; i++) {
        double most = 0, least = 0;
        for (u32 s = 0; s < p->series; s++) {
            double v = i < names ? p->at[s][f.order[i]] : plot_mean(p, s);
            draw_bar(&f, i, x_of(&f, i) + wide * s, wide - 0.5, v, colours[s]);
            most = MAX(most, v), least = MIN(least, v);
        }
        draw_beyond(&f, i, most);
        draw_beyond(&f, i, least);
    }
    frame_close(&f);
}

/* --- stacks */

static void draw_stack(const struct frame *f, const struct plot_stacks *p, u32 i, u32 b) {
    double sum = 0;
    for (u32 k = 0; k < p->nparts; k++) {
        double v = i < names ? p->value(f->order[i], p->c[b], k) : plot_part_mean(p->c[b], k, p->value);
        double top = y_of(f, row_of(f, i), sum + v), bottom = y_of(f, row_of(f, i), sum);
        if (v > 0)
            fprintf(f->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"5\" height=\"%.1f\" fill=\"%s\"/>\n", x_of(f, i) + 6 * b, top,
                    bottom - top, colours[k % PLOT_SERIES]);
        sum += v;
    }
}

void plot_stacks(const struct plot_stacks *p) {
    struct frame f = {.high = 0.02, .group = 6 * p->n + 7, .kind = SHARES};
    for (u32 w = 0; w < names; w++)
        for (u32 i = 0; i < p->n; i++) {
            double sum = 0;
            for (u32 k = 0; k < p->nparts; k++) sum += p->value(w, p->c[i], k);
            f.high = MAX(f.high, sum);
        }
    order_by(f.order, p->key);
    frame_open(&f, p->file, p->title, p->parts, p->nparts);
    for (u32 i = 0; i <= names; i++)
        for (u32 b = 0; b < p->n; b++) draw_stack(&f, p, i, b);
    frame_close(&f);
}

/* --- points */

struct label {
    double x, y, w;
};

static bool is_free(const struct label *at, u32 n, double x, double y, double w) {
    for (u32 i = 0; i < n; i++)
        if (fabs(at[i].y - y) < 10 && x < at[i].x + at[i].w + 2 && at[i].x < x + w + 2) return false;
    return true;
}

/* Beside, below or above the point, where no other name is; or not at all */
static u32 draw_label(const struct frame *f, struct label *at, u32 n, double px, double py, const char *text) {
    double w = 5.6 * (double)strlen(text);
    const double place[][2] = {{5, -3}, {-5 - w, -3}, {5, 9}, {-5 - w, 9}, {-w / 2, -8}, {-w / 2, 15}};
    for (u32 i = 0; i < ARRAY_LEN(place); i++) {
        double x = px + place[i][0], y = py + place[i][1];
        if (x < LEFT || x + w > f->width || !is_free(at, n, x, y, w)) continue;
        at[n] = (struct label){x, y, w};
        fprintf(f->f, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, y, text);
        return n + 1;
    }
    return n;
}

static void draw_curve(const struct frame *f, double span, double (*curve)(double)) {
    fputs("<polyline fill=\"none\" stroke=\"#4477aa\" points=\"", f->f);
    for (u32 i = 0; i <= 100; i++) fprintf(f->f, "%.1f,%.1f ", LEFT + 8 + span * i / 100, y_of(f, 0, curve(i / 100.0)));
    fputs("\"/>\n", f->f);
}

static void draw_x_axis(const struct frame *f, double span, double high, const char *text) {
    for (double v = 0; v <= high * 1.001; v += step_of(high))
        fprintf(f->f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g %%</text>\n", LEFT + 8 + v / high * span,
                TOP + TALL + 14, 100 * v);
    fprintf(f->f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + span / 2, TOP + TALL + 34, text);
}

void plot_scatter(const struct plot *p, const double *x, const char *xname, double (*curve)(double x)) {
    struct frame f = {.high = curve ? 1 : 0.02, .width = LEAST, .height = TALL, .kind = p->kind};
    static double reach[PLOT_NAMES];
    static struct label at[PLOT_NAMES];
    double high = curve ? 1 : 0.02, span = f.width - LEFT - RIGHT - 100;
    u32 placed = 0;
    for (u32 w = 0; w < names; w++) high = MAX(high, x[w]), reach[w] = x[w] / 0.3 + fabs(p->at[0][w]) / 0.1;
    for (u32 s = 0; s < p->series && !curve; s++)
        for (u32 w = 0; w < names; w++) f.low = MIN(f.low, p->at[s][w]), f.high = MAX(f.high, p->at[s][w]);
    svg_open(&f, p->file, p->title, TOP + TALL + 46);
    axis(&f, 0);
    legend(f.f, p->names, p->series);
    if (curve) draw_curve(&f, span, curve);
    for (u32 w = 0; w < names; w++)
        for (u32 s = p->series; s-- > 0;)
            fprintf(f.f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s</title></circle>\n",
                    LEFT + 8 + x[w] / high * span, y_of(&f, 0, p->at[s][w]), colours[s], name[w]);
    order_by(f.order, reach);
    for (u32 i = 0; i < names; i++)
        placed = draw_label(&f, at, placed, LEFT + 8 + x[f.order[i]] / high * span, y_of(&f, 0, p->at[0][f.order[i]]),
                            name[f.order[i]]);
    draw_x_axis(&f, span, high, xname);
    svg_close(&f);
}
