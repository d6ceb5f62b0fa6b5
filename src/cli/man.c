/* Manual pages in man's macros, printed from the tables that help is printed from. */
#include "cli/cli.h"
#include "heddle.h"

#include <ctype.h>
#include <string.h>

/* Text as troff takes it: hyphens that are typed, backslashes, and no line that looks like a request */
static void print_text(const char *text, FILE *out) {
    bool start = true;
    for (const char *at = text; *at; at++) {
        if (start && (*at == '.' || *at == '\'')) fputs("\\&", out);
        start = *at == '\n';
        if (*at == '\\') fputs("\\e", out);
        else if (*at == '-') fputs("\\-", out);
        else fputc(*at, out);
    }
}

static void print_upper(const char *text, FILE *out) {
    for (; *text; text++) fputc(toupper((unsigned char)*text), out);
}

/* "heddle-run", or "heddle" */
static void print_name(const struct cli_command *c, FILE *out) {
    print_text("heddle", out);
    if (c) print_text("-", out);
    if (c) print_text(c->name, out);
}

static void print_head(const struct cli_command *c, FILE *out) {
    fputs(".TH HEDDLE", out);
    if (c) fputs("\\-", out), print_upper(c->name, out);
    fprintf(out, " 1 \"\" \"heddle %s\" \"heddle manual\"\n.SH NAME\n", heddle_version());
    print_name(c, out);
    fputs(" \\- ", out);
    print_text(c ? c->doc : "run GPU programs on a simulated GPU, cycle by cycle", out);
    fputc('\n', out);
}

static void print_item(const char *name, const char *text, FILE *out) {
    fputs(".TP\n\\fB", out);
    print_text(name, out);
    fputs("\\fR\n", out);
    print_text(text, out);
    fputc('\n', out);
}

static void print_example(const char *lines, FILE *out) {
    fputs(".SH EXAMPLES\n.nf\n", out);
    print_text(lines, out);
    fputs("\n.fi\n", out);
}

static void print_exit_codes(FILE *out) {
    int code;
    fputs(".SH EXIT STATUS\n", out);
    for (u32 i = 0; cli_exit_code(i, &code); i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", code);
        print_item(text, cli_exit_code(i, &code), out);
    }
}

static void print_see_also(const struct cli_command *but, FILE *out) {
    fputs(".SH SEE ALSO\n", out);
    if (but) fputs(".BR heddle (1)", out);
    for (u32 i = 0, n = but != NULL; cli_commands[i]; i++) {
        if (cli_commands[i] == but) continue;
        fputs(n++ ? ",\n.BR heddle\\-" : ".BR heddle\\-", out);
        print_text(cli_commands[i]->name, out);
        fputs(" (1)", out);
    }
    fputc('\n', out);
}

static void print_command(const struct cli_command *c, FILE *out) {
    fputs(".SH SYNOPSIS\n.B heddle ", out);
    print_text(c->name, out);
    fputc('\n', out);
    print_text(c->usage, out);
    fputs("\n.SH DESCRIPTION\n", out);
    print_text(c->details ? c->details : c->doc, out);
    fputc('\n', out);
    if (c->options->name) fputs(".SH OPTIONS\n", out);
    for (const struct cli_option *o = c->options; o->name; o++) {
        struct strbuf name = {0};
        cli_option_text(o, &name);
        print_item(name.s, o->doc, out);
        strbuf_free(&name);
    }
    print_example(c->example, out);
}

static void print_environment(FILE *out) {
    fputs(".SH ENVIRONMENT\n", out);
    for (u32 i = 0; env_name(i); i++) print_item(env_name(i), env_doc(i), out);
    print_item("NO_COLOR", "when it is set to anything, no colours; they are used on terminals only", out);
}

static void print_overview(FILE *out) {
    fputs(".SH SYNOPSIS\n.B heddle\n", out);
    print_text("COMMAND [OPTIONS]", out);
    fputs("\n.SH DESCRIPTION\n", out);
    print_text("heddle runs GPU programs on a simulated GPU and says where the time went. It reads PTX and compiled kernels,\n"
               "runs unmodified OpenCL programs, and models a machine whose every size, latency and policy is a key.\n"
               "Each command has a page of its own; \"heddle help COMMAND\" prints the same.\n",
               out);
    fputs(".SH COMMANDS\n", out);
    for (u32 i = 0; cli_commands[i]; i++) print_item(cli_commands[i]->name, cli_commands[i]->doc, out);
    print_example("heddle run vecadd\nheddle list machines", out);
    print_environment(out);
}

void man_print(const struct cli_command *c, FILE *out) {
    print_head(c, out);
    if (c) print_command(c, out);
    else print_overview(out);
    print_exit_codes(out);
    print_see_also(c, out);
}
