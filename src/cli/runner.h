/* What `run` and `compare` share: which program (input.c), what is measured (measure.c), and running all its
 * launches (runner.c). */
#ifndef HEDDLE_RUNNER_H
#define HEDDLE_RUNNER_H

#include "cli/cli.h"
#include "report/report.h"

/* --- input.c: a manifest, a program with a manifest, or a bundled workload */
struct input {
    const struct workload *workload; /* NULL unless X named one */
    const char *program;             /* NULL: the manifest names it */
    struct manifest *m;
};
/* `machine`: what a program that runs as it is runs on, or NULL; false after an error */
bool input_open(struct input *in, const struct cli_line *line, const char *x, const struct config *machine);
const struct frontend *input_alone(const char *x); /* X is such a program, and this its front end; else NULL */
/* The program for a machine that does not run the manifest's as it is: OpenCL C beside it, compiled. False
 * after an error. */
bool input_compile(const struct input *in, const struct cli_line *line, const struct config *machine);
bool input_readable(const struct input *in); /* whether its PTX is there; false after an error */
void input_close(struct input *in);

/* --- measure.c: options of a timed run, and what they mean to the library */
#define INPUT_OPTIONS                                                                                                            \
    {"manifest", "FILE", "what to launch, when X is a program"},                                                                 \
        {"size", "SIZE", "of a bundled workload: tiny, small (default), paper or aurud", 0, "sizes"},                            \
        {"seed", "N", "the N-th other data of the same kind: generators' seeds, but for row pointers (docs/sampling.md)"}
#define MEASURE_OPTIONS                                                                                                          \
    {"threads", "N", "host threads of the simulator, 1 to 256 (default 1); results do not depend on it", 'j'},                   \
        {"flush", NULL, "empty all caches before each launch"},                                                                  \
        {"warmup", "CYCLES", "simulate so many cycles of each launch before counting starts"},                                   \
        {"warmup-once", NULL, "of --warmup: in the first timed launch only"},                                                    \
        {"max-cycles", "N", "after N cycles finish a launch without timing"},                                                    \
        {"max-warp-instructions", "N", "time only the first blocks, which execute N warp instructions on any machine"},          \
        {"sample", "[N]", "time a part of the blocks and launches, estimate the whole; N: percent"},                             \
        {"fast-forward", "N", "run the first N launches without timing"},                                                        \
        {"fast-forward-ctas", "N", "run the first N blocks of each launch without timing"},                                      \
        {"window", "CYCLES", "length of a simulation window (default: from the machine); results do not depend on it"},          \
        {"no-jumps", NULL, "simulate every cycle, idle ones too; results do not depend on it"},                                  \
        {"check", "CYCLES", "check the model's invariants every so many cycles"},                                                \
        {"lock", "KERNELS", "run these kernels, names or patterns with commas, but count them for no total: a counter lock"},    \
        {"cpi", "METHOD", "how the CPI stack is made: proportional (default), selected or gsi", 0, "methods"}
#define PERTURB_OPTION                                                                                                           \
    {"perturb", "N", "change what should not matter, in the N-th way: launch latency, first SM, addresses (docs/sampling.md)"}
#define MEASURE_BY_PC                                                                                                            \
    {"by-pc", "[N]", "the N instructions that cost most warp time (default 20); --by-pc=all, or =order for program order"}
#define MEASURE_TRACES                                                                                                           \
    {"konata", "FILE", "write the pipeline's history for the Konata viewer"},                                                    \
        {"perfetto", "FILE", "write a trace for ui.perfetto.dev (Chrome's JSON)"},                                               \
        {"trace-replay", "FILE",                                                                                                 \
         "with sm.hazard = replay: a line for each replay (cycle, SM, slot, instruction, entry, lanes, hazard)"},                \
        {"trace-cycles", "FROM..TO", "of these traces: cycles since the first launch"},                                          \
        {"trace-sm", "N", "of these traces: one SM"},                                                                            \
        {"trace-size", "MB", "of these traces: end one that has become so large (default 4000), with a warning"},                \
        {"stop-after-trace", NULL, "time nothing after the last cycle of --trace-cycles: the rest runs without timing"}
#define TIMELINE_OPTION                                                                                                          \
    {"timeline", NULL,                                                                                                           \
     "in the JSON results each kernel over time: intervals, SMs, blocks, first instructions (--html has it, too)"}
#define HTML_OPTION {"html", "FILE", "write the results as a page for a browser (charts, source, time); - for standard output"}
bool measure_timeline(const struct cli_line *line);                                                /* whether it is wanted */
bool measure_by_pc(const struct cli_line *line, struct report_wishes *w);                          /* false after an error */
bool measure_window(const struct cli_line *line, const struct config *c, struct heddle_window *w); /* likewise */
/* --stop-after-trace; false after an error */
bool measure_trace_end(const struct cli_line *line, const struct heddle_window *w, struct heddle_timing *t);
/* The machine of the command line with n further --machine or --set; false after an error */
bool measure_machine(const struct cli_line *line, const struct cli_given *more, u32 n, struct config *out);
/* Its two halves: each key by itself; all together, and what --perturb changes */
bool measure_machine_read(const struct cli_line *line, const struct cli_given *more, u32 n, struct config *out);
bool measure_machine_check(const struct cli_line *line, struct config *c);
extern const struct cli_option measure_machine_option, measure_set_option;                     /* for `more` */
bool measure_read(const struct cli_line *line, struct heddle_timing *t, enum cpi_method *cpi); /* false after an error */
/* --lock for a program's launches: the list, or NULL; false after an error when it names no kernel, or all */
bool measure_lock(const struct cli_line *line, const struct manifest *m, const char **list);
const char *measure_given(const struct cli_line *line); /* the first of these options that was given, or NULL */

/* --- html.c: --html */
bool html_ready(const struct cli_line *line); /* before anything runs: false after an error when no page could be made */
/* The page into the opened output, nothing when it was not asked for; false after an error */
bool html_write(const struct cli_outputs *o, const struct cli_line *line, json_t *const *docs, u32 n);
struct plan;
struct store;
/* The same of all runs of a plan that are in the file, with a study's answers before them unless NULL */
bool html_write_runs(const struct cli_outputs *o, const struct cli_line *line, const struct plan *p, struct store *s,
                     json_t *study);

/* --- document.c: a result file; NULL after an error, which names the file and what `takes` finds wrong */
json_t *document_read(const struct cli_command *of, const char *file, bool (*takes)(const json_t *doc, struct strbuf *why));

/* --- runner.c: one program on one machine, from loading to the last launch */
struct runner {
    /* filled by the caller */
    const struct cli_line *line;
    const struct input *input;
    const struct config *config; /* NULL: without timing */
    struct heddle_timing timing;
    struct heddle_options opt;
    u32 registers;            /* of a thread, for all launches; 0: as the manifest says */
    struct report report;     /* wishes */
    struct progress progress; /* label, and what to do after Ctrl-C */
    /* filled by runner_open and runner_launch */
    double started;
    struct play play;
    u32 at; /* launch being run */
};
int runner_open(struct runner *r);                   /* loads and prepares; an enum heddle_status */
int runner_launch(struct runner *r);                 /* every launch, and whether the output is right; likewise */
void runner_collect(struct runner *r, bool stopped); /* fills the report */
void runner_close(struct runner *r);                 /* after printing errors that are left */

#endif
