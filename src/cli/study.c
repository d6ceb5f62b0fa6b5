/* heddle study: a document's figures and statements, run from a description and written as a page. */
#include "sweep/study.h"
#include "cli/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void unknown_study(const struct cli_line *line, const char *name) {
    struct study_list l = study_list();
    struct strbuf all = {0};
    const char **names = ARENA_ARRAY(&l.mem, const char *, MAX(l.n, 1));
    for (u32 i = 0; i < l.n; i++) {
        names[i] = l.at[i].name;
        strbuf_add(&all, "%s%s", i ? ", " : "", l.at[i].name);
    }
    const char *near = text_nearest(name, names, l.n);
    if (near) cli_error(line->command, "no study \"%s\"; did you mean \"%s\"?", name, near);
    else
        cli_error(line->command, "no study \"%s\"; studies are %s, or a file, whose name has a dot", name,
                  all.len ? all.s : "not found (HEDDLE_DATA)");
    strbuf_free(&all);
    study_list_free(&l);
}

/* A bundled name, or a file; NULL after an error. Free it. */
static char *description_of(const struct cli_line *line, const char *name) {
    bool file = strchr(name, '.') || strchr(name, '/');
    char *data = data_dir("studies");
    struct strbuf path = {0};
    if (file) strbuf_add(&path, "%s", name);
    else strbuf_add(&path, "%s/studies/%s.ini", data ? data : "", name);
    free(data);
    if (access(path.s, R_OK) == 0) return path.s;
    if (file) cli_error(line->command, "cannot read the study \"%s\": %s", name, strerror(errno));
    else unknown_study(line, name);
    strbuf_free(&path);
    return NULL;
}

static char *stem_of(const char *path, bool quick) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    struct strbuf s = {0};
    strbuf_add(&s, "%.*s%s", (int)strcspn(base, "."), base, quick ? "-quick" : "");
    return s.s;
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The page of one row goes to standard output, unless something else does */
static bool is_printed(const struct study *s, const struct cli_outputs *outputs) { return s->o->row && !outputs->stdout_taken; }

static const char *page_folder(const struct study *s, const struct cli_line *line) {
    const char *folder = cli_value(line, "out");
    return folder ? folder : !s->o->quick && is_folder("docs/studies") ? "docs/studies" : ".";
}

/* Before anything runs: runs take hours, and a page that cannot be written then comes too late */
static bool page_ready(const struct study *s, const struct cli_line *line, const struct cli_outputs *outputs) {
    const char *folder = page_folder(s, line);
    if (is_printed(s, outputs)) {
        if (cli_has(line, "out")) cli_error(line->command, "--out does nothing with --row, whose figures go to standard output");
        return !cli_has(line, "out");
    }
    bool writable = access(folder, W_OK) == 0;
    if (writable && is_folder(folder)) return true;
    cli_error(line->command, "%s%s: cannot write the page there: %s", cli_has(line, "out") ? "--out: " : "", folder,
              strerror(writable ? ENOTDIR : errno));
    return false;
}

/* Into a folder, or to standard output */
static bool write_page(const struct study *s, const json_t *answers, const struct cli_line *line, const char *name, bool here) {
    const char *folder = page_folder(s, line);
    struct strbuf path = {0}, why = {0};
    struct output o;
    if (here) strbuf_add(&path, "-");
    else strbuf_add(&path, "%s/%s.md", folder, name);
    bool ok = output_open(&o, path.s, &why);
    if (ok && !study_write(answers, o.f, here ? NULL : folder, name, &why)) {
        output_abandon(&o);
        ok = false;
    } else ok = ok && output_commit(&o, &why);
    if (!ok) cli_error(line->command, "%s", why.s);
    else if (!here && !cli_has(line, "quiet")) printf("%s\n", path.s);
    strbuf_free(&path);
    strbuf_free(&why);
    return ok;
}

static bool write_all(struct study *s, const struct cli_line *line, const char *name, struct cli_outputs *outputs) {
    struct strbuf why = {0};
    json_t *answers = study_answers(s, line->operands.at[0], &why), *doc = NULL;
    bool ok = answers != NULL;
    if (!ok) cli_error(line->command, "%s", why.s);
    ok = ok && write_page(s, answers, line, name, is_printed(s, outputs));
    if (ok) doc = json_pack("{s:O}", "study", answers);
    ok = ok && html_write_runs(outputs, line, &s->plan, s->store, doc) && outputs_commit(outputs, "html");
    json_decref(doc);
    json_decref(answers);
    strbuf_free(&why);
    return ok;
}

static int run_in(struct study *s, const struct cli_line *line, const char *name, struct store *store,
                  struct cli_outputs *outputs) {
    struct diag d = {0};
    int status = study_run(s, store, &d);
    if (d.text.s) fputs(d.text.s, stderr);
    diag_free(&d);
    if (status == 0 && stop_asked()) status = 1;
    stop_watch(false);
    if (status > 0) {
        fprintf(stderr, "heddle study: %s; the same command goes on from here\n", stop_name());
        return stop_exit_code();
    }
    if (status < 0 || !write_all(s, line, name, outputs)) return EXIT_USER;
    return s->counts.failed || s->counts.wrong ? EXIT_DIFFERS : EXIT_OK;
}

/* Not over the description, nor over the database and what belongs to it */
static bool open_outputs(struct study *s, const struct cli_line *line, const char *database, struct cli_outputs *to) {
    static const char *const names[] = {"html"};
    struct sweep_words inputs = {0};
    VEC_PUSH(&inputs.v, s->x.file);
    store_files(database, &s->x.mem, &inputs);
    bool ok = html_ready(line) && outputs_open(to, line, names, ARRAY_LEN(names), inputs.v.at, inputs.v.n);
    free(inputs.v.at);
    return ok;
}

static int run_locked(struct study *s, const struct cli_line *line, const char *name, const char *database,
                      struct cli_outputs *outputs) {
    struct sweep_lock lock = {.fd = -1};
    struct strbuf why = {0};
    struct store *store = NULL;
    int code = EXIT_USER;
    stop_watch(true); /* from before the lock is had: whoever sees this study at work can end it in order */
    bool locked = lock_take(&lock, database, cli_has(line, "wait"), stop_asked, &why);
    if (locked) store = store_open(database, STORE_WRITE, &why);
    if (store) code = run_in(s, line, name, store, outputs);
    else if (stop_asked()) code = stop_exit_code();
    else cli_error(line->command, "%s", why.s);
    store_close(store);
    lock_release(&lock);
    strbuf_free(&why);
    return code;
}

static int run_with(struct study *s, const struct cli_line *line, const char *name) {
    struct cli_outputs outputs = {0};
    struct strbuf database = {0};
    if (cli_has(line, "database")) strbuf_add(&database, "%s", cli_value(line, "database"));
    else strbuf_add(&database, "study-%s.db", name);
    bool ready = open_outputs(s, line, database.s, &outputs) && page_ready(s, line, &outputs);
    int code = ready ? run_locked(s, line, name, database.s, &outputs) : EXIT_USER;
    outputs_close(&outputs);
    strbuf_free(&database);
    return code;
}

static int run_study(const struct cli_line *line) {
    struct study_options o = {
        .quick = cli_has(line, "quick"), .row = cli_value(line, "row"), .builds = cli_value(line, "builds")};
    struct study s;
    struct diag d = {0};
    char *path = description_of(line, line->operands.at[0]);
    if (!path) return EXIT_USER;
    o.sweep = (struct sweep_options){.retry = cli_has(line, "retry"), .quiet = cli_has(line, "quiet"), .stop = stop_asked};
    bool ok = study_read(&s, path, &o, &d);
    if (d.text.s) fputs(d.text.s, stderr);
    char *name = stem_of(path, o.quick);
    int code = ok ? run_with(&s, line, name) : EXIT_USER;
    study_free(&s);
    diag_free(&d);
    free(name);
    free(path);
    return code;
}

static const struct cli_option options[] = {
    {"quick", NULL, "a few programs only, in about two minutes; the page is NAME-quick.md"},
    {"row", "PROGRAM", "one program of the study; its figures go to standard output"},
    {"out", "DIR", "where the page and its drawings go (default docs/studies where there is one, else here)"},
    HTML_OPTION,
    {"database", "FILE", "where results are kept, so that a second call makes only what is missing (default study-NAME.db)"},
    {"builds", "LIST",
     "runs that these builds of heddle have made count as well, the first's before the next's: for who knows that no "
     "counter of theirs has changed since; the page says whose runs it has"},
    {"retry", NULL, "run again what has failed"},
    {"wait", NULL, "when another study or sweep fills the same database, wait for it instead of giving up"},
    {"quiet", NULL, "no progress", 'q'},
    {NULL, NULL, NULL},
};
const struct cli_command cli_study = {
    .name = "study",
    .doc = "reproduce a document's figures and check its statements, into a page",
    .usage = "NAME|FILE.ini [OPTIONS]",
    .details =
        "A study is a description: programs, configurations, figures and statements (docs/sweep.md, Studies). Runs are kept as\n"
        "those of a sweep and are not repeated. \"heddle list studies\" has the bundled ones.",
    .example = "heddle study mascar --quick\nheddle study mascar --row kmeans\nheddle study mascar --html mascar.html",
    .options = options,
    .operands_from = "studies files",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_study,
};
