/* A study as a page of Markdown: what was run, the rule by which figures are judged, the document's
 * statements with ours and the verdict, then the figures as tables, those that ask for it drawn as bars
 * beside the page. */
#include "stats/verdict.h"
#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 110, MOST_SERIES = 16 };

struct writing {
    struct study *s;
    FILE *out;
    const char *folder, *name;
    struct strbuf *why;
    double factor;
};

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

static bool fail(struct writing *w, const char *sql) {
    study_blame(w->s, sql, sqlite3_errmsg(w->s->store->db), w->why);
    return false;
}

/* --- questions */

/* Speedups of a set: each [figure] with columns = CONFIGURATION:TITLE, ... */
static char *speedup_sql(struct writing *w, const char *figure) {
    struct sweep_words words = {0};
    struct strbuf sql = {0};
    const char *set = study_text(w->s, "figure", figure, "set");
    value_list(&words, &w->s->x.mem, study_text(w->s, "figure", figure, "columns"));
    for (u32 pass = 0; pass < 2; pass++) { /* the kernels, then their mean */
        strbuf_add(&sql, "%s %s AS kernel", pass ? " UNION ALL SELECT * FROM (SELECT" : "SELECT * FROM (SELECT",
                   pass ? "'**geometric mean (' || count(DISTINCT program || '/' || kernel) || ')**'"
                        : "program || '/' || kernel");
        for (u32 i = 0; i < words.v.n; i++) {
            const char *colon = strchr(words.v.at[i], ':');
            size_t n = colon ? (size_t)(colon - words.v.at[i]) : strlen(words.v.at[i]);
            const char *title = colon ? colon + 1 : words.v.at[i];
            strbuf_add(&sql, ", round(%s(CASE WHEN configuration = ", pass ? "gmean" : "max");
            store_quote(&sql, words.v.at[i], n, '\'');
            strbuf_add(&sql, " THEN speedup END), 3) AS ");
            store_quote(&sql, title, strlen(title), '"');
        }
        strbuf_add(&sql, " FROM speed");
        if (set) {
            strbuf_add(&sql, " NATURAL JOIN (SELECT program, kernel FROM sets WHERE name = ");
            store_quote(&sql, set, strlen(set), '\'');
            strbuf_add(&sql, ")");
        }
        strbuf_add(&sql, "%s)", pass ? "" : " GROUP BY program, kernel ORDER BY program, kernel");
    }
    free(words.v.at);
    return sql.s;
}

/* A statement's value and half width: of = CONFIGURATION [over = CONFIGURATION] [set = NAME] */
static char *statement_sql(struct writing *w, const char *name) {
    const char *of = study_text(w->s, "statement", name, "of"), *set = study_text(w->s, "statement", name, "set");
    const char *over = study_value(w->s, "statement", name, "over", w->s->baseline);
    struct strbuf sql = {0};
    strbuf_add(&sql,
               "SELECT gmean(a.speedup / b.speedup), gmean_half(a.half / b.speedup, a.speedup / b.speedup), count(*) FROM speed "
               "a JOIN speed b ON "
               "a.program = b.program AND a.kernel = b.kernel AND a.configuration = ");
    store_quote(&sql, of, strlen(of), '\'');
    strbuf_add(&sql, " AND b.configuration = ");
    store_quote(&sql, over, strlen(over), '\'');
    if (!set) return sql.s;
    strbuf_add(&sql, " JOIN sets s ON s.program = a.program AND s.kernel = a.kernel AND s.name = ");
    store_quote(&sql, set, strlen(set), '\'');
    return sql.s;
}

/* --- statements */

static char *percent(char to[48], double value, double half) {
    if (!isfinite(value)) snprintf(to, 48, "-");
    else if (half > 0) snprintf(to, 48, "%+.1f ± %.1f %%", 100 * (value - 1), 100 * half);
    else snprintf(to, 48, "%+.1f %%", 100 * (value - 1));
    return to;
}

/* Text that a question gives, such as the reason for a difference */
static bool put_why(struct writing *w, const char *sql) {
    if (!sql) return true;
    sqlite3_stmt *q = study_question(w->s, sql, w->why);
    if (!q) return false;
    int code = sqlite3_step(q);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    put_cell(w->out, text ? text : "");
    bool ok = code == SQLITE_ROW || code == SQLITE_DONE || fail(w, sql);
    sqlite3_finalize(q);
    return ok;
}

static bool put_statement(struct writing *w, const char *name) {
    struct study *s = w->s;
    const char *given = study_text(s, "statement", name, "sql");
    char *made = given ? NULL : statement_sql(w, name), ours[48], theirs[48];
    struct figure document = {atof(study_value(s, "statement", name, "document", "nan")),
                              atof(study_value(s, "statement", name, "half", "0.005"))};
    struct figure here = {NAN, 0};
    sqlite3_stmt *q = study_question(s, given ? given : made, w->why);
    bool ok = q != NULL;
    int code = ok ? sqlite3_step(q) : SQLITE_DONE;
    ok = ok && (code == SQLITE_ROW || code == SQLITE_DONE || fail(w, given ? given : made));
    if (ok && code == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL)
        here = (struct figure){sqlite3_column_double(q, 0), sqlite3_column_count(q) > 1 ? sqlite3_column_double(q, 1) : 0};
    i64 of = ok && sqlite3_column_count(q) > 2 ? sqlite3_column_int64(q, 2) : -1;
    if (ok) {
        fputs("| ", w->out);
        put_cell(w->out, study_text(s, "statement", name, "text"));
        fprintf(w->out, " | %s | %s | ", percent(theirs, document.value, document.half), percent(ours, here.value, here.half));
        if (of >= 0) fprintf(w->out, "%lld", (long long)of);
        fprintf(w->out, " | %s | ", agreement_names[verdict_of(here, document, w->factor)]);
        ok = put_why(w, study_text(s, "statement", name, "why"));
        fputs(" |\n", w->out);
    }
    sqlite3_finalize(q);
    free(made);
    return ok;
}

static bool put_statements(struct writing *w) {
    struct sweep_words names = {0};
    bool ok = true;
    study_names(w->s, "statement", &names);
    if (names.v.n)
        fputs("## What the document says, and what we find\n\n| statement | document | here | kernels | verdict | from the "
              "counters |\n| --- | --- | --- | --- | --- | --- |\n",
              w->out);
    for (u32 i = 0; i < names.v.n && ok; i++) ok = put_statement(w, names.v.at[i]);
    fputc('\n', w->out);
    free(names.v.at);
    return ok;
}

/* --- figures */

struct bars { /* a table's numbers, as it is written */
    VEC(char *) names;
    VEC(double) at; /* row by row */
    u32 series;
    const char *titles[MOST_SERIES];
};

/* Grouped bars, a group for each row; those beyond the scale have their number on top */
static void draw(FILE *out, const struct bars *b, const char *title) {
    static const char *const colours[] = {"#8fa8c8", "#c9a66b", "#9bbf8f", "#d08a6a", "#6b8fbf", "#b5483a", "#a58fbf", "#b0b7c3"};
    const double left = 60, top = 52, height = 220, bar = 7, gap = 12, most_shown = 3;
    double wide = b->series * bar + gap, most = 1.2;
    for (u32 i = 0; i < b->at.n; i++)
        if (b->at.at[i] > most) most = b->at.at[i];
    most = MIN(most, most_shown);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n",
        left + b->names.n * wide + 20, top + height + 120);
    fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"10\" y=\"18\" font-size=\"14\">%s</text>\n",
            title);
    for (u32 i = 0; i < b->series; i++)
        fprintf(out, "<rect x=\"%.0f\" y=\"28\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%.0f\" y=\"37\">%s</text>\n",
                left + i * 105, colours[i % ARRAY_LEN(colours)], left + i * 105 + 14, b->titles[i]);
    for (double v = 0; v <= most; v += 0.5)
        fprintf(out,
                "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%.0f\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                left, left + b->names.n * wide, top + height - v / most * height, top + height - v / most * height, left - 6,
                top + height - v / most * height + 4, v);
    for (u32 g = 0; g < b->names.n; g++) {
        for (u32 i = 0; i < b->series; i++) {
            double v = b->at.at[g * b->series + i], h = MIN(v, most) / most * height, x = left + g * wide + gap / 2 + i * bar;
            if (!(v > 0)) continue;
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"%s\"/>\n", x, top + height - h,
                    bar - 1, h, colours[i % ARRAY_LEN(colours)]);
            if (v > most)
                fprintf(out, "<text x=\"%.1f\" y=\"%.0f\" font-size=\"9\" text-anchor=\"middle\">%.1f</text>\n", x + 3, top - 3,
                        v);
        }
        fprintf(out, "<text transform=\"translate(%.1f,%.0f) rotate(-50)\" text-anchor=\"end\">%s</text>\n",
                left + g * wide + wide / 2, top + height + 12, b->names.at[g]);
    }
    fprintf(out, "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"black\" stroke-dasharray=\"4\"/>\n</svg>\n",
            left, left + b->names.n * wide, top + height - height / most, top + height - height / most);
}

/* Names are ours or files'; a drawing is markup */
static char *safe_name(const char *text) {
    char *name = strdup(text ? text : "");
    for (char *at = name; *at; at++)
        if (strchr("<>&\"*", *at)) *at = ' ';
    return name;
}

static bool write_bars(struct writing *w, const struct bars *b, const char *figure, const char *title) {
    struct strbuf path = {0};
    struct output o;
    strbuf_add(&path, "%s/%s_%s.svg", w->folder, w->name, figure);
    bool ok = output_open(&o, path.s, w->why);
    if (ok) draw(o.f, b, title);
    ok = ok && output_commit(&o, w->why);
    if (ok) fprintf(w->out, "\n![%s](%s_%s.svg)\n", title, w->name, figure);
    strbuf_free(&path);
    return ok;
}

static void put_row(struct writing *w, sqlite3_stmt *q, struct bars *b) {
    int n = sqlite3_column_count(q);
    fputs("|", w->out);
    for (int i = 0; i < n; i++) {
        char number[40];
        const char *text = (const char *)sqlite3_column_text(q, i);
        if (sqlite3_column_type(q, i) == SQLITE_FLOAT) {
            snprintf(number, sizeof(number), "%.3f", sqlite3_column_double(q, i));
            text = number;
        }
        fputc(' ', w->out);
        put_cell(w->out, text ? text : "-");
        fputs(" |", w->out);
        if (i && (u32)i <= b->series) VEC_PUSH(&b->at, sqlite3_column_double(q, i));
    }
    VEC_PUSH(&b->names, safe_name((const char *)sqlite3_column_text(q, 0)));
    fputc('\n', w->out);
}

static bool put_table(struct writing *w, const char *figure, const char *sql) {
    struct bars b = {0};
    int code;
    sqlite3_stmt *q = study_question(w->s, sql, w->why);
    if (!q) return false;
    int n = sqlite3_column_count(q);
    b.series = (u32)MIN(n - 1, MOST_SERIES);
    fputs("|", w->out);
    for (int i = 0; i < n; i++) {
        fprintf(w->out, " %s |", sqlite3_column_name(q, i));
        if (i && (u32)i <= b.series) b.titles[i - 1] = safe_name(sqlite3_column_name(q, i));
    }
    fputs("\n|", w->out);
    for (int i = 0; i < n; i++) fputs(" --- |", w->out);
    fputc('\n', w->out);
    while ((code = sqlite3_step(q)) == SQLITE_ROW) put_row(w, q, &b);
    bool ok = code == SQLITE_DONE || fail(w, sql);
    sqlite3_finalize(q);
    if (ok && w->folder && b.names.n && strcmp(study_value(w->s, "figure", figure, "bars", "no"), "yes") == 0)
        ok = write_bars(w, &b, figure, study_text(w->s, "figure", figure, "title"));
    for (u32 i = 0; i < b.names.n; i++) free(b.names.at[i]);
    for (u32 i = 0; i < b.series; i++) free((char *)(uintptr_t)b.titles[i]);
    free(b.names.at);
    free(b.at.at);
    fputc('\n', w->out);
    return ok;
}

static bool put_figure(struct writing *w, const char *name) {
    const char *sql = study_text(w->s, "figure", name, "sql");
    fprintf(w->out, "## %s\n\n", study_text(w->s, "figure", name, "title"));
    if (study_text(w->s, "figure", name, "text")) put_paragraph(w->out, study_text(w->s, "figure", name, "text"));
    char *made = sql ? NULL : speedup_sql(w, name);
    bool ok = put_table(w, name, sql ? sql : made);
    free(made);
    return ok;
}

/* --- the whole */

/* What if_there names and was not there: the page is of less than its text may say */
static void put_absent(struct writing *w) {
    const struct sweep_words *absent = &w->s->x.absent;
    struct strbuf text = {0};
    if (!absent->v.n || w->s->o->quick || w->s->o->row) return;
    strbuf_add(&text, "Not there, and so not part of this page:");
    for (u32 i = 0; i < absent->v.n; i++) strbuf_add(&text, "%s `%s`", i ? "," : "", absent->v.at[i]);
    strbuf_add(&text, ".");
    put_paragraph(w->out, text.s);
    strbuf_free(&text);
}

static void put_head(struct writing *w) {
    const struct study *s = w->s;
    struct strbuf rule = {0}, made = {0};
    fprintf(w->out, "# %s%s\n\n", study_value(s, "study", "", "title", s->x.name), s->o->quick ? " (quick)" : "");
    strbuf_add(&made,
               "Made by `heddle study %s`%s; do not edit. %u runs of %u programs, %u failed, %u with another output than "
               "expected; heddle %s.",
               w->name, s->o->row ? " for one row" : "", s->counts.runs, s->x.programs.n, s->counts.failed, s->counts.wrong,
               build_commit());
    put_paragraph(w->out, made.s);
    put_absent(w);
    if (study_text(s, "study", "", "text")) put_paragraph(w->out, study_text(s, "study", "", "text"));
    verdict_rule(&rule, w->factor);
    put_paragraph(w->out, rule.s);
    if (s->x.repetitions < JITTER_RUNS)
        put_paragraph(w->out, "Here runs are not repeated often enough for a jitter: intervals are zero, and small differences "
                              "are called what they are.");
    strbuf_free(&rule);
    strbuf_free(&made);
}

bool study_write(struct study *s, FILE *out, const char *folder, const char *name, struct strbuf *why) {
    struct writing w = {.s = s,
                        .out = out,
                        .folder = folder,
                        .name = name,
                        .why = why,
                        .factor = atof(study_value(s, "study", "", "factor", "1"))};
    struct sweep_words figures = {0};
    put_head(&w);
    bool ok = put_statements(&w);
    study_names(s, "figure", &figures);
    for (u32 i = 0; i < figures.v.n && ok; i++) ok = put_figure(&w, figures.v.at[i]);
    free(figures.v.at);
    return ok;
}
