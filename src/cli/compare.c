/* heddle compare: programs on several configurations of a machine, side by side.
 *
 * A configuration is the command line with one value of each --vary as a further --set (or --machine), less
 * what does nothing beside these values; all are checked before the first run. Where one of them issues out
 * of order, all run with both orders of the PTX (ptx.schedule), unless the command line says which: one alone
 * would mislead. */
#include "cli/runner.h"
#include "core/policies.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_CONFIGURATIONS = 10000, MAX_JITTER = 1000 };

struct axis { /* one --vary */
    const char *key;
    VEC(const char *) values;
};
struct comparing {
    const struct cli_line *line;
    struct arena mem; /* texts */
    VEC(struct axis) axes;
    u32 n; /* configurations */
    struct config *configs;
    struct heddle_timing timing;
    enum cpi_method cpi;
    VEC(u32) metrics;
    VEC(struct comparison) done; /* one per program */
    VEC(struct input) inputs;    /* of the programs */
    VEC(json_t *) docs;          /* of the runs, for --html */
    struct cli_outputs outputs;
    u64 jitter;          /* perturbed runs of a jitter; 0: none is measured */
    const char *error;   /* why not all was run, or NULL */
    bool schedules;      /* the first axis is ptx.schedule, and was not asked for */
    struct strbuf notes; /* what --set gives and some configurations leave out */
};

/* --- what varies */

static bool add_axis(struct comparing *c, const char *text) {
    const char *equals = strchr(text, '=');
    struct axis a = {0};
    if (!equals || equals == text || !equals[1]) {
        cli_error(c->line->command, "--vary needs KEY=VALUE,VALUE,..., not \"%s\"", text);
        return false;
    }
    a.key = arena_strdup(&c->mem, text, (size_t)(equals - text));
    for (u32 i = 0; i < c->axes.n; i++) {
        if (strcmp(c->axes.at[i].key, a.key)) continue;
        cli_error(c->line->command, "--vary %s is given twice; write its values into one: --vary %s=A,B,...", a.key, a.key);
        return false;
    }
    for (const char *at = equals + 1;; at++) {
        size_t n = strcspn(at, ",");
        VEC_PUSH(&a.values, arena_strdup(&c->mem, at, n));
        at += n;
        if (!*at) break;
    }
    VEC_PUSH(&c->axes, a);
    c->n *= a.values.n;
    if (c->n <= MAX_CONFIGURATIONS) return true;
    cli_error(c->line->command, "more than %d configurations; leave out some values", MAX_CONFIGURATIONS);
    return false;
}

/* The value of an axis in configuration i: the last axis changes fastest */
static const char *value_of(const struct comparing *c, u32 i, u32 axis) {
    for (u32 k = c->axes.n - 1; k > axis; k--) i /= c->axes.at[k].values.n;
    return c->axes.at[axis].values.at[i % c->axes.at[axis].values.n];
}

static bool make_config(struct comparing *c, u32 i) {
    struct cli_given *more = base_alloc((c->axes.n + 1) * sizeof(*more));
    for (u32 k = 0; k < c->axes.n; k++) {
        bool machine = strcmp(c->axes.at[k].key, "machine") == 0;
        const char *value = value_of(c, i, k);
        more[k].option = machine ? &measure_machine_option : &measure_set_option;
        more[k].value[0] = machine ? value : arena_printf(&c->mem, "%s=%s", c->axes.at[k].key, value);
    }
    bool ok = measure_machine_read(c->line, more, c->axes.n, &c->configs[i]);
    free(more);
    return ok;
}

/* A key of --set may do nothing in some configurations, where it would be refused; if it does something in
 * others, it is for those, and the former have their default */
static void leave_idle(struct comparing *c, const char *set) {
    char *key = arena_strdup(&c->mem, set, strcspn(set, "=")), would[64];
    const char *other = NULL;
    struct config plain;
    struct diag none = {0};
    u32 idle = 0;
    for (u32 i = 0; i < c->n; i++) idle += config_key_idle(&c->configs[i], key, &other);
    if (!idle || idle == c->n) return;
    config_default(&plain);
    config_get_text(&plain, cfg_key_find(key), would, sizeof would);
    for (u32 i = 0; i < c->n; i++)
        if (config_key_idle(&c->configs[i], key, &other)) config_set(&c->configs[i], key, would, &none, NULL, 0);
    strbuf_add(&c->notes,
               "heddle compare: note: %s does nothing in %u of %u configurations, by their %s, and is left at %s there\n", key,
               idle, c->n, other, would);
}

static bool make_configs(struct comparing *c) {
    free(c->configs);
    strbuf_free(&c->notes);
    c->configs = base_alloc(c->n * sizeof(*c->configs));
    for (u32 i = 0; i < c->n; i++)
        if (!make_config(c, i)) return false;
    for (u32 i = 0; i < c->line->given.n; i++)
        if (strcmp(c->line->given.at[i].option->name, "set") == 0) leave_idle(c, c->line->given.at[i].value[0]);
    for (u32 i = 0; i < c->n; i++)
        if (!measure_machine_check(c->line, &c->configs[i])) return false;
    return true;
}

/* The first configuration that issues out of order, or NULL */
static const struct config *out_of_order(const struct comparing *c) {
    for (u32 i = 0; i < c->n; i++)
        if (policies_out_of_order(&c->configs[i])) return &c->configs[i];
    return NULL;
}

static bool schedule_chosen(const struct comparing *c) {
    static const char key[] = "ptx.schedule";
    for (u32 i = 0; i < c->axes.n; i++)
        if (strcmp(c->axes.at[i].key, key) == 0) return true;
    for (u32 i = 0; i < c->line->given.n; i++) {
        const struct cli_given *g = &c->line->given.at[i];
        if (strcmp(g->option->name, "set") == 0 && strncmp(g->value[0], key, strlen(key)) == 0 && g->value[0][strlen(key)] == '=')
            return true;
    }
    return false;
}

/* Both orders of the PTX, each with all other values */
static bool add_schedules(struct comparing *c) {
    if (!add_axis(c, "ptx.schedule=written,loads")) return false;
    struct axis a = c->axes.at[c->axes.n - 1];
    memmove(c->axes.at + 1, c->axes.at, (c->axes.n - 1) * sizeof(a));
    c->axes.at[0] = a;
    c->schedules = true;
    return make_configs(c);
}

static bool varies_schedule(const struct comparing *c) {
    for (u32 i = 0; i < c->n; i++)
        if (c->configs[i].schedule != c->configs[0].schedule) return true;
    return false;
}

static bool read_axes(struct comparing *c) {
    c->n = 1;
    for (u32 i = 0; i < c->line->given.n; i++) {
        const struct cli_given *g = &c->line->given.at[i];
        if (strcmp(g->option->name, "vary") == 0 && !add_axis(c, g->value[0])) return false;
    }
    if (!c->axes.n) {
        cli_error(c->line->command, "nothing varies; add for example --vary sm.sched=lrr,gto");
        return false;
    }
    bool ok = make_configs(c) && (!out_of_order(c) || schedule_chosen(c) || add_schedules(c));
    if (ok && c->notes.s && !cli_has(c->line, "quiet")) fputs(c->notes.s, stderr);
    return ok;
}

static bool read_metrics(struct comparing *c) {
    for (u32 i = 0; i < c->line->given.n; i++) {
        const struct cli_given *g = &c->line->given.at[i];
        if (strcmp(g->option->name, "metric")) continue;
        int m = metric_find(g->value[0]);
        if (m < 0) {
            const char *near = metric_nearest(g->value[0]);
            if (near) cli_error(c->line->command, "no statistic \"%s\"; did you mean \"%s\"?", g->value[0], near);
            else cli_error(c->line->command, "no statistic \"%s\"; \"heddle list stats\" names them", g->value[0]);
            return false;
        }
        VEC_PUSH(&c->metrics, (u32)m);
    }
    return true;
}

static bool read_jitter(struct comparing *c) {
    const char *text = cli_value(c->line, "jitter");
    if (text) c->jitter = JITTER_RUNS;
    return !text || !*text || cli_number(c->line, "jitter", JITTER_RUNS, MAX_JITTER, &c->jitter);
}

/* --- running */

static const char *label_of(struct comparing *c, const char *name, u32 i) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s %u/%u", name, i + 1, c->n);
    for (u32 k = 0; k < c->axes.n; k++) strbuf_add(&s, " %s=%s", c->axes.at[k].key, value_of(c, i, k));
    const char *text = arena_strdup(&c->mem, s.s, s.len);
    strbuf_free(&s);
    return text;
}

static void add_row(struct comparing *c, struct comparison *to, u32 i, const struct runner *x) {
    struct comparison_row row = {
        .values = ARENA_ARRAY(&c->mem, const char *, c->axes.n),
        .config = &c->configs[i],
        .config_hash = config_hash(&c->configs[i]),
        .state_hash = report_state_hash(&x->report),
        .output_hash = x->report.outcome.hash,
        .verdict = x->report.outcome.verdict,
        .wall_seconds = x->report.wall_seconds,
        .total = x->report.total,
        .jitter = NAN,
    };
    for (u32 k = 0; k < c->axes.n; k++) row.values[k] = value_of(c, i, k);
    VEC_PUSH(&to->rows, row);
}

/* A run of the page, with what sets it apart */
static void add_document(struct comparing *c, u32 i, const struct runner *x) {
    if (!outputs_file(&c->outputs, "html")) return;
    json_t *doc = report_json(&x->report), *keys = json_object();
    for (u32 k = 0; k < c->axes.n; k++) json_object_set_new(keys, c->axes.at[k].key, json_string(value_of(c, i, k)));
    json_object_set_new(doc, "keys", keys);
    VEC_PUSH(&c->docs, doc);
}

static int run_one(struct comparing *c, struct comparison *to, const struct input *in, u32 i) {
    struct runner x = {
        .line = c->line,
        .input = in,
        .config = &c->configs[i],
        .timing = c->timing,
        .opt = {.program_out = stderr},
        .report.wishes.cpi = c->cpi,
        .report.wishes.lock = cli_value(c->line, "lock"),
        .progress.label = label_of(c, in->m->name, i),
    };
    int status = runner_open(&x);
    if (!status) status = runner_launch(&x);
    if (!status) {
        runner_collect(&x, false);
        add_row(c, to, i, &x);
        add_document(c, i, &x);
    } else if (status != HEDDLE_STOPPED) fprintf(stderr, "heddle compare: in %s\n", x.progress.label);
    runner_close(&x);
    return status;
}

/* --- jitter */

/* Cycles of configuration i under the n-th perturbation */
static int run_perturbed(struct comparing *c, const struct input *in, u32 i, u64 n, double *cycles) {
    struct config config = c->configs[i];
    config_perturb(&config, n);
    struct runner x = {
        .line = c->line,
        .input = in,
        .config = &config,
        .timing = c->timing,
        .opt = {.program_out = stderr},
        .report.wishes.lock = cli_value(c->line, "lock"),
        .progress.label = arena_printf(&c->mem, "%s perturbed %u/%u", label_of(c, in->m->name, i), (u32)n, (u32)c->jitter),
    };
    int status = runner_open(&x);
    if (!status) status = runner_launch(&x);
    if (!status) {
        runner_collect(&x, false);
        const struct launch_stats *s = &x.report.total;
        *cycles = s->estimated ? s->estimate.cycles : (double)s->cycles;
    }
    runner_close(&x);
    return status;
}

static int measure_jitter(struct comparing *c, struct comparison *to, const struct input *in, u32 i) {
    double *cycles = ARENA_ARRAY(&c->mem, double, c->jitter);
    int status = HEDDLE_OK;
    for (u64 n = 0; n < c->jitter && !status; n++) status = run_perturbed(c, in, i, n + 1, &cycles[n]);
    if (status) return status;
    to->rows.at[i].jitter = jitter_of(cycles, (u32)c->jitter);
    to->rows.at[i].own_jitter = true;
    return status;
}

/* The first configuration's stands for the others, unless a difference is near it */
static int judge(struct comparing *c, struct comparison *to, const struct input *in) {
    int status = measure_jitter(c, to, in, 0);
    for (u32 i = 1; i < to->rows.n; i++) to->rows.at[i].jitter = to->rows.at[0].jitter;
    for (u32 i = 1; i < to->rows.n && !status; i++)
        if (jitter_wanted(comparison_speedup(to, i))) status = measure_jitter(c, to, in, i);
    to->judged = !status;
    return status;
}

static bool machine_varies(const struct comparing *c) {
    for (u32 k = 0; k < c->axes.n; k++)
        if (strcmp(c->axes.at[k].key, "machine") == 0) return true;
    return false;
}

static int run_program(struct comparing *c, const struct input *in) {
    int status = HEDDLE_OK;
    struct comparison to = {.name = arena_strdup(&c->mem, in->m->name, strlen(in->m->name)),
                            .machine = machine_varies(c) ? NULL : c->configs[0].machine,
                            .keys = ARENA_ARRAY(&c->mem, const char *, c->axes.n),
                            .nkeys = c->axes.n,
                            .metrics = c->metrics.at,
                            .nmetrics = c->metrics.n,
                            .cpi = c->cpi,
                            .each = c->schedules ? c->n / 2 : 0};
    if (out_of_order(c)) to.caveat = schedule_caveat(out_of_order(c), varies_schedule(c));
    for (u32 k = 0; k < c->axes.n; k++) to.keys[k] = c->axes.at[k].key;
    for (u32 i = 0; i < c->n && !status; i++) status = run_one(c, &to, in, i);
    if (!status && c->jitter) status = judge(c, &to, in);
    if (to.rows.n) VEC_PUSH(&c->done, to);
    return status;
}

/* Every program is read before the first one runs */
static bool open_inputs(struct comparing *c) {
    for (u32 i = 0; i < c->line->operands.n; i++) {
        struct input in = {0};
        if (!input_open(&in, c->line, c->line->operands.at[i], NULL)) return false;
        VEC_PUSH(&c->inputs, in);
        const char *unused;
        if (!input_readable(&in) || !measure_lock(c->line, in.m, &unused)) return false;
    }
    return true;
}

/* --- results */

static bool open_outputs(struct comparing *c) {
    static const char *const names[] = {"html", "json", "csv"};
    VEC(const char *) inputs = {0};
    for (u32 i = 0; i < c->line->operands.n; i++) VEC_PUSH(&inputs, c->line->operands.at[i]);
    VEC_PUSH(&inputs, cli_value(c->line, "manifest"));
    VEC_PUSH(&inputs, cli_value(c->line, "machine"));
    bool ok = outputs_open(&c->outputs, c->line, names, ARRAY_LEN(names), inputs.at, inputs.n);
    free(inputs.at);
    return ok;
}

static void print_tables(const struct comparing *c) {
    struct folding f;
    term_begin(&f, stdout, 0);
    for (u32 i = 0; i < c->done.n; i++) {
        if (i) fputc('\n', f.out);
        comparison_text(&c->done.at[i], f.out);
    }
    if (c->done.n > 1) comparison_means(c->done.at, c->done.n, f.out);
    term_end(&f);
}

static bool write_results(struct comparing *c) {
    FILE *json = outputs_file(&c->outputs, "json"), *csv = outputs_file(&c->outputs, "csv");
    bool shown = !c->outputs.stdout_taken && !cli_has(c->line, "quiet");
    if (shown) print_tables(c);
    if (csv) comparison_write_csv(c->done.at, c->done.n, csv);
    if (csv && c->error) report_mark_incomplete(csv, c->error);
    if (json) {
        json_t *j = comparison_json(c->done.at, c->done.n);
        if (c->error) json_object_set_new(j, "error", json_string(c->error));
        json_object_set_new(j, "finished", json_boolean(!c->error));
        report_write_json(j, json);
    }
    bool ok = html_write(&c->outputs, c->line, c->docs.at, c->docs.n);
    ok = outputs_commit(&c->outputs, "html") && ok;
    ok = outputs_commit(&c->outputs, "csv") && ok;
    return outputs_commit(&c->outputs, "json") && ok;
}

static int verdict(const struct comparing *c) {
    int code = EXIT_OK;
    for (u32 i = 0; i < c->done.n; i++) {
        const struct comparison *x = &c->done.at[i];
        for (u32 k = 0; k < x->rows.n; k++)
            if (x->rows.at[k].verdict == VERDICT_DIFFERS) code = EXIT_DIFFERS;
        if (!comparison_same_outputs(x)) code = EXIT_DIFFERS;
        if (code)
            fprintf(stderr,
                    "heddle compare: error: %s: the outputs of the configurations are not identical, or not the expected ones\n",
                    x->name);
    }
    return code;
}

static void free_all(struct comparing *c) {
    for (u32 i = 0; i < c->axes.n; i++) free(c->axes.at[i].values.at);
    for (u32 i = 0; i < c->inputs.n; i++) input_close(&c->inputs.at[i]);
    free(c->inputs.at);
    for (u32 i = 0; i < c->done.n; i++) free(c->done.at[i].rows.at);
    free(c->axes.at);
    free(c->done.at);
    for (u32 i = 0; i < c->docs.n; i++) json_decref(c->docs.at[i]);
    free(c->docs.at);
    free(c->metrics.at);
    strbuf_free(&c->notes);
    free(c->configs);
    outputs_close(&c->outputs);
    arena_free(&c->mem);
}

static int run_all(struct comparing *c) {
    int status = HEDDLE_OK;
    for (u32 i = 0; i < c->inputs.n && !status; i++) status = run_program(c, &c->inputs.at[i]);
    if (status == HEDDLE_STOPPED) fprintf(stderr, "heddle compare: %s; the table has what was finished\n", stop_name());
    if (status) c->error = status == HEDDLE_STOPPED ? stop_name() : "a program or a configuration failed";
    if (!write_results(c) && !status) status = HEDDLE_BAD_INPUT;
    return status ? status : verdict(c);
}

static int run_compare(const struct cli_line *line) {
    struct comparing c = {.line = line};
    int status = HEDDLE_BAD_INPUT;
    if (measure_read(line, &c.timing, &c.cpi) && read_jitter(&c) && read_metrics(&c) && read_axes(&c))
        status = cli_dump_config(line, &c.configs[0])                      ? HEDDLE_OK
                 : open_inputs(&c) && html_ready(line) && open_outputs(&c) ? run_all(&c)
                                                                           : HEDDLE_BAD_INPUT;
    free_all(&c);
    return status == HEDDLE_STOPPED ? stop_exit_code() : status;
}

static const struct cli_option options[] = {
    {"vary", "KEY=A,B,...", "values of a key to compare, \"machine\" included; repeatable: all combinations run", 0, "keys"},
    {"metric", "NAME", "another column: any name of \"heddle list stats\"; repeatable", 0, "stats"},
    {"jitter", "[N]", "measure jitter by N perturbed runs (default and least 8); a difference below it is called none"},
    INPUT_OPTIONS,
    CLI_MACHINE_OPTIONS,
    MEASURE_OPTIONS,
    PERTURB_OPTION,
    {"json", "FILE", "write the results as JSON; - for standard output"},
    HTML_OPTION,
    {"csv", "FILE", "write a row for each configuration with every statistic; - for standard output"},
    CLI_TALK_OPTIONS("no table and no progress", "say what is read, chosen, run and written, on standard error"),
    {NULL, NULL, NULL},
};
const struct cli_command cli_compare = {
    .name = "compare",
    .doc = "run programs on several configurations and print cycles and speedups",
    .usage = "X... --vary KEY=A,B,... [OPTIONS]",
    .details =
        "X is what heddle run takes. The first configuration, made of the first value of each --vary, is what the others are\n"
        "measured against. Where one issues out of order (sm.order), all run with both orders of the PTX (ptx.schedule), each\n"
        "measured against the first of its own, unless --set or --vary says which. A key of --set that does nothing in some of\n"
        "them is for the others. Exit code 1 when the configurations do not give identical outputs.",
    .example =
        "heddle compare bfs --vary sm.sched=lrr,gto,two_level\n"
        "heddle compare sgemm spmv --machine gtx480 --vary sm.l1.mshrs=16,32,64 --vary sm.sched=lrr,gto --metric l1_hit_rate",
    .options = options,
    .operands_from = "workloads files",
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .run = run_compare,
};
