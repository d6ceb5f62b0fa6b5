/* heddle exec: someone else's program on a simulated GPU.
 *
 * The program gets an environment in which the OpenCL loader finds our driver and nothing else. The driver
 * writes down what each launch gave (report/record.h); when the program has ended, however it ended, that is
 * read back and reported. */
#include "cli/forward.h"
#include "cli/runner.h"
#include "report/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER      "libheddle-opencl.so"
#define CLOCK       "libheddle-clock.so"
#define MAX_ROWS    40 /* launches in the summary; all are in --json and --csv */
#define SIGNAL_EXIT 128
#define NOT_FOUND   127

struct exec { /* one `heddle exec` */
    const struct cli_line *line;
    struct config config;
    struct heddle_timing timing;
    struct report_wishes wishes;
    struct heddle_window window; /* of traces */
    u64 max_instructions;        /* 0: the default */
    u64 platforms;               /* 0: the default */
    bool functional;
    char *driver;
    struct temp temp; /* vendor file, record, and what the driver needs for a while */
    struct strbuf icd, record, clock;
    char *preload; /* --simulated-time: the library that gives the program its clocks; NULL without */
    struct cli_outputs outputs;
    struct watcher watcher;
    int status;       /* waitpid's */
    bool not_started; /* and it was said why */
    double seconds;
};

/* --- getting ready */

/* A library beside the command, or in PREFIX/lib/heddle */
static char *find_library(const char *name) {
    static const char *const places[] = {"", "/../lib/heddle", "/opencl"};
    char *exe = data_executable(), *found = NULL;
    for (u32 i = 0; exe && !found && i < ARRAY_LEN(places); i++) {
        struct strbuf s = {0};
        strbuf_add(&s, "%s%s/%s", exe, places[i], name);
        found = access(s.s, R_OK) == 0 ? realpath(s.s, NULL) : NULL;
        strbuf_free(&s);
    }
    free(exe);
    return found;
}

static char *find_driver(void) {
    const char *set = env_text("HEDDLE_OPENCL_DRIVER");
    return set ? realpath(set, NULL) : find_library(DRIVER);
}

static bool read_launches(const struct exec *x) {
    const char *text = cli_value(x->line, "launch");
    unsigned long long a, b;
    int used = 0;
    if (!text) return true;
    if (*text >= '0' && *text <= '9') {
        if (sscanf(text, "%llu..%llu%n", &a, &b, &used) == 2 && !text[used] && a <= b) return true;
        if (sscanf(text, "%llu%n", &a, &used) == 1 && !text[used]) return true;
    }
    cli_error(x->line->command, "--launch needs N or N..M with N not above M, such as 0..9, not \"%s\"", text);
    return false;
}

/* The driver writes them, inside the program: its standard output is its own. Whether it can is found out
 * here. */
static const char *const trace_options[] = {"konata", "perfetto", "trace-replay"};

static bool check_traces(const struct exec *x) {
    for (u32 i = 0; i < ARRAY_LEN(trace_options); i++) {
        const char *file = cli_value(x->line, trace_options[i]);
        struct strbuf why = {0};
        if (!file) continue;
        if (strcmp(file, "-") == 0) {
            cli_error(x->line->command, "--%s needs a file: standard output is the program's", trace_options[i]);
            return false;
        }
        if (!output_check(file, &why)) {
            cli_error(x->line->command, "--%s: %s", trace_options[i], why.s);
            strbuf_free(&why);
            return false;
        }
    }
    return true;
}

/* All names that are written, so that no two are the same and none is an input; the traces' are given back,
 * for the driver to open */
static bool open_outputs(struct exec *x) {
    enum { OURS = 3 };
    const char *names[OURS + ARRAY_LEN(trace_options)] = {"html", "json", "csv"};
    const char *inputs[] = {x->line->operands.at[0], cli_value(x->line, "machine")};
    u32 n = OURS;
    for (u32 i = 0; i < ARRAY_LEN(trace_options); i++) {
        const char *file = cli_value(x->line, trace_options[i]);
        struct stat st;
        if (file && stat(file, &st) == 0 && S_ISFIFO(st.st_mode)) continue; /* its reader would see it end */
        names[n++] = trace_options[i];
    }
    bool ok = check_traces(x) && html_ready(x->line) && outputs_open(&x->outputs, x->line, names, n, inputs, ARRAY_LEN(inputs));
    for (u32 i = OURS; i < n; i++) outputs_give_back(&x->outputs, names[i]);
    return ok;
}

/* The driver compiles OpenCL C to PTX */
static bool runs_ptx(const struct exec *x) {
    const struct config *c = &x->config;
    const char *key = c->pipeline == PIPELINE_VORTEX ? "sm.pipeline = vortex" : c->programs ? "isa.programs = riscv" : NULL;
    if (key)
        cli_error(x->line->command,
                  "machine %s has %s; kernels of OpenCL programs run as PTX: take a machine of another kind, such as gtx480, or "
                  "run a kernel as a RISC-V program with a manifest (heddle run, docs/riscv.md)",
                  c->machine, key);
    return !key;
}

static bool read_options(struct exec *x) {
    static const char *const timed_only[] = {
        "full",     "kernel",       "launch",       "csv",      "by-pc",      "timeline",   "konata",
        "perfetto", "trace-replay", "trace-cycles", "trace-sm", "trace-warp", "trace-size", "stop-after-trace"};
    const char *measure = measure_given(x->line);
    x->functional = cli_has(x->line, "functional");
    for (u32 i = 0; i < ARRAY_LEN(timed_only) && !measure; i++)
        if (cli_has(x->line, timed_only[i])) measure = timed_only[i];
    if (x->functional && measure) {
        cli_error(x->line->command, "--%s needs timing; leave out --functional", measure);
        return false;
    }
    x->wishes.per_kernel = true;
    x->wishes.full = cli_has(x->line, "full");
    return cli_machine(x->line, &x->config) && runs_ptx(x) && measure_read(x->line, &x->timing, &x->wishes.cpi) &&
           measure_by_pc(x->line, &x->wishes) && measure_window(x->line, &x->config, &x->window) &&
           measure_trace_end(x->line, &x->window, &x->timing) &&
           cli_number(x->line, "max-instructions", 1, UINT64_MAX, &x->max_instructions) &&
           cli_number(x->line, "platforms", 1, 8, &x->platforms) && read_launches(x);
}

static bool write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f && text) fprintf(f, "%s\n", text);
    return f && fclose(f) == 0;
}

static bool make_files(struct exec *x) {
    if (!temp_make(&x->temp)) return false;
    strbuf_add(&x->icd, "%s/heddle.icd", x->temp.dir);
    strbuf_add(&x->record, "%s/record", x->temp.dir);
    strbuf_add(&x->clock, "%s/clock", x->temp.dir);
    return write_file(x->icd.s, x->driver) && write_file(x->record.s, NULL) && write_file(x->clock.s, NULL) &&
           truncate(x->clock.s, sizeof(u64)) == 0;
}

static void remove_files(struct exec *x) {
    temp_remove(&x->temp);
    strbuf_free(&x->icd);
    strbuf_free(&x->record);
    strbuf_free(&x->clock);
    free(x->preload);
    free(x->driver);
}

/* The machine as it was asked for: the driver reads the same name and keys. A file is named so that it is
 * found from any folder. */
static void set_machine(const struct cli_line *line) {
    const char *name = cli_value(line, "machine");
    char *file = name && strchr(name, '.') ? realpath(name, NULL) : NULL;
    struct strbuf keys = {0};
    for (u32 i = 0; i < line->given.n; i++)
        if (strcmp(line->given.at[i].option->name, "set") == 0)
            strbuf_add(&keys, "%s%s", keys.len ? "," : "", line->given.at[i].value[0]);
    setenv("HEDDLE_MACHINE", file ? file : name ? name : HEDDLE_DEFAULT_MACHINE, 1);
    setenv("HEDDLE_SET", keys.s ? keys.s : "", 1);
    strbuf_free(&keys);
    free(file);
}

static void set_number(const char *name, u64 x) {
    char text[32];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)x);
    setenv(name, text, 1);
}

/* The program may change its folder before it makes a context */
static void set_file(const char *name, const char *file) {
    struct strbuf s = {0};
    char *here = file && file[0] != '/' ? getcwd(NULL, 0) : NULL;
    if (file) strbuf_add(&s, "%s%s%s", here ? here : "", here ? "/" : "", file);
    setenv(name, s.s ? s.s : "", 1);
    strbuf_free(&s);
    free(here);
}

static void set_traces(const struct exec *x) {
    struct strbuf window = {0};
    strbuf_add(&window, "%llu %llu %d %d %llu", (unsigned long long)x->window.from, (unsigned long long)x->window.to,
               x->window.sm, x->window.warp, (unsigned long long)x->window.limit_b);
    setenv("HEDDLE_TRACE_WINDOW", window.s, 1);
    strbuf_free(&window);
    set_file("HEDDLE_KONATA", cli_value(x->line, "konata"));
    set_file("HEDDLE_PERFETTO", cli_value(x->line, "perfetto"));
    set_file("HEDDLE_TRACE_REPLAY", cli_value(x->line, "trace-replay"));
}

static void set_clock(const struct exec *x) {
    const char *before = getenv("LD_PRELOAD");
    struct strbuf s = {0};
    strbuf_add(&s, "%s%s%s", x->preload, before && *before ? ":" : "", before ? before : "");
    setenv("LD_PRELOAD", s.s, 1);
    setenv("HEDDLE_CLOCK", x->clock.s, 1);
    strbuf_free(&s);
}

/* In the child */
static void set_environment(const struct exec *x) {
    const struct heddle_timing *t = &x->timing;
    const char *kernels = cli_value(x->line, "kernel"), *launches = cli_value(x->line, "launch");
    struct strbuf timing = {0};
    char *data = data_dir("machines");
    strbuf_add(&timing, "%llu %llu %llu %llu %d %u %u %d %u %llu %llu %u %d %d", (unsigned long long)t->warmup_cycles,
               (unsigned long long)t->max_cycles, (unsigned long long)t->fast_forward_ctas,
               (unsigned long long)t->fast_forward_launches, t->flush, t->threads, t->window_cycles, t->no_jumps, t->check_cycles,
               (unsigned long long)t->end_cycle, (unsigned long long)t->max_warp_instructions, t->sample_percent, t->sample,
               t->warmup_once);
    setenv("OCL_ICD_VENDORS", x->temp.dir, 1);
    setenv("OPENCL_VENDOR_PATH", x->temp.dir, 1);
    setenv("HEDDLE_TEMP", x->temp.dir, 1);
    unsetenv("OCL_ICD_FILENAMES");
    set_machine(x->line);
    setenv("HEDDLE_FUNCTIONAL", x->functional ? "1" : "0", 1);
    setenv("HEDDLE_STRICT", cli_has(x->line, "strict") ? "1" : "0", 1);
    setenv("HEDDLE_TIMING", timing.s, 1);
    setenv("HEDDLE_RECORD", x->record.s, 1);
    setenv("HEDDLE_PROGRESS", cli_has(x->line, "quiet") ? "0" : "1", 1);
    setenv("HEDDLE_BY_PC", x->wishes.by_pc ? "1" : "0", 1);
    setenv("HEDDLE_TIMELINE", measure_timeline(x->line) ? "1" : "0", 1);
    set_number("HEDDLE_MAX_INSTRUCTIONS", x->max_instructions);
    set_number("HEDDLE_PLATFORMS", x->platforms);
    set_traces(x);
    if (x->preload) set_clock(x);
    if (data) setenv("HEDDLE_DATA", data, 1);
    if (kernels) setenv("HEDDLE_KERNEL", kernels, 1);
    if (launches) setenv("HEDDLE_LAUNCH", launches, 1);
    strbuf_free(&timing);
    free(data);
}

/* --- running */

/* In the child; `told` hears of it when the program cannot be started, and is closed when it is */
static void become_program(const struct exec *x, int told) {
    const char *program = x->line->operands.at[0];
    forward_leave();
    set_environment(x);
    char **argv = base_alloc((x->line->operands.n + 1u) * sizeof(*argv));
    for (u32 i = 0; i < x->line->operands.n; i++) argv[i] = (char *)(uintptr_t)x->line->operands.at[i];
    execvp(program, argv);
    cli_error(x->line->command, "cannot run %s: %s", program, strerror(errno));
    ssize_t n = write(told, "", 1);
    _exit(n < 0 ? EXIT_DIFFERS : NOT_FOUND);
}

/* We stay to report what it did */
static int run_program(struct exec *x) {
    double start = clock_seconds();
    int told[2];
    char byte;
    fflush(NULL);
    pid_t pid = pipe2(told, O_CLOEXEC) == 0 ? forward_fork() : -1;
    if (pid < 0) return cli_error(x->line->command, "cannot start a process: %s", strerror(errno));
    if (pid == 0) become_program(x, told[1]);
    close(told[1]);
    while ((x->not_started = read(told[0], &byte, 1) == 1) == false && errno == EINTR) errno = 0;
    close(told[0]);
    while (waitpid(pid, &x->status, 0) < 0)
        if (errno != EINTR) return cli_error(x->line->command, "lost the program: %s", strerror(errno));
    forward_end();
    x->seconds = clock_seconds() - start;
    return EXIT_OK;
}

static int program_code(const struct exec *x) {
    if (WIFSIGNALED(x->status)) return SIGNAL_EXIT + WTERMSIG(x->status);
    return WIFEXITED(x->status) ? WEXITSTATUS(x->status) : EXIT_DIFFERS;
}

/* --- what came of it */

/* Whether this may be a program that uses the loader: scripts may call anything, and what PATH finds is not
 * looked at */
static bool mentions_opencl(const char *program) {
    size_t len;
    char *text = strchr(program, '/') ? text_read_file(program, limit_most(LIMIT_OTHER), &len) : NULL;
    bool found = !text || (len > 1 && memcmp(text, "#!", 2) == 0) || memmem(text, len, "libOpenCL", 9);
    free(text);
    return found;
}

static const char *error_name(u64 minus) {
    switch (minus) {
    case 4: return " (CL_MEM_OBJECT_ALLOCATION_FAILURE)";
    case 5: return " (CL_OUT_OF_RESOURCES)";
    case 45: return " (CL_INVALID_PROGRAM_EXECUTABLE)";
    case 48: return " (CL_INVALID_KERNEL)";
    case 52: return " (CL_INVALID_KERNEL_ARGS)";
    case 53: return " (CL_INVALID_WORK_DIMENSION)";
    case 54: return " (CL_INVALID_WORK_GROUP_SIZE)";
    case 55: return " (CL_INVALID_WORK_ITEM_SIZE)";
    case 56: return " (CL_INVALID_GLOBAL_OFFSET)";
    case 57: return " (CL_INVALID_EVENT_WAIT_LIST)";
    case 63: return " (CL_INVALID_GLOBAL_WORK_SIZE)";
    default: return "";
    }
}

static void say_types(u64 types) {
    static const struct {
        u64 bit;
        const char *name;
    } names[] = {{2, "CPU"}, {8, "accelerator"}, {16, "custom"}};
    for (u32 i = 0; i < ARRAY_LEN(names); i++)
        if (types & names[i].bit) fprintf(stderr, " %s", names[i].name);
}

static void say_not_loaded(const struct exec *x, const char *program) {
    if (WIFSIGNALED(x->status)) fprintf(stderr, "it crashed before it asked the OpenCL loader for a platform\n");
    else if (!mentions_opencl(program))
        fprintf(stderr,
                "it does not use libOpenCL.so (only OpenCL programs that go through the standard loader can be run; one that is "
                "linked statically, or with a vendor's library, cannot)\n");
    else if (program_code(x) == NOT_FOUND)
        fprintf(stderr, "it did not start. Is the OpenCL loader, libOpenCL.so.1, installed (Debian: ocl-icd-libopencl1)?\n");
    else
        fprintf(
            stderr,
            "the OpenCL loader never asked for our platform. Is it the standard one (Debian: ocl-icd-libopencl1), and did the "
            "program get as far?\n");
}

static void say_no_launch(const struct record *r) {
    if (r->seen[RECORD_NO_BUILD]) fprintf(stderr, "its kernels did not compile. The build log begins:\n%s\n", r->log);
    else if (r->seen[RECORD_REFUSED])
        fprintf(stderr, "its launches were refused, the last with %lld%s\n", -(long long)r->refused, error_name(r->refused));
    else fprintf(stderr, "it made a context and launched nothing\n");
}

/* Why there is nothing to report */
static void say_why(const struct exec *x, const struct record *r) {
    const char *program = x->line->operands.at[0];
    fprintf(stderr, "heddle exec: no kernel of %s ran on the simulated GPU: ", program);
    if (!r->seen[RECORD_LOADED]) say_not_loaded(x, program);
    else if (!r->seen[RECORD_DEVICE] && r->seen[RECORD_OTHER_TYPE]) {
        fprintf(stderr, "it asked for a device of another type than GPU:");
        say_types(r->other_types);
        fputc('\n', stderr);
    } else if (!r->seen[RECORD_DEVICE])
        fprintf(stderr, "it saw our platform and did not ask it for a device: it may want a platform or vendor by name\n");
    else if (!r->seen[RECORD_CONTEXT]) fprintf(stderr, "it looked at the device and made no context for it\n");
    else say_no_launch(r);
}

static int by_cycles(const void *a, const void *b) {
    const struct report_launch *const *x = a, *const *y = b;
    return (*x)->stats.cycles<(*y)->stats.cycles ? 1 : (*x)->stats.cycles>(*y)->stats.cycles ? -1 : *x < *y ? -1 : 1;
}

/* Of many launches the summary shows the longest */
static u32 hide_short(struct report *r, u32 n, bool *kept) {
    const struct report_launch **order = base_alloc((n + 1u) * sizeof(*order));
    u32 m = 0, hidden = 0;
    for (u32 i = 0; i < n; i++) {
        kept[i] = r->launches[i].kept;
        if (kept[i]) order[m++] = &r->launches[i];
    }
    qsort(order, m, sizeof(*order), by_cycles);
    for (u32 i = MAX_ROWS; i < m; i++, hidden++) r->launches[order[i] - r->launches].kept = false;
    free(order);
    return hidden;
}

static void print_summary(struct report *r, u32 n) {
    if (!report_timed(r)) {
        report_text(r, stdout);
        return;
    }
    bool *kept = base_alloc(n + 1u);
    u32 hidden = hide_short(r, n, kept);
    report_timing(r, stdout);
    if (hidden) printf("launches     the %d longest are listed; %u more are in --csv and --json\n", MAX_ROWS, hidden);
    for (u32 i = 0; i < n; i++) r->launches[i].kept = kept[i];
    free(kept);
}

static bool write_results(struct exec *x, const struct report *r) {
    FILE *json = outputs_file(&x->outputs, "json"), *csv = outputs_file(&x->outputs, "csv");
    if (csv) report_write_csv(r, csv);
    if (csv && r->stopped) report_mark_incomplete(csv, "the program was ended by a signal");
    json_t *j = json || outputs_file(&x->outputs, "html") ? report_json(r) : NULL;
    if (j) json_object_set_new(j, "exit_code", json_integer(program_code(x)));
    bool ok = html_write(&x->outputs, x->line, &j, 1);
    if (json) report_write_json(json_incref(j), json);
    json_decref(j);
    ok = outputs_commit(&x->outputs, "html") && ok;
    ok = outputs_commit(&x->outputs, "csv") && ok;
    return outputs_commit(&x->outputs, "json") && ok;
}

/* A program that is killed leaves its traces unfinished */
static void say_incomplete(const struct exec *x) {
    for (u32 i = 0; i < ARRAY_LEN(trace_options); i++) {
        const char *file = cli_value(x->line, trace_options[i]);
        struct strbuf temp = {0};
        if (file) strbuf_add(&temp, "%s.incomplete", file);
        if (file && access(temp.s, F_OK) == 0)
            fprintf(stderr, "heddle exec: the program did not end the trace; what there is lies in %s\n", temp.s);
        strbuf_free(&temp);
    }
}

/* Timing was wanted, of launches that there were none of */
static void say_untimed(const struct exec *x, const struct report *r) {
    const char *kernels = cli_value(x->line, "kernel"), *launches = cli_value(x->line, "launch");
    fprintf(stderr, "heddle exec: no launch was timed%s%s%s%s; the kernels were", kernels ? ": --kernel " : "",
            kernels ? kernels : "", launches ? " --launch " : "", launches ? launches : "");
    for (u32 i = 0; i < r->nkernels; i++) fprintf(stderr, "%s %s (%u)", i ? "," : "", r->kernels[i].name, r->kernels[i].launches);
    fputc('\n', stderr);
}

static bool report(struct exec *x, const struct record *rec) {
    struct play play = {0};
    struct manifest m = {0};
    struct report r = {.wishes = x->wishes, .stopped = WIFSIGNALED(x->status)};
    r.wishes.lock = cli_value(x->line, "lock");
    const char *slash = strrchr(x->line->operands.at[0], '/');
    struct heddle *h = heddle_open(NULL);
    heddle_set_config(h, &x->config);
    record_report(rec, h, slash ? slash + 1 : x->line->operands.at[0], &play, &m, &r);
    r.setup_seconds = MAX(0, x->seconds - r.wall_seconds);
    fflush(stdout);
    if (r.wishes.lock && !r.nlocked)
        fprintf(stderr, "heddle exec: warning: --lock %s: no launch was of such a kernel\n", r.wishes.lock);
    if (!x->functional && !report_timed(&r)) say_untimed(x, &r);
    if (!cli_has(x->line, "quiet")) print_summary(&r, rec->launches.n);
    bool ok = write_results(x, &r);
    fflush(stdout);
    record_report_free(&play, &m, &r);
    heddle_close(h);
    return ok;
}

/* It had what it wanted of the device, kernels not among it: it asked what it is, or measured copies */
static bool used_device(const struct record *r) {
    return r->seen[RECORD_DEVICE] && !r->seen[RECORD_NO_BUILD] && !r->seen[RECORD_REFUSED];
}

static int finish(struct exec *x) {
    struct record rec;
    int code = program_code(x);
    if (!record_read(x->record.s, &rec)) {
        record_free(&rec);
        return cli_error(x->line->command, "the driver %s does not belong to this command: build both together", x->driver);
    }
    if (WIFSIGNALED(x->status))
        fprintf(stderr, "heddle exec: %s was ended by signal %d (%s)\n", x->line->operands.at[0], WTERMSIG(x->status),
                strsignal(WTERMSIG(x->status)));
    say_incomplete(x);
    bool ok = true;
    if (rec.launches.n) ok = report(x, &rec);
    else if (!x->not_started) say_why(x, &rec);
    if (!code && !rec.launches.n && !used_device(&rec)) code = EXIT_USER;
    if (!code && rec.seen[RECORD_FAULT]) code = EXIT_PROGRAM;
    if (!code && (!ok || rec.seen[RECORD_LOST])) code = EXIT_USER;
    record_free(&rec);
    return code;
}

static int exec_run(const struct cli_line *line) {
    struct exec x = {.line = line, .temp.lock = -1};
    if (!read_options(&x)) return EXIT_USER;
    if (cli_dump_config(line, &x.config)) return EXIT_OK;
    if (!line->operands.n) return cli_error(line->command, "which program? usage: heddle exec %s", line->command->usage);
    x.driver = find_driver();
    if (x.driver) cli_say(line, "driver %s", x.driver);
    int code;
    forward_begin();
    if (!x.driver)
        code = cli_error(
            line->command, DRIVER
            " is neither beside this command nor in ../lib/heddle; \"make\" builds it, HEDDLE_OPENCL_DRIVER names another");
    else if (cli_has(line, "simulated-time") && !(x.preload = find_library(CLOCK)))
        code = cli_error(line->command,
                         "--simulated-time: " CLOCK " is neither beside this command nor in ../lib/heddle; \"make\" builds it");
    else if (!open_outputs(&x)) code = EXIT_USER;
    else if (!make_files(&x))
        code = cli_error(line->command, "cannot write to %s: %s; TMPDIR names another folder", temp_root(), strerror(errno));
    else {
        watcher_start(&x.watcher, x.temp.dir);
        code = run_program(&x);
        if (!code) code = finish(&x);
    }
    remove_files(&x);
    watcher_end(&x.watcher);
    outputs_close(&x.outputs);
    return code;
}

static const struct cli_option options[] = {
    CLI_MACHINE_OPTIONS,
    {"functional", NULL, "compute results only, without timing: much faster"},
    {"strict", NULL,
     "fault on accesses just outside a buffer, refuse groups too large for their registers: real devices let both pass"},
    {"kernel", "NAME,...", "time only these kernels; the others run without timing"},
    {"launch", "N..M", "time only these launches, counted from 0; the others run without timing"},
    MEASURE_OPTIONS,
    {"simulated-time", NULL, "the program's clocks (clock_gettime, gettimeofday, time, clock) go with the simulated GPU"},
    CLI_TALK_OPTIONS("no summary and no progress", "say which driver, machine and files are used, on standard error"),
    {"full", NULL, "the whole summary: warp states, hazards, caches, DRAM, energy"},
    MEASURE_BY_PC,
    {"json", "FILE", "write the results as JSON; - for standard output"},
    HTML_OPTION,
    TIMELINE_OPTION,
    {"csv", "FILE", "write a row for each launch with every statistic; - for standard output"},
    MEASURE_TRACES,
    {"trace-warp", "N", "of these traces: one warp slot"},
    {"platforms", "N",
     "let the program find N platforms, all of them this one (default 1, at most 8), for programs that take the second by its "
     "index"},
    {"max-instructions", "N", "stop a launch after N warp instructions with a diagnosis"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_exec = {
    .name = "exec",
    .doc = "run an OpenCL program, unmodified, on the simulated GPU",
    .usage = "[OPTIONS] -- PROGRAM [ARGUMENTS]",
    .details = "The program finds one OpenCL platform, heddle, with one GPU: the machine, by default " HEDDLE_DEFAULT_MACHINE
               ". Its kernels are compiled with clang-19 and run cycle by\n"
               "cycle, or with --functional for their results only. When it has ended its kernels are reported: cycles, IPC, "
               "what limits them, CPI stacks.\n"
               "The exit code is the program's; 2 when no kernel reached the GPU, 3 when one failed.",
    .example = "heddle exec -- ./my_opencl_app --size 1024\nheddle exec --machine gtx480 --set sm.sched=gto --json result.json "
               "-- ./bfs graph.txt\n"
               "heddle exec --functional -- ./my_opencl_app",
    .options = options,
    .min_operands = 0, /* --dump-config needs none */
    .max_operands = UINT32_MAX,
    .run = exec_run,
};
