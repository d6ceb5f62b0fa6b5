/* __local variables of inner scopes, moved to the top of their kernel.
 *
 * The specification wants them there, and so does clang; the vendors' compilers take them anywhere in a
 * kernel, and well-known programs rely on it. A __local variable lives as long as its work-group wherever it
 * is declared, so moving it changes nothing.
 *
 * clang says where they are. Each declaration is blanked out where it stands and put behind the kernel's
 * opening brace. One whose name is taken up there stays an error. */
#include "opencl/opencl.h"

#include <ctype.h>
#include <stdlib.h>

#define COMPLAINT ": error: variables in the local address space can only be declared in the outermost scope"

bool hoist_wanted(const char *log) { return log && strstr(log, COMPLAINT); }

/* Behind the literal or pragma that starts at `at`; `at` itself when none does. The preprocessor left neither
 * comments nor other directives. */
static const char *skip_text(const char *at, const char *line_start) {
    if (*at == '"' || *at == '\'') {
        const char *p = at + 1;
        while (*p && *p != *at && *p != '\n') p += 1 + (*p == '\\' && p[1]);
        return *p == *at ? p + 1 : p;
    }
    if (*at == '#' && strspn(line_start, " \t") == (size_t)(at - line_start)) return at + strcspn(at, "\n");
    return at;
}

struct statement {
    const char *body;  /* behind the brace that opens the function */
    const char *start; /* of the statement, blanks included */
    const char *end;   /* behind its semicolon */
};

/* The statement around `name`, and its function; false when there is no such thing */
static bool find_statement(const char *text, const char *name, struct statement *out) {
    const char *line = text;
    u32 depth = 0;
    *out = (struct statement){.start = text};
    for (const char *p = text; *p;) {
        const char *next = skip_text(p, line);
        if (next != p) {
            if (p <= name && name < next) return false; /* not a name of the program's own text */
            if (*p == '#') out->start = next;
            p = next;
            continue;
        }
        if (*p == '\n') line = p + 1;
        if (*p == ';' && p > name) {
            out->end = p + 1;
            return depth > 0;
        }
        if ((*p == '{' || *p == '}') && p > name) return false;
        if (*p == '{' && depth++ == 0) out->body = p + 1;
        if (*p == '}' && depth) depth--;
        if (*p == ';' || *p == '{' || *p == '}') out->start = p + 1;
        p++;
    }
    return false;
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !is_name(at[-1])) && !is_name(at[n])) return true;
    return false;
}

/* Appends the statement, on one line; false when it is no plain declaration of __local variables */
static bool copy_statement(const struct statement *at, struct strbuf *out) {
    for (const char *p = at->start; p < at->end; p++) strbuf_add(out, "%c", *p == '\n' ? ' ' : *p);
    return (has_word(out->s, "__local") || has_word(out->s, "local")) && !strpbrk(out->s, "=:#\"");
}

static const char *at_position(const char *text, u32 line, u32 column) {
    for (; line > 1 && text; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text && column && strcspn(text, "\n") >= column ? text + column - 1 : NULL;
}

char *hoist_locals(const char *text, const char *log) {
    char *rest = strdup(text);
    struct strbuf out = {0};
    size_t done = 0; /* so much of the text is in out; complaints come in its order */
    for (const char *at = log; rest && at && (at = strstr(at, COMPLAINT)); at++) {
        const char *line = at;
        u32 row, column;
        struct statement where;
        struct strbuf what = {0};
        while (line > log && line[-1] != '\n') line--;
        if (sscanf(line, "program.cl:%u:%u", &row, &column) != 2) continue;
        const char *name = at_position(rest, row, column);
        bool ok = name && is_name(*name) && find_statement(rest, name, &where) && where.body >= rest + done;
        if (ok && copy_statement(&where, &what)) {
            strbuf_add(&out, "%.*s%s", (int)(where.body - rest - (ptrdiff_t)done), rest + done, what.s);
            done = (size_t)(where.body - rest);
            for (char *p = rest + (where.start - rest); p < where.end; p++)
                if (*p != '\n') *p = ' ';
        }
        strbuf_free(&what);
    }
    if (done) strbuf_add(&out, "%s", rest + done);
    free(rest);
    return out.s;
}
