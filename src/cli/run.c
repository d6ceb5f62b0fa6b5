/* heddle run: a manifest, a program with a manifest, or a bundled workload, from reading to verdict, with
 * timing or without. */
#include "cli/runner.h"
#include "front/front.h"

#include <stdlib.h>

#define DEFAULT_SAMPLE_CY 1000 /* of --samples, when the machine does not say */

struct run { /* one `heddle run` */
    const struct cli_line *line;
    struct input input;
    struct config config;
    struct runner runner;
    struct cli_outputs outputs;
    struct heddle_window window; /* of traces */
    bool functional;
    bool shaped;                  /* without time, too, the program sees a machine */
    const struct frontend *alone; /* of a program that runs as it is, whose machine says what it sees; or NULL */
    bool quiet;                   /* no summary: asked for, or standard output is taken by results */
    FILE *out;                    /* what else goes to people: standard output unless taken */
};

/* --- options */

/* Options that mean something only with timing, beyond MEASURE_OPTIONS */
static const char *const timed_only[] = {"machine",      "set",          "full",    "dump-config", "per-kernel",
                                         "per-sm",       "by-pc",        "samples", "csv",         "konata",
                                         "perfetto",     "trace-replay", "hazards", "pressure",    "divergence",
                                         "trace-cycles", "trace-sm",     "audit",   "trace-size",  "stop-after-trace",
                                         "counters",     "timeline",     "limits",  "perturb",     "exit-cycles"};
enum { SHAPE_OPTIONS = 2 }; /* the first of them: programs that run as they are see the machine without time too */
static const char *const functional_only[] = {"trace-exec", "trace-kernel", "trace-cta"};

/* OpenCL C becomes a program of the machine that is named: what it sees of that it sees without time, too */
static bool runs_compiled(struct run *r, bool *ok) {
    struct config c;
    if (!r->functional || !cli_has(r->line, "machine")) return false;
    *ok = measure_machine(r->line, NULL, 0, &c);
    return *ok && front_of_machine(&c)->build;
}

static bool check_mode(struct run *r) {
    const char *measure = measure_given(r->line);
    r->functional = cli_has(r->line, "functional");
    r->alone = r->line->operands.n ? input_alone(r->line->operands.at[0]) : NULL;
    bool ok = true;
    r->shaped = r->alone || runs_compiled(r, &ok);
    if (!ok) return false;
    for (u32 i = r->shaped ? SHAPE_OPTIONS : 0; i < ARRAY_LEN(timed_only) && !measure; i++)
        if (cli_has(r->line, timed_only[i])) measure = timed_only[i];
    if (r->functional && measure) {
        bool shapes = strcmp(measure, "set") == 0 && !cli_has(r->line, "machine");
        cli_error(r->line->command, "--%s needs timing; leave out --functional%s", measure,
                  shapes ? ", or, where a RISC-V program runs, say on which --machine" : "");
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

/* Every file this command can write; `samples` and those before it are written when all has run */
static const char *const output_options[] = {"html",   "json",     "csv",          "samples",    "counters",
                                             "konata", "perfetto", "trace-replay", "trace-exec", "dump"};

/* All that is asked for, before anything runs. "-" is standard output, which only one can have; a summary
 * then has no place. */
static bool open_outputs(struct run *r) {
    const char *inputs[] = {r->line->operands.at[0], cli_value(r->line, "manifest"), cli_value(r->line, "machine")};
    const char *trace = cli_value(r->line, "trace-exec");
    if (!outputs_open(&r->outputs, r->line, output_options, ARRAY_LEN(output_options), inputs, ARRAY_LEN(inputs))) return false;
    r->quiet = r->outputs.stdout_taken || cli_has(r->line, "quiet");
    r->out = r->outputs.stdout_taken && !(trace && strcmp(trace, "-") == 0) ? stderr : stdout;
    r->runner.opt.program_out = r->out;
    if (trace) r->runner.opt.trace = *trace ? outputs_file(&r->outputs, "trace-exec") : r->out;
    return true;
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
    r->runner.registers = (u32)registers;
    return true;
}

static bool read_machine(struct run *r) {
    struct strbuf warp_size = {0};
    struct cli_given more[2];
    u32 n = 0;
    if (r->alone && !cli_has(r->line, "machine"))
        more[n++] = (struct cli_given){&measure_machine_option, {r->alone->machine, ""}};
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

/* What it leaves is not the program's output */
static bool check_exit(const struct run *r) {
    if (!cli_has(r->line, "exit-cycles") || !cli_has(r->line, "dump")) return true;
    cli_error(r->line->command, "--dump and --exit-cycles do not go together: buffers are not final where a program is cut off");
    return false;
}

static bool read_timed(struct run *r) {
    struct report_wishes *w = &r->runner.report.wishes;
    w->full = cli_has(r->line, "full");
    w->per_kernel = cli_has(r->line, "per-kernel");
    w->sample = cli_has(r->line, "sample");
    w->per_sm = cli_has(r->line, "per-sm");
    w->hazards = cli_has(r->line, "hazards");
    w->pressure = cli_has(r->line, "pressure");
    w->divergence = cli_has(r->line, "divergence");
    w->timeline = measure_timeline(r->line);
    w->limits = cli_has(r->line, "limits");
    return read_machine(r) && measure_read(r->line, &r->runner.timing, &w->cpi) && measure_by_pc(r->line, w) &&
           measure_window(r->line, &r->config, &r->window) && measure_trace_end(r->line, &r->window, &r->runner.timing) &&
           check_exit(r);
}

static bool read_options(struct run *r) {
    if (!check_mode(r) || !read_common(r)) return false;
    if (r->functional && r->shaped && !read_machine(r)) return false;
    r->runner.opt.functional = r->functional;
    return (r->functional || read_timed(r)) && html_ready(r->line) && open_outputs(r);
}

/* --- traces of timing */

static bool open_traces(struct run *r) {
    const struct heddle_window w = r->window;
    FILE *konata = outputs_file(&r->outputs, "konata"), *perfetto = outputs_file(&r->outputs, "perfetto"),
         *replays = outputs_file(&r->outputs, "trace-replay");
    r->runner.report.counters = outputs_file(&r->outputs, "counters");
    struct heddle *h = r->runner.play.h;
    int status = heddle_audit(h, cli_has(r->line, "audit"));
    if (!status && konata) status = heddle_trace_konata(h, konata, &w);
    if (!status && perfetto) status = heddle_trace_perfetto(h, perfetto, &w);
    if (!status && replays) status = heddle_trace_replay(h, replays, &w);
    if (!status && measure_timeline(r->line)) status = heddle_timeline(h, &w);
    if (status) cli_error(r->line->command, "%s", heddle_message(h));
    return !status;
}

static bool close_traces(struct run *r) {
    static const char *const names[] = {"konata", "perfetto", "trace-replay", "trace-exec", "counters"};
    bool ok = true;
    heddle_trace_end(r->runner.play.h); /* what it finds of write errors is found again, with a name */
    for (u32 i = 0; i < ARRAY_LEN(names); i++) ok = outputs_commit(&r->outputs, names[i]) && ok;
    return ok;
}

/* --- results */

/* With the reason and the exit code when the run did not end */
static bool write_results(struct run *r, const char *error, int code) {
    const struct report *report = &r->runner.report;
    FILE *json = outputs_file(&r->outputs, "json"), *csv = outputs_file(&r->outputs, "csv"),
         *samples = outputs_file(&r->outputs, "samples");
    if (csv) report_write_csv(report, csv);
    if (samples) report_write_samples(report, samples);
    if (csv && error) report_mark_incomplete(csv, "the run did not end");
    if (samples && error) report_mark_incomplete(samples, "the run did not end");
    json_t *j = json || outputs_file(&r->outputs, "html") ? report_json(report) : NULL;
    if (j && error) {
        json_object_set_new(j, "error", json_string(error));
        json_object_set_new(j, "exit_code", json_integer(code));
    }
    bool ok = html_write(&r->outputs, r->line, &j, 1);
    if (json) report_write_json(json_incref(j), json);
    json_decref(j);
    ok = outputs_commit(&r->outputs, "csv") && ok;
    ok = outputs_commit(&r->outputs, "html") && ok;
    ok = outputs_commit(&r->outputs, "samples") && ok;
    return outputs_commit(&r->outputs, "json") && ok;
}

static void print_summary(const struct run *r) {
    if (r->quiet) return;
    if (report_timed(&r->runner.report)) report_timing(&r->runner.report, stdout);
    else report_text(&r->runner.report, stdout);
}

static void print_disasm(struct run *r) {
    const struct play *p = &r->runner.play;
    for (u32 i = 0; i < p->m->nlaunches; i++) {
        bool seen = false;
        for (u32 k = 0; k < i; k++) seen = seen || p->launches[k].kernel == p->launches[i].kernel;
        if (!seen) heddle_kernel_disasm(p->h, p->launches[i].kernel, r->out);
    }
}

static bool dump_one(struct run *r, const char *name) {
    struct play *p = &r->runner.play;
    i32 i = manifest_find_buffer(p->m, name, "--dump", &p->diag);
    if (i < 0) return false;
    u64 bytes = p->m->buffers[i].bytes;
    void *data = base_alloc(bytes);
    bool ok = play_read(p, (u32)i, data) == HEDDLE_OK;
    if (ok) fwrite(data, 1, bytes, outputs_file(&r->outputs, "dump"));
    free(data);
    return ok && outputs_commit(&r->outputs, "dump");
}

/* Every --dump; with check_only just whether there are such buffers: a misspelt one should not be found out
 * after an hour */
static bool dump_all(struct run *r, bool check_only) {
    struct play *p = &r->runner.play;
    for (u32 i = 0; i < r->line->given.n; i++) {
        const struct cli_given *g = &r->line->given.at[i];
        if (strcmp(g->option->name, "dump")) continue;
        if (check_only ? manifest_find_buffer(p->m, g->value[0], "--dump", &p->diag) < 0 : !dump_one(r, g->value[0]))
            return false;
    }
    return true;
}

/* --- the run */

static int prepare(struct run *r) {
    struct runner *x = &r->runner;
    if (!read_options(r)) return EXIT_USER;
    if (!input_open(&r->input, r->line, r->line->operands.at[0], r->runner.config)) return EXIT_USER;
    x->line = r->line;
    x->input = &r->input;
    if (!measure_lock(r->line, r->input.m, &x->report.wishes.lock)) return EXIT_USER;
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
    const struct heddle_result *res = &x->play.launches[x->at].result;
    fprintf(stderr, "heddle run: %s %s launches[%u] (%s)", stop_name(), res->warp_instructions ? "in" : "before", x->at,
            x->play.m->launches[x->at].kernel);
    if (res->cycles) fprintf(stderr, " after %llu cycles", (unsigned long long)res->cycles);
    else if (res->warp_instructions) fprintf(stderr, " after %llu warp instructions", (unsigned long long)res->warp_instructions);
    fputc('\n', stderr);
}

/* What is known so far, and the code that shells expect */
static int stopped(struct run *r) {
    say_where(&r->runner);
    print_summary(r);
    write_results(r, stop_name(), stop_exit_code());
    return stop_exit_code();
}

static int play_it(struct run *r) {
    struct runner *x = &r->runner;
    if (cli_has(r->line, "disasm")) print_disasm(r);
    int status = runner_launch(x);
    if (!status && !dump_all(r, false)) status = HEDDLE_BAD_INPUT;
    x->report.audited = cli_has(r->line, "audit");
    x->report.audit = heddle_audit_result(x->play.h);
    if (status == HEDDLE_STOPPED && x->opt.trace) report_mark_incomplete(x->opt.trace, stop_name());
    bool written = close_traces(r);
    fflush(stdout);
    runner_collect(x, status != HEDDLE_OK);
    if (status == HEDDLE_STOPPED) return stopped(r);
    if (status) {
        write_results(r, x->play.diag.text.s, status);
        return status;
    }
    print_summary(r);
    if (!write_results(r, NULL, EXIT_OK) || !written) return EXIT_USER;
    return verdict(r);
}

static void close_run(struct run *r) {
    runner_close(&r->runner);
    outputs_close(&r->outputs);
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
    {"exit-cycles", "N", "end the program after N cycles of all launches together; its output is then not compared"},
    PERTURB_OPTION,
    CLI_TALK_OPTIONS("no summary and no progress", "say what is read, chosen, run and written, on standard error"),
    {"full", NULL, "the whole summary: kernels, warp states, hazards, caches, DRAM, energy"},
    {"per-kernel", NULL, "figures of each kernel and a line for each launch beside the total"},
    {"per-sm", NULL, "figures of each SM and memory partition, in the JSON results all of them"},
    MEASURE_BY_PC,
    {"hazards", NULL, "measures of hazards, replay and prediction in the summary"},
    {"pressure", NULL, "measures of memory pressure in the summary: stalls, blocked hits, owners, re-execution, what it costs"},
    {"divergence", NULL,
     "measures of divergence in the summary: lanes of a warp that go together, why others do not, what hybrid warp sizes could "
     "gain and cost"},
    {"limits", NULL, "use of ports, buses, units and queues, and the cycles each allows at least, in the JSON results too"},
    {"json", "FILE", "write the results as JSON; - for standard output"},
    HTML_OPTION,
    TIMELINE_OPTION,
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
        "X is a manifest (JSON), a program (PTX with --manifest; RISC-V), or the name of a bundled workload. It runs on a "
        "simulated\n"
        "machine, by default " HEDDLE_DEFAULT_MACHINE ", cycle by cycle; with --functional only its results are computed.\n"
        "Exit code 1 means that the output is not what the manifest expects. Ctrl-C prints what is known so far.",
    .example = "heddle run saxpy\nheddle run bfs --machine gtx480 --set sm.sched=gto --by-pc --json result.json\nheddle run "
               "kernel.ptx --manifest launch.json --functional "
               "--dump out out.bin",
    .options = options,
    .operands_from = "workloads files",
    .min_operands = 0, /* --dump-config needs none */
    .max_operands = 1,
    .run = run_run,
};
