/* heddle run: a manifest, a PTX file with a manifest, or a bundled workload, from reading to verdict. */
#include "cli/cli.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct run { /* one `heddle run` */
    const struct cli_line *line;
    double started;
    const struct workload *workload; /* NULL unless X named one */
    char *manifest_path;
    const char *ptx; /* NULL: the manifest names it */
    struct manifest *m;
    struct heddle_options opt;
    struct play play;
    struct progress progress;
    struct report report;
    bool json_on_stdout;
    u32 at; /* launch being run */
};

/* --- what to run */

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), k = strlen(end);
    return n >= k && strcmp(s + n - k, end) == 0;
}

static bool unknown_workload(const struct run *r, const char *name) {
    const char **names = base_alloc((workload_count + 1) * sizeof(*names));
    for (u32 i = 0; i < workload_count; i++) names[i] = workload_table[i].name;
    const char *near = text_nearest(name, names, workload_count);
    if (near) cli_error(r->line->command, "no bundled workload \"%s\"; did you mean \"%s\"?", name, near);
    else
        cli_error(r->line->command,
                  "\"%s\" is no manifest (.json), no PTX file (.ptx) and no bundled workload (see heddle list workloads)", name);
    free(names);
    return false;
}

static bool find_workload(struct run *r, const char *name) {
    const char *size = cli_value(r->line, "size");
    r->workload = workload_find(name);
    if (!r->workload) return unknown_workload(r, name);
    if (size && strcmp(size, "small") && strcmp(size, "tiny")) {
        cli_error(r->line->command, "unknown size \"%s\"; sizes are tiny and small", size);
        return false;
    }
    r->manifest_path = workload_manifest_path(r->workload, size);
    if (!r->manifest_path)
        cli_error(r->line->command,
                  "the bundled workloads' files were not found; set HEDDLE_DATA to the folder share/heddle of the build");
    return r->manifest_path != NULL;
}

static bool find_input(struct run *r) {
    const char *x = r->line->operands.at[0], *manifest = cli_value(r->line, "manifest");
    bool is_ptx = ends_with(x, ".ptx");
    if (is_ptx && !manifest) {
        cli_error(r->line->command,
                  "a PTX file needs --manifest FILE, which says what to launch (\"heddle check %s\" only reads it)", x);
        return false;
    }
    if (!is_ptx && manifest) {
        cli_error(r->line->command, "--manifest goes with a PTX file, not with \"%s\"", x);
        return false;
    }
    if (cli_has(r->line, "size") && (is_ptx || ends_with(x, ".json"))) {
        cli_error(r->line->command, "--size goes with a bundled workload, not with \"%s\"", x);
        return false;
    }
    if (!is_ptx && !ends_with(x, ".json")) return find_workload(r, x);
    r->ptx = is_ptx ? x : NULL;
    r->manifest_path = strdup(is_ptx ? manifest : x);
    return true;
}

/* --- options */

static bool open_trace(struct run *r) {
    const char *file = cli_value(r->line, "trace-exec");
    if (!file) return true;
    bool to_file = *file && strcmp(file, "-");
    r->opt.trace = to_file ? fopen(file, "w") : r->json_on_stdout ? stderr : stdout;
    if (!r->opt.trace) cli_error(r->line->command, "--trace-exec: cannot write %s: %s", file, strerror(errno));
    return r->opt.trace != NULL;
}

static bool read_options(struct run *r, u32 *registers) {
    u64 warp_size = 0, cta = 0, warp = 0, regs = 0;
    const struct cli_line *line = r->line;
    const char *json = cli_value(line, "json");
    r->json_on_stdout = json && strcmp(json, "-") == 0;
    if (!cli_number(line, "warp-size", 1, 64, &warp_size) || !cli_number(line, "trace-cta", 0, INT64_MAX, &cta) ||
        !cli_number(line, "trace-warp", 0, INT64_MAX, &warp) || !cli_number(line, "registers", 1, 255, &regs) ||
        !cli_number(line, "max-instructions", 1, UINT64_MAX, &r->opt.max_instructions))
        return false;
    r->opt.warp_size = (u32)warp_size;
    r->opt.trace_cta = (i64)cta;
    r->opt.trace_warp = (i64)warp;
    r->opt.trace_cta_only = cli_has(line, "trace-cta");
    r->opt.trace_warp_only = cli_has(line, "trace-warp");
    r->opt.trace_kernel = cli_value(line, "trace-kernel");
    r->opt.program_out = r->json_on_stdout ? stderr : stdout;
    r->opt.progress = progress_update;
    r->opt.progress_user = &r->progress;
    *registers = (u32)regs;
    return open_trace(r);
}

/* --- running */

static void make_report(struct run *r, bool stopped) {
    r->report.play = &r->play;
    r->report.stopped = stopped;
    report_collect(&r->report);
    r->report.setup_seconds = MAX(0, clock_seconds() - r->started - r->report.wall_seconds);
}

static bool write_report(struct run *r, const char *error) {
    const char *json = cli_value(r->line, "json");
    if (!cli_has(r->line, "quiet") && !r->json_on_stdout) report_text(&r->report, stdout);
    if (!json) return true;
    json_t *j = report_json(&r->report);
    if (error) json_object_set_new(j, "error", json_string(error));
    return report_write_json(j, json);
}

/* Ctrl-C: what is known so far, and out with the code shells expect */
static void on_interrupt(void *user, const struct heddle_progress *now) {
    struct run *r = user;
    fprintf(stderr, "heddle run: interrupted in launches[%u] (%s) after %llu of %llu blocks and %llu warp instructions\n", r->at,
            now->kernel, (unsigned long long)now->ctas_done, (unsigned long long)now->ctas_total,
            (unsigned long long)now->warp_instructions);
    make_report(r, true);
    write_report(r, "interrupted");
    exit(130);
}

static void print_disasm(struct run *r) {
    FILE *out = r->json_on_stdout ? stderr : stdout;
    for (u32 i = 0; i < r->m->nlaunches; i++) {
        bool seen = false;
        for (u32 k = 0; k < i; k++) seen = seen || r->play.launches[k].kernel == r->play.launches[i].kernel;
        if (!seen) heddle_kernel_disasm(r->play.h, r->play.launches[i].kernel, out);
    }
}

static int launch_all(struct run *r) {
    r->progress.interrupted = on_interrupt;
    r->progress.user = r;
    progress_start(&r->progress);
    for (r->at = 0; r->at < r->m->nlaunches; r->at++) {
        int status = play_launch(&r->play, r->at);
        if (status) {
            progress_clear(&r->progress);
            return status;
        }
        r->progress.before += r->play.launches[r->at].result.warp_instructions;
    }
    progress_clear(&r->progress);
    return HEDDLE_OK;
}

static bool dump_one(struct run *r, const char *name, const char *file) {
    i32 i = manifest_find_buffer(r->m, name, "--dump", &r->play.diag);
    if (i < 0) return false;
    u64 bytes = r->m->buffers[i].bytes;
    void *data = base_alloc(bytes);
    bool ok = play_read(&r->play, (u32)i, data) == HEDDLE_OK;
    FILE *f = ok ? fopen(file, "wb") : NULL;
    bool written = f && fwrite(data, 1, bytes, f) == bytes;
    if (f) written = fclose(f) == 0 && written;
    if (ok && !written) diag_error(&r->play.diag, file, 0, 0, "cannot write: %s", strerror(errno));
    free(data);
    return written;
}

static bool dump_all(struct run *r) {
    for (u32 i = 0; i < r->line->given.n; i++) {
        const struct cli_given *g = &r->line->given.at[i];
        if (strcmp(g->option->name, "dump") == 0 && !dump_one(r, g->value[0], g->value[1])) return false;
    }
    return true;
}

/* A misspelt buffer should not be found out after an hour */
static bool check_dumps(struct run *r) {
    for (u32 i = 0; i < r->line->given.n; i++) {
        const struct cli_given *g = &r->line->given.at[i];
        if (strcmp(g->option->name, "dump") == 0 && manifest_find_buffer(r->m, g->value[0], "--dump", &r->play.diag) < 0)
            return false;
    }
    return true;
}

static int prepare(struct run *r) {
    u32 registers = 0;
    struct diag d = {0};
    if (!find_input(r) || !read_options(r, &registers)) return EXIT_USER;
    r->m = manifest_load(r->manifest_path, &d);
    if (!r->m) fputs(d.text.s, stderr);
    diag_free(&d);
    if (!r->m) return EXIT_USER;
    int status = play_open(&r->play, r->m, r->ptx, &r->opt);
    r->play.registers = registers;
    if (!status && !check_dumps(r)) status = HEDDLE_BAD_INPUT;
    return status;
}

static int play_it(struct run *r) {
    if (cli_has(r->line, "disasm")) print_disasm(r);
    int status = launch_all(r);
    if (!status) status = play_compare(&r->play, r->workload ? r->workload->reference : NULL, &r->report.outcome);
    if (!status && !dump_all(r)) status = HEDDLE_BAD_INPUT;
    fflush(stdout);
    make_report(r, status != HEDDLE_OK);
    if (status) {
        if (cli_has(r->line, "json")) write_report(r, r->play.diag.text.s);
        return status;
    }
    if (!write_report(r, NULL)) return EXIT_USER;
    if (r->report.outcome.verdict != VERDICT_DIFFERS) return EXIT_OK;
    fprintf(stderr, "%s: error: the output is not the expected one: %s\n", r->m->file, r->report.outcome.text);
    return EXIT_DIFFERS;
}

static void close_run(struct run *r) {
    if (r->play.diag.text.s) fputs(r->play.diag.text.s, stderr);
    if (r->opt.trace && r->opt.trace != stdout && r->opt.trace != stderr) fclose(r->opt.trace);
    report_free(&r->report);
    if (r->play.m) play_close(&r->play);
    manifest_free(r->m);
    free(r->manifest_path);
}

static int run_run(const struct cli_line *line) {
    struct run r = {.line = line, .started = clock_seconds()};
    int code = prepare(&r);
    if (!code) code = play_it(&r);
    close_run(&r);
    return code;
}

static const struct cli_option options[] = {
    {"functional", NULL, "compute results only, without timing (the only mode so far)"},
    {"manifest", "FILE", "what to launch, when X is a PTX file"},
    {"size", "SIZE", "of a bundled workload: tiny or small (default)"},
    {"json", "FILE", "write the results as JSON; - for standard output"},
    {"dump", "BUF FILE", "write a buffer's final contents; by name or id; repeatable"},
    {"disasm", NULL, "print the launched kernels as heddle decoded them"},
    {"trace-exec", "[FILE]", "one line per warp instruction; --trace-exec=FILE works anywhere"},
    {"trace-kernel", "NAME", "trace this kernel only"},
    {"trace-cta", "N", "trace this block only (linear index)"},
    {"trace-warp", "N", "trace this warp of each block only"},
    {"warp-size", "N", "threads in a warp, 1 to 64 (default 32)"},
    {"max-instructions", "N", "stop a launch after N warp instructions with a diagnosis"},
    {"registers", "N", "registers per thread for all launches, 1 to 255"},
    {"quiet", NULL, "no summary"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_run = {
    .name = "run",
    .doc = "run a manifest, a PTX file or a bundled workload",
    .usage = "X [OPTIONS]",
    .details = "X is a manifest (.json), a PTX file (.ptx, with --manifest), or the name of a bundled workload.\n"
               "Exit code 1 means that the output is not what the manifest expects.",
    .example = "heddle run saxpy\nheddle run launch.json --json result.json\nheddle run kernel.ptx --manifest launch.json --dump "
               "out out.bin",
    .options = options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_run,
};
