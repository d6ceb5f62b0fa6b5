/* The files that a command line asks for. All are opened before anything runs: a path that cannot be written,
 * a name given twice, or an input that would be written over is found out before an hour's work, not after
 * it. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether two files that are not there yet would be one: an input may be made before the output is */
static bool same_place(const char *a, const char *b) {
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    struct stat m, n;
    if (strcmp(x ? x + 1 : a, y ? y + 1 : b) != 0) return false;
    char *in = strndup(a, x ? (size_t)(x - a) + 1 : 0), *at = strndup(b, y ? (size_t)(y - b) + 1 : 0);
    bool same = stat(*in ? in : ".", &m) == 0 && stat(*at ? at : ".", &n) == 0 && m.st_dev == n.st_dev && m.st_ino == n.st_ino;
    free(in);
    free(at);
    return same;
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

/* Before it is opened: the second of two would only hear that somebody is writing there. Devices and pipes
 * may be shared. */
static const char *taken_by(const struct cli_outputs *o, const char *path) {
    char *temp = output_temp_name(path);
    const char *by = NULL;
    for (u32 i = 0; i < o->at.n && !by; i++) {
        const struct output *x = &o->at.at[i].o;
        bool both_stdout = x->f == stdout && strcmp(path, "-") == 0;
        if (both_stdout || (x->temp && (same_file(x->temp, temp) || same_file(x->target, path) || same_file(x->temp, path))))
            by = o->at.at[i].option;
    }
    free(temp);
    return by;
}

static bool open_one(struct cli_outputs *o, const struct cli_line *line, const char *option, const char *path) {
    struct cli_output x = {.option = option};
    struct strbuf why = {0};
    const char *by = taken_by(o, path);
    if (by) {
        if (strcmp(path, "-") == 0)
            cli_error(line->command, "--%s and --%s cannot both go to standard output; name a file for one", by, option);
        else cli_error(line->command, "--%s and --%s both name %s; each needs a file of its own", by, option, path);
        return false;
    }
    if (!output_open(&x.o, path, &why)) {
        cli_error(line->command, "--%s: %s", option, why.s);
        strbuf_free(&why);
        return false;
    }
    o->stdout_taken = o->stdout_taken || x.o.f == stdout;
    VEC_PUSH(&o->at, x);
    return true;
}

static bool is_one_of(const char *name, const char *const *names, u32 n) {
    for (u32 i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* An option that is no repeatable one counts as it was given last */
static bool counts(const struct cli_line *line, u32 i) {
    const struct cli_option *option = line->given.at[i].option;
    if (strchr(option->arg, ' ')) return true;
    for (u32 k = i + 1; k < line->given.n; k++)
        if (line->given.at[k].option == option) return false;
    return true;
}

bool outputs_open(struct cli_outputs *o, const struct cli_line *line, const char *const *options, u32 n_options,
                  const char *const *inputs, u32 n_inputs) {
    o->line = line;
    for (u32 i = 0; i < line->given.n; i++) {
        const struct cli_given *g = &line->given.at[i];
        if (!is_one_of(g->option->name, options, n_options) || !counts(line, i)) continue;
        const char *path = strchr(g->option->arg, ' ') ? g->value[1] : g->value[0];
        if (!*path && g->option->arg[0] == '[') continue; /* left out: the command knows where it goes */
        for (u32 k = 0; k < n_inputs; k++) {
            if (!inputs[k] || (!same_file(inputs[k], path) && (access(path, F_OK) == 0 || !same_place(inputs[k], path))))
                continue;
            cli_error(line->command, "--%s would write over %s, which is an input; name another file", g->option->name, path);
            return false;
        }
        if (!open_one(o, line, g->option->name, path)) return false;
    }
    return true;
}

static struct cli_output *find(const struct cli_outputs *o, const char *option) {
    for (u32 i = 0; i < o->at.n; i++)
        if (strcmp(o->at.at[i].option, option) == 0 && o->at.at[i].o.f) return &o->at.at[i];
    return NULL;
}

FILE *outputs_file(const struct cli_outputs *o, const char *option) {
    const struct cli_output *x = find(o, option);
    return x ? x->o.f : NULL;
}

bool outputs_commit(struct cli_outputs *o, const char *option) {
    struct cli_output *x = find(o, option);
    struct strbuf why = {0};
    char *path = x ? strdup(x->o.path) : NULL;
    bool ok = !x || output_commit(&x->o, &why);
    if (x && ok) cli_say(o->line, "wrote %s (--%s)", path, option);
    free(path);
    if (!ok) fprintf(stderr, "%s\n", why.s);
    strbuf_free(&why);
    return ok;
}

void outputs_give_back(struct cli_outputs *o, const char *option) {
    struct cli_output *x = find(o, option);
    if (x) output_abandon(&x->o);
}

void outputs_close(struct cli_outputs *o) {
    for (u32 i = 0; i < o->at.n; i++) output_abandon(&o->at.at[i].o);
    free(o->at.at);
    *o = (struct cli_outputs){0};
}
