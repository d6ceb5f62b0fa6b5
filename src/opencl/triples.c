/* Variables with vectors of three components, in the IR of a program.
 *
 * Such a vector takes the room of four and is loaded and stored as four. The back end for PTX declares a
 * variable of that type as large as three, so that what lies behind it is read and overwritten, and it writes
 * the components of an initialised array or structure one behind the other, without the fourth's room. So
 * variables get vectors of four in their place, the last component undefined. Pointers have no types, so
 * their uses stay as they are.
 *
 * Named structures are used by values too, which keep their types: a variable gets the structure's twin,
 * whose name begins with TWIN.
 *
 * 1. Sizes and offsets stay: a vector of three has the size and the alignment of one of four.
 * 2. What is between quotation marks (strings, names) stays as it is. */
#include "opencl/opencl.h"

#include <ctype.h>
#include <stdlib.h>

#define TRIPLE "<3 x "
#define TWIN   "heddle.four."

static const char *behind_quoted(const char *at, const char *end) {
    const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
    return close ? close + 1 : end;
}

/* `<T a, T b, T c>`, whose T has `n` letters. Returns where it ends. */
static const char *add_components(const char *at, const char *end, const char *type, size_t n, struct strbuf *out) {
    u32 depth = 0;
    for (const char *p = at; p < end; p++) {
        if (*p == '<') depth++;
        if (*p != '>' || --depth) continue;
        strbuf_add(out, "%.*s, %.*s undef>", (int)(p - at), at, (int)n, type);
        return p + 1;
    }
    strbuf_add(out, "%.*s", (int)(end - at), at);
    return end;
}

/* The type at `at`, and its components where they follow. Returns what is behind. */
static const char *add_four(const char *at, const char *end, struct strbuf *out) {
    const char *type = at + strlen(TRIPLE), *close = memchr(type, '>', (size_t)(end - type));
    if (!close) close = end - 1;
    strbuf_add(out, "<4 x %.*s", (int)(close + 1 - type), type);
    if (end - close < 3 || strncmp(close, "> <", 3) != 0) return close + 1;
    strbuf_add(out, " ");
    return add_components(close + 2, end, type, (size_t)(close - type), out);
}

/* %name or %"name". Returns what is behind. */
static const char *add_twin(const char *at, struct strbuf *out) {
    bool quoted = at[1] == '"';
    strbuf_add(out, quoted ? "%%\"" TWIN : "%%" TWIN);
    return at + 1 + quoted;
}

static void add_as_four(const char *at, const char *end, struct strbuf *out) {
    const char *from = at; /* what is not written yet */
    while (at < end) {
        bool name = *at == '%' && end - at > 1 && (isalnum((unsigned char)at[1]) || strchr("\"-$._", at[1]));
        bool triple = (size_t)(end - at) > strlen(TRIPLE) && strncmp(at, TRIPLE, strlen(TRIPLE)) == 0;
        if (name || triple) strbuf_add(out, "%.*s", (int)(at - from), from);
        if (name) {
            from = add_twin(at, out);
            at = at[1] == '"' ? behind_quoted(at + 1, end) : from;
        } else if (triple) from = at = add_four(at, end, out);
        else at = *at == '"' ? behind_quoted(at, end) : at + 1;
    }
    strbuf_add(out, "%.*s", (int)(end - from), from);
}

static bool is_variable(const char *line, size_t len) {
    return *line == '@' && (memmem(line, len, " global ", 8) || memmem(line, len, " constant ", 10));
}

char *mend_triples(char *ir) {
    struct strbuf out = {0};
    if (!strstr(ir, TRIPLE)) return ir;
    for (const char *at = ir; *at;) {
        size_t len = strcspn(at, "\n");
        bool type = *at == '%' && memmem(at, len, " = type ", 8);
        if (!is_variable(at, len)) strbuf_add(&out, "%.*s\n", (int)len, at);
        if (type || is_variable(at, len)) {
            add_as_four(at, at + len, &out);
            strbuf_add(&out, "\n");
        }
        at += len + (at[len] == '\n');
    }
    free(ir);
    return out.s;
}
