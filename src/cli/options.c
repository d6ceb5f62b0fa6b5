/* Command lines against a command's table of options. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 64

int cli_error(const struct cli_command *c, const char *fmt, ...) {
    va_list ap;
    struct strbuf s = {0};
    va_start(ap, fmt);
    strbuf_vadd(&s, fmt, ap);
    va_end(ap);
    text_make_safe(s.s);
    fprintf(stderr, "heddle %s: error: %s\n", c->name, s.s);
    strbuf_free(&s);
    return EXIT_USER;
}

void cli_say(const struct cli_line *line, const char *fmt, ...) {
    va_list ap;
    struct strbuf s = {0};
    if (!cli_has(line, "verbose")) return;
    va_start(ap, fmt);
    strbuf_vadd(&s, fmt, ap);
    va_end(ap);
    text_make_safe(s.s);
    fprintf(stderr, "heddle %s: %s\n", line->command->name, s.s);
    strbuf_free(&s);
}

static void unknown_option(const struct cli_command *c, const char *name) {
    const char *names[MAX_OPTIONS];
    u32 n = 0;
    for (const struct cli_option *o = c->options; o->name && n < MAX_OPTIONS; o++) names[n++] = o->name;
    const char *near = text_nearest(name, names, n);
    if (near) cli_error(c, "unknown option --%s; did you mean --%s?", name, near);
    else cli_error(c, "unknown option --%s; \"heddle %s --help\" lists the legal ones", name, c->name);
}

static const struct cli_option *find_option(const struct cli_command *c, const char *name, size_t len) {
    for (const struct cli_option *o = c->options; o->name; o++)
        if (strlen(o->name) == len && memcmp(o->name, name, len) == 0) return o;
    return NULL;
}

static const struct cli_option *find_letter(const struct cli_command *c, char letter) {
    for (const struct cli_option *o = c->options; o->name; o++)
        if (o->letter == letter) return o;
    return NULL;
}

static int values_wanted(const struct cli_option *o) { return !o->arg ? 0 : strchr(o->arg, ' ') ? 2 : 1; }

/* A number of rows, or one of the words that stand for one: no operand looks so */
static bool is_count(const char *word) {
    return strcmp(word, "all") == 0 || strcmp(word, "order") == 0 || (*word && word[strspn(word, "0123456789")] == 0);
}

/* An optional value is taken from the next word only when no operand is outstanding: else `--trace-exec
 * x.json` would write over x.json */
static bool takes_next(const struct cli_line *line, const struct cli_option *o, const char *next) {
    if (o->arg[0] != '[') return next != NULL;
    if (strcmp(o->arg, "[N]") == 0) return next && is_count(next);
    return next && next[0] != '-' && line->operands.n >= line->command->max_operands;
}

/* The option's values: `first` when it came with the name, the others from the words after *at, which is left
 * at the last of them */
static bool take_values(struct cli_line *line, const struct cli_option *o, const char *first, int argc, char **argv, int *at) {
    struct cli_given g = {o, {"", ""}};
    int want = values_wanted(o), have = 0;
    if (first && want == 0) {
        cli_error(line->command, "--%s takes no value", o->name);
        return false;
    }
    if (first) g.value[have++] = first;
    while (have < want && takes_next(line, g.option, *at + 1 < argc ? argv[*at + 1] : NULL)) g.value[have++] = argv[++*at];
    if (have < want && g.option->arg[0] != '[') {
        cli_error(line->command, "--%s needs %s", g.option->name, g.option->arg);
        return false;
    }
    VEC_PUSH(&line->given, g);
    return true;
}

/* --name, --name=VALUE */
static bool take_option(struct cli_line *line, int argc, char **argv, int *at) {
    const char *word = argv[*at] + 2, *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    const struct cli_option *o = find_option(line->command, word, len);
    if (o) return take_values(line, o, equals ? equals + 1 : NULL, argc, argv, at);
    char *name = strndup(word, len);
    unknown_option(line->command, name);
    free(name);
    return false;
}

/* -x, -xVALUE */
static bool take_letter(struct cli_line *line, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    const struct cli_option *o = find_letter(line->command, word[1]);
    if (o) return take_values(line, o, word[2] ? word + 2 : NULL, argc, argv, at);
    cli_error(line->command, "unknown option %s; options start with two dashes", word);
    return false;
}

static bool check_operands(const struct cli_line *line) {
    const struct cli_command *c = line->command;
    if (line->operands.n >= c->min_operands && line->operands.n <= c->max_operands) return true;
    if (line->operands.n > c->max_operands)
        cli_error(c, "one operand too many: \"%s\"\nusage: heddle %s %s", line->operands.at[c->max_operands], c->name, c->usage);
    else cli_error(c, "an operand is missing\nusage: heddle %s %s", c->name, c->usage);
    return false;
}

bool cli_parse(struct cli_line *line, const struct cli_command *c, int argc, char **argv, bool *wants_help) {
    bool only_operands = false;
    line->command = c;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (only_operands || word[0] != '-' || !word[1]) {
            VEC_PUSH(&line->operands, word);
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            *wants_help = true;
            return false;
        } else if (!(word[1] == '-' ? take_option : take_letter)(line, argc, argv, &i)) {
            return false;
        }
    }
    return check_operands(line);
}

void cli_line_free(struct cli_line *line) {
    free(line->operands.at);
    free(line->given.at);
}

static const struct cli_given *last_given(const struct cli_line *line, const char *option) {
    const struct cli_given *found = NULL;
    for (u32 i = 0; i < line->given.n; i++)
        if (strcmp(line->given.at[i].option->name, option) == 0) found = &line->given.at[i];
    return found;
}

bool cli_has(const struct cli_line *line, const char *option) { return last_given(line, option) != NULL; }

const char *cli_value(const struct cli_line *line, const char *option) {
    const struct cli_given *g = last_given(line, option);
    return g ? g->value[0] : NULL;
}

bool cli_number(const struct cli_line *line, const char *option, u64 low, u64 high, u64 *out) {
    const char *text = cli_value(line, option);
    if (!text) return true;
    char *end;
    errno = 0;
    u64 x = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end || errno || x < low || x > high) {
        cli_error(line->command, "--%s must be an integer from %llu to %llu, not \"%s\"", option, (unsigned long long)low,
                  (unsigned long long)high, text);
        return false;
    }
    *out = x;
    return true;
}
