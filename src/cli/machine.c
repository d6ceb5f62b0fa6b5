/* --machine, --set and --dump-config, for every command that runs something on a machine. */
#include "cli/cli.h"
#include "core/policies.h"
#include "heddle.h"

#include <stdlib.h>
#include <string.h>

/* "KEY=VALUE" of one --set */
static void set_one(const char *text, struct config *c, struct diag *d) {
    const char *equals = strchr(text, '=');
    if (!equals) {
        diag_error(d, NULL, 0, 0, "--set needs KEY=VALUE, not \"%s\"", text);
        return;
    }
    char *name = strndup(text, (size_t)(equals - text));
    config_set(c, name, equals + 1, d, NULL, 0);
    free(name);
}

/* Messages without a file get the command's name, as cli_error writes it */
static void print_errors(const struct cli_command *command, const struct diag *d) {
    for (const char *at = d->text.s; at && *at;) {
        size_t n = strcspn(at, "\n");
        if (strncmp(at, "error: ", 7) == 0) fprintf(stderr, "heddle %s: ", command->name);
        fprintf(stderr, "%.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

bool cli_machine_read(const struct cli_line *line, struct config *out) {
    struct diag d = {0};
    const char *name = cli_value(line, "machine");
    bool ok = machine_load(out, name ? name : HEDDLE_DEFAULT_MACHINE, &d);
    for (u32 i = 0; i < line->given.n; i++)
        if (strcmp(line->given.at[i].option->name, "set") == 0) set_one(line->given.at[i].value[0], out, &d);
    ok = ok && d.errors == 0;
    print_errors(line->command, &d);
    diag_free(&d);
    return ok;
}

bool cli_machine_check(const struct cli_line *line, const struct config *c) {
    struct diag d = {0};
    struct policies unused; /* their names are the tables' business, and a misspelt one should not be found out after an hour */
    bool ok = config_check(c, &d) && policies_find(c, &unused, &d);
    print_errors(line->command, &d);
    diag_free(&d);
    if (ok) cli_say(line, "machine %s, config_hash %016llx", c->machine, (unsigned long long)config_hash(c));
    return ok;
}

bool cli_machine(const struct cli_line *line, struct config *out) {
    return cli_machine_read(line, out) && cli_machine_check(line, out);
}

bool cli_dump_config(const struct cli_line *line, const struct config *c) {
    if (!cli_has(line, "dump-config")) return false;
    config_dump(c, stdout);
    return true;
}
