/* Conditions over a run: program, size, machine, configuration, repetition and any key of the machine,
 * compared with words or numbers.
 *
 *     or-expression   := and-expression ("or" and-expression)*
 *     and-expression  := term ("and" term)*
 *     term            := "not" term | "(" or-expression ")" | name OPERATOR value
 *                      | name "in" "(" value ("," value)* ")" | name "in" GROUP
 *     OPERATOR        := == != < <= > >=          (= is ==)
 *
 * `in` is == to one of the values, written in the condition or, once for all of them, as a line of [groups].
 *
 * A name that there is not, and a value it cannot have, are mistakes: condition_check has those of programs,
 * sizes, machines and configurations, when all of the experiment is read. Two sides that are numbers compare
 * as numbers, else as text; < and its kin are for numbers and do not hold for text. */
#include "sweep/sweep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum kind { COND_OR, COND_AND, COND_NOT, COND_COMPARE };
enum compare { IS, IS_NOT, LESS, LESS_SAME, MORE, MORE_SAME, COMPARES };
static const char *const compare_text[COMPARES] = {"==", "!=", "<", "<=", ">", ">="};

struct condition {
    enum kind kind;
    enum compare compare;
    struct condition *a, *b;  /* of and, or, not */
    const char *left, *right; /* a name, a value */
};

const char *const condition_names[] = {"program", "size", "machine", "configuration", "repetition", NULL};

struct reading {
    struct arena *mem;
    const char *at;
    const struct sweep_groups *groups;
    const struct sweep_place *place;
    u32 depth;
    bool failed;
};
enum { MAX_DEPTH = 100 };

static struct condition *read_or(struct reading *r);

static void *refuse(struct reading *r, const char *what) {
    if (!r->failed)
        diag_error(r->place->d, r->place->file, r->place->line, 0,
                   "%s%s%s%s; a condition is such as sm.sched == gto and size != tiny", what, *r->at ? " before \"" : "", r->at,
                   *r->at ? "\"" : "");
    r->failed = true;
    return NULL;
}

static void skip_blanks(struct reading *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool is_word(char ch) { return isalnum((unsigned char)ch) || strchr("_.:/*+-", ch) != NULL; }

static bool takes(struct reading *r, const char *token) {
    size_t n = strlen(token);
    skip_blanks(r);
    if (strncmp(r->at, token, n) || (is_word(*token) && r->at[n] && is_word(r->at[n]))) return false;
    r->at += n;
    return true;
}

static const char *read_word(struct reading *r) {
    skip_blanks(r);
    if (*r->at == '"') {
        size_t n = strcspn(r->at + 1, "\"");
        if (!r->at[n + 1]) return refuse(r, "a quote is not closed");
        const char *word = arena_strdup(r->mem, r->at + 1, n);
        r->at += n + 2;
        return word;
    }
    size_t n = 0;
    while (r->at[n] && is_word(r->at[n])) n++;
    if (!n) return refuse(r, "a name or a value is missing");
    const char *word = arena_strdup(r->mem, r->at, n);
    r->at += n;
    return word;
}

static struct condition *node(struct reading *r, enum kind kind, struct condition *a, struct condition *b) {
    struct condition *c = ARENA_NEW(r->mem, struct condition);
    *c = (struct condition){.kind = kind, .a = a, .b = b};
    return c;
}

/* A name of a run, or a key that can have this value */
static bool check_names(struct reading *r, const struct condition *c) {
    u32 before = r->place->d->errors, n = 0;
    for (; condition_names[n]; n++)
        if (strcmp(c->left, condition_names[n]) == 0) return true;
    if (!cfg_key_find(c->left) && !strchr(c->left, '.')) {
        const char *near = text_nearest(c->left, condition_names, n);
        diag_error(r->place->d, r->place->file, r->place->line, 0,
                   "a condition knows no \"%s\"%s%s%s; it knows program, size, machine, configuration, repetition and the keys "
                   "of a machine",
                   c->left, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    } else value_setting(r->place, c->left, c->right);
    return r->place->d->errors == before;
}

static bool read_operator(struct reading *r, enum compare *to) {
    static const enum compare order[] = {IS, IS_NOT, LESS_SAME, MORE_SAME, LESS, MORE};
    for (u32 i = 0; i < ARRAY_LEN(order); i++) {
        if (!takes(r, compare_text[order[i]])) continue;
        *to = order[i];
        return true;
    }
    *to = IS;
    return takes(r, "=");
}

static struct condition *comparison(struct reading *r, const char *left, enum compare how, const char *right) {
    struct condition *c = node(r, COND_COMPARE, NULL, NULL);
    c->left = left, c->compare = how, c->right = right;
    r->failed = r->failed || !check_names(r, c);
    return c;
}

const struct sweep_group *group_find(const struct sweep_groups *groups, const char *name) {
    for (u32 i = 0; i < groups->v.n; i++)
        if (strcmp(groups->v.at[i].name, name) == 0) return &groups->v.at[i];
    return NULL;
}

static const struct sweep_group *read_group(struct reading *r) {
    const char *name = read_word(r);
    const struct sweep_group *g = r->failed ? NULL : group_find(r->groups, name);
    if (g || r->failed) return g;
    r->failed = true;
    diag_error(r->place->d, r->place->file, r->place->line, 0,
               "there is no group \"%s\" above this line; write [groups] and %s = A, B, or the values themselves: in (A, B)",
               name, name);
    return NULL;
}

static struct condition *either(struct reading *r, struct condition *so_far, struct condition *c) {
    return so_far ? node(r, COND_OR, so_far, c) : c;
}

static struct condition *read_in(struct reading *r, const char *left) {
    struct condition *c = NULL;
    if (!takes(r, "(")) {
        const struct sweep_group *g = read_group(r);
        for (u32 i = 0; g && i < g->words.v.n; i++) c = either(r, c, comparison(r, left, IS, g->words.v.at[i]));
        return c;
    }
    do {
        const char *word = read_word(r);
        if (!r->failed) c = either(r, c, comparison(r, left, IS, word));
    } while (!r->failed && takes(r, ","));
    return r->failed || takes(r, ")") ? c : refuse(r, "a \")\" is missing");
}

static struct condition *read_compare(struct reading *r) {
    enum compare how;
    const char *left = read_word(r);
    if (r->failed) return NULL;
    if (takes(r, "in")) return read_in(r, left);
    if (!read_operator(r, &how)) return refuse(r, "one of == != < <= > >= in is missing");
    const char *right = read_word(r);
    return r->failed ? NULL : comparison(r, left, how, right);
}

static struct condition *read_term(struct reading *r) {
    if (++r->depth > MAX_DEPTH) return refuse(r, "the condition is nested too deep");
    struct condition *c;
    if (takes(r, "not")) c = node(r, COND_NOT, read_term(r), NULL);
    else if (takes(r, "(")) {
        c = read_or(r);
        if (!r->failed && !takes(r, ")")) refuse(r, "a \")\" is missing");
    } else c = read_compare(r);
    r->depth--;
    return c;
}

static struct condition *read_and(struct reading *r) {
    struct condition *c = read_term(r);
    while (!r->failed && takes(r, "and")) c = node(r, COND_AND, c, read_term(r));
    return c;
}

static struct condition *read_or(struct reading *r) {
    struct condition *c = read_and(r);
    while (!r->failed && takes(r, "or")) c = node(r, COND_OR, c, read_and(r));
    return c;
}

struct condition *condition_parse(struct arena *mem, const char *text, const struct sweep_groups *groups,
                                  const struct sweep_place *p) {
    struct reading r = {.mem = mem, .at = text, .groups = groups, .place = p};
    struct condition *c = read_or(&r);
    skip_blanks(&r);
    if (!r.failed && *r.at) refuse(&r, "\"and\" or \"or\" is missing");
    return r.failed ? NULL : c;
}

/* --- names of an experiment */

static bool is_word_of(const struct sweep_words *w, const char *word) {
    for (u32 i = 0; i < w->v.n; i++)
        if (strcmp(w->v.at[i], word) == 0) return true;
    return false;
}

static bool is_machine(const struct experiment *x, const char *name) {
    struct config unused;
    struct diag d = {0};
    bool known = is_word_of(&x->machine_names, name);
    if (!known && !strpbrk(name, "./")) known = machine_load(&unused, name, &d);
    diag_free(&d);
    return known;
}

static bool is_program(const struct experiment *x, const char *name) {
    bool known = workload_find(name) != NULL || is_word_of(&x->absent, name);
    for (u32 i = 0; i < x->programs.n && !known; i++) known = strcmp(x->programs.at[i].name, name) == 0;
    return known;
}

static bool is_size(const char *name) {
    for (u32 i = 0; i < WORKLOAD_SIZES; i++)
        if (strcmp(name, workload_sizes[i]) == 0) return true;
    return !*name; /* of files */
}

static bool is_configuration(const struct experiment *x, const char *name) {
    bool known = !x->configurations.n && !*name;
    for (u32 i = 0; i < x->configurations.n && !known; i++) known = strcmp(x->configurations.at[i].name, name) == 0;
    return known;
}

bool condition_check(const struct condition *c, const struct experiment *x, const struct sweep_place *p) {
    u64 n;
    if (c->kind == COND_NOT) return condition_check(c->a, x, p);
    if (c->kind != COND_COMPARE) {
        bool left = condition_check(c->a, x, p), right = condition_check(c->b, x, p); /* the mistakes of both are told */
        return left && right;
    }
    if (strcmp(c->left, "repetition") == 0) return value_count(p, c->left, c->right, 0, UINT32_MAX, &n);
    bool known = strcmp(c->left, "program") == 0         ? is_program(x, c->right)
                 : strcmp(c->left, "size") == 0          ? is_size(c->right)
                 : strcmp(c->left, "machine") == 0       ? is_machine(x, c->right)
                 : strcmp(c->left, "configuration") == 0 ? is_configuration(x, c->right)
                                                         : true;
    if (!known) diag_error(p->d, p->file, p->line, 0, "there is no %s \"%s\", so the condition says nothing", c->left, c->right);
    return known;
}

/* --- whether it holds */

static bool as_number(const char *text, double *x) {
    char *end;
    *x = strtod(text, &end);
    return end != text && !*end;
}

static bool compare(enum compare how, const char *a, const char *b) {
    double x, y;
    if (!as_number(a, &x) || !as_number(b, &y)) return how == IS ? !strcmp(a, b) : how == IS_NOT && strcmp(a, b) != 0;
    switch (how) {
    case IS: return x == y;
    case IS_NOT: return x != y;
    case LESS: return x < y;
    case LESS_SAME: return x <= y;
    case MORE: return x > y;
    case MORE_SAME: return x >= y;
    case COMPARES: break;
    }
    return false;
}

bool condition_holds(const struct condition *c, condition_lookup *lookup, void *of) {
    if (c->kind == COND_OR) return condition_holds(c->a, lookup, of) || condition_holds(c->b, lookup, of);
    if (c->kind == COND_AND) return condition_holds(c->a, lookup, of) && condition_holds(c->b, lookup, of);
    if (c->kind == COND_NOT) return !condition_holds(c->a, lookup, of);
    return compare(c->compare, lookup(of, c->left), c->right);
}
