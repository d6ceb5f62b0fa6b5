/* heddle sweep: an experiment's runs on this machine, into an SQLite file; what is there is not run again. */
#include "sweep/sweep.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweeping {
    const struct cli_line *line;
    struct experiment x;
    struct plan plan;
    struct sweep_lock lock;
    struct store *store;
    struct cli_outputs outputs;
    struct sweep_counts counts;
};

/* All that can be wrong with the text, before anything else happens */
static bool read_plan(struct sweeping *s) {
    struct diag d = {0};
    bool ok = experiment_read(&s->x, s->line->operands.at[0], &d);
    const char *database = cli_value(s->line, "database");
    if (database) s->x.database = arena_strdup(&s->x.mem, database, strlen(database));
    ok = ok && plan_make(&s->plan, &s->x, &d);
    if (d.text.s) fputs(d.text.s, stderr);
    diag_free(&d);
    return ok;
}

static bool open_store(struct sweeping *s, enum store_mode mode) {
    struct strbuf why = {0};
    if (mode == STORE_WRITE) {
        stop_watch(true); /* waiting for another sweep */
        bool ok = lock_take(&s->lock, s->x.database, cli_has(s->line, "wait"), stop_asked, &why);
        stop_watch(false);
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

static void print_counts(const struct sweeping *s, FILE *out) {
    const struct sweep_counts *c = &s->counts;
    fprintf(out, "%s: %u run%s, %u done", s->x.name, c->runs, c->runs == 1 ? "" : "s", c->done);
    if (c->wrong) fprintf(out, " (%u with another output than expected)", c->wrong);
    if (c->failed) fprintf(out, ", %u failed", c->failed);
    if (c->done + c->failed < c->runs) fprintf(out, ", %u to do", c->runs - c->done - c->failed);
    fprintf(out, "; %s\n", s->x.database);
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
        printf("%s: %u runs, none made yet; %s is not there\n", s->x.name, s->plan.runs.n, s->x.database);
        return EXIT_OK;
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
    return write_csv(s) ? EXIT_OK : EXIT_USER;
}

/* --- running */

static int verdict(const struct sweeping *s) {
    const struct sweep_counts *c = &s->counts;
    if (c->failed)
        fprintf(stderr, "heddle sweep: %u run%s failed; --status shows why, --retry runs them again\n", c->failed,
                c->failed == 1 ? "" : "s");
    return c->failed || c->wrong ? EXIT_DIFFERS : EXIT_OK;
}

static int run_here(struct sweeping *s) {
    struct sweep_options o = {
        .retry = cli_has(s->line, "retry"), .quiet = cli_has(s->line, "quiet"), .stop = stop_asked, .watch = stop_watch};
    if (!open_store(s, STORE_WRITE)) return stop_asked() ? stop_exit_code() : EXIT_USER;
    if (!store_plan(s->store, &s->plan)) return cli_error(s->line->command, "%s", store_why(s->store));
    int status = pool_run(&s->plan, s->store, &o, &s->counts);
    if (status > 0) fprintf(stderr, "heddle sweep: %s; the same command goes on from here\n", stop_name());
    if (!cli_has(s->line, "quiet") && !s->outputs.stdout_taken) print_counts(s, stdout);
    bool written = write_csv(s);
    if (status > 0) return stop_exit_code();
    return status < 0 || !written ? EXIT_USER : verdict(s);
}

static void free_all(struct sweeping *s) {
    store_close(s->store);
    lock_release(&s->lock);
    outputs_close(&s->outputs);
    plan_free(&s->plan);
    experiment_free(&s->x);
}

static int run_sweep(const struct cli_line *line) {
    struct sweeping s = {.line = line, .lock.fd = -1};
    static const char *const names[] = {"csv"};
    const char *inputs[] = {line->operands.at[0]};
    int code = EXIT_USER;
    if (read_plan(&s) && outputs_open(&s.outputs, line, names, ARRAY_LEN(names), inputs, ARRAY_LEN(inputs)))
        code = cli_has(line, "status") ? show_status(&s) : run_here(&s);
    free_all(&s);
    return code;
}

static const struct cli_option options[] = {
    {"status", NULL, "how far it is, what failed and why; runs nothing"},
    {"retry", NULL, "run again what has failed"},
    {"wait", NULL, "when another sweep fills the same database, wait for it instead of giving up"},
    {"database", "FILE", "where results go, instead of the experiment's own"},
    {"csv", "FILE", "write all results, a row a run with every statistic; - for standard output"},
    {"quiet", NULL, "no progress and no summary"},
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
    .example = "heddle sweep mshrs.ini\nheddle sweep mshrs.ini --status\nheddle query mshrs.ini 'SELECT program, settings, "
               "cycles FROM results'",
    .options = options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_sweep,
};
