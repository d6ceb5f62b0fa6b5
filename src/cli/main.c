/* heddle: finds the subcommand and hands over. */
#include "cli/cli.h"
#include "heddle.h"

#include <string.h>

const struct cli_command *const cli_commands[] = {&cli_run,   &cli_exec,    &cli_compare, &cli_sweep, &cli_query,
                                                  &cli_study, &cli_report,  &cli_diff,    &cli_check, &cli_vectors,
                                                  &cli_list,  &cli_explain, &cli_lab,     &cli_help,  NULL};

#ifndef HEDDLE_COMMIT
#define HEDDLE_COMMIT "unknown"
#endif
#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif
struct cli_build cli_build = {HEDDLE_COMMIT, COMPILER};

const struct cli_command *cli_find(const char *name) {
    for (u32 i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

static int unknown(const char *name) {
    static const char *const options[] = {"--help", "--version"};
    const char *names[ARRAY_LEN(cli_commands) + ARRAY_LEN(options)];
    u32 n = 0;
    for (; cli_commands[n]; n++) names[n] = cli_commands[n]->name;
    for (u32 i = 0; i < ARRAY_LEN(options); i++) names[n++] = options[i];
    const char *near = text_nearest(name, names, n);
    const char *what = name[0] == '-' ? "option" : "command";
    if (name[0] == '-' && strchr("vq", name[1]) && name[1] && !name[2])
        fprintf(stderr, "heddle: error: %s goes behind a command, as in heddle run vecadd %s; -V prints the version\n", name,
                name);
    else if (near) fprintf(stderr, "heddle: error: unknown %s \"%s\"; did you mean \"%s\"?\n", what, name, near);
    else fprintf(stderr, "heddle: error: unknown %s \"%s\"; \"heddle help\" lists the commands\n", what, name);
    return EXIT_USER;
}

static int dispatch(const struct cli_command *c, int argc, char **argv) {
    struct cli_line line = {0};
    bool wants_help = false;
    int code = EXIT_USER;
    if (cli_parse(&line, c, argc, argv, &wants_help)) code = c->run(&line);
    if (wants_help) {
        cli_help_command(c, stdout);
        code = EXIT_OK;
    }
    cli_line_free(&line);
    return code;
}

/* What went to standard output has arrived, or the command failed: a verdict that nobody can read is none */
static int flushed(int code) {
    struct strbuf why = {0};
    if (output_stdout_ok(&why)) return code;
    fprintf(stderr, "heddle: %s\n", why.s);
    strbuf_free(&why);
    return code == EXIT_OK || code == EXIT_DIFFERS ? EXIT_USER : code;
}

int main(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "--help";
    output_guard_descriptors();
    base_heap_huge();
    stop_install();
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        cli_help_all(argc > 1 ? stdout : stderr);
        return flushed(argc > 1 ? EXIT_OK : EXIT_USER);
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        printf("heddle %s\ncommit %s\ncompiled by %s\n", heddle_version(), cli_build.commit, cli_build.compiler);
        return flushed(EXIT_OK);
    }
    struct diag d = {0};
    if (!env_check(&d)) {
        fputs(d.text.s, stderr);
        return EXIT_USER;
    }
    const struct cli_command *c = cli_find(first);
    return flushed(c ? dispatch(c, argc - 2, argv + 2) : unknown(first));
}
