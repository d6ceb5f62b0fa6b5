/* The answer of a query: as a table for people, numbers to the right, or as CSV. */
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST = 60 }; /* of a column for people; CSV has all */

struct cell {
    char *text;
    bool number;
};
struct answer {
    VEC(struct cell) cells; /* row by row; the first row has the names */
    u32 columns;
    bool whole; /* reals have all their digits */
};

static void add_cell(struct answer *a, const char *text, bool number) {
    struct cell c = {strdup(text ? text : ""), number};
    VEC_PUSH(&a->cells, c);
}

/* With as few digits as read back as the same number */
static void write_real(char to[40], double x) {
    for (int digits = 9; digits <= 17; digits++) {
        snprintf(to, 40, "%.*g", digits, x);
        if (strtod(to, NULL) == x) return;
    }
}

static void add_value(struct answer *a, sqlite3_stmt *q, int i) {
    int type = sqlite3_column_type(q, i);
    char text[40];
    if (type == SQLITE_FLOAT && a->whole) write_real(text, sqlite3_column_double(q, i));
    else if (type == SQLITE_FLOAT) snprintf(text, sizeof(text), "%.9g", sqlite3_column_double(q, i));
    add_cell(a, type == SQLITE_FLOAT ? text : (const char *)sqlite3_column_text(q, i),
             type == SQLITE_INTEGER || type == SQLITE_FLOAT);
}

static bool ask(struct store *s, const char *sql, struct answer *a, struct strbuf *why) {
    sqlite3_stmt *q = store_question(s, sql, why);
    int code = SQLITE_DONE;
    a->columns = q ? (u32)sqlite3_column_count(q) : 0;
    for (u32 i = 0; i < a->columns; i++) add_cell(a, sqlite3_column_name(q, (int)i), false);
    while (q && (code = sqlite3_step(q)) == SQLITE_ROW)
        for (u32 i = 0; i < a->columns; i++) add_value(a, q, (int)i);
    if (q && code != SQLITE_DONE) strbuf_add(why, "%s", sqlite3_errmsg(s->db));
    sqlite3_finalize(q);
    return !why->len;
}

static void answer_free(struct answer *a) {
    for (u32 i = 0; i < a->cells.n; i++) free(a->cells.at[i].text);
    free(a->cells.at);
}

static void print_cell(const struct cell *c, int width, bool last, FILE *out) {
    int n = (int)strcspn(c->text, "\n");
    bool cut = c->text[n] || n > WIDEST;
    if (n > WIDEST) n = WIDEST;
    int pad = MAX(0, width - n - (cut ? 3 : 0));
    if (c->number) fprintf(out, "%*s", pad, "");
    fprintf(out, "%.*s%s", n, c->text, cut ? "..." : "");
    if (!c->number && !last) fprintf(out, "%*s", pad, "");
    fputs(last ? "\n" : "  ", out);
}

bool table_print(struct store *s, const char *sql, FILE *out, struct strbuf *why) {
    struct answer a = {0};
    bool ok = ask(s, sql, &a, why);
    int *width = base_alloc((a.columns + 1) * sizeof(*width));
    for (u32 i = 0; i < a.cells.n; i++) {
        text_make_safe(a.cells.at[i].text);
        int n = (int)strcspn(a.cells.at[i].text, "\n");
        width[i % a.columns] = MAX(width[i % a.columns], MIN(n, WIDEST) + (a.cells.at[i].text[n] || n > WIDEST ? 3 : 0));
    }
    for (u32 i = 0; i < a.columns && a.cells.n > a.columns; i++) a.cells.at[i].number = a.cells.at[a.columns + i].number;
    for (u32 i = 0; ok && i < a.cells.n; i++) print_cell(&a.cells.at[i], width[i % a.columns], (i + 1) % a.columns == 0, out);
    free(width);
    answer_free(&a);
    return ok;
}

static void csv_cell(const char *text, FILE *out) {
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

bool table_csv(struct store *s, const char *sql, FILE *out, struct strbuf *why) {
    struct answer a = {.whole = true};
    bool ok = ask(s, sql, &a, why);
    for (u32 i = 0; ok && i < a.cells.n; i++) {
        csv_cell(a.cells.at[i].text, out);
        fputc((i + 1) % a.columns ? ',' : '\n', out);
    }
    answer_free(&a);
    return ok;
}
