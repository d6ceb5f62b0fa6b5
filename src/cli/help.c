/* heddle help: everything is printed from the tables of the commands. */
#include "cli/cli.h"

#include <string.h>

void cli_help_all(FILE *out) {
    fprintf(out, "heddle runs GPU programs on a simulated GPU.\n\nusage: heddle COMMAND [OPTIONS]\n\ncommands\n");
    for (u32 i = 0; cli_commands[i]; i++) fprintf(out, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->doc);
    fprintf(out, "\n\"heddle help COMMAND\" tells more about one; \"heddle --version\" prints the version.\n"
                 "\nexample\n  heddle run vecadd\n"
                 "\nexit codes\n  0 all well; 1 results differ from the expected ones; 2 a mistake in what was given;\n"
                 "  3 the simulated program did something illegal\n");
}

static void print_indented(const char *text, FILE *out) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(out, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void print_option(const struct cli_option *o, FILE *out) {
    char left[64];
    const char letter[] = {'-', o->letter, ',', ' ', 0};
    snprintf(left, sizeof(left), "%s--%s%s%s", o->letter ? letter : "", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
    fprintf(out, "  %-24s %s\n", left, o->doc);
}

void cli_help_command(const struct cli_command *c, FILE *out) {
    fprintf(out, "heddle %s: %s\n\nusage: heddle %s %s\n", c->name, c->doc, c->name, c->usage);
    if (c->details) fprintf(out, "\n%s\n", c->details);
    if (c->options->name) fprintf(out, "\noptions\n");
    for (const struct cli_option *o = c->options; o->name; o++) print_option(o, out);
    fprintf(out, "\nexample\n");
    print_indented(c->example, out);
}

static int run_help(const struct cli_line *line) {
    if (line->operands.n == 0) {
        cli_help_all(stdout);
        return EXIT_OK;
    }
    const char *name = line->operands.at[0];
    const struct cli_command *c = cli_find(name);
    if (c) {
        cli_help_command(c, stdout);
        return EXIT_OK;
    }
    const char *names[16];
    u32 n = 0;
    for (; cli_commands[n] && n < ARRAY_LEN(names); n++) names[n] = cli_commands[n]->name;
    const char *near = text_nearest(name, names, n);
    if (near) return cli_error(line->command, "unknown command \"%s\"; did you mean \"%s\"?", name, near);
    return cli_error(line->command, "unknown command \"%s\"; \"heddle help\" lists them", name);
}

static const struct cli_option options[] = {{NULL, NULL, NULL}};
const struct cli_command cli_help = {
    .name = "help",
    .doc = "tell what a command does and which options it has",
    .usage = "[COMMAND]",
    .example = "heddle help run",
    .options = options,
    .max_operands = 1,
    .run = run_help,
};
