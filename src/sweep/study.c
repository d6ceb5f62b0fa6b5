/* A study: an experiment with a document's statements to check (docs/sweep.md, Studies).
 *
 *   1. the experiment runs, without the configurations that a [later] names
 *   2. its results become tables of the file's connection: k, a row for each kernel and configuration; speed,
 *      each kernel's speedup over the baseline with the half width of its interval; sets, which kernels each
 *      [set] has; and a table for each [table]
 *   3. each [later] runs its configurations for the programs its question gives, and 2 is done again
 *   4. with near = yes, what lies within three times the baseline's jitter of it is repeated as the baseline
 *      was, or what [near] asks for, and 2 is done again
 *   5. figures and statements are questions to those tables; study_page.c writes them down
 *
 * How a figure is judged is stats/verdict.h's. The interval of a speedup is the baseline's jitter for both
 * sides; a configuration's own jitter takes part when the experiment repeats it (repetitions of all are
 * measured when no condition skips them, and near does not). */
#include "sweep/study.h"

#include <stdlib.h>
#include <string.h>

/* --- the description */

const char *study_text(const struct study *s, const char *section, const char *name, const char *key) {
    const char *found = NULL;
    for (u32 i = 0; i < s->x.entries.n; i++) {
        const struct sweep_entry *e = &s->x.entries.at[i];
        if (strcmp(e->section, section) || strcmp(e->name, name) || strcmp(e->key, key)) continue;
        found = found ? arena_printf((struct arena *)(uintptr_t)&s->x.mem, "%s\n%s", found, e->value) : e->value;
    }
    return found;
}

const char *study_value(const struct study *s, const char *section, const char *name, const char *key, const char *otherwise) {
    const char *text = study_text(s, section, name, key);
    return text ? text : otherwise;
}

/* The names of a kind of section, in their order, each once */
void study_names(const struct study *s, const char *section, struct sweep_words *to) {
    for (u32 i = 0; i < s->x.entries.n; i++) {
        const struct sweep_entry *e = &s->x.entries.at[i];
        bool seen = strcmp(e->section, section) != 0;
        for (u32 k = 0; k < to->v.n && !seen; k++) seen = strcmp(to->v.at[k], e->name) == 0;
        if (!seen) VEC_PUSH(&to->v, e->name);
    }
}

static bool is_configuration(const struct study *s, const char *name) {
    for (u32 i = 0; i < s->x.configurations.n; i++)
        if (strcmp(s->x.configurations.at[i].name, name) == 0) return true;
    return false;
}

/* Where a key stands: that of the section's first line without it, of nothing when there is no section */
static struct sweep_place place_of(const struct study *s, const char *section, const char *name, const char *key,
                                   struct diag *d) {
    struct sweep_place p = {s->x.file, 0, d};
    for (u32 i = 0; i < s->x.entries.n; i++) {
        const struct sweep_entry *e = &s->x.entries.at[i];
        if (strcmp(e->section, section) || strcmp(e->name, name)) continue;
        bool here = strcmp(e->key, key) == 0;
        if (!p.line || here) p.line = e->line;
        if (here) break;
    }
    return p;
}

static bool refuse(struct study *s, const char *what, const char *name, struct diag *d) {
    const struct sweep_place p = place_of(s, "study", "", "baseline", d);
    diag_error(d, p.file, strstr(what, "baseline") ? p.line : 0, 0, what, name);
    return false;
}

/* Each word of a list must be a configuration */
static bool check_list(struct study *s, const char *list, const struct sweep_place *p) {
    struct sweep_words words = {0};
    bool ok = true;
    if (list) value_list(&words, &s->x.mem, list);
    for (u32 i = 0; i < words.v.n && ok; i++) {
        size_t n = strcspn(words.v.at[i], ":");
        const char *name = arena_strdup(&s->x.mem, words.v.at[i], n);
        ok = is_configuration(s, name);
        if (!ok) diag_error(p->d, p->file, p->line, 0, "a study names the configuration \"%s\", which it does not have", name);
    }
    free(words.v.at);
    return ok;
}

static bool check_set(const struct study *s, const char *section, const char *name, struct diag *d) {
    const char *set = study_text(s, section, name, "set");
    const struct sweep_place p = place_of(s, section, name, "set", d);
    bool ok = !set || study_text(s, "set", set, "sql");
    if (!ok) diag_error(d, p.file, p.line, 0, "there is no [set %s] with a question", set);
    return ok;
}

static bool check_number(const struct study *s, const char *section, const char *name, const char *key, double low,
                         struct diag *d) {
    const char *text = study_text(s, section, name, key);
    const struct sweep_place p = place_of(s, section, name, key, d);
    double unused;
    return !text || value_number(&p, key, text, low, 1e6, &unused);
}

/* A key that is one of a few words, the first where it is not given */
static bool check_words(const struct study *s, const char *section, const char *name, const char *key, const char *const *words,
                        struct diag *d) {
    const char *text = study_text(s, section, name, key);
    struct strbuf all = {0};
    for (u32 i = 0; words[i]; i++)
        if (!text || strcmp(text, words[i]) == 0) return true;
    for (u32 i = 0; words[i]; i++) strbuf_add(&all, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
    const struct sweep_place p = place_of(s, section, name, key, d);
    diag_error(d, p.file, p.line, 0, "%s must be %s, not \"%s\"", key, all.s, text);
    strbuf_free(&all);
    return false;
}
static const char *const yes_words[] = {"no", "yes", NULL}, *const bars_words[] = {"no", "yes", "stacked", NULL},
                         *const show_words[] = {"number", "share", "gain", NULL},
                         *const rows_words[] = {"kernels", "programs", NULL};

/* A document gives a figure, or a side of one */
static bool check_claim(const struct study *s, const char *name, struct diag *d) {
    static const char *const keys[] = {"document", "above", "below"};
    const char *first = NULL;
    for (u32 i = 0; i < ARRAY_LEN(keys); i++) {
        if (!study_text(s, "statement", name, keys[i])) continue;
        const struct sweep_place p = place_of(s, "statement", name, keys[i], d);
        if (first)
            diag_error(d, p.file, p.line, 0, "[statement %s] has %s and %s; a statement has one of them", name, first, keys[i]);
        if (first) return false;
        first = keys[i];
    }
    return check_number(s, "statement", name, "document", 1e-6, d) && check_number(s, "statement", name, "half", 0, d) &&
           check_number(s, "statement", name, "above", -1e6, d) && check_number(s, "statement", name, "below", -1e6, d);
}

static bool check_table(const struct study *s, const char *name, struct diag *d) {
    static const char *const ours[] = {"k", "speed", "jitters", "sets", "runs", "kernels", "plan", "results", "attempts", "meta"};
    bool ok = *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
    for (u32 i = 0; i < ARRAY_LEN(ours); i++) ok = ok && strcmp(name, ours[i]) != 0;
    const struct sweep_place p = place_of(s, "table", name, "sql", d);
    if (!ok)
        diag_error(d, p.file, p.line, 0, "a table cannot be called \"%s\": small letters, and none of the study's own names",
                   name);
    return ok;
}

/* How long all of it takes, for lists */
static bool take_time(struct study *s, struct diag *d) {
    const char *text = study_text(s, "study", "", "takes");
    const struct sweep_place p = place_of(s, "study", "", "takes", d);
    return !text || value_seconds(&p, "takes", text, &s->seconds);
}

/* A figure is drawn in one way */
static bool check_drawing(const struct study *s, const char *name, struct diag *d) {
    bool points = strcmp(study_value(s, "figure", name, "points", "no"), "no") != 0;
    if (!points || strcmp(study_value(s, "figure", name, "bars", "no"), "no") == 0) return true;
    struct sweep_place p = place_of(s, "figure", name, "points", d);
    diag_error(d, p.file, p.line, 0, "[figure %s] has bars and points; take one, or make two figures", name);
    return false;
}

/* A statement's and a figure's other keys */
static bool check_section(const struct study *s, const char *section, const char *name, struct diag *d) {
    bool statement = strcmp(section, "statement") == 0;
    if (strcmp(section, "table") == 0) return check_table(s, name, d);
    if (!statement && strcmp(section, "figure") != 0) return true;
    const char *from = statement ? "of" : "columns";
    struct sweep_place p = place_of(s, section, name, from, d);
    if (!study_text(s, section, name, "sql") && !study_text(s, section, name, from)) {
        diag_error(d, p.file, p.line, 0, "[%s %s] has neither sql nor %s", section, name, from);
        return false;
    }
    if (!check_set(s, section, name, d) || !check_words(s, section, name, "show", show_words, d)) return false;
    if (statement) return check_claim(s, name, d);
    return check_words(s, section, name, "bars", bars_words, d) && check_words(s, section, name, "points", yes_words, d) &&
           check_words(s, section, name, "apart", yes_words, d) && check_drawing(s, name, d);
}

static bool check_study(struct study *s, struct diag *d) {
    static const struct {
        const char *section, *list, *needs;
    } kinds[] = {{"later", "configurations", "sql"}, {"figure", "columns", "title"}, {"statement", "of", "text"},
                 {"statement", "over", "text"},      {"set", "unused", "sql"},       {"table", "unused", "sql"},
                 {"near", "baselines", "sql"}};
    s->baseline = study_text(s, "study", "", "baseline");
    if (!s->baseline || !is_configuration(s, s->baseline))
        return refuse(s, "[study] needs baseline = NAME of a configuration%s", "", d);
    if (!take_time(s, d) || !check_number(s, "study", "", "factor", 1, d) || !check_words(s, "study", "", "rows", rows_words, d))
        return false;
    s->by_program = strcmp(study_value(s, "study", "", "rows", "kernels"), "programs") == 0;
    if (!s->x.near && study_text(s, "near", "", "sql")) {
        const struct sweep_place p = place_of(s, "near", "", "sql", d);
        diag_error(d, p.file, p.line, 0, "[near] needs near = yes in [repetitions]");
        return false;
    }
    for (u32 k = 0; k < ARRAY_LEN(kinds); k++) {
        struct sweep_words names = {0};
        bool ok = true;
        study_names(s, kinds[k].section, &names);
        for (u32 i = 0; i < names.v.n && ok; i++) {
            const struct sweep_place p = place_of(s, kinds[k].section, names.v.at[i], kinds[k].list, d);
            if (!study_text(s, kinds[k].section, names.v.at[i], kinds[k].needs))
                diag_error(d, p.file, p.line, 0, "[%s %s] has no %s", kinds[k].section, names.v.at[i], kinds[k].needs);
            ok = d->errors == 0 && check_list(s, study_text(s, kinds[k].section, names.v.at[i], kinds[k].list), &p) &&
                 check_section(s, kinds[k].section, names.v.at[i], d);
        }
        free(names.v.at);
        if (!ok) return false;
    }
    return true;
}

/* Tables tell programs apart by what they are called there */
static bool check_labels(struct study *s, struct diag *d) {
    for (u32 i = 0; i < s->x.programs.n; i++)
        for (u32 k = 0; k < i; k++) {
            const struct sweep_program *p = &s->x.programs.at[i], *q = &s->x.programs.at[k];
            const char *label = program_label(&s->x, p);
            if (strcmp(label, program_label(&s->x, q)) != 0) continue;
            diag_error(d, s->x.file, p->line, 0, "\"%s\" and \"%s\" are both called %s; give files a prefix in [programs]",
                       p->name, q->name, label);
            return false;
        }
    return true;
}

/* [quick]: fewer programs, another size, fewer repetitions */
static bool make_quick(struct study *s, struct diag *d) {
    const struct sweep_place place = place_of(s, "quick", "", "run", d);
    const char *run = study_text(s, "quick", "", "run"), *count = study_text(s, "quick", "", "repetitions"),
               *size = study_text(s, "quick", "", "size");
    struct sweep_words words = {0};
    u64 n = s->x.repetitions;
    if (!run) return refuse(s, "there is no [quick] with run = NAME, ...%s", "", d);
    value_list(&words, &s->x.mem, run);
    s->x.programs.n = 0;
    for (u32 i = 0; i < words.v.n; i++) program_add(&s->x, words.v.at[i], &place);
    free(words.v.at);
    if (size) experiment_sizes(&s->x, size, &place);
    if (count && value_count(&place, "repetitions", count, 1, 10000, &n)) s->x.repetitions = (u32)n;
    return d->errors == 0;
}

static void unknown_row(struct study *s, const char *row, struct diag *d) {
    const char **names = ARENA_ARRAY(&s->x.mem, const char *, MAX(s->x.programs.n, 1));
    for (u32 i = 0; i < s->x.programs.n; i++) names[i] = program_label(&s->x, &s->x.programs.at[i]);
    const char *near = text_nearest(row, names, s->x.programs.n);
    diag_error(d, s->x.file, 0, 0, "the study has no program \"%s\"%s%s%s", row, near ? "; did you mean \"" : "",
               near ? near : "", near ? "\"?" : "");
}

/* One row: the program of that name, or so called in tables */
static bool keep_row(struct study *s, const char *row, struct diag *d) {
    u32 n = 0;
    for (u32 i = 0; i < s->x.programs.n; i++) {
        const struct sweep_program *p = &s->x.programs.at[i];
        bool same = strcmp(p->name, row) == 0 || strcmp(program_label(&s->x, p), row) == 0;
        if (same) s->x.programs.at[n++] = *p;
    }
    if (!n) unknown_row(s, row, d);
    s->x.programs.n = n;
    return n > 0;
}

bool study_read(struct study *s, const char *path, const struct study_options *o, struct diag *d) {
    *s = (struct study){.o = o};
    if (!experiment_read_study(&s->x, path, d) || !check_study(s, d)) return false;
    return (!o->quick || make_quick(s, d)) && check_labels(s, d) && (!o->row || keep_row(s, o->row, d));
}

void study_free(struct study *s) {
    free(s->builds.v.at);
    plan_free(&s->plan);
    experiment_free(&s->x);
}

/* --- running */

enum study_step { STUDY_FIRST, STUDY_LATER, STUDY_NEAR }; /* each runs what the one before has, and more */

/* Which configurations wait for a question's answer */
static bool is_later(const struct study *s, const char *configuration) {
    struct sweep_words names = {0};
    bool later = false;
    study_names(s, "later", &names);
    for (u32 i = 0; i < names.v.n && !later; i++) {
        struct sweep_words list = {0};
        struct arena mem = {0};
        value_list(&list, &mem, study_value(s, "later", names.v.at[i], "configurations", ""));
        for (u32 k = 0; k < list.v.n; k++) later = later || strcmp(list.v.at[k], configuration) == 0;
        free(list.v.at);
        arena_free(&mem);
    }
    free(names.v.at);
    return later;
}

static bool word_in(const struct sweep_words *w, const char *word) {
    for (u32 i = 0; i < w->v.n; i++)
        if (strcmp(w->v.at[i], word) == 0) return true;
    return false;
}

/* The entry that a question was read from, or nothing when we made it */
static const struct sweep_entry *entry_of(const struct study *s, const char *sql) {
    for (u32 joined = 0; joined < 2; joined++) /* of several lines: the first */
        for (u32 i = 0; i < s->x.entries.n; i++) {
            const char *value = s->x.entries.at[i].value;
            if (value == sql || (joined && strncmp(value, sql, strlen(value)) == 0)) return &s->x.entries.at[i];
        }
    return NULL;
}

void study_blame(const struct study *s, const char *sql, const char *what, struct strbuf *why) {
    const struct sweep_entry *e = entry_of(s, sql);
    if (e)
        strbuf_add(why, "%s:%u: error: [%s%s%s] %s: %s", s->x.file, e->line, e->section, *e->name ? " " : "", e->name, e->key,
                   what);
    else strbuf_add(why, "%s: error: in \"%s\": %s", s->x.file, sql, what);
}

sqlite3_stmt *study_question(const struct study *s, const char *sql, struct strbuf *why) {
    struct strbuf what = {0};
    sqlite3_stmt *q = store_question(s->store, sql, &what);
    if (!q) study_blame(s, sql, what.s, why);
    strbuf_free(&what);
    return q;
}

/* How long a question is without what may stand at its end. It is one that only reads, alone, before it
 * becomes part of a statement of ours; else -1 */
static int question_length(const struct study *s, const char *question, struct strbuf *why) {
    sqlite3_stmt *q = study_question(s, question, why);
    size_t n = strlen(question);
    while (n && strchr("; \t\n", question[n - 1])) n--;
    sqlite3_finalize(q);
    return q ? (int)n : -1;
}

/* The names that a question gives, as label() makes them; `from`: what the description has of it */
static bool ask_names(struct study *s, const char *sql, const char *from, struct sweep_words *to, struct strbuf *why) {
    struct strbuf what = {0};
    sqlite3_stmt *q = store_question(s->store, sql, &what);
    int code = SQLITE_ERROR;
    while (q && (code = sqlite3_step(q)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(q, 0);
        if (text) VEC_PUSH(&to->v, arena_strdup(&s->x.mem, text, strlen(text)));
    }
    if (code != SQLITE_DONE) study_blame(s, from, what.s ? what.s : sqlite3_errmsg(s->store->db), why);
    sqlite3_finalize(q);
    strbuf_free(&what);
    return code == SQLITE_DONE;
}

/* Kernels that no set has are not judged. What only sampling makes uncertain is not known better by repeating
 * it: only jitter counts here, of both sides. */
static const char near_baseline[] = "SELECT program, configuration FROM speed WHERE near(speedup, speedup * "
                                    "jitter * sqrt(2)) AND (NOT EXISTS (SELECT 1 FROM sets) OR EXISTS (SELECT 1 FROM sets t "
                                    "WHERE t.program = speed.program AND t.kernel = speed.kernel))";

/* What is to be repeated, PROGRAM/CONFIGURATION: by [near]'s question, or by ours */
static bool ask_near(struct study *s, struct sweep_words *to, struct strbuf *why) {
    const char *question = study_value(s, "near", "", "sql", near_baseline);
    int n = question_length(s, question, why);
    if (n < 0) return false;
    const char *sql = arena_printf(&s->x.mem, "SELECT DISTINCT program || '/' || configuration FROM (%.*s\n)", n, question);
    return ask_names(s, sql, question, to, why);
}

/* Whether all programs are repeated with it */
static bool is_baseline(struct study *s, const char *configuration) {
    struct sweep_words list = {0};
    value_list(&list, &s->x.mem, study_value(s, "near", "", "baselines", s->baseline));
    bool yes = strcmp(configuration, s->baseline) == 0 || word_in(&list, configuration);
    free(list.v.at);
    return yes;
}

/* Whether a run waits for its unperturbed one to be found near the baseline; `near`: PROGRAM/CONFIGURATION */
static bool waits_for_near(struct study *s, const struct sweep_run *r, const struct sweep_words *near) {
    if (!s->x.near || !r->repetition || is_baseline(s, r->configuration)) return false;
    return !word_in(near,
                    arena_printf(&s->x.mem, "%s/%s", program_label(&s->x, &s->x.programs.at[r->program]), r->configuration));
}

/* The runs of configurations that need no answer, and of those whose answer there is */
static bool choose_runs(struct study *s, const struct plan *all, enum study_step step, struct plan *some) {
    struct sweep_words laters = {0}, near = {0};
    struct strbuf why = {0};
    study_names(s, "later", &laters);
    if (step == STUDY_NEAR) ask_near(s, &near, &why);
    *some = (struct plan){.x = all->x};
    for (u32 i = 0; i < all->runs.n; i++)
        if (!is_later(s, all->runs.at[i].configuration) && !waits_for_near(s, &all->runs.at[i], &near))
            VEC_PUSH(&some->runs, all->runs.at[i]);
    for (u32 l = 0; step > STUDY_FIRST && l < laters.v.n; l++) {
        struct sweep_words programs = {0}, list = {0};
        value_list(&list, &s->x.mem, study_value(s, "later", laters.v.at[l], "configurations", ""));
        const char *question = study_value(s, "later", laters.v.at[l], "sql", "");
        ask_names(s, question, question, &programs, &why);
        for (u32 i = 0; i < all->runs.n; i++) {
            const struct sweep_run *r = &all->runs.at[i];
            if (word_in(&list, r->configuration) && word_in(&programs, program_label(&s->x, &s->x.programs.at[r->program])) &&
                !waits_for_near(s, r, &near))
                VEC_PUSH(&some->runs, *r);
        }
        free(programs.v.at);
        free(list.v.at);
    }
    free(near.v.at);
    bool ok = !why.len;
    if (!ok) fprintf(stderr, "heddle study: %s\n", why.s);
    strbuf_free(&why);
    free(laters.v.at);
    plan_find_same(some);
    return ok;
}

/* [set NAME]: the kernels that its question gives */
static bool make_set(struct study *s, const char *name, const char *question, struct strbuf *why) {
    struct strbuf sql = {0};
    sqlite3_stmt *q = NULL;
    int n = question_length(s, question, why);
    if (n < 0) return false;
    strbuf_add(&sql, "INSERT INTO sets SELECT ?, program, kernel FROM (%.*s\n)", n, question);
    bool ok = sqlite3_prepare_v2(s->store->db, sql.s, -1, &q, NULL) == SQLITE_OK;
    ok = ok && sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(q) == SQLITE_DONE;
    if (!ok) study_blame(s, question, sqlite3_errmsg(s->store->db), why);
    sqlite3_finalize(q);
    strbuf_free(&sql);
    return ok;
}

/* [table NAME]: its question's answer under that name, for the questions below it */
static bool make_table(struct study *s, const char *name, const char *question, struct strbuf *why) {
    struct strbuf sql = {0};
    int n = question_length(s, question, why);
    if (n < 0) return false;
    strbuf_add(&sql, "DROP TABLE IF EXISTS temp.");
    store_quote(&sql, name, strlen(name), '"');
    strbuf_add(&sql, "; CREATE TEMP TABLE ");
    store_quote(&sql, name, strlen(name), '"');
    strbuf_add(&sql, " AS %.*s", n, question);
    bool ok = store_do(s->store, sql.s);
    if (!ok) study_blame(s, question, sqlite3_errmsg(s->store->db), why);
    strbuf_free(&sql);
    return ok;
}

/* Each section of a kind, in their order */
static bool make_each(struct study *s, const char *section,
                      bool (*make)(struct study *, const char *, const char *, struct strbuf *), struct strbuf *why) {
    struct sweep_words names = {0};
    bool ok = true;
    study_names(s, section, &names);
    for (u32 i = 0; i < names.v.n && ok; i++) ok = make(s, names.v.at[i], study_text(s, section, names.v.at[i], "sql"), why);
    free(names.v.at);
    return ok;
}

/* All columns of a row but those that `k` has of its own; whether a run was ever timed in part */
static bool row_columns(struct study *s, struct strbuf *to) {
    sqlite3_stmt *q;
    bool estimated = false;
    const char *sql = s->by_program ? "SELECT name FROM pragma_table_info('runs') WHERE name NOT IN ('program', 'size')"
                                    : "SELECT name FROM pragma_table_info('kernels') WHERE name <> 'name'";
    if (!store_prepare(s->store, sql, &q)) return false;
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 0);
        strbuf_add(to, ", n.");
        store_quote(to, name, strlen(name), '"');
        estimated = estimated || strcmp(name, "estimate_cycles") == 0;
    }
    sqlite3_finalize(q);
    return estimated;
}

/* `time` and `error`: cycles of the whole, and the half width of their interval where they are estimated;
 * as much as all of them where too little was timed to know it. Where all configurations time the same blocks
 * of a program (max-warp-instructions) it is the cycles of these: what an estimate would add is not known
 * better. `measure`: the program's options; of whole programs it is among the other columns */
#define EQUAL_WORK "instr(r.measure, 'max-warp-instructions=') > 0"
static const char measured[] = ", n.cycles AS time, 0 AS error",
                  partly[] = ", CASE WHEN " EQUAL_WORK " THEN n.cycles ELSE coalesce(n.estimate_cycles, n.cycles) END AS time, "
                             "CASE WHEN " EQUAL_WORK " OR n.estimate_cycles IS NULL THEN 0 ELSE "
                             "coalesce(n.estimate_half_width, n.estimate_cycles) END AS error",
                  options[] = ", r.measure AS measure";

static bool make_tables(struct study *s, struct strbuf *why) {
    struct strbuf sql = {0}, columns = {0}, baseline = {0};
    bool estimated = row_columns(s, &columns);
    store_quote(&baseline, s->baseline, strlen(s->baseline), '\'');
    strbuf_add(
        &sql,
        "DROP TABLE IF EXISTS temp.k; DROP TABLE IF EXISTS temp.jitters; DROP TABLE IF EXISTS temp.speed; DROP TABLE IF EXISTS "
        "temp.sets;"
        "CREATE TEMP TABLE k AS SELECT label(p.program) AS program, p.size AS size, p.configuration AS configuration, "
        "p.repetition AS repetition, %s AS kernel%s%s%s FROM plan p JOIN runs r ON r.run_hash = p.run_hash JOIN %s n ON "
        "n.run_hash = p.run_hash WHERE time > 0;"
        "CREATE INDEX temp.k_by_name ON k(program, kernel, configuration, repetition);"
        "CREATE TEMP TABLE jitters AS SELECT program, kernel, configuration, jitter(time) AS jitter FROM k GROUP BY 1, 2, 3;"
        "CREATE TEMP TABLE speed AS SELECT c.program AS program, c.kernel AS kernel, c.configuration AS configuration, "
        "b.time * 1.0 / c.time AS speedup, b.time * 1.0 / c.time * sqrt(pow(coalesce(j.jitter, 0), 2) + "
        "pow(coalesce(i.jitter, j.jitter, 0), 2) + pow(b.error / b.time, 2) + pow(c.error / c.time, 2)) AS half, j.jitter AS "
        "jitter FROM k c JOIN k b ON b.program = c.program AND "
        "b.kernel = c.kernel AND b.configuration = %s AND b.repetition = 0 LEFT JOIN jitters j ON j.program = b.program AND "
        "j.kernel = b.kernel AND j.configuration = b.configuration LEFT JOIN jitters i ON i.program = c.program AND i.kernel = "
        "c.kernel AND i.configuration = c.configuration WHERE c.repetition = 0;"
        "CREATE TEMP TABLE sets(name, program, kernel);",
        s->by_program ? "''" : "n.name", columns.s ? columns.s : "", estimated ? partly : measured, s->by_program ? "" : options,
        s->by_program ? "runs" : "kernels", baseline.s);
    bool ok = store_do(s->store, sql.s) || (strbuf_add(why, "error: %s", store_why(s->store)), false);
    ok = ok && make_each(s, "set", make_set, why) && make_each(s, "table", make_table, why);
    strbuf_free(&baseline);
    strbuf_free(&sql);
    strbuf_free(&columns);
    return ok;
}

static int run_some(struct study *s, const struct plan *all, enum study_step step) {
    struct plan some;
    bool chosen = choose_runs(s, all, step, &some);
    bool planned = chosen && borrow_runs(&some, s->store, &s->builds) && store_plan(s->store, &some);
    int status = planned ? pool_run(&some, s->store, &s->o->sweep, &s->counts) : -1;
    if (chosen && !planned) fprintf(stderr, "heddle study: error: %s\n", store_why(s->store));
    plan_free(&s->plan);
    s->plan = some;
    struct strbuf why = {0};
    if (!status && !store_aggregates(s->store, &s->x)) strbuf_add(&why, "error: %s", store_why(s->store));
    if (!status && !why.len) make_tables(s, &why);
    if (why.len) {
        fprintf(stderr, "heddle study: %s\n", why.s);
        status = -1;
    }
    strbuf_free(&why);
    return status;
}

static bool know_builds(struct study *s) {
    struct strbuf why = {0};
    if (s->o->builds) value_list(&s->builds, &s->x.mem, s->o->builds);
    bool ok = borrow_check(s->store, &s->builds, &why);
    if (!ok) fprintf(stderr, "heddle study: error: %s\n", why.s);
    strbuf_free(&why);
    return ok;
}

int study_run(struct study *s, struct store *store, struct diag *d) {
    struct plan all;
    struct sweep_words laters = {0};
    s->store = store;
    if (!know_builds(s)) return -1;
    if (!plan_make(&all, &s->x, d)) {
        plan_free(&all);
        return -1;
    }
    int status = run_some(s, &all, STUDY_FIRST);
    study_names(s, "later", &laters);
    if (!status && laters.v.n) status = run_some(s, &all, STUDY_LATER);
    if (!status && s->x.near) status = run_some(s, &all, STUDY_NEAR);
    free(laters.v.at);
    plan_free(&all);
    return status;
}
