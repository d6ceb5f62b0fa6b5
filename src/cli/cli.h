/* cli: the command. One file per subcommand, one table of options each; parsing, help and errors are made from the tables.
 *
 * Exit codes are EXIT_*. Options are written --name VALUE or --name=VALUE, before or after the operands; -- ends them. */
#ifndef HEDDLE_CLI_H
#define HEDDLE_CLI_H

#include "base/base.h"

enum {
    EXIT_OK = 0,
    EXIT_DIFFERS = 1, /* results are not the expected ones */
    EXIT_USER = 2,    /* the user's mistake */
    EXIT_PROGRAM = 3, /* the simulated program's mistake */
};

struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    const char *arg;  /* NULL for none, "N" for one value, "BUF FILE" for two, "[FILE]" for one that may be left out */
    const char *doc;
};

struct cli_line;
struct cli_command {
    const char *name, *doc;
    const char *usage;   /* what follows "heddle NAME" */
    const char *example; /* one or more lines, each a whole command */
    const char *details; /* a paragraph, or NULL */
    const struct cli_option *options;
    u32 min_operands, max_operands;
    int (*run)(const struct cli_line *line);
};

struct cli_given {
    const struct cli_option *option;
    const char *value[2]; /* "" where an optional value was left out */
};
struct cli_line { /* one command line, parsed */
    const struct cli_command *command;
    VEC(const char *) operands;
    VEC(struct cli_given) given;
};

/* --- main.c */
extern const struct cli_command *const cli_commands[]; /* ends with NULL */
const struct cli_command *cli_find(const char *name);

/* --- options.c */
bool cli_parse(struct cli_line *line, const struct cli_command *c, int argc, char **argv, bool *wants_help);
void cli_line_free(struct cli_line *line);
bool cli_has(const struct cli_line *line, const char *option);
/* The last value given, or NULL */
const char *cli_value(const struct cli_line *line, const char *option);
/* An integer option into *out, which is left alone when not given; false with an error when not in low..high */
bool cli_number(const struct cli_line *line, const char *option, u64 low, u64 high, u64 *out);
/* "heddle NAME: error: TEXT"; returns EXIT_USER */
int cli_error(const struct cli_command *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- help.c */
void cli_help_all(FILE *out);
void cli_help_command(const struct cli_command *c, FILE *out);

/* --- progress.c: a line on standard error while a run takes long */
struct heddle_progress;
struct progress {
    double started, printed; /* clock_seconds; printed is 0 before the first line */
    u64 before;              /* warp instructions of finished launches */
    bool terminal, shown;
    /* called, from inside a launch, after Ctrl-C */
    void (*interrupted)(void *user, const struct heddle_progress *now);
    void *user;
};
void progress_start(struct progress *p);
void progress_update(void *p, const struct heddle_progress *now);
void progress_clear(struct progress *p);

extern const struct cli_command cli_run, cli_check, cli_vectors, cli_list, cli_help;

#endif
