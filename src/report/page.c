/* Self-contained HTML pages. Colours are CSS variables, so that a page follows the reader's light or dark
 * setting; the one script moves the slider. */
#include "report/page.h"

#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#c9d1d9;--soft:#57606a;--mark:#d4a72c55;"
    "--c0:#c9d1d9;--c1:#8ec7ff;--c2:#a5d6a7;--c3:#ffcc80;--c4:#ef9a9a;--c5:#ce93d8;--c6:#80deea;--c7:#e6ee9c}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--line:#30363d;--soft:#8b949e;--mark:#d4a72c66;"
    "--c0:#30363d;--c1:#1f6feb;--c2:#2e7d32;--c3:#9a6700;--c4:#b62324;--c5:#8250df;--c6:#0a7d8c;--c7:#6e7c12}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:1.5rem;max-width:1500px}\n"
    "pre,svg text{font-family:ui-monospace,Menlo,Consolas,monospace}pre{overflow-x:auto;font-size:13px}\n"
    "svg{display:block;max-width:none}.scroll{overflow:auto;margin:.5rem 0}.scroll:has(.m){max-height:50vh}\n"
    "svg text{fill:var(--ink);font-size:12px}svg text.s{fill:var(--soft);font-size:10px}svg text.h{font-weight:bold}svg "
    ".g{stroke:var(--line)}svg .b{fill:none;stroke:var(--line)}\n"
    "svg .c0{fill:var(--c0)}svg .c1{fill:var(--c1)}svg .c2{fill:var(--c2)}svg .c3{fill:var(--c3)}svg .c4{fill:var(--c4)}svg "
    ".c5{fill:var(--c5)}svg .c6{fill:var(--c6)}svg .c7{fill:var(--c7)}\n"
    "svg .m{fill:var(--mark)}.slider{position:sticky;top:0;background:var(--paper);padding:.4rem "
    "0;display:flex;gap:.8rem;align-items:center;z-index:1}\n"
    ".slider input{flex:1;max-width:40rem}.at{display:none}.at.on{display:block}ul{margin:.3rem 0}\n";

static const char script[] =
    "(function(){var s=document.getElementById('slider');if(!s)return;var o=document.getElementById('value');\n"
    "function show(){var "
    "v=s.value;o.textContent=v;document.querySelectorAll('.at').forEach(function(e){e.classList.toggle('on',e.dataset.at===v)});"
    "\n"
    "document.querySelectorAll('.m').forEach(function(e){var "
    "x=+e.dataset.x0+(v-s.min)*e.dataset.dx,c=e.closest('.scroll');e.setAttribute('x',x);\n"
    "if(c&&(x<c.scrollLeft||x>c.scrollLeft+c.clientWidth-40))c.scrollLeft=x-c.clientWidth/2})}\n"
    "function move(d){s.value=+s.value+d;show()}s.addEventListener('input',show);\n"
    "document.getElementById('back').addEventListener('click',function(){move(-1)});document.getElementById('next')."
    "addEventListener('click',function(){move(1)});\n"
    "document.addEventListener('keydown',function(e){if(e.target===s)return;if(e.key==='ArrowLeft')move(-1);if(e.key==='"
    "ArrowRight')move(1)});\n"
    "var h=+location.hash.slice(1);if(h)s.value=h;show()})();\n";

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
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
    element(p, "h1", title);
}

void page_end(struct page *p) { fprintf(p->out, "<script>\n%s</script>\n</body>\n</html>\n", script); }
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
