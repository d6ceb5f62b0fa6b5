/* heddle help: everything is printed from the tables of the commands, for people, for man and for shells. */
#include "cli/cli.h"
#include "report/report.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_COLUMN 27
#define HELP_WIDTH    110 /* where there is no terminal */

static const struct {
    int code;
    const char *text;
} codes[] = {
    {EXIT_OK, "all well"},
    {EXIT_DIFFERS, "results differ from the expected ones"},
    {EXIT_USER, "a mistake in what was given"},
    {EXIT_PROGRAM, "the simulated program did something illegal"},
    {EXIT_MEMORY, "the host has no more memory"},
    {128 + SIGHUP, "ended by SIGHUP: what is known so far has been printed and written"},
    {128 + SIGINT, "ended by Ctrl-C (SIGINT), likewise"},
    {128 + SIGTERM, "ended by SIGTERM, likewise"},
};

const char *cli_exit_code(u32 i, int *code) {
    if (i >= ARRAY_LEN(codes)) return NULL;
    *code = codes[i].code;
    return codes[i].text;
}

void cli_help_all(FILE *to) {
    struct folding f;
    term_begin(&f, to, HELP_WIDTH);
    fprintf(f.out, "heddle runs GPU programs on a simulated GPU.\n\nusage: heddle COMMAND [OPTIONS]\n\ncommands\n");
    for (u32 i = 0; cli_commands[i]; i++) fprintf(f.out, "  %-9s  %s\n", cli_commands[i]->name, cli_commands[i]->doc);
    fprintf(f.out, "\n\"heddle help COMMAND\" tells more about one; \"heddle --version\" prints the version.\n"
                   "\nexample\n  heddle run vecadd\n\nexit codes\n");
    for (u32 i = 0; i < ARRAY_LEN(codes); i++) fprintf(f.out, "  %-3d  %s\n", codes[i].code, codes[i].text);
    term_end(&f);
}

static void print_indented(const char *text, FILE *out) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(out, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

void cli_option_text(const struct cli_option *o, struct strbuf *out) {
    const char letter[] = {'-', o->letter, ',', ' ', 0};
    strbuf_add(out, "%s--%s%s%s", o->letter ? letter : "", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
}

static void print_option(const struct cli_option *o, FILE *out) {
    struct strbuf left = {0};
    cli_option_text(o, &left);
    fprintf(out, "  %-*s  %s\n", OPTION_COLUMN - 4, left.s, o->doc);
    strbuf_free(&left);
}

/* Where the text is broken in the source means nothing */
static void print_paragraph(const char *text, u32 width, FILE *out) {
    size_t at = 0;
    fputc('\n', out);
    for (const char *word = text; *word; word += strspn(word, " \n")) {
        size_t n = strcspn(word, " \n"), space = at != 0;
        bool fits = at + space + n <= width;
        if (space) fputc(fits ? ' ' : '\n', out);
        at = (fits ? at + space : 0) + n;
        fprintf(out, "%.*s", (int)n, word);
        word += n;
    }
    fputc('\n', out);
}

void cli_help_command(const struct cli_command *c, FILE *to) {
    struct folding f;
    term_begin(&f, to, HELP_WIDTH);
    fprintf(f.out, "heddle %s: %s\n\nusage: heddle %s %s\n", c->name, c->doc, c->name, c->usage);
    if (c->details) print_paragraph(c->details, f.term.width, f.out);
    if (c->options->name) fprintf(f.out, "\noptions\n");
    for (const struct cli_option *o = c->options; o->name; o++) print_option(o, f.out);
    fprintf(f.out, "\nexample\n");
    print_indented(c->example, f.out);
    term_end(&f);
}

static int unknown(const struct cli_line *line, const char *name) {
    VEC(const char *) names = {0};
    for (u32 i = 0; cli_commands[i]; i++) VEC_PUSH(&names, cli_commands[i]->name);
    const char *near = text_nearest(name, names.at, names.n);
    free(names.at);
    if (near) return cli_error(line->command, "unknown command \"%s\"; did you mean \"%s\"?", name, near);
    return cli_error(line->command, "unknown command \"%s\"; \"heddle help\" lists them", name);
}

static int print_script(const struct cli_line *line, const char *shell) {
    struct strbuf all = {0};
    if (complete_script(shell, stdout)) return EXIT_OK;
    for (u32 i = 0; complete_shell(i); i++) strbuf_add(&all, "%s%s", i ? ", " : "", complete_shell(i));
    cli_error(line->command, "no completion for the shell \"%s\"; there is one for %s", shell, all.s);
    strbuf_free(&all);
    return EXIT_USER;
}

static int run_help(const struct cli_line *line) {
    const char *shell = cli_value(line, "completion");
    if (shell) return print_script(line, shell);
    if (cli_has(line, "complete")) {
        complete_words(line->operands.at, line->operands.n, stdout);
        return EXIT_OK;
    }
    if (line->operands.n > 1)
        return cli_error(line->command, "one operand too many: \"%s\"\nusage: heddle help %s", line->operands.at[1],
                         line->command->usage);
    const char *name = line->operands.n ? line->operands.at[0] : NULL;
    const struct cli_command *c = name ? cli_find(name) : NULL;
    if (name && !c) return unknown(line, name);
    if (cli_has(line, "man")) man_print(c, stdout);
    else if (c) cli_help_command(c, stdout);
    else cli_help_all(stdout);
    return EXIT_OK;
}

static const struct cli_option options[] = {
    {"man", NULL, "print the manual page instead"},
    {"completion", "SHELL", "print the script that completes command lines in bash, zsh or fish", 0, "shells"},
    {"complete", NULL, "after --: what may stand for the last of these words of a command line; for such scripts"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_help = {
    .name = "help",
    .doc = "tell what a command does and which options it has",
    .usage = "[COMMAND] [--man] | --completion SHELL",
    .details = "make install puts manual pages and completions where man and the shells look for them. Without it:\n"
               "\"heddle help --man run | man -l -\", and \"source <(heddle help --completion bash)\" in ~/.bashrc.",
    .example = "heddle help run",
    .options = options,
    .operands_from = "commands",
    .max_operands = UINT32_MAX,
    .run = run_help,
};
