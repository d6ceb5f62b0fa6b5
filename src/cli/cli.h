/* cli: the command. One file per subcommand, one table of options each; parsing, help and errors are made
 * from the tables.
 *
 * Exit codes are EXIT_*. Options are written --name VALUE or --name=VALUE, those with a letter also -x VALUE
 * or -xVALUE, before or after the operands; -- ends them. */
#ifndef HEDDLE_CLI_H
#define HEDDLE_CLI_H

#include "base/base.h"
#include "config/config.h"

enum {
    EXIT_OK = 0,
    EXIT_DIFFERS = 1, /* results are not the expected ones */
    EXIT_USER = 2,    /* the user's mistake */
    EXIT_PROGRAM = 3, /* the simulated program's mistake */
    EXIT_MEMORY = 4,  /* the host has no more memory (base.c) */
    /* 128 and a signal's number: stop.c */
};

struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    const char *arg;  /* NULL for none, "N" for one value, "BUF FILE" for two, "[FILE]" for one that may be left out */
    const char *doc;
    char letter;      /* -j for --threads; 0 for none */
    const char *from; /* kinds of names.h that its value may be, space-separated, for completion; "files" and
                         "folders" too. NULL: as arg says, where it is a FILE or DIR. */
};

struct cli_line;
struct cli_command {
    const char *name, *doc;
    const char *usage;   /* what follows "heddle NAME" */
    const char *example; /* one or more lines, each a whole command */
    const char *details; /* a paragraph, or NULL */
    const struct cli_option *options;
    const char *operands_from; /* as cli_option.from; NULL: files */
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
struct cli_build {
    const char *commit;   /* "unknown" when heddle was not built in a checkout */
    const char *compiler; /* "gcc 12.2.0" */
};
extern struct cli_build cli_build;                     /* set when the command starts */
extern const struct cli_command *const cli_commands[]; /* ends with NULL */
const struct cli_command *cli_find(const char *name);

/* --- options.c */
bool cli_parse(struct cli_line *line, const struct cli_command *c, int argc, char **argv, bool *wants_help);
void cli_line_free(struct cli_line *line);
bool cli_has(const struct cli_line *line, const char *option);
/* The last value given, or NULL */
const char *cli_value(const struct cli_line *line, const char *option);
/* An integer option into *out, which is left alone when not given; false with an error when not in
 * low..high */
bool cli_number(const struct cli_line *line, const char *option, u64 low, u64 high, u64 *out);
/* "heddle NAME: error: TEXT"; returns EXIT_USER */
int cli_error(const struct cli_command *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Prints "heddle NAME: TEXT" on standard error when --verbose was given */
void cli_say(const struct cli_line *line, const char *fmt, ...) PRINTF_LIKE(2, 3);
#define CLI_TALK_OPTIONS(left_out, said) {"quiet", NULL, left_out, 'q'}, {"verbose", NULL, said, 'v'}

/* --- help.c */
void cli_help_all(FILE *out);
void cli_help_command(const struct cli_command *c, FILE *out);
/* Exit codes and what they mean, for help and manual pages; NULL after the last */
const char *cli_exit_code(u32 i, int *code);
/* "-j, --threads N" */
void cli_option_text(const struct cli_option *o, struct strbuf *out);

/* --- man.c: heddle(1), or heddle-NAME(1), as man reads it */
void man_print(const struct cli_command *c, FILE *out); /* NULL: of heddle itself */

/* --- complete.c */
bool complete_script(const char *shell, FILE *out); /* false when there is no such shell */
const char *complete_shell(u32 i);                  /* NULL after the last */
/* What may stand for the last of n words after "heddle": a line each, NAME TAB MEANING; ":files" or
 * ":folders" asks the shell for its own */
void complete_words(const char *const *words, u32 n, FILE *out);

/* --- names of other tables, for names.c; NULL after the last */
const char *list_name(u32 i);       /* list.c */
const char *explain_word_at(u32 i); /* explain.c */

/* --- stop.c: SIGINT, SIGTERM and SIGHUP */
void stop_install(void);
void stop_watch(bool on);    /* while on, a signal sets a flag; else it ends the command at once */
bool stop_asked(void);       /* one has come */
int stop_exit_code(void);    /* 128 and its number */
const char *stop_name(void); /* "interrupted", "ended by SIGTERM" */

/* --- outputs.c: the files that a command line asks for, all opened before anything runs */
struct cli_output {
    const char *option; /* without dashes */
    struct output o;
};
struct cli_outputs {
    const struct cli_line *line; /* that asked for them */
    VEC(struct cli_output) at;
    bool stdout_taken; /* one of them is "-" */
};
/* Opens the value of each option that was given, of every time it was; the file of "BUF FILE" is the second
 * value. Inputs (n paths, some may be NULL) are not written over. False after an error. */
bool outputs_open(struct cli_outputs *o, const struct cli_line *line, const char *const *options, u32 n_options,
                  const char *const *inputs, u32 n_inputs);
FILE *outputs_file(const struct cli_outputs *o, const char *option); /* the first; NULL when it was not given */
bool outputs_commit(struct cli_outputs *o, const char *option);      /* false after an error; true when it was not given */
void outputs_give_back(struct cli_outputs *o, const char *option);   /* as if it had not been opened */
void outputs_close(struct cli_outputs *o);                           /* what is not committed goes */

/* --- progress.c: a line on standard error while a run takes long */
struct heddle;
struct heddle_progress;
struct progress {
    const char *label;       /* before the kernel's name, or NULL */
    double started, printed; /* clock_seconds; printed is 0 before the first line */
    u64 before;              /* warp instructions of finished launches */
    bool terminal, shown;
    bool silent;          /* no line at all; signals are noticed */
    struct heddle *stops; /* a signal ends its launch with HEDDLE_STOPPED */
};
void progress_start(struct progress *p);
void progress_update(void *p, const struct heddle_progress *now);
void progress_end(struct progress *p);

/* --- machine.c: the options of commands that run something on a machine */
#define CLI_MACHINE_OPTIONS                                                                                                      \
    {"machine", "NAME|FILE", "the machine to run on: a bundled one (heddle list machines) or an INI file", 0, "machines files"}, \
        {"set", "KEY=VALUE", "set one key of the machine (heddle list keys); may be given several times", 0, "keys"},            \
        {"dump-config", NULL, "print the machine, every key, as a file that --machine reads, and exit"}
/* The machine that --machine (HEDDLE_DEFAULT_MACHINE without it) and --set ask for, checked; false with
 * messages printed */
bool cli_machine(const struct cli_line *line, struct config *out);
/* Its two halves: each key by itself, and all together */
bool cli_machine_read(const struct cli_line *line, struct config *out);
bool cli_machine_check(const struct cli_line *line, const struct config *c);
/* Prints *c when --dump-config was given; true means that the command is done */
bool cli_dump_config(const struct cli_line *line, const struct config *c);

extern const struct cli_command cli_run, cli_exec, cli_compare, cli_check, cli_vectors, cli_list, cli_explain, cli_lab,
    cli_report, cli_diff, cli_sweep, cli_query, cli_study, cli_help;

#endif
