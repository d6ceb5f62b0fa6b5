/* Configurations of an experiment: named settings of a machine, what they take over from others, and products
 * of parts.
 *
 *   [part NAME]            settings that others take over; no run has them alone
 *   [configuration NAME]   a run for each; with = A, B takes over what those set
 *   [configurations]       product = A B, C D: a configuration for each choice of one part of every group,
 *                          named A.C, A.D, B.C, B.D
 *
 * 1. A name is of one part or one configuration.
 * 2. What is taken over may be set again; what a section sets itself it sets once.
 * 3. machine = NAME, ... of a part or a configuration: it runs on these of the experiment's machines
 *    alone.
 * 4. exit-cycles = N of a part or a configuration: its runs end there, not where [measure] says. */
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

static void error_at(const struct sweep_place *p, const char *text, const char *name) {
    diag_error(p->d, p->file, p->line, 0, text, name);
}

static const struct sweep_configuration *find_in(const struct sweep_configurations *all, const char *name) {
    for (u32 i = 0; i < all->n; i++)
        if (strcmp(all->at[i].name, name) == 0) return &all->at[i];
    return NULL;
}

static const struct sweep_configuration *find(const struct experiment *x, const char *name) {
    const struct sweep_configuration *c = find_in(&x->configurations, name);
    return c ? c : find_in(&x->parts, name);
}

static void refuse_second(const struct experiment *x, bool part, const char *name, const struct sweep_place *p) {
    const struct sweep_configuration *same = find_in(part ? &x->parts : &x->configurations, name),
                                     *other = find_in(part ? &x->configurations : &x->parts, name);
    if (same)
        diag_error(p->d, p->file, p->line, 0, "a second [%s %s]; the first is in line %u", part ? "part" : "configuration", name,
                   same->line);
    if (other)
        diag_error(p->d, p->file, p->line, 0, "a part and a configuration cannot both be called %s, as in line %u", name,
                   other->line);
}

void configuration_begin(struct experiment *x, bool part, const char *name, const struct sweep_place *p) {
    struct sweep_configuration c = {.name = name, .line = p->line};
    refuse_second(x, part, name, p);
    struct sweep_configurations *to = part ? &x->parts : &x->configurations;
    VEC_PUSH(to, c);
}

static void set_key(struct sweep_configuration *c, const struct sweep_setting *s) {
    for (u32 i = 0; i < c->set.n; i++)
        if (strcmp(c->set.at[i].key, s->key) == 0) {
            c->set.at[i] = *s;
            return;
        }
    VEC_PUSH(&c->set, *s);
}

static void take_over(struct sweep_configuration *to, const struct sweep_configuration *from) {
    for (u32 k = 0; k < from->set.n; k++) set_key(to, &from->set.at[k]);
    if (from->machines) to->machines = from->machines, to->machines_line = from->machines_line;
    if (from->exit_cycles) to->exit_cycles = from->exit_cycles, to->exit_line = from->exit_line;
}

/* with = NAME, NAME: all that those set */
static void take_with(struct experiment *x, struct sweep_configuration *to, const char *value, const struct sweep_place *p) {
    struct sweep_words words = {0};
    value_list(&words, &x->mem, value);
    for (u32 i = 0; i < words.v.n; i++) {
        const struct sweep_configuration *from = find(x, words.v.at[i]);
        if (!from || from == to) error_at(p, "no [configuration %s] or part of that name above this one", words.v.at[i]);
        else take_over(to, from);
    }
    free(words.v.at);
}

static void take_exit(struct sweep_configuration *c, const char *value, const struct sweep_place *p) {
    u64 n;
    if (value_count(p, "exit-cycles", value, 1, INT64_MAX, &n)) c->exit_cycles = value, c->exit_line = p->line;
}

const char *configuration_option(const struct experiment *x, const char *configuration, const struct sweep_setting *option) {
    const struct sweep_configuration *c = find_in(&x->configurations, configuration);
    return c && c->exit_cycles && strcmp(option->key, "exit-cycles") == 0 ? c->exit_cycles : option->value;
}

void configuration_take(struct experiment *x, bool part, const char *key, const char *value, const struct sweep_place *p) {
    struct sweep_configurations *all = part ? &x->parts : &x->configurations;
    struct sweep_configuration *c = &all->at[all->n - 1];
    struct sweep_setting s = {key, value, p->line};
    bool exits = strcmp(key, "exit-cycles") == 0;
    bool twice = (strcmp(key, "machine") == 0 && c->machines && c->machines_line > c->line) ||
                 (exits && c->exit_cycles && c->exit_line > c->line);
    for (u32 i = 0; i < c->set.n; i++) twice = twice || (strcmp(c->set.at[i].key, key) == 0 && c->set.at[i].line > c->line);
    if (strcmp(key, "with") == 0) take_with(x, c, value, p);
    else if (twice) error_at(p, "%s is set twice in this configuration", key);
    else if (strcmp(key, "machine") == 0) c->machines = value, c->machines_line = p->line;
    else if (exits) take_exit(c, value, p);
    else if (value_setting(p, key, value)) set_key(c, &s);
}

/* --- products */

enum { MAX_GROUPS = 8 };
struct product {
    struct experiment *x;
    const struct sweep_place *place;
    struct sweep_words groups[MAX_GROUPS]; /* names of parts */
    u32 n;
};

/* A group: words with blanks between them, each a part above this line */
static bool add_group(struct product *p, const char *text) {
    struct sweep_words *to = &p->groups[p->n++];
    while (*(text += strspn(text, " \t"))) {
        size_t n = strcspn(text, " \t");
        const char *name = arena_strdup(&p->x->mem, text, n);
        text += n;
        VEC_PUSH(&to->v, name);
        if (find_in(&p->x->parts, name)) continue;
        error_at(p->place, "no [part %s] above this line", name);
        return false;
    }
    return true;
}

/* The index-th choice, the last group changing fastest */
static void add_choice(struct product *p, u64 index) {
    const struct sweep_configuration *chosen[MAX_GROUPS];
    struct sweep_configuration c = {.line = p->place->line};
    struct strbuf name = {0};
    for (u32 g = p->n; g-- > 0; index /= p->groups[g].v.n)
        chosen[g] = find_in(&p->x->parts, p->groups[g].v.at[index % p->groups[g].v.n]);
    for (u32 g = 0; g < p->n; g++) {
        strbuf_add(&name, "%s%s", g ? "." : "", chosen[g]->name);
        take_over(&c, chosen[g]);
    }
    c.name = arena_strdup(&p->x->mem, name.s, name.len);
    strbuf_free(&name);
    refuse_second(p->x, false, c.name, p->place);
    VEC_PUSH(&p->x->configurations, c);
}

void configuration_product(struct experiment *x, const char *value, const struct sweep_place *place) {
    struct product p = {.x = x, .place = place};
    struct sweep_words groups = {0};
    u64 all = 1;
    value_list(&groups, &x->mem, value);
    bool ok = groups.v.n <= MAX_GROUPS;
    if (!ok) error_at(place, "a product has at most 8 groups of parts%s", "");
    for (u32 i = 0; i < groups.v.n && ok; i++) {
        ok = add_group(&p, groups.v.at[i]);
        all *= p.groups[i].v.n;
        ok = ok && diag_limit(place->d, place->file, LIMIT_RUNS, all);
    }
    for (u64 i = 0; i < all && ok && !diag_full(place->d); i++) add_choice(&p, i);
    for (u32 i = 0; i < p.n; i++) free(p.groups[i].v.at);
    free(groups.v.at);
}

/* --- machines */

/* Calls out each machine that the experiment does not have */
static void check_machines(struct experiment *x, const struct sweep_configurations *all, struct diag *d) {
    for (u32 i = 0; i < all->n; i++) {
        struct sweep_words words = {0};
        if (all->at[i].machines) value_list(&words, &x->mem, all->at[i].machines);
        for (u32 k = 0; k < words.v.n; k++) {
            bool known = false;
            for (u32 m = 0; m < x->machine_names.v.n; m++) known = known || strcmp(x->machine_names.v.at[m], words.v.at[k]) == 0;
            if (!known)
                diag_error(d, x->file, all->at[i].machines_line, 0, "[machines] does not run \"%s\", so nothing of \"%s\" would",
                           words.v.at[k], all->at[i].name);
        }
        free(words.v.at);
    }
}

static bool exits(const struct sweep_measure *m) {
    for (u32 i = 0; i < m->set.n; i++)
        if (strcmp(m->set.at[i].key, "exit-cycles") == 0) return true;
    return false;
}

/* exit-cycles of a configuration stands in place of one that is there */
static void check_exits(const struct experiment *x, struct diag *d) {
    for (u32 i = 0; i < x->configurations.n; i++) {
        const struct sweep_configuration *c = &x->configurations.at[i];
        for (u32 k = 0; c->exit_cycles && k < x->programs.n; k++) {
            if (exits(experiment_measure(x, x->programs.at[k].name))) continue;
            diag_error(d, x->file, c->exit_line, 0,
                       "exit-cycles of a configuration stands in place of [measure]'s, and that of %s has none; add it there",
                       x->programs.at[k].name);
            return;
        }
    }
}

void configuration_check(struct experiment *x, struct diag *d) {
    check_machines(x, &x->parts, d);
    u32 before = d->errors;
    if (!before) check_machines(x, &x->configurations, d);
    if (!before) check_exits(x, d);
    if (x->parts.n && !x->configurations.n && d->errors == before)
        diag_error(d, x->file, x->parts.at[0].line, 0,
                   "parts alone run nothing; take them over in a [configuration NAME] or in [configurations] product = ...");
}

bool configuration_runs_on(struct experiment *x, const struct sweep_configuration *c, const char *machine) {
    struct sweep_words words = {0};
    bool found = !c || !c->machines;
    if (!found) value_list(&words, &x->mem, c->machines);
    for (u32 i = 0; i < words.v.n && !found; i++) found = strcmp(words.v.at[i], machine) == 0;
    free(words.v.at);
    return found;
}

void configuration_free(struct experiment *x) {
    struct sweep_configurations *both[] = {&x->parts, &x->configurations};
    for (u32 k = 0; k < ARRAY_LEN(both); k++) {
        for (u32 i = 0; i < both[k]->n; i++) free(both[k]->at[i].set.at);
        free(both[k]->at);
    }
}
