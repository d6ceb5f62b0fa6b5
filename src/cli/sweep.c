/* heddle sweep: an experiment's runs, on this machine or on a cluster, into an SQLite file; what is there is
 * not run again. */
#include "sweep/sweep.h"
#include "cli/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sweeping {
    const struct cli_line *line;
    struct experiment x;
    struct plan plan;
    struct sweep_lock lock;
    struct store *store;
    struct cli_outputs outputs;
    struct sweep_counts counts;
    const char *shown_name, *shown_database; /* for a terminal */
};

static const char *safe_text(struct arena *mem, const char *text) {
    char *safe = arena_strdup(mem, text, strlen(text));
    text_make_safe(safe);
    return safe;
}

/* All that can be wrong with the text, before anything else happens */
static bool read_plan(struct sweeping *s) {
    struct diag d = {0};
    bool ok = experiment_read(&s->x, s->line->operands.at[0], &d);
    const char *database = cli_value(s->line, "database");
    if (database) s->x.database = arena_strdup(&s->x.mem, database, strlen(database));
    ok = ok && plan_make(&s->plan, &s->x, &d);
    if (ok) s->shown_name = safe_text(&s->x.mem, s->x.name), s->shown_database = safe_text(&s->x.mem, s->x.database);
    if (d.text.s) fputs(d.text.s, stderr);
    diag_free(&d);
    return ok;
}

static bool open_store(struct sweeping *s, enum store_mode mode) {
    struct strbuf why = {0};
    if (mode == STORE_WRITE) {
        bool ok = lock_take(&s->lock, s->x.database, cli_has(s->line, "wait"), stop_asked, &why);
        if (!ok && !stop_asked()) cli_error(s->line->command, "%s", why.s);
        if (!ok) {
            strbuf_free(&why);
            return false;
        }
    }
    s->store = store_open(s->x.database, mode, &why);
    if (!s->store) cli_error(s->line->command, "%s", why.s);
    strbuf_free(&why);
    return s->store != NULL;
}

static bool write_csv(struct sweeping *s) {
    struct strbuf why = {0};
    FILE *csv = outputs_file(&s->outputs, "csv");
    if (!csv) return true;
    bool ok = table_csv(s->store, "SELECT * FROM results", csv, &why);
    if (!ok) cli_error(s->line->command, "%s", why.s);
    else if (s->counts.done + s->counts.failed < s->counts.runs) fprintf(csv, "# incomplete: not all runs have been made\n");
    strbuf_free(&why);
    return outputs_commit(&s->outputs, "csv") && ok;
}

static bool write_html(struct sweeping *s) {
    return html_write_runs(&s->outputs, s->line, &s->plan, s->store, NULL) && outputs_commit(&s->outputs, "html");
}

static bool write_outputs(struct sweeping *s) {
    bool ok = write_csv(s);
    return write_html(s) && ok;
}

static void print_counts(const struct sweeping *s, FILE *out) {
    const struct sweep_counts *c = &s->counts;
    fprintf(out, "%s: %u run%s, %u done", s->shown_name, c->runs, c->runs == 1 ? "" : "s", c->done);
    if (c->wrong) fprintf(out, " (%u with another output than expected)", c->wrong);
    if (c->failed) fprintf(out, ", %u failed", c->failed);
    if (c->done + c->failed < c->runs) fprintf(out, ", %u to do", c->runs - c->done - c->failed);
    fprintf(out, "; %s\n", s->shown_database);
}

/* --- --status */

static void print_running(struct sweeping *s) {
    struct strbuf who = {0}, why = {0};
    if (lock_holder(s->x.database, &who)) {
        printf("at work: %s\n", who.s);
        table_print(s->store,
                    "SELECT DISTINCT p.program, p.size, p.machine, p.settings, a.attempt FROM plan p JOIN attempts a ON "
                    "a.run_hash = p.run_hash LEFT JOIN runs r ON r.run_hash = p.run_hash AND r.attempt >= a.attempt "
                    "WHERE a.exit_code IS NULL AND r.run_hash IS NULL AND a.attempt = (SELECT max(attempt) FROM attempts b "
                    "WHERE b.run_hash = a.run_hash)",
                    stdout, &why);
    }
    strbuf_free(&who);
    strbuf_free(&why);
}

static int show_status(struct sweeping *s) {
    struct strbuf why = {0};
    if (access(s->x.database, F_OK) != 0) {
        printf("%s: %u runs, none made yet; %s is not there\n", s->shown_name, s->plan.runs.n, s->shown_database);
        if (!s->outputs.at.n) return EXIT_OK;
        return cli_error(s->line->command, "--%s: no run is made yet, so there is nothing to write", s->outputs.at.at[0].option);
    }
    if (!open_store(s, STORE_READ)) return EXIT_USER;
    sweep_count(&s->plan, s->store, &s->counts);
    print_counts(s, stdout);
    print_running(s);
    if (s->counts.failed) {
        printf("failed (--retry runs them again):\n");
        table_print(s->store,
                    "SELECT program, size, machine, settings, attempt, message FROM results WHERE status = 'failed' GROUP BY "
                    "run_hash ORDER BY position",
                    stdout, &why);
    }
    strbuf_free(&why);
    return write_outputs(s) ? EXIT_OK : EXIT_USER;
}

/* --- --print-commands, --collect */

static void print_command(struct sweeping *s, const struct sweep_run *r, const char *heddle) {
    char *file = collect_file(&s->x, r->hash), **words = plan_command(&s->plan, r, heddle, (u32)MAX(s->x.threads, 1), file);
    struct strbuf text = {0};
    for (u32 i = 0; words[i]; i++) {
        if (i) strbuf_add(&text, " ");
        shell_word(&text, words[i]);
    }
    puts(text.s);
    strbuf_free(&text);
    plan_command_free(words);
    free(file);
}

/* A line for each run that is missing; --collect takes in what they leave */
static int print_commands(struct sweeping *s) {
    char *heddle = realpath("/proc/self/exe", NULL);
    const char *folder = collect_folder(&s->x);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error(s->line->command, "%s: cannot write: %s", folder, strerror(errno));
    if (access(s->x.database, F_OK) == 0 && !open_store(s, STORE_READ)) return EXIT_USER;
    for (u32 i = 0; i < s->plan.runs.n; i++) {
        const struct sweep_run *r = &s->plan.runs.at[i];
        if (r->same_as == i && (!s->store || store_state(s->store, r->hash) != STORE_DONE))
            print_command(s, r, heddle ? heddle : "heddle");
    }
    free(heddle);
    return EXIT_OK;
}

/* --- running */

static int verdict(const struct sweeping *s) {
    const struct sweep_counts *c = &s->counts;
    if (c->failed)
        fprintf(stderr, "heddle sweep: %u run%s failed; --status shows why, --retry runs them again\n", c->failed,
                c->failed == 1 ? "" : "s");
    return c->failed || c->wrong ? EXIT_DIFFERS : EXIT_OK;
}

static bool begin(struct sweeping *s) {
    if (!open_store(s, STORE_WRITE)) return false;
    if (store_plan(s->store, &s->plan) && collect_all(&s->plan, s->store) >= 0) return true;
    if (*store_why(s->store)) cli_error(s->line->command, "%s", store_why(s->store));
    return false;
}

static int make_runs(struct sweeping *s) {
    struct sweep_options o = {.retry = cli_has(s->line, "retry"), .quiet = cli_has(s->line, "quiet"), .stop = stop_asked};
    stop_watch(true); /* from before the lock is had: whoever sees this sweep at work can end it in order */
    if (!begin(s)) return stop_asked() ? stop_exit_code() : EXIT_USER;
    int status = 0;
    if (cli_has(s->line, "collect")) sweep_count(&s->plan, s->store, &s->counts);
    else status = (cli_has(s->line, "slurm") ? slurm_run : pool_run)(&s->plan, s->store, &o, &s->counts);
    if (status == 0 && stop_asked()) status = 1;
    stop_watch(false);
    if (status > 0) fprintf(stderr, "heddle sweep: %s; the same command goes on from here\n", stop_name());
    if (!o.quiet && !s->outputs.stdout_taken) print_counts(s, stdout);
    bool written = write_outputs(s);
    if (status > 0) return stop_exit_code();
    return status < 0 || !written ? EXIT_USER : verdict(s);
}

/* --task FILE:N, on a node */
static int run_task(const struct cli_line *line) {
    const char *task = cli_value(line, "task"), *colon = strrchr(task, ':');
    char *end = NULL, *file = colon ? strndup(task, (size_t)(colon - task)) : NULL;
    u64 index = colon ? strtoull(colon + 1, &end, 10) : 0;
    int code = file && end > colon + 1 && !*end ? task_run(file, index)
                                                : cli_error(line->command, "--task needs FILE:N, not \"%s\"", task);
    free(file);
    return code;
}

static void free_all(struct sweeping *s) {
    store_close(s->store);
    lock_release(&s->lock);
    outputs_close(&s->outputs);
    plan_free(&s->plan);
    experiment_free(&s->x);
}

/* Not over the experiment, nor over the database and what belongs to it */
static bool open_outputs(struct sweeping *s) {
    static const char *const names[] = {"csv", "html"};
    struct sweep_words inputs = {0};
    VEC_PUSH(&inputs.v, s->line->operands.at[0]);
    store_files(s->x.database, &s->x.mem, &inputs);
    bool ok = outputs_open(&s->outputs, s->line, names, ARRAY_LEN(names), inputs.v.at, inputs.v.n);
    free(inputs.v.at);
    return ok;
}

/* Each of these is a command of its own, to which the others would say nothing */
static bool check_pairs(const struct cli_line *line) {
    static const struct {
        const char *option, *without;
    } alone[] = {{"task", "status print-commands collect slurm retry wait csv html database quiet"},
                 {"status", "print-commands collect slurm retry wait quiet"},
                 {"print-commands", "collect slurm retry wait csv html quiet"},
                 {"collect", "slurm retry"}};
    for (u32 i = 0; i < ARRAY_LEN(alone); i++)
        for (const char *at = alone[i].without; cli_has(line, alone[i].option) && *at;) {
            size_t n = strcspn(at, " ");
            char *other = strndup(at, n);
            bool both = cli_has(line, other);
            if (both) cli_error(line->command, "--%s and --%s do not go together; leave one out", alone[i].option, other);
            free(other);
            if (both) return false;
            at += n + (at[n] == ' ');
        }
    if (!cli_has(line, "task") || !line->operands.n) return true;
    cli_error(line->command, "--task takes no experiment; its file says what is run");
    return false;
}

static int run_sweep(const struct cli_line *line) {
    struct sweeping s = {.line = line, .lock.fd = -1};
    int code = EXIT_USER;
    if (!check_pairs(line)) return EXIT_USER;
    if (cli_has(line, "task")) return run_task(line);
    if (!line->operands.n) return cli_error(line->command, "an operand is missing\nusage: heddle sweep %s", cli_sweep.usage);
    if (read_plan(&s) && html_ready(line) && open_outputs(&s))
        code = cli_has(line, "status") ? show_status(&s) : cli_has(line, "print-commands") ? print_commands(&s) : make_runs(&s);
    free_all(&s);
    return code;
}

static const struct cli_option options[] = {
    {"status", NULL, "how far it is, what failed and why; runs nothing"},
    {"retry", NULL, "run again what has failed"},
    {"wait", NULL, "when another sweep fills the same database, wait for it instead of giving up"},
    {"database", "FILE", "where results go, instead of the experiment's own"},
    {"csv", "FILE", "write all results, a row a run with every statistic; - for standard output"},
    HTML_OPTION,
    {"slurm", NULL, "hand the runs to Slurm as job arrays ([slurm] of the experiment), wait for them and collect"},
    {"print-commands", NULL,
     "a command for each run that is missing, for GNU parallel and its like; --collect takes their results"},
    {"collect", NULL, "run nothing, only take in results that tasks and printed commands left"},
    {"task", "FILE:N", "one task of a batch, on a node: what --slurm's jobs call"},
    {"quiet", NULL, "no progress and no summary", 'q'},
    {NULL, NULL, NULL},
};
const struct cli_command cli_sweep = {
    .name = "sweep",
    .doc = "run an experiment: programs x sizes x machines x keys, into an SQLite file",
    .usage = "EXPERIMENT.ini [OPTIONS]",
    .details =
        "docs/sweep.md says what an experiment looks like. Runs that are in the file are not repeated: a sweep that was stopped "
        "or\n"
        "killed at any moment goes on with the same command. Exit code 1 when a run failed or gave another output than expected.",
    .example = "heddle sweep mshrs.ini\nheddle sweep mshrs.ini --status\nheddle sweep mshrs.ini --print-commands | parallel && "
               "heddle sweep mshrs.ini --collect\nheddle query mshrs.ini 'SELECT program, settings, "
               "cycles FROM results'",
    .options = options,
    .min_operands = 0, /* --task needs none */
    .max_operands = 1,
    .run = run_sweep,
};
