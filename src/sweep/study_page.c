/* A study as a page of Markdown, of its answers (study_answers.c): what was run, the rule by which figures
 * are judged, the document's statements with ours and the verdict, then the figures as tables, those that
 * ask for it drawn beside the page. Tables of figures that stand apart go to NAME_tables.md, and the page
 * has the mean and both ends of each of their columns. */
#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 110 };

struct writing {
    const json_t *doc;
    FILE *out, *apart; /* apart: NULL when all goes to the page */
    const char *folder, *name;
    struct strbuf *why;
};

static const char *text_of(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }

/* --- text */

static void put_paragraph(FILE *out, const char *text) {
    size_t at = 0;
    for (const char *word = text; word && *word;) {
        size_t n = strcspn(word, " \n");
        if (n && at && at + 1 + n > COLUMN) {
            fputc('\n', out);
            at = 0;
        }
        if (n) {
            fprintf(out, "%s%.*s", at ? " " : "", (int)n, word);
            at += n + (at ? 1 : 0);
        }
        word += n + strspn(word + n, " \n");
    }
    fputs("\n\n", out);
}

/* Cells of a table have no bars of their own */
static void put_cell(FILE *out, const char *text) {
    for (; *text; text++)
        if (*text == '|') fputs("\\|", out);
        else fputc(*text == '\n' ? ' ' : *text, out);
}

/* A number as its figure shows it */
static const char *number_text(char to[48], const char *show, double x) {
    if (!isfinite(x)) snprintf(to, 48, "-");
    else if (strcmp(show, "share") == 0) snprintf(to, 48, "%.1f %%", 100 * x);
    else if (strcmp(show, "gain") == 0) snprintf(to, 48, "%+.1f %%", 100 * (x - 1));
    else snprintf(to, 48, "%.3f", x);
    return to;
}

static void put_value(FILE *out, const json_t *v, const char *show) {
    char text[48];
    if (json_is_string(v)) put_cell(out, json_string_value(v));
    else if (json_is_integer(v)) fprintf(out, "%lld", (long long)json_integer_value(v));
    else if (json_is_real(v)) fputs(number_text(text, show, json_real_value(v)), out);
    else fputc('-', out);
}

/* --- statements */

/* "+10.0 ± 0.5 %", "12.3 %", "above 50.0 %" */
static void put_figure_of(FILE *out, const json_t *f, const char *show) {
    char text[48];
    for (u32 side = 0; side < 2; side++) {
        const json_t *bound = json_object_get(f, side ? "below" : "above");
        if (!bound) continue;
        fprintf(out, "%s %s", side ? "below" : "above", number_text(text, show, json_number_value(bound)));
        return;
    }
    const json_t *value = json_object_get(f, "value");
    double x = json_is_number(value) ? json_number_value(value) : NAN, half = json_number_value(json_object_get(f, "half"));
    number_text(text, show, x);
    if (!isfinite(x) || !(half > 0)) fputs(text, out);
    else if (strcmp(show, "number") == 0) fprintf(out, "%s ± %.3f", text, half);
    else fprintf(out, "%.*s ± %.1f %%", (int)(strlen(text) - 2), text, 100 * half);
}

static void put_statement(struct writing *w, const json_t *s) {
    const char *show = text_of(s, "show"), *why = text_of(s, "why");
    const json_t *kernels = json_object_get(s, "kernels");
    fputs("| ", w->out);
    put_cell(w->out, text_of(s, "text"));
    fputs(" | ", w->out);
    put_figure_of(w->out, json_object_get(s, "document"), show);
    fputs(" | ", w->out);
    put_figure_of(w->out, json_object_get(s, "here"), show);
    fputs(" | ", w->out);
    if (kernels) put_value(w->out, kernels, show);
    fprintf(w->out, " | %s | ", text_of(s, "verdict"));
    put_cell(w->out, why ? why : "");
    fputs(" |\n", w->out);
}

static void put_statements(struct writing *w) {
    const json_t *list = json_object_get(w->doc, "statements"), *s;
    size_t i;
    if (json_array_size(list))
        fprintf(w->out,
                "## What the document says, and what we find\n\n| statement | document | here | %s | verdict | from the "
                "counters |\n| --- | --- | --- | --- | --- | --- |\n",
                text_of(w->doc, "rows"));
    json_array_foreach(list, i, s) put_statement(w, s);
    fputc('\n', w->out);
}

/* --- figures */

static void put_table(FILE *out, const json_t *figure) {
    const json_t *columns = json_object_get(figure, "columns"), *row, *v;
    const char *show = text_of(figure, "show");
    size_t i, k;
    fputs("|", out);
    json_array_foreach(columns, i, v) fprintf(out, " %s |", json_string_value(v));
    fputs("\n|", out);
    for (i = 0; i < json_array_size(columns); i++) fputs(" --- |", out);
    fputc('\n', out);
    json_array_foreach(json_object_get(figure, "rows"), i, row) {
        fputs("|", out);
        json_array_foreach(row, k, v) {
            fputc(' ', out);
            put_value(out, v, show);
            fputs(" |", out);
        }
        fputc('\n', out);
    }
    fputc('\n', out);
}

struct ends { /* of a column's numbers; rows whose name is set in bold are sums of the others */
    double sum, logs, low, high;
    const char *lowest, *highest;
    u32 n;
    bool positive;
};

static struct ends ends_of(const json_t *rows, size_t column) {
    struct ends e = {.low = INFINITY, .high = -INFINITY, .positive = true};
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row) {
        const json_t *v = json_array_get(row, column);
        const char *name = json_string_value(json_array_get(row, 0));
        if (!json_is_number(v) || (name && strncmp(name, "**", 2) == 0)) continue;
        double x = json_number_value(v);
        e.sum += x, e.n++;
        e.positive = e.positive && x > 0;
        if (x > 0) e.logs += log(x);
        if (x > e.high) e.high = x, e.highest = name;
        if (x < e.low) e.low = x, e.lowest = name;
    }
    return e;
}

/* The mean and both ends of each column that has numbers */
static void put_ends(struct writing *w, const json_t *figure) {
    const json_t *columns = json_object_get(figure, "columns"), *rows = json_object_get(figure, "rows");
    const char *show = text_of(figure, "show");
    bool geometric = json_is_true(json_object_get(figure, "speedups"));
    char mean[48], high[48], low[48];
    fprintf(w->out, "| | %s | highest | lowest |\n| --- | --- | --- | --- |\n", geometric ? "geometric mean" : "mean");
    for (size_t i = 1; i < json_array_size(columns); i++) {
        struct ends e = ends_of(rows, i);
        if (!e.n) continue;
        double x = geometric && e.positive ? exp(e.logs / e.n) : e.sum / e.n;
        fprintf(w->out, "| %s | %s | %s %s | %s %s |\n", json_string_value(json_array_get(columns, i)),
                number_text(mean, show, x), e.highest ? e.highest : "", number_text(high, show, e.high), e.lowest ? e.lowest : "",
                number_text(low, show, e.low));
    }
    fprintf(w->out, "\nEvery row is in [%s_tables.md](%s_tables.md).\n\n", w->name, w->name);
}

static bool put_drawing(struct writing *w, const json_t *figure) {
    const char *name = text_of(figure, "name"), *title = text_of(figure, "title");
    struct strbuf path = {0};
    struct output o;
    if (!w->folder || !text_of(figure, "drawn") || !json_array_size(json_object_get(figure, "rows"))) return true;
    strbuf_add(&path, "%s/%s_%s.svg", w->folder, w->name, name);
    bool ok = output_open(&o, path.s, w->why);
    if (ok) study_draw(figure, o.f);
    ok = ok && output_commit(&o, w->why);
    if (ok) fprintf(w->out, "![%s](%s_%s.svg)\n\n", title, w->name, name);
    strbuf_free(&path);
    return ok;
}

static bool put_figure(struct writing *w, const json_t *figure) {
    bool apart = w->apart && json_is_true(json_object_get(figure, "apart"));
    fprintf(w->out, "## %s\n\n", text_of(figure, "title"));
    if (text_of(figure, "text")) put_paragraph(w->out, text_of(figure, "text"));
    if (!put_drawing(w, figure)) return false;
    if (!apart) put_table(w->out, figure);
    else {
        put_ends(w, figure);
        fprintf(w->apart, "## %s\n\n", text_of(figure, "title"));
        put_table(w->apart, figure);
    }
    return true;
}

/* --- the whole */

static void put_absent(struct writing *w) {
    const json_t *list = json_object_get(w->doc, "absent"), *v;
    struct strbuf text = {0};
    size_t i;
    if (!json_array_size(list)) return;
    strbuf_add(&text, "Not there, and so not part of this page:");
    json_array_foreach(list, i, v) strbuf_add(&text, "%s `%s`", i ? "," : "", json_string_value(v));
    strbuf_add(&text, ".");
    put_paragraph(w->out, text.s);
    strbuf_free(&text);
}

static void put_head(struct writing *w) {
    fprintf(w->out, "# %s\n\n", text_of(w->doc, "title"));
    put_paragraph(w->out, text_of(w->doc, "made"));
    put_absent(w);
    if (text_of(w->doc, "text")) put_paragraph(w->out, text_of(w->doc, "text"));
    put_paragraph(w->out, text_of(w->doc, "rule"));
    if (!json_is_true(json_object_get(w->doc, "jitter")))
        put_paragraph(w->out, "Here runs are not repeated often enough for a jitter: intervals have the error of sampling at "
                              "most, and small differences are called what they are.");
    if (w->apart) {
        fprintf(w->apart, "# %s: the values\n\n", text_of(w->doc, "title"));
        put_paragraph(w->apart, text_of(w->doc, "made"));
    }
}

static bool put_all(struct writing *w) {
    const json_t *figure;
    bool ok = true;
    size_t i;
    put_head(w);
    put_statements(w);
    json_array_foreach(json_object_get(w->doc, "figures"), i, figure) ok = ok && put_figure(w, figure);
    return ok;
}

static bool has_apart(const json_t *doc) {
    const json_t *figure;
    size_t i;
    json_array_foreach(json_object_get(doc, "figures"), i,
                       figure) if (json_is_true(json_object_get(figure, "apart"))) return true;
    return false;
}

bool study_write(const json_t *doc, FILE *out, const char *folder, const char *name, struct strbuf *why) {
    struct writing w = {.doc = doc, .out = out, .folder = folder, .name = name, .why = why};
    struct output tables;
    struct strbuf path = {0};
    if (!folder || !has_apart(doc)) return put_all(&w);
    strbuf_add(&path, "%s/%s_tables.md", folder, name);
    bool ok = output_open(&tables, path.s, why);
    w.apart = ok ? tables.f : NULL;
    if (ok && !put_all(&w)) {
        output_abandon(&tables);
        ok = false;
    } else ok = ok && output_commit(&tables, why);
    strbuf_free(&path);
    return ok;
}
