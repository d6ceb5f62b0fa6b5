/* heddle run: a manifest, a program with a manifest, or a bundled workload, from reading to verdict, with
 * timing or without. */
#include "cli/runner.h"

#include <errno.h>
#include <stdlib.h>

#define DEFAULT_SAMPLE_CY 1000 /* of --samples, when the machine does not say */

struct run { /* one `heddle run` */
    const struct cli_line *line;
    struct input input;
    struct config config;
    struct runner runner;
    FILE *konata, *perfetto, *replays, *counters; /* or NULL */
    bool functional;
    bool quiet; /* no summary: asked for, or standard output is taken by results */
    FILE *out;  /* what else goes to people: standard output unless taken */
};

/* --- options */

/* Options that mean something only with timing, beyond MEASURE_OPTIONS */
static const char *const timed_only[] = {"machine",  "set",          "dump-config", "per-kernel", "per-sm",       "by-pc",
                                         "samples",  "csv",          "konata",      "perfetto",   "trace-replay", "hazards",
                                         "pressure", "trace-cycles", "trace-sm",    "audit",      "counters"};
static const char *const functional_only[] = {"trace-exec", "trace-kernel", "trace-cta"};

static bool check_mode(struct run *r) {
    const char *measure = measure_given(r->line);
    r->functional = cli_has(r->line, "functional");
    for (u32 i = 0; i < ARRAY_LEN(timed_only) && !measure; i++)
        if (cli_has(r->line, timed_only[i])) measure = timed_only[i];
    if (r->functional && measure) {
        cli_error(r->line->command, "--%s needs timing; leave out --functional", measure);
        return false;
    }
    for (u32 i = 0; i < ARRAY_LEN(functional_only) && !r->functional; i++)
        if (cli_has(r->line, functional_only[i])) {
            cli_error(r->line->command,
                      "--%s shows what instructions do, without time: add --functional, or see --konata and --perfetto",
                      functional_only[i]);
            return false;
        }
    return true;
}

/* "-" is standard output, which only one kind of result can have */
static bool check_stdout(struct run *r) {
    static const char *const results[] = {"json", "csv", "samples", "counters", "konata", "perfetto", "trace-replay"};
    const char *taken = NULL;
    for (u32 i = 0; i < ARRAY_LEN(results); i++) {
        const char *file = cli_value(r->line, results[i]);
        if (!file || strcmp(file, "-")) continue;
        if (taken) {
            cli_error(r->line->command, "--%s and --%s cannot both go to standard output; name a file for one", taken,
                      results[i]);
            return false;
        }
        taken = results[i];
    }
    r->quiet = taken || cli_has(r->line, "quiet");
    r->out = taken ? stderr : stdout;
    return true;
}

static FILE *open_result(struct run *r, const char *option, bool *ok) {
    const char *file = cli_value(r->line, option);
    if (!file) return NULL;
    FILE *f = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    if (!f) cli_error(r->line->command, "--%s: cannot write %s: %s", option, file, strerror(errno));
    *ok = *ok && f;
    return f;
}

static bool open_exec_trace(struct run *r) {
    const char *file = cli_value(r->line, "trace-exec");
    bool ok = true;
    if (!file) return true;
    r->runner.opt.trace = *file && strcmp(file, "-") ? open_result(r, "trace-exec", &ok) : r->out;
    return ok;
}

static bool read_common(struct run *r) {
    u64 warp_size = 0, cta = 0, warp = 0, registers = 0;
    struct heddle_options *o = &r->runner.opt;
    const struct cli_line *line = r->line;
    if (!cli_number(line, "warp-size", 1, 64, &warp_size) || !cli_number(line, "trace-cta", 0, INT64_MAX, &cta) ||
        !cli_number(line, "trace-warp", 0, INT32_MAX, &warp) || !cli_number(line, "registers", 1, 255, &registers) ||
        !cli_number(line, "max-instructions", 1, UINT64_MAX, &o->max_instructions))
        return false;
    o->warp_size = (u32)warp_size;
    o->trace_cta = (i64)cta;
    o->trace_warp = (i64)warp;
    o->trace_cta_only = cli_has(line, "trace-cta");
    o->trace_warp_only = cli_has(line, "trace-warp");
    o->trace_kernel = cli_value(line, "trace-kernel");
    o->program_out = r->out;
    r->runner.registers = (u32)registers;
    return true;
}

static bool read_machine(struct run *r) {
    struct strbuf warp_size = {0};
    struct cli_given more[1];
    u32 n = 0;
    if (cli_has(r->line, "warp-size")) {
        strbuf_add(&warp_size, "sm.warp_size=%s", cli_value(r->line, "warp-size"));
        more[n++] = (struct cli_given){&measure_set_option, {warp_size.s, ""}};
    }
    bool ok = measure_machine(r->line, more, n, &r->config);
    strbuf_free(&warp_size);
    if (cli_has(r->line, "samples") && !r->config.sample_cy) r->config.sample_cy = DEFAULT_SAMPLE_CY;
    r->runner.config = &r->config;
    return ok;
}

static bool read_timed(struct run *r) {
    struct report_wishes *w = &r->runner.report.wishes;
    w->per_kernel = cli_has(r->line, "per-kernel");
    w->per_sm = cli_has(r->line, "per-sm");
    w->hazards = cli_has(r->line, "hazards");
    w->pressure = cli_has(r->line, "pressure");
    return read_machine(r) && measure_read(r->line, &r->runner.timing, &w->cpi) && measure_by_pc(r->line, w);
}

static bool read_options(struct run *r) {
    return check_mode(r) && check_stdout(r) && read_common(r) && (r->functional ? open_exec_trace(r) : read_timed(r));
}

/* --- traces of timing */

static bool open_traces(struct run *r) {
    struct heddle_window w;
    bool ok = true;
    if (!measure_window(r->line, &r->config, &w)) return false;
    r->konata = open_result(r, "konata", &ok);
    r->perfetto = open_result(r, "perfetto", &ok);
    r->replays = open_result(r, "trace-replay", &ok);
    r->counters = r->runner.report.counters = open_result(r, "counters", &ok);
    if (!ok) return false;
    struct heddle *h = r->runner.play.h;
    int status = heddle_audit(h, cli_has(r->line, "audit"));
    if (!status && r->konata) status = heddle_trace_konata(h, r->konata, &w);
    if (!status && r->perfetto) status = heddle_trace_perfetto(h, r->perfetto, &w);
    if (!status && r->replays) status = heddle_trace_replay(h, r->replays, &w);
    if (status) cli_error(r->line->command, "%s", heddle_message(h));
    return !status;
}

static bool close_file(FILE *f) { return !f || (f == stdout ? fflush(f) : fclose(f)) == 0; }

static bool close_traces(struct run *r) {
    bool ok = heddle_trace_end(r->runner.play.h) == HEDDLE_OK;
    ok = close_file(r->konata) && ok;
    ok = close_file(r->perfetto) && ok;
    ok = close_file(r->replays) && ok;
    ok = close_file(r->counters) && ok;
    r->konata = r->perfetto = r->replays = r->counters = NULL;
    if (!ok) cli_error(r->line->command, "a trace or the counters could not be written: %s", strerror(errno));
    return ok;
}

/* --- results */

static bool write_results(struct run *r, const char *error) {
    const struct report *report = &r->runner.report;
    const char *json = cli_value(r->line, "json"), *csv = cli_value(r->line, "csv"), *samples = cli_value(r->line, "samples");
    bool ok = true;
    if (csv) ok = report_write_csv(report, csv) && ok;
    if (samples) ok = report_write_samples(report, samples) && ok;
    if (!json) return ok;
    json_t *j = report_json(report);
    if (error) json_object_set_new(j, "error", json_string(error));
    return report_write_json(j, json) && ok;
}

static void print_summary(const struct run *r) {
    if (r->quiet) return;
    if (report_timed(&r->runner.report)) report_timing(&r->runner.report, stdout);
    else report_text(&r->runner.report, stdout);
}

static int stopped_by_user(struct run *r) {
    fflush(stdout);
    print_summary(r);
    write_results(r, "interrupted");
    return EXIT_INTERRUPTED;
}

/* Ctrl-C in a launch without timing: what is known so far, and out with the code shells expect */
static void on_interrupt(void *user, const struct heddle_progress *now) {
    struct run *r = user;
    fprintf(stderr, "heddle run: interrupted in launches[%u] (%s) after %llu of %llu blocks and %llu warp instructions\n",
            r->runner.at, now->kernel, (unsigned long long)now->ctas_done, (unsigned long long)now->ctas_total,
            (unsigned long long)now->warp_instructions);
    runner_collect(&r->runner, true);
    exit(stopped_by_user(r));
}

static void print_disasm(struct run *r) {
    const struct play *p = &r->runner.play;
    for (u32 i = 0; i < p->m->nlaunches; i++) {
        bool seen = false;
        for (u32 k = 0; k < i; k++) seen = seen || p->launches[k].kernel == p->launches[i].kernel;
        if (!seen) heddle_kernel_disasm(p->h, p->launches[i].kernel, r->out);
    }
}

static bool dump_one(struct run *r, const char *name, const char *file) {
    struct play *p = &r->runner.play;
    i32 i = manifest_find_buffer(p->m, name, "--dump", &p->diag);
    if (i < 0) return false;
    u64 bytes = p->m->buffers[i].bytes;
    void *data = base_alloc(bytes);
    bool ok = play_read(p, (u32)i, data) == HEDDLE_OK;
    FILE *f = ok ? fopen(file, "wb") : NULL;
    bool written = f && fwrite(data, 1, bytes, f) == bytes;
    if (f) written = fclose(f) == 0 && written;
    if (ok && !written) diag_error(&p->diag, file, 0, 0, "cannot write: %s", strerror(errno));
    free(data);
    return written;
}

/* Every --dump; with check_only just whether there are such buffers: a misspelt one should not be found out after an hour */
static bool dump_all(struct run *r, bool check_only) {
    struct play *p = &r->runner.play;
    for (u32 i = 0; i < r->line->given.n; i++) {
        const struct cli_given *g = &r->line->given.at[i];
        if (strcmp(g->option->name, "dump")) continue;
        if (check_only ? manifest_find_buffer(p->m, g->value[0], "--dump", &p->diag) < 0 : !dump_one(r, g->value[0], g->value[1]))
            return false;
    }
    return true;
}

/* --- the run */

static int prepare(struct run *r) {
    struct runner *x = &r->runner;
    if (!read_options(r)) return EXIT_USER;
    if (!input_open(&r->input, r->line, r->line->operands.at[0])) return EXIT_USER;
    x->line = r->line;
    x->input = &r->input;
    x->progress.interrupted = on_interrupt;
    x->progress.user = r;
    int status = runner_open(x);
    if (!status && !dump_all(r, true)) status = HEDDLE_BAD_INPUT;
    if (!status && !r->functional && !open_traces(r)) status = HEDDLE_BAD_INPUT;
    return status;
}

static int verdict(const struct run *r) {
    const struct report *report = &r->runner.report;
    if (report->audit.violations) {
        fprintf(stderr, "heddle run: error: the audit found %llu violations of its rules; the first:\n%s",
                (unsigned long long)report->audit.violations, report->audit.text);
        return EXIT_DIFFERS;
    }
    if (report->outcome.verdict != VERDICT_DIFFERS) return EXIT_OK;
    fprintf(stderr, "%s: error: the output is not the expected one: %s\n", r->input.m->file, report->outcome.text);
    return EXIT_DIFFERS;
}

static void say_where(const struct runner *x) {
    u64 cycles = x->play.launches[x->at].result.cycles;
    fprintf(stderr, "heddle run: interrupted %s launches[%u] (%s)", cycles ? "in" : "before", x->at,
            x->play.m->launches[x->at].kernel);
    if (cycles) fprintf(stderr, " after %llu cycles", (unsigned long long)cycles);
    fputc('\n', stderr);
}

static int play_it(struct run *r) {
    struct runner *x = &r->runner;
    if (cli_has(r->line, "disasm")) print_disasm(r);
    int status = runner_launch(x);
    if (!status && !dump_all(r, false)) status = HEDDLE_BAD_INPUT;
    x->report.audited = cli_has(r->line, "audit");
    x->report.audit = heddle_audit_result(x->play.h);
    bool written = r->functional || close_traces(r);
    fflush(stdout);
    runner_collect(x, status != HEDDLE_OK);
    if (status == HEDDLE_STOPPED) {
        say_where(x);
        return stopped_by_user(r);
    }
    if (status) {
        write_results(r, x->play.diag.text.s);
        return status;
    }
    print_summary(r);
    if (!write_results(r, NULL) || !written) return EXIT_USER;
    return verdict(r);
}

static void close_run(struct run *r) {
    runner_close(&r->runner);
    close_file(r->konata);
    close_file(r->perfetto);
    close_file(r->replays);
    close_file(r->counters);
    FILE *trace = r->runner.opt.trace;
    if (trace && trace != stdout && trace != stderr) fclose(trace);
    input_close(&r->input);
}

static int run_run(const struct cli_line *line) {
    struct run r = {.line = line};
    if (cli_has(line, "dump-config")) {
        if (!check_mode(&r) || !read_machine(&r)) return EXIT_USER;
        cli_dump_config(line, &r.config);
        return EXIT_OK;
    }
    if (!line->operands.n) return cli_error(line->command, "an operand is missing\nusage: heddle run %s", cli_run.usage);
    int code = prepare(&r);
    if (!code) code = play_it(&r);
    close_run(&r);
    return code;
}

static const struct cli_option options[] = {
    INPUT_OPTIONS,
    CLI_MACHINE_OPTIONS,
    {"functional", NULL, "compute results only, without timing: much faster"},
    MEASURE_OPTIONS,
    {"quiet", NULL, "no summary"},
    {"per-kernel", NULL, "figures of each kernel and a line for each launch beside the total"},
    {"per-sm", NULL, "figures of each SM and memory partition, in the JSON results all of them"},
    MEASURE_BY_PC,
    {"hazards", NULL, "measures of hazards, replay and prediction in the summary"},
    {"pressure", NULL, "measures of memory pressure in the summary: stalls, blocked hits, owners, re-execution, what it costs"},
    {"json", "FILE", "write the results as JSON; - for standard output"},
    {"csv", "FILE", "write a row for each launch with every statistic; - for standard output"},
    {"counters", "FILE",
     "write every counter that is not zero, of each launch, SM, memory partition and instruction: a line each"},
    {"samples", "FILE", "write a row for every stats.sample_cy cycles (default 1000) as CSV"},
    {"dump", "BUF FILE", "write a buffer's final contents; by name or id; repeatable"},
    {"disasm", NULL, "print the launched kernels as heddle decoded them"},
    MEASURE_TRACES,
    {"trace-warp", "N", "of these traces: one warp slot; of --trace-exec: one warp of each block"},
    {"trace-exec", "[FILE]", "with --functional: one line per warp instruction; --trace-exec=FILE works anywhere"},
    {"trace-kernel", "NAME", "of --trace-exec: this kernel only"},
    {"trace-cta", "N", "of --trace-exec: this block only (linear index)"},
    {"audit", NULL, "check what the model does against rules that share no code with it; exit code 1 when one is broken"},
    {"warp-size", "N", "threads in a warp, 1 to 64 (default 32, or as the machine says)"},
    {"max-instructions", "N", "stop a launch after N warp instructions with a diagnosis"},
    {"registers", "N", "registers per thread for all launches, 1 to 255"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_run = {
    .name = "run",
    .doc = "run a manifest, a program or a bundled workload",
    .usage = "X [OPTIONS]",
    .details =
        "X is a manifest (JSON), a program (PTX; with --manifest), or the name of a bundled workload. It runs on a simulated\n"
        "machine, by default " HEDDLE_DEFAULT_MACHINE ", cycle by cycle; with --functional only its results are computed.\n"
        "Exit code 1 means that the output is not what the manifest expects. Ctrl-C prints what is known so far.",
    .example = "heddle run saxpy\nheddle run bfs --machine gtx480 --set sm.sched=gto --by-pc --json result.json\nheddle run "
               "kernel.ptx --manifest launch.json --functional "
               "--dump out out.bin",
    .options = options,
    .min_operands = 0, /* --dump-config needs none */
    .max_operands = 1,
    .run = run_run,
};
