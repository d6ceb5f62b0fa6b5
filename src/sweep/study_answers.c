/* A study's questions, asked: figures and statements as one JSON document, which study_page.c writes as
 * Markdown and the report page shows.
 *
 *   {title, made, rows: "kernels" or "programs", absent: [...], text, rule, jitter: whether there is one,
 *    statements: [{name, text, show, document: {value, half} or {above} or {below}, here: {value, half},
 *                  kernels, verdict, why}],
 *    figures: [{name, title, text, show, drawn: "bars", "stacks", "points" or absent, apart,
 *               speedups: whether 1 is no difference, columns: [name, ...], rows: [[cell, ...], ...]}]}
 *
 * A cell is null, a text or a number. The first column names its row. `show` says what a number that is no
 * integer is: a number, a share, or a gain (1.1 is +10 %). */
#include "stats/verdict.h"
#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct asking {
    struct study *s;
    struct strbuf *why;
    double factor;
};

static bool fail(struct asking *a, const char *sql) {
    study_blame(a->s, sql, sqlite3_errmsg(a->s->store->db), a->why);
    return false;
}

static void set_text(json_t *to, const char *key, const char *text) {
    if (text) json_object_set_new(to, key, json_stringn_nocheck(text, strlen(text)));
}

/* What sums, means and differences of whole numbers leave */
static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *cell(sqlite3_stmt *q, int i) {
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(q, i));
    case SQLITE_FLOAT: return number(sqlite3_column_double(q, i));
    case SQLITE_NULL: return json_null();
    default: {
        const char *text = (const char *)sqlite3_column_text(q, i);
        json_t *j = json_string(text ? text : "");
        return j ? j : json_string("?"); /* no UTF-8 */
    }
    }
}

/* --- figures */

#define ROW_NAME "program || CASE kernel WHEN '' THEN '' ELSE '/' || kernel END"

/* A column of a figure of speedups, CONFIGURATION:TITLE: NULL in rows of other configurations */
static const char *add_speedup(struct strbuf *sql, const char *column) {
    size_t n = strcspn(column, ":");
    strbuf_add(sql, "CASE WHEN configuration = ");
    store_quote(sql, column, n, '\'');
    strbuf_add(sql, " THEN speedup END");
    return column[n] ? column + n + 1 : column;
}

/* The name of the mean: of how many rows it is, and which columns have fewer */
static void add_mean_name(struct asking *a, const struct sweep_words *columns, struct strbuf *sql) {
    static const char rows[] = "count(DISTINCT program || '/' || kernel)", programs[] = "count(DISTINCT program)";
    strbuf_add(sql, "'**geometric mean (' || %s", rows);
    if (a->s->by_program) strbuf_add(sql, " || ' programs'");
    else strbuf_add(sql, " || ' kernels of ' || %s || CASE %s WHEN 1 THEN ' program' ELSE ' programs' END", programs, programs);
    strbuf_add(sql, " || coalesce('; ' || nullif(ltrim(''");
    for (u32 i = 0; i < columns->v.n; i++) {
        struct strbuf values = {0}, text = {0};
        const char *title = add_speedup(&values, columns->v.at[i]);
        strbuf_add(&text, ", %s ", title);
        strbuf_add(sql, " || CASE WHEN count(%s) = %s THEN '' ELSE ", values.s, rows);
        store_quote(sql, text.s, text.len, '\'');
        strbuf_add(sql, " || count(%s) END", values.s);
        strbuf_free(&values);
        strbuf_free(&text);
    }
    strbuf_add(sql, ", ', '), ''), '') || ')**'");
}

/* Speedups of a set: each [figure] with columns = CONFIGURATION:TITLE, ... */
static char *speedup_sql(struct asking *a, const char *figure) {
    struct sweep_words words = {0};
    struct strbuf sql = {0};
    const char *set = study_text(a->s, "figure", figure, "set");
    value_list(&words, &a->s->x.mem, study_text(a->s, "figure", figure, "columns"));
    for (u32 pass = 0; pass < 2; pass++) { /* the kernels, then their mean */
        strbuf_add(&sql, "%sSELECT * FROM (SELECT ", pass ? " UNION ALL " : "");
        if (pass) add_mean_name(a, &words, &sql);
        else strbuf_add(&sql, ROW_NAME);
        strbuf_add(&sql, " AS %s", a->s->by_program ? "program" : "kernel");
        for (u32 i = 0; i < words.v.n; i++) {
            strbuf_add(&sql, ", round(%s(", pass ? "gmean" : "max");
            const char *title = add_speedup(&sql, words.v.at[i]);
            strbuf_add(&sql, "), 5) AS ");
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

static bool add_rows(struct asking *a, const char *sql, json_t *to) {
    sqlite3_stmt *q = study_question(a->s, sql, a->why);
    json_t *columns = json_array(), *rows = json_array();
    int code = SQLITE_DONE, n = q ? sqlite3_column_count(q) : 0;
    for (int i = 0; i < n; i++) json_array_append_new(columns, json_string(sqlite3_column_name(q, i)));
    while (q && (code = sqlite3_step(q)) == SQLITE_ROW) {
        json_t *row = json_array();
        for (int i = 0; i < n; i++) json_array_append_new(row, cell(q, i));
        json_array_append_new(rows, row);
    }
    bool ok = q && (code == SQLITE_DONE || fail(a, sql));
    sqlite3_finalize(q);
    json_object_set_new(to, "columns", columns);
    json_object_set_new(to, "rows", rows);
    return ok;
}

static const char *drawn(const struct study *s, const char *figure) {
    const char *bars = study_value(s, "figure", figure, "bars", "no");
    if (strcmp(study_value(s, "figure", figure, "points", "no"), "yes") == 0) return "points";
    return strcmp(bars, "yes") == 0 ? "bars" : strcmp(bars, "stacked") == 0 ? "stacks" : NULL;
}

static bool add_figure(struct asking *a, const char *name, json_t *list) {
    const char *sql = study_text(a->s, "figure", name, "sql");
    char *made = sql ? NULL : speedup_sql(a, name);
    json_t *j = json_object();
    set_text(j, "name", name);
    set_text(j, "title", study_text(a->s, "figure", name, "title"));
    set_text(j, "text", study_text(a->s, "figure", name, "text"));
    set_text(j, "show", study_value(a->s, "figure", name, "show", "number"));
    set_text(j, "drawn", drawn(a->s, name));
    json_object_set_new(j, "speedups", json_boolean(!sql || strcmp(study_value(a->s, "figure", name, "show", ""), "gain") == 0));
    json_object_set_new(j, "apart", json_boolean(strcmp(study_value(a->s, "figure", name, "apart", "no"), "yes") == 0));
    bool ok = add_rows(a, sql ? sql : made, j);
    free(made);
    json_array_append_new(list, j);
    return ok;
}

/* --- statements */

/* A statement's value and half width: of = CONFIGURATION [over = CONFIGURATION] [set = NAME]. The interval
 * is that of `speed` with `over` in the baseline's place: its jitter where it was repeated, else the
 * baseline's */
static char *statement_sql(struct asking *a, const char *name) {
    const char *of = study_text(a->s, "statement", name, "of"), *set = study_text(a->s, "statement", name, "set");
    const char *over = study_value(a->s, "statement", name, "over", a->s->baseline);
    struct strbuf sql = {0};
    strbuf_add(&sql, "WITH t AS (SELECT k.*, jitter FROM k LEFT JOIN jitters USING(program, kernel, configuration) WHERE "
                     "repetition = 0), p AS (SELECT b.time * 1.0 / a.time AS x, coalesce(b.jitter, z.jitter, 0) AS bj, "
                     "coalesce(a.jitter, b.jitter, z.jitter, 0) AS aj, a.error / a.time AS ae, b.error / b.time AS be FROM t a "
                     "JOIN t b ON a.program = b.program AND a.kernel = b.kernel AND b.configuration = ");
    store_quote(&sql, over, strlen(over), '\'');
    strbuf_add(&sql, " LEFT JOIN t z ON z.program = a.program AND z.kernel = a.kernel AND z.configuration = ");
    store_quote(&sql, a->s->baseline, strlen(a->s->baseline), '\'');
    if (set) {
        strbuf_add(&sql, " JOIN sets s ON s.program = a.program AND s.kernel = a.kernel AND s.name = ");
        store_quote(&sql, set, strlen(set), '\'');
    }
    strbuf_add(&sql, " WHERE a.configuration = ");
    store_quote(&sql, of, strlen(of), '\'');
    strbuf_add(&sql, ") SELECT gmean(x), gmean_half(x * sqrt(aj * aj + bj * bj + ae * ae + be * be), x), count(*) FROM p");
    return sql.s;
}

/* Text that a question gives, such as the reason for a difference */
static bool add_why(struct asking *a, const char *sql, json_t *to) {
    if (!sql) return true;
    sqlite3_stmt *q = study_question(a->s, sql, a->why);
    if (!q) return false;
    int code = sqlite3_step(q);
    if (code == SQLITE_ROW) json_object_set_new(to, "why", cell(q, 0));
    bool ok = code == SQLITE_ROW || code == SQLITE_DONE || fail(a, sql);
    sqlite3_finalize(q);
    return ok;
}

static json_t *figure_json(struct figure f) {
    json_t *j = json_object();
    json_object_set_new(j, "value", number(f.value));
    json_object_set_new(j, "half", number(f.half));
    return j;
}

/* What the document says, and whether ours agrees */
static void judge(struct asking *a, const char *name, struct figure here, json_t *to) {
    const char *document = study_text(a->s, "statement", name, "document");
    for (u32 side = 0; side < 2; side++) {
        const char *bound = study_text(a->s, "statement", name, side ? "below" : "above");
        if (!bound) continue;
        json_object_set_new(to, "document", json_pack("{s:f}", side ? "below" : "above", atof(bound)));
        set_text(to, "verdict", agreement_names[verdict_side(here, atof(bound), !side)]);
        return;
    }
    struct figure theirs = {document ? atof(document) : NAN, atof(study_value(a->s, "statement", name, "half", "0.005"))};
    json_object_set_new(to, "document", figure_json(theirs));
    bool gain = strcmp(study_value(a->s, "statement", name, "show", "gain"), "gain") == 0;
    enum agreement verdict = gain ? verdict_of(here, theirs, a->factor) : verdict_amount(here, theirs, a->factor);
    set_text(to, "verdict", agreement_names[verdict]);
}

static bool add_statement(struct asking *a, const char *name, json_t *list) {
    const char *given = study_text(a->s, "statement", name, "sql");
    char *made = given ? NULL : statement_sql(a, name);
    const char *sql = given ? given : made;
    struct figure here = {NAN, 0};
    json_t *j = json_object();
    sqlite3_stmt *q = study_question(a->s, sql, a->why);
    int code = q ? sqlite3_step(q) : SQLITE_DONE;
    bool ok = q && (code == SQLITE_ROW || code == SQLITE_DONE || fail(a, sql)), row = ok && code == SQLITE_ROW;
    int type = row ? sqlite3_column_type(q, 0) : SQLITE_NULL;
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
        study_blame(a->s, sql, "a statement's figure is a number, and this gives text", a->why);
        ok = false;
    } else if (type != SQLITE_NULL)
        here = (struct figure){sqlite3_column_double(q, 0), sqlite3_column_count(q) > 1 ? sqlite3_column_double(q, 1) : 0};
    set_text(j, "name", name);
    set_text(j, "text", study_text(a->s, "statement", name, "text"));
    set_text(j, "show", study_value(a->s, "statement", name, "show", "gain"));
    json_object_set_new(j, "here", figure_json(here));
    if (row && sqlite3_column_count(q) > 2) json_object_set_new(j, "kernels", cell(q, 2));
    judge(a, name, here, j);
    sqlite3_finalize(q);
    free(made);
    ok = ok && add_why(a, study_text(a->s, "statement", name, "why"), j);
    json_array_append_new(list, j);
    return ok;
}

/* --- the whole */

/* What if_there names and was not there: the page is of less than its text may say */
static json_t *absent(const struct study *s) {
    json_t *list = json_array();
    if (s->o->quick || s->o->row) return list;
    for (u32 i = 0; i < s->x.absent.v.n; i++) json_array_append_new(list, json_string(s->x.absent.v.at[i]));
    return list;
}

/* The command that makes this page, as it can be typed where the description is */
static void add_command(const struct study *s, const char *called, struct strbuf *to) {
    const char *slash = strrchr(called, '/');
    strbuf_add(to, "`heddle study %s%s%s%s`", slash ? slash + 1 : called, s->o->quick ? " --quick" : "",
               s->o->row ? " --row " : "", s->o->row ? s->o->row : "");
}

/* Conditions may leave all runs of a program out */
static u32 programs_with_runs(const struct study *s) {
    u32 n = 0;
    for (u32 p = 0; p < s->x.programs.n; p++)
        for (u32 i = 0; i < s->plan.runs.n; i++)
            if (s->plan.runs.at[i].program == p) {
                n++;
                break;
            }
    return n;
}

static void add_head(struct asking *a, const char *called, json_t *to) {
    const struct study *s = a->s;
    struct strbuf text = {0}, rule = {0};
    strbuf_add(&text, "%s%s", study_value(s, "study", "", "title", s->x.name), s->o->quick ? " (quick)" : "");
    set_text(to, "title", text.s);
    text.len = 0;
    strbuf_add(&text, "Made by ");
    add_command(s, called, &text);
    strbuf_add(&text,
               "; do not edit. %u runs of %u programs, %u failed, %u with another output than "
               "expected; ",
               s->counts.runs, programs_with_runs(s), s->counts.failed, s->counts.wrong);
    borrow_tell(s->store, &text);
    strbuf_add(&text, ".");
    set_text(to, "made", text.s);
    set_text(to, "rows", s->by_program ? "programs" : "kernels");
    json_object_set_new(to, "absent", absent(s));
    set_text(to, "text", study_text(s, "study", "", "text"));
    verdict_rule(&rule, a->factor);
    set_text(to, "rule", rule.s);
    json_object_set_new(to, "jitter", json_boolean(s->x.repetitions >= JITTER_RUNS));
    strbuf_free(&text);
    strbuf_free(&rule);
}

static bool add_all(struct asking *a, const char *section, const char *key, bool (*add)(struct asking *, const char *, json_t *),
                    json_t *to) {
    struct sweep_words names = {0};
    json_t *list = json_array();
    bool ok = true;
    study_names(a->s, section, &names);
    for (u32 i = 0; i < names.v.n && ok; i++) ok = add(a, names.v.at[i], list);
    free(names.v.at);
    json_object_set_new(to, key, list);
    return ok;
}

json_t *study_answers(struct study *s, const char *called, struct strbuf *why) {
    struct asking a = {s, why, atof(study_value(s, "study", "", "factor", "1"))};
    json_t *j = json_object();
    add_head(&a, called, j);
    if (add_all(&a, "statement", "statements", add_statement, j) && add_all(&a, "figure", "figures", add_figure, j)) return j;
    json_decref(j);
    return NULL;
}
