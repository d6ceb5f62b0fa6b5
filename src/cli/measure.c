/* On what, and what is measured: CLI_MACHINE_OPTIONS and MEASURE_OPTIONS to struct config and struct heddle_timing. */
#include "cli/runner.h"

#include <stdlib.h>

#define MAX_THREADS 256
#define MAX_WINDOW  1000000

const struct cli_option measure_machine_option = {"machine", NULL, NULL}, measure_set_option = {"set", NULL, NULL};

/* As if `more` stood last on the command line */
bool measure_machine(const struct cli_line *line, const struct cli_given *more, u32 n, struct config *out) {
    struct cli_line whole = {.command = line->command};
    for (u32 i = 0; i < line->given.n; i++) VEC_PUSH(&whole.given, line->given.at[i]);
    for (u32 i = 0; i < n; i++) VEC_PUSH(&whole.given, more[i]);
    bool ok = cli_machine(&whole, out);
    free(whole.given.at);
    return ok;
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

bool measure_read(const struct cli_line *line, struct heddle_timing *t, enum cpi_method *cpi) {
    u64 threads = 1, window = 0, check = 0;
    if (!cli_number(line, "threads", 1, MAX_THREADS, &threads) || !cli_number(line, "window", 1, MAX_WINDOW, &window) ||
        !cli_number(line, "check", 1, UINT32_MAX, &check) || !cli_number(line, "warmup", 0, UINT64_MAX, &t->warmup_cycles) ||
        !cli_number(line, "max-cycles", 1, UINT64_MAX, &t->max_cycles) ||
        !cli_number(line, "fast-forward", 0, UINT64_MAX, &t->fast_forward_launches) ||
        !cli_number(line, "fast-forward-ctas", 0, UINT64_MAX, &t->fast_forward_ctas))
        return false;
    t->threads = (u32)threads;
    t->window_cycles = (u32)window;
    t->check_cycles = (u32)check;
    t->flush = cli_has(line, "flush");
    t->no_jumps = cli_has(line, "no-jumps");
    return read_method(line, cpi);
}

const char *measure_given(const struct cli_line *line) {
    static const struct cli_option options[] = {MEASURE_OPTIONS};
    for (u32 i = 0; i < ARRAY_LEN(options); i++)
        if (cli_has(line, options[i].name)) return options[i].name;
    return NULL;
}
