/* Self-contained HTML pages, drawn while they are written. They share their style with the report page
 * (page/page.css); the one script moves the slider (page/slider.js). */
#include "report/page.h"

#include "report/report_page.h"

#include <string.h>

void page_escape(FILE *out, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) switch (s[i]) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((u8)s[i] < ' ' && s[i] != '\n' ? ' ' : s[i], out);
        }
}

static void element(struct page *p, const char *tag, const char *text) {
    fprintf(p->out, "<%s>", tag);
    page_escape(p->out, text, strlen(text));
    fprintf(p->out, "</%s>\n", tag);
}

void page_begin(struct page *p, FILE *out, const char *title) {
    p->out = out;
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width\">\n",
          out);
    element(p, "title", title);
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", page_file_style);
    element(p, "h1", title);
}

void page_end(struct page *p) { fprintf(p->out, "<script>\n%s</script>\n</body>\n</html>\n", page_file_slider); }
void page_heading(struct page *p, const char *text) { element(p, "h2", text); }
void page_paragraph(struct page *p, const char *text) { element(p, "p", text); }
void page_pre(struct page *p, const char *text) { element(p, "pre", text); }

void page_slider(struct page *p, const char *label, u32 from, u32 to, u32 value) {
    fprintf(p->out, "<div class=\"slider\"><label for=\"slider\">");
    page_escape(p->out, label, strlen(label));
    fprintf(p->out, " <b id=\"value\">%u</b></label><button id=\"back\">&#9664;</button>", value);
    fprintf(p->out,
            "<input type=\"range\" id=\"slider\" min=\"%u\" max=\"%u\" value=\"%u\"><button id=\"next\">&#9654;</button></div>\n",
            from, to, value);
}

void page_at_begin(struct page *p, u32 value) { fprintf(p->out, "<div class=\"at\" data-at=\"%u\">\n", value); }
void page_at_end(struct page *p) { fputs("</div>\n", p->out); }

void page_svg_begin(struct page *p, u32 width, u32 height, const char *label) {
    fprintf(p->out, "<div class=\"scroll\"><svg width=\"%u\" height=\"%u\" role=\"img\" aria-label=\"", width, height);
    page_escape(p->out, label, strlen(label));
    fputs("\">\n", p->out);
}
void page_svg_end(struct page *p) { fputs("</svg></div>\n", p->out); }

void page_svg_text(struct page *p, double x, double y, const char *cls, const char *text, size_t n) {
    fprintf(p->out, "<text x=\"%g\" y=\"%g\" class=\"%s\">", x, y, cls);
    page_escape(p->out, text, n);
    fputs("</text>\n", p->out);
}
void page_svg_rect(struct page *p, double x, double y, double w, double h, const char *cls) {
    fprintf(p->out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" class=\"%s\"/>\n", x, y, w, h, cls);
}
void page_svg_line(struct page *p, double x1, double y1, double x2, double y2) {
    fprintf(p->out, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" class=\"g\"/>\n", x1, y1, x2, y2);
}
void page_svg_marker(struct page *p, double x, double dx, double y, double w, double h) {
    fprintf(p->out, "<rect class=\"m\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" data-x0=\"%g\" data-dx=\"%g\"/>\n", x, y, w,
            h, x, dx);
}
