/* page: a small writer of self-contained HTML pages: style for light and dark, drawings in SVG, a slider
 * that shows one part of many. No network. */
#ifndef HEDDLE_REPORT_PAGE_H
#define HEDDLE_REPORT_PAGE_H

#include "base/base.h"

struct page {
    FILE *out;
};
void page_begin(struct page *p, FILE *out, const char *title);
void page_end(struct page *p);
void page_escape(FILE *out, const char *s, size_t n);
void page_heading(struct page *p, const char *text);
void page_paragraph(struct page *p, const char *text);
void page_pre(struct page *p, const char *text);
/* A slider over numbers; elements of class "at" with data-at equal to its value are shown, the others
 * hidden. Cursor keys move it. */
void page_slider(struct page *p, const char *label, u32 from, u32 to, u32 value);
void page_at_begin(struct page *p, u32 value); /* a part that the slider shows at this value */
void page_at_end(struct page *p);
/* A drawing; classes: t text, s small text, g grid line, b box, c0..c7 fills, m marker that the slider
 * moves (data-x0, data-dx: place of value `from`, step) */
void page_svg_begin(struct page *p, u32 width, u32 height, const char *label);
void page_svg_end(struct page *p);
void page_svg_text(struct page *p, double x, double y, const char *cls, const char *text, size_t n);
void page_svg_rect(struct page *p, double x, double y, double w, double h, const char *cls);
void page_svg_line(struct page *p, double x1, double y1, double x2, double y2);
void page_svg_marker(struct page *p, double x, double dx, double y, double w, double h);

#endif
