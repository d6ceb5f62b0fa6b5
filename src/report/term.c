/* Bars, colours and widths: block characters where the terminal shows them, plain characters in files, pipes
 * and the C locale. NO_COLOR is respected. On a terminal no line is wider than it: term_begin and term_end
 * fold what is printed between them; a file or pipe gets lines as they are. */
#include "report/report.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_WIDTH   40 /* a narrower terminal is not served */
#define UNKNOWN_WIDTH 80

static bool locale_is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) {
        const char *v = getenv(names[i]);
        if (v && *v) return strcasestr(v, "utf-8") || strcasestr(v, "utf8"); /* the first that is set decides */
    }
    return false;
}

static u32 terminal_width(int fd) {
    struct winsize w = {0};
    const char *columns = getenv("COLUMNS");
    u32 n = ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
    if (!n && columns) n = (u32)strtoul(columns, NULL, 10);
    return n ? MAX(n, (u32)LEAST_WIDTH) : UNKNOWN_WIDTH;
}

struct term term_of(FILE *out) {
    const char *no_color = getenv("NO_COLOR"), *type = getenv("TERM");
    int fd = fileno(out);
    bool terminal = fd >= 0 && isatty(fd);
    return (struct term){
        .utf8 = terminal && locale_is_utf8(),
        .colour = terminal && !(no_color && *no_color) && type && strcmp(type, "dumb") != 0,
        .width = terminal ? terminal_width(fd) : 0,
    };
}

/* --- folding */

/* Bytes of the character at s, and its columns: an escape sequence has none, any other character one */
static size_t character(const char *s, u32 *columns) {
    size_t n = 1;
    *columns = *s != '\033';
    if (*s == '\033') {
        while (s[n] && s[n] != 'm') n++;
        return n + (s[n] == 'm');
    }
    while (((u8)s[n] & 0xC0) == 0x80) n++;
    return n;
}

/* Where the lines that continue this one begin: under its last column that starts in the left half, or four
 * further in than the line itself */
static u32 continuation(const char *line, size_t len, u32 width) {
    u32 at = 0, spaces = 0, indent = 0, columns;
    bool text = false;
    for (size_t i = 0; i < len && at < width / 2; at += columns) {
        bool space = line[i] == ' ';
        if (!space && !text) indent = at + 4;
        if (!space && text && spaces > 1) indent = at;
        text = text || !space;
        spaces = space ? spaces + 1 : 0;
        i += character(line + i, &columns);
    }
    return MIN(indent, width / 2);
}

/* Bytes of `text` that fit into `room` columns, ending before a space where there is one */
static size_t fitting(const char *text, size_t len, u32 room) {
    size_t i = 0, space = 0;
    u32 at = 0, columns;
    while (i < len) {
        size_t n = character(text + i, &columns);
        if (at + columns > room) return space ? space : i;
        if (text[i] == ' ' && i && text[i - 1] != ' ') space = i;
        at += columns;
        i += n;
    }
    return len;
}

static void fold_line(FILE *out, const char *line, size_t len, u32 width) {
    u32 indent = continuation(line, len, width), room = width;
    for (;;) {
        size_t lead = 0;
        while (lead < len && line[lead] == ' ') lead++; /* the line's own indentation is no place to break */
        size_t n =
            room == width && lead < width ? lead + fitting(line + lead, len - lead, room - (u32)lead) : fitting(line, len, room);
        fprintf(out, "%.*s", (int)n, line);
        while (n < len && line[n] == ' ') n++;
        if (n >= len) break;
        line += n;
        len -= n;
        fprintf(out, "\n%*s", (int)indent, "");
        room = width - indent;
    }
}

void term_fold(FILE *out, const char *text, u32 width) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (width) fold_line(out, line, n, width);
        else fwrite(line, 1, n, out);
        if (line[n]) fputc('\n', out);
        line += n + (line[n] == '\n');
    }
}

void term_begin(struct folding *f, FILE *out, u32 otherwise) {
    *f = (struct folding){.to = out, .term = term_of(out)};
    if (!f->term.width) f->term.width = otherwise;
    f->out = f->term.width ? open_memstream(&f->text, &f->len) : out;
    if (!f->out) f->out = out;
}

void term_end(struct folding *f) {
    if (f->out == f->to) return;
    if (fclose(f->out) == 0) term_fold(f->to, f->text, f->term.width);
    free(f->text);
}

/* --- bars */

static void bar_blocks(FILE *out, double cells, u32 width) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    u32 n = (u32)(cells * 8 + 0.5), full = MIN(n / 8, width), part = full < width ? n % 8 : 0;
    if (cells > 0 && n == 0) part = 1; /* something is not nothing */
    for (u32 i = 0; i < full; i++) fputs("█", out);
    fputs(eighths[part], out);
    fprintf(out, "%*s", (int)(width - full - (part ? 1 : 0)), "");
}

static void bar_plain(FILE *out, double cells, u32 width) {
    u32 full = MIN((u32)(cells + 0.5), width);
    for (u32 i = 0; i < full; i++) fputc('#', out);
    u32 dot = cells > 0 && full == 0;
    if (dot) fputc('.', out);
    fprintf(out, "%*s", (int)(width - full - dot), "");
}

void term_bar(const struct term *t, FILE *out, double share, u32 width, u32 colour) {
    if (t->colour && colour) fprintf(out, "\033[%um", colour);
    (t->utf8 ? bar_blocks : bar_plain)(out, share * width, width);
    if (t->colour && colour) fputs("\033[0m", out);
}
