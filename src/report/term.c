/* Bars and colours: block characters where the terminal shows them, plain characters in files, pipes and the
 * C locale. NO_COLOR is respected. */
#include "report/report.h"

#include <stdlib.h>
#include <unistd.h>

static bool locale_is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) {
        const char *v = getenv(names[i]);
        if (v && *v) return strcasestr(v, "utf-8") || strcasestr(v, "utf8"); /* the first that is set decides */
    }
    return false;
}

struct term term_of(FILE *out) {
    const char *no_color = getenv("NO_COLOR"), *type = getenv("TERM");
    bool terminal = isatty(fileno(out));
    return (struct term){
        .utf8 = terminal && locale_is_utf8(),
        .colour = terminal && !(no_color && *no_color) && type && strcmp(type, "dumb") != 0,
    };
}

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
