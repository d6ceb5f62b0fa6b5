/* heddle query: SQL over the results of a sweep. Reads only. */
#include "cli/cli.h"
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file itself, or that of an experiment; NULL after an error. Free it. */
static char *database_of(const struct cli_line *line, const char *path) {
    char head[16] = "";
    FILE *f = fopen(path, "rbe");
    size_t n = f ? fread(head, 1, sizeof(head) - 1, f) : 0;
    if (f) fclose(f);
    if (n == sizeof(head) - 1 && memcmp(head, "SQLite format 3", n) == 0) return strdup(path);
    struct experiment x;
    struct diag d = {0};
    bool ok = experiment_read(&x, path, &d);
    char *database = ok ? strdup(x.database) : NULL;
    if (d.text.s) fputs(d.text.s, stderr);
    if (!ok) cli_error(line->command, "\"%s\" is no file of results and no experiment", path);
    else if (access(database, F_OK) != 0) {
        cli_error(line->command, "%s has no results yet: %s is not there; heddle sweep %s makes it", path, database, path);
        free(database);
        database = NULL;
    }
    diag_free(&d);
    experiment_free(&x);
    return database;
}

static int run_query(const struct cli_line *line) {
    struct cli_outputs outputs = {0};
    struct strbuf why = {0};
    static const char *const names[] = {"csv"};
    struct arena mem = {0};
    struct sweep_words inputs = {0};
    char *database = database_of(line, line->operands.at[0]);
    VEC_PUSH(&inputs.v, line->operands.at[0]);
    if (database) store_files(database, &mem, &inputs);
    bool ok = database && outputs_open(&outputs, line, names, ARRAY_LEN(names), inputs.v.at, inputs.v.n);
    struct store *s = ok ? store_open(database, STORE_READ, &why) : NULL;
    FILE *csv = outputs_file(&outputs, "csv");
    ok = s && (csv ? table_csv(s, line->operands.at[1], csv, &why) : table_print(s, line->operands.at[1], stdout, &why));
    if (why.len) cli_error(line->command, "%s", why.s);
    ok = ok && outputs_commit(&outputs, "csv");
    outputs_close(&outputs);
    store_close(s);
    strbuf_free(&why);
    free(inputs.v.at);
    arena_free(&mem);
    free(database);
    return ok ? EXIT_OK : EXIT_USER;
}

static const struct cli_option options[] = {
    {"csv", "FILE", "write the answer as CSV; - for standard output"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_query = {
    .name = "query",
    .doc = "ask the results of a sweep with SQL",
    .usage = "EXPERIMENT.ini|FILE.db 'SQL'",
    .details = "Tables: results (the runs of the experiment as it is now), runs (all), kernels, plan, attempts; docs/sweep.md "
               "has their\n"
               "columns. Every statistic of \"heddle list stats\" is a column of results and of kernels.",
    .example = "heddle query mshrs.ini 'SELECT program, settings, cycles, l1_hit_rate FROM results ORDER BY program, cycles'\n"
               "heddle query mshrs.ini 'SELECT name, cycles FROM kernels JOIN plan USING(run_hash)' --csv kernels.csv",
    .options = options,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_query,
};
