/* On what, and what is measured: CLI_MACHINE_OPTIONS and MEASURE_OPTIONS to struct config and struct
 * heddle_timing. */
#include "cli/runner.h"
#include "sweep/sweep.h"

#include <stdlib.h>

#define MAX_THREADS      SWEEP_MOST_THREADS
#define MAX_PERTURB      1000
#define MAX_WINDOW       1000000
#define DEFAULT_ROWS     20 /* of --by-pc */
#define DEFAULT_TRACE_MB 4000

const struct cli_option measure_machine_option = {"machine", NULL, NULL}, measure_set_option = {"set", NULL, NULL};

/* As if `more` stood last on the command line */
bool measure_machine_read(const struct cli_line *line, const struct cli_given *more, u32 n, struct config *out) {
    struct cli_line whole = {.command = line->command};
    for (u32 i = 0; i < line->given.n; i++) VEC_PUSH(&whole.given, line->given.at[i]);
    for (u32 i = 0; i < n; i++) VEC_PUSH(&whole.given, more[i]);
    bool ok = cli_machine_read(&whole, out);
    free(whole.given.at);
    return ok;
}

bool measure_machine_check(const struct cli_line *line, struct config *c) {
    u64 perturb = 0;
    bool ok = cli_machine_check(line, c) && cli_number(line, "perturb", 0, MAX_PERTURB, &perturb);
    if (ok) config_perturb(c, perturb);
    return ok;
}

bool measure_machine(const struct cli_line *line, const struct cli_given *more, u32 n, struct config *out) {
    return measure_machine_read(line, more, n, out) && measure_machine_check(line, out);
}

static bool read_method(const struct cli_line *line, enum cpi_method *cpi) {
    const char *name = cli_value(line, "cpi");
    *cpi = CPI_PROPORTIONAL;
    if (!name) return true;
    for (u32 i = 0; i < CPI_METHODS; i++) {
        if (strcmp(name, cpi_method_names[i])) continue;
        *cpi = i;
        return true;
    }
    const char *near = text_nearest(name, cpi_method_names, CPI_METHODS);
    if (near) cli_error(line->command, "unknown method \"%s\" of a CPI stack; did you mean %s?", name, near);
    else cli_error(line->command, "unknown method \"%s\" of a CPI stack; methods are selected, gsi and proportional", name);
    return false;
}

static bool check_bounds(const struct cli_line *line) {
    struct gpu_limits given = {
        .max_warp_instructions = cli_has(line, "max-warp-instructions"),
        .sample = cli_has(line, "sample"),
        .max_cy = cli_has(line, "max-cycles"),
        .warmup_cy = cli_has(line, "warmup"),
        .fast_forward_ctas = cli_has(line, "fast-forward-ctas"),
        .exit = cli_has(line, "exit-cycles"),
        .end_cy = cli_has(line, "stop-after-trace"),
    };
    struct gpu_bound a, b;
    if (!gpu_limits_clash(&given, &a, &b)) return true;
    cli_error(line->command, "--%s and --%s do not go together: both choose what is timed; leave one out", a.option, b.option);
    return false;
}

static bool read_sample(const struct cli_line *line, struct heddle_timing *t) {
    const char *text = cli_value(line, "sample");
    u64 percent = 0;
    if (text && *text && !cli_number(line, "sample", 1, 100, &percent)) return false;
    t->sample = text != NULL;
    t->sample_percent = (u32)percent;
    return true;
}

bool measure_read(const struct cli_line *line, struct heddle_timing *t, enum cpi_method *cpi) {
    u64 threads = 1, window = 0, check = 0;
    if (!cli_number(line, "threads", 1, MAX_THREADS, &threads) || !cli_number(line, "window", 1, MAX_WINDOW, &window) ||
        !cli_number(line, "check", 1, UINT32_MAX, &check) || !cli_number(line, "warmup", 0, UINT64_MAX, &t->warmup_cycles) ||
        !cli_number(line, "max-cycles", 1, UINT64_MAX, &t->max_cycles) ||
        !cli_number(line, "max-warp-instructions", 1, UINT64_MAX, &t->max_warp_instructions) || !read_sample(line, t) ||
        !check_bounds(line) || !cli_number(line, "exit-cycles", 1, UINT64_MAX, &t->exit_cycle) ||
        !cli_number(line, "fast-forward", 0, UINT64_MAX, &t->fast_forward_launches) ||
        !cli_number(line, "fast-forward-ctas", 0, UINT64_MAX, &t->fast_forward_ctas))
        return false;
    if (threads > gpu_processors())
        fprintf(stderr, "heddle %s: warning: --threads %llu: there are %u processors, so %u threads are used\n",
                line->command->name, (unsigned long long)threads, gpu_processors(), gpu_processors());
    t->threads = (u32)threads;
    t->window_cycles = (u32)window;
    t->check_cycles = (u32)check;
    t->flush = cli_has(line, "flush");
    t->warmup_once = cli_has(line, "warmup-once");
    if (t->warmup_once && !t->warmup_cycles) {
        cli_error(line->command, "--warmup-once needs --warmup CYCLES, which says how long");
        return false;
    }
    t->no_jumps = cli_has(line, "no-jumps");
    return read_method(line, cpi);
}

/* The first word of the list that no launch is of, or NULL. Free it. */
static char *unknown_lock(const char *list, const struct manifest *m) {
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        char *word = strndup(at, n);
        bool used = false;
        for (u32 i = 0; i < m->nlaunches && !used; i++) used = report_locks(word, m->launches[i].kernel);
        if (!used) return word;
        free(word);
        at += n + (at[n] == ',');
    }
    return NULL;
}

bool measure_lock(const struct cli_line *line, const struct manifest *m, const char **list) {
    u32 free_ones = 0;
    *list = cli_value(line, "lock");
    if (!*list) return true;
    if (!**list) {
        cli_error(line->command, "--lock wants the names of kernels, with commas between them");
        return false;
    }
    char *unknown = unknown_lock(*list, m);
    if (unknown) {
        cli_error(line->command, "--lock: no launch of %s is of a kernel \"%s\"; its first is of \"%s\"", m->name, unknown,
                  m->nlaunches ? m->launches[0].kernel : "none");
        free(unknown);
        return false;
    }
    for (u32 i = 0; i < m->nlaunches; i++) free_ones += !report_locks(*list, m->launches[i].kernel);
    if (!free_ones) cli_error(line->command, "--lock %s leaves no launch of %s to count", *list, m->name);
    return free_ones != 0;
}

const char *measure_given(const struct cli_line *line) {
    static const struct cli_option options[] = {MEASURE_OPTIONS};
    for (u32 i = 0; i < ARRAY_LEN(options); i++)
        if (cli_has(line, options[i].name)) return options[i].name;
    return NULL;
}

bool measure_timeline(const struct cli_line *line) { return cli_has(line, "timeline") || cli_has(line, "html"); }

bool measure_by_pc(const struct cli_line *line, struct report_wishes *w) {
    const char *text = cli_value(line, "by-pc");
    u64 rows = DEFAULT_ROWS;
    if (cli_has(line, "html")) w->by_pc = BY_PC_KEEP;
    if (!text) return true;
    w->by_pc = strcmp(text, "order") == 0 ? BY_PC_ORDER : BY_PC_TIME;
    if (strcmp(text, "all") == 0) rows = UINT32_MAX;
    else if (*text && w->by_pc != BY_PC_ORDER) {
        char *end;
        rows = strtoull(text, &end, 10);
        if (*end || *text < '0' || *text > '9' || rows < 1 || rows > UINT32_MAX) {
            cli_error(line->command, "--by-pc takes a number of rows, \"all\" or \"order\", not \"%s\"", text);
            return false;
        }
    }
    w->by_pc_rows = (u32)rows;
    return true;
}

bool measure_window(const struct cli_line *line, const struct config *c, struct heddle_window *w) {
    const char *cycles = cli_value(line, "trace-cycles");
    u64 sm = 0, warp = 0, megabytes = DEFAULT_TRACE_MB;
    *w = (struct heddle_window){.sm = -1, .warp = -1};
    if (!cli_number(line, "trace-size", 1, 1u << 26, &megabytes)) return false;
    w->limit_b = megabytes * 1000000;
    if (!cli_number(line, "trace-sm", 0, c->sms - 1, &sm) || !cli_number(line, "trace-warp", 0, c->warps - 1, &warp))
        return false;
    if (cli_has(line, "trace-sm")) w->sm = (i32)sm;
    if (cli_has(line, "trace-warp")) w->warp = (i32)warp;
    if (!cycles) return true;
    unsigned long long from = 0, to = 0;
    int used = 0;
    if (sscanf(cycles, "%llu..%llu%n", &from, &to, &used) != 2 || cycles[used] || to <= from) {
        cli_error(line->command, "--trace-cycles needs FROM..TO with FROM less than TO, such as 0..5000, not \"%s\"", cycles);
        return false;
    }
    w->from = from;
    w->to = to;
    return true;
}

bool measure_trace_end(const struct cli_line *line, const struct heddle_window *w, struct heddle_timing *t) {
    if (!cli_has(line, "stop-after-trace")) return true;
    if (t->exit_cycle) {
        cli_error(line->command, "--stop-after-trace and --exit-cycles do not go together: both end the timing; leave one out");
        return false;
    }
    if (!w->to) {
        cli_error(line->command, "--stop-after-trace needs --trace-cycles FROM..TO, which says where the trace ends");
        return false;
    }
    t->end_cycle = w->to;
    return true;
}
