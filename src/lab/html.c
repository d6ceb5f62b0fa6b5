/* The run as a page for a browser: the grid with a marker on the cycle, and under it the tables of that
 * cycle, drawn as on paper. */
#include "lab/lab.h"
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

enum { CELL = 18, LINE = 18, CHAR = 8, GRID_ROWS_MAX = 400, GRID_CYCLES_MAX = 2000 };

static const char *fill_of(char stage) {
    switch (stage) {
    case 'F': return "c0";
    case 'D':
    case 'S':
    case 'M':
    case 'B': return "c1";
    case 'E':
    case 'C':
    case 'A': return "c2";
    case 'W': return "c3";
    case 'R':
    case 'I': return "c6";
    case 'w': return "c7";
    default: return "";
    }
}

static void draw_cell(struct page *p, double x, double y, const struct lab_span *s, u32 c) {
    char text[12];
    if (*fill_of(s->stage)) page_svg_rect(p, x, y + 1, CELL - 1, LINE - 2, fill_of(s->stage));
    if (s->stage == 'E') snprintf(text, sizeof(text), "%u", c - s->from + 1);
    else snprintf(text, sizeof(text), "%c", s->stage);
    page_svg_text(p,
                  x + (strlen(text) > 2   ? 0
                       : strlen(text) > 1 ? 2
                                          : 5),
                  y + 13, strlen(text) > 2 ? "s" : "t", text, strlen(text));
}

struct window {
    u32 from, to;
};
static struct window window_of(const struct lab_run *r) {
    struct window w = {MAX(r->page_from, 1u), MIN(r->page_to, r->cycles)};
    if (w.to < w.from) w.to = w.from;
    if (w.to - w.from >= GRID_CYCLES_MAX) w.to = w.from + GRID_CYCLES_MAX - 1;
    return w;
}

static void draw_grid(struct page *p, const struct lab_run *r, struct window w) {
    u32 left = 0, shown = 0, *place = base_alloc((r->rows.n + 1) * sizeof(u32));
    for (u32 i = 0; i < r->spans.n; i++) {
        const struct lab_span *s = &r->spans.at[i];
        if (s->from <= w.to && s->to >= w.from) place[s->row] = 1;
    }
    for (u32 i = 0; i < r->rows.n; i++) {
        if (!place[i]) continue;
        place[i] = ++shown > GRID_ROWS_MAX ? 0 : shown;
        left = MAX(left, (u32)(strlen(r->rows.at[i].name) + 2 + MIN(strlen(r->rows.at[i].text), (size_t)44)));
    }
    shown = MIN(shown, (u32)GRID_ROWS_MAX);
    double x0 = left * CHAR + 10;
    u32 n = w.to - w.from + 1;
    page_svg_begin(p, (u32)x0 + n * CELL + 10, (shown + 1) * LINE + 12, "stages of instructions by cycles");
    for (u32 c = w.from; c <= w.to; c++) {
        char text[12];
        snprintf(text, sizeof(text), "%u", c);
        page_svg_text(p, x0 + (c - w.from) * CELL + 1, 12, "s", text, strlen(text));
    }
    for (u32 i = 0; i < r->rows.n; i++) {
        if (!place[i]) continue;
        char text[80];
        snprintf(text, sizeof(text), "%s  %.44s", r->rows.at[i].name, r->rows.at[i].text);
        page_svg_text(p, 4, place[i] * LINE + 13, r->rows.at[i].flushed ? "s" : "t", text, strlen(text));
        page_svg_line(p, 0, (place[i] + 1) * LINE, x0 + n * CELL, (place[i] + 1) * LINE);
    }
    for (u32 i = 0; i < r->spans.n; i++) {
        const struct lab_span *s = &r->spans.at[i];
        if (!place[s->row]) continue;
        for (u32 c = MAX(s->from, w.from); c <= MIN(s->to, w.to); c++)
            draw_cell(p, x0 + (c - w.from) * CELL, place[s->row] * LINE, s, c);
    }
    page_svg_marker(p, x0 - 0.5, CELL, 0, CELL, (shown + 1) * LINE);
    page_svg_end(p);
    free(place);
}

enum { MAX_COLUMNS = 80 };
static u32 widths_of(const struct lab_table *t, u32 *width) {
    u32 n = 0;
    for (u32 i = 0; i <= t->rows.n; i++) {
        const char *s = i ? t->rows.at[i - 1] : t->head;
        for (u32 c = 0; c < MAX_COLUMNS; c++) {
            size_t len = strcspn(s, "|");
            if (c >= n) width[n++] = 0;
            width[c] = MAX(width[c], (u32)len);
            if (!s[len]) break;
            s += len + 1;
        }
    }
    return n;
}

static double draw_table(struct page *p, const struct lab_table *t, double x0, double y0) {
    u32 width[MAX_COLUMNS], n = widths_of(t, width);
    double total = 0, y = y0 + 14;
    for (u32 c = 0; c < n; c++) total += width[c] * CHAR + 14;
    page_svg_text(p, x0, y, "h", t->title, strlen(t->title));
    for (u32 i = 0; i <= t->rows.n; i++) {
        const char *s = i ? t->rows.at[i - 1] : t->head;
        double x = x0;
        y += LINE;
        for (u32 c = 0; c < n; c++) {
            size_t len = strcspn(s, "|");
            page_svg_rect(p, x, y - 13, width[c] * CHAR + 14, LINE, "b");
            page_svg_text(p, x + 6, y, i ? "t" : "s", s, len);
            x += width[c] * CHAR + 14;
            s += len + (s[len] == '|');
        }
    }
    return MAX(total, (double)strlen(t->title) * CHAR);
}

static void measure(const struct lab_table *t, double *w, double *h) {
    u32 width[MAX_COLUMNS], n = widths_of(t, width);
    *w = 0;
    for (u32 c = 0; c < n; c++) *w += width[c] * CHAR + 14;
    *w = MAX(*w, (double)strlen(t->title) * CHAR);
    *h = (t->rows.n + 2) * LINE + 14;
}

enum { PAGE_WIDTH = 1400, GAP = 30 };
static void draw_page(struct page *p, const struct lab_page *page) {
    double x = 0, y = 0, high = 0, right = 0, w, h;
    double *at = base_alloc((page->tables.n + 1) * 2 * sizeof(double));
    for (u32 i = 0; i < page->tables.n; i++) { /* side by side while they fit */
        measure(&page->tables.at[i], &w, &h);
        if (x > 0 && x + w > PAGE_WIDTH) x = 0, y += high, high = 0;
        at[2 * i] = x;
        at[2 * i + 1] = y;
        x += w + GAP;
        right = MAX(right, x);
        high = MAX(high, h);
    }
    page_svg_begin(p, (u32)MAX(right, 10.0), (u32)(y + high + 10), "tables at the end of the cycle");
    for (u32 i = 0; i < page->tables.n; i++) draw_table(p, &page->tables.at[i], at[2 * i] + 1, at[2 * i + 1]);
    page_svg_end(p);
    if (page->notes.n) fputs("<ul>", p->out);
    for (u32 i = 0; i < page->notes.n; i++) {
        fputs("<li>", p->out);
        page_escape(p->out, page->notes.at[i], strlen(page->notes.at[i]));
        fputs("</li>", p->out);
    }
    if (page->notes.n) fputs("</ul>\n", p->out);
    free(at);
}

void lab_write_html(const struct lab_run *r, const char *title, FILE *out) {
    struct page p;
    struct window w = window_of(r);
    struct strbuf s = {0};
    page_begin(&p, out, title);
    strbuf_add(&s, "%s: %s. ", r->machine->name, r->machine->doc);
    if (w.from > 1 || w.to < r->cycles) strbuf_add(&s, "Cycles %u to %u of %u. ", w.from, w.to, r->cycles);
    for (u32 i = 0; i < r->answers.n; i++)
        strbuf_add(&s, "%s%s %lld", i ? ", " : "", r->answers.at[i].name, (long long)r->answers.at[i].value);
    page_paragraph(&p, s.s);
    if (r->fault) page_paragraph(&p, r->fault);
    page_slider(&p, "cycle", w.from, w.to, w.from);
    draw_grid(&p, r, w);
    for (u32 i = 0; i < r->pages.n; i++) {
        if (r->pages.at[i].cycle < w.from || r->pages.at[i].cycle > w.to) continue;
        page_at_begin(&p, r->pages.at[i].cycle);
        draw_page(&p, &r->pages.at[i]);
        page_at_end(&p);
    }
    page_heading(&p, "The program");
    page_pre(&p, r->prog->source);
    page_end(&p);
    strbuf_free(&s);
}
