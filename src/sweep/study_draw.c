/* A figure of a study as SVG, of its rows and columns (study_answers.c): bars side by side or stacked, a
 * group or a bar a row; or points, the second column to the right and the others up. What is beyond the
 * scale of bars has its number on top. */
#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SERIES = 16, LEFT = 60, TOP = 52, HEIGHT = 220, BAR = 7, GAP = 12, POINTS_WIDTH = 420 };
static const char *const colours[] = {"#8fa8c8", "#c9a66b", "#9bbf8f", "#d08a6a", "#6b8fbf", "#b5483a", "#a58fbf", "#b0b7c3"};

struct drawing {
    FILE *out;
    const json_t *columns, *rows;
    u32 series, first; /* columns drawn, and the first of them */
    double least, most;
};

static double value_at(const struct drawing *d, size_t row, u32 series) {
    const json_t *v = json_array_get(json_array_get(d->rows, row), d->first + series);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* Names are ours or files'; a drawing is markup */
static void put_safe(FILE *out, const char *text) {
    for (; text && *text; text++)
        if (*text == '<') fputs("&lt;", out);
        else if (*text == '>') fputs("&gt;", out);
        else if (*text == '&') fputs("&amp;", out);
        else if (*text != '*') fputc(*text, out);
}

/* A row's; of a mean without what it is of, which the table says */
static void put_name(FILE *out, const char *name) {
    char mean[32];
    if (strncmp(name, "**", 2) == 0 && strcspn(name, "(") < sizeof(mean)) {
        snprintf(mean, strcspn(name, "(") + 1, "%s", name);
        name = mean;
    }
    put_safe(out, name);
}

static const char *text_at(const json_t *list, size_t i) {
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}

static double height_of(const struct drawing *d, double v) {
    return TOP + HEIGHT - (v - d->least) / (d->most - d->least) * HEIGHT;
}

static void put_head(const struct drawing *d, double width, double height, const char *title) {
    fprintf(
        d->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"10\" y=\"18\" font-size=\"14\">",
        width, height);
    put_safe(d->out, title);
    fputs("</text>\n", d->out);
    for (u32 i = 0; i < d->series; i++) {
        fprintf(d->out, "<rect x=\"%u\" y=\"28\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%u\" y=\"37\">",
                LEFT + i * 105, colours[i % ARRAY_LEN(colours)], LEFT + i * 105 + 14);
        put_safe(d->out, text_at(d->columns, d->first + i));
        fputs("</text>\n", d->out);
    }
}

/* 1, 2 or 5 times a power of ten, so that there are four to ten lines */
static double step_of(double range) {
    double step = pow(10, floor(log10(range / 4)));
    if (range / step > 10) step *= range / step > 25 ? 5 : 2;
    return step;
}

static void put_grid(const struct drawing *d, double right) {
    double step = step_of(d->most - d->least);
    for (double v = ceil(d->least / step) * step; v <= d->most + step / 1000; v += step) {
        double y = height_of(d, v);
        fprintf(d->out,
                "<line x1=\"%d\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                LEFT, right, y, y, LEFT - 6, y + 4, fabs(v) < step / 1000 ? 0 : v);
    }
}

static void put_line_at(const struct drawing *d, double v, double right) {
    if (v > d->least && v < d->most)
        fprintf(d->out, "<line x1=\"%d\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"black\" stroke-dasharray=\"4\"/>\n", LEFT,
                right, height_of(d, v), height_of(d, v));
}

static void put_bar(const struct drawing *d, double x, double from, double to, u32 colour) {
    double high = height_of(d, MIN(MAX(from, to), d->most)), low = height_of(d, MIN(from, to));
    fprintf(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n", x, high, BAR - 1, low - high,
            colours[colour % ARRAY_LEN(colours)]);
    if (to > d->most)
        fprintf(d->out, "<text x=\"%.1f\" y=\"%d\" font-size=\"9\" text-anchor=\"middle\">%.1f</text>\n", x + 3, TOP - 3, to);
}

static void put_group(const struct drawing *d, size_t row, double x, double wide, bool stacked) {
    double at = 0;
    for (u32 i = 0; i < d->series; i++) {
        double v = value_at(d, row, i);
        if (!isfinite(v) || v == 0) continue;
        if (stacked) put_bar(d, x + GAP / 2.0, at, at + v, i);
        else put_bar(d, x + GAP / 2.0 + i * BAR, 0, v, i);
        at += v;
    }
    fprintf(d->out, "<text transform=\"translate(%.1f,%d) rotate(-50)\" text-anchor=\"end\">", x + wide / 2, TOP + HEIGHT + 12);
    put_name(d->out, text_at(json_array_get(d->rows, row), 0));
    fputs("</text>\n", d->out);
}

/* The scale goes to the largest value, or as far as `most_shown` */
static void find_range(struct drawing *d, bool stacked, double most_shown) {
    d->most = stacked ? 0 : 1e-9;
    for (size_t g = 0; g < json_array_size(d->rows); g++) {
        double sum = 0;
        for (u32 i = 0; i < d->series; i++) {
            double v = value_at(d, g, i);
            if (!isfinite(v)) continue;
            sum += v;
            d->most = MAX(d->most, stacked ? sum : v);
            d->least = MIN(d->least, v);
        }
    }
    d->most = MIN(MAX(d->most, d->least + 1e-3), most_shown);
}

static void draw_bars(struct drawing *d, const char *title, bool stacked, bool speedups) {
    double wide = (stacked ? BAR : d->series * BAR) + GAP;
    size_t n = json_array_size(d->rows);
    find_range(d, stacked, speedups ? 3 : 1e9);
    if (speedups) d->most = MAX(d->most, 1.2);
    double right = LEFT + (double)n * wide;
    put_head(d, MAX(right + 20, LEFT + d->series * 105.0), TOP + HEIGHT + 120, title);
    put_grid(d, right);
    for (size_t g = 0; g < n; g++) put_group(d, g, LEFT + (double)g * wide, wide, stacked);
    put_line_at(d, speedups ? 1 : 0, right);
    fputs("</svg>\n", d->out);
}

static void draw_points(struct drawing *d, const char *title) {
    double low = 0, high = 1e-9;
    size_t n = json_array_size(d->rows);
    find_range(d, false, 1e9);
    for (size_t g = 0; g < n; g++) {
        double x = json_number_value(json_array_get(json_array_get(d->rows, g), 1));
        low = MIN(low, x), high = MAX(high, x);
    }
    put_head(d, MAX(LEFT + POINTS_WIDTH + 20.0, LEFT + d->series * 105.0), TOP + HEIGHT + 50, title);
    put_grid(d, LEFT + POINTS_WIDTH);
    put_line_at(d, 0, LEFT + POINTS_WIDTH);
    for (double v = ceil(low / step_of(high - low)) * step_of(high - low); v <= high; v += step_of(high - low))
        fprintf(d->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                LEFT + (v - low) / (high - low) * POINTS_WIDTH, TOP + HEIGHT + 16, v);
    fprintf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + POINTS_WIDTH / 2, TOP + HEIGHT + 34);
    put_safe(d->out, text_at(d->columns, 1));
    fputs("</text>\n", d->out);
    for (size_t g = 0; g < n; g++)
        for (u32 i = 0; i < d->series; i++) {
            double x = json_number_value(json_array_get(json_array_get(d->rows, g), 1)), y = value_at(d, g, i);
            if (!isfinite(y)) continue;
            fprintf(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" fill-opacity=\"0.8\"><title>",
                    LEFT + (x - low) / (high - low) * POINTS_WIDTH, height_of(d, y), colours[i % ARRAY_LEN(colours)]);
            put_safe(d->out, text_at(json_array_get(d->rows, g), 0));
            fputs("</title></circle>\n", d->out);
        }
    fputs("</svg>\n", d->out);
}

void study_draw(const json_t *figure, FILE *out) {
    struct drawing d = {.out = out, .columns = json_object_get(figure, "columns"), .rows = json_object_get(figure, "rows")};
    const char *kind = json_string_value(json_object_get(figure, "drawn")),
               *title = json_string_value(json_object_get(figure, "title"));
    size_t n = json_array_size(d.columns);
    bool points = strcmp(kind, "points") == 0, stacked = strcmp(kind, "stacks") == 0;
    d.first = points ? 2 : 1;
    d.series = (u32)MIN(n > d.first ? n - d.first : 0, (size_t)MOST_SERIES);
    if (points) draw_points(&d, title);
    else draw_bars(&d, title, stacked, !stacked && json_is_true(json_object_get(figure, "speedups")));
}
