/* An experiment's runs: programs x sizes x machines x configurations x keys x repetitions, in this order, the
 * last changing fastest, without those its conditions exclude.
 *
 * 1. Every configuration of a run that is wanted is checked here, policies together too: what is planned can
 *    start, and conditions may leave out what does not go together.
 * 2. Two runs with one hash are one run: same program (name and contents), size, keys of the machine,
 *    measuring options and build. The hash names its row in the file.
 *
 * A machine with its keys is checked once for all programs. */
#include "core/policies.h"
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

struct point {                                             /* a machine with keys: what every program runs on */
    const char *machine, *name, *configuration, *settings; /* a name or a path; as the experiment writes it */
    u32 repetition, line;
    bool checked, legal;
    u64 hash; /* of config, when it was checked */
    struct config config;
};
struct planning {
    struct plan *plan;
    struct experiment *x;
    struct diag *d;
    VEC(struct point) points;
};

/* --- combinations of keys */

/* How many steps an axis has of its own: those of a group's first axis; its others follow */
static u32 steps(const struct experiment *x, u32 axis) {
    const struct sweep_axis *a = &x->axes.at[axis];
    for (u32 i = 0; i < axis && a->group; i++)
        if (x->axes.at[i].group == a->group) return 1;
    return a->values.v.n;
}

/* Which value axis k has in combination i */
static u32 step_of(const struct experiment *x, u64 i, u32 axis) {
    u32 leader = axis;
    for (u32 k = 0; k < axis && x->axes.at[axis].group; k++)
        if (x->axes.at[k].group == x->axes.at[axis].group) {
            leader = k;
            break;
        }
    for (u32 k = x->axes.n - 1; k > leader; k--) i /= steps(x, k);
    return (u32)(i % x->axes.at[leader].values.v.n);
}

static bool set(struct planning *p, struct point *to, struct strbuf *text, const char *key, const char *value, u32 line) {
    strbuf_add(text, "%s%s=%s", text->len ? " " : "", key, value);
    return config_set(&to->config, key, value, p->d, p->x->file, line);
}

/* Whether repetitions move `key` */
bool plan_moves(const struct experiment *x, const char *key) {
    if (x->perturb) return strcmp(x->perturb, key) == 0;
    for (const char *const *k = config_perturbed; *k; k++)
        if (strcmp(*k, key) == 0) return true;
    return false;
}

/* Repetition r as --perturb r: every key that should not matter */
static bool perturb_all(struct planning *p, struct point *to, struct strbuf *text, u32 repetition) {
    struct config moved = to->config;
    bool ok = true;
    config_perturb(&moved, repetition);
    for (const char *const *k = config_perturbed; ok && *k; k++) {
        char then[64];
        config_get_text(&moved, cfg_key_find(*k), then, sizeof(then));
        ok = set(p, to, text, *k, then, p->x->repetitions_line);
    }
    return ok;
}

/* Repetition r moves a key that should not matter by r steps, or all of them */
static bool perturb(struct planning *p, struct point *to, struct strbuf *text, u32 repetition) {
    char now[64], then[64];
    if (!repetition) return true;
    if (!p->x->perturb) return perturb_all(p, to, text, repetition);
    config_get_text(&to->config, cfg_key_find(p->x->perturb), now, sizeof(now));
    snprintf(then, sizeof(then), "%llu", strtoull(now, NULL, 10) + (u64)repetition * p->x->perturb_step);
    return set(p, to, text, p->x->perturb, then, p->x->repetitions_line);
}

static void describe(struct planning *p, const struct point *at, u32 line) {
    diag_note(p->d, p->x->file, line, 0, "in machine %s%s%s%s%s", at->machine, *at->configuration ? ", configuration " : "",
              at->configuration, *at->settings ? ", keys " : "", at->settings);
}

/* When its first run is wanted */
static bool check_point(struct planning *p, struct point *at) {
    struct policies unused;
    if (at->checked) return at->legal;
    u32 before = p->d->errors;
    struct diag found = {0};
    bool ok = config_check(&at->config, &found) && policies_find(&at->config, &unused, &found);
    const struct sweep_place place = {p->x->file, at->line, p->d};
    sweep_blame(&place, &found);
    diag_free(&found);
    if (p->d->errors != before) describe(p, at, at->line);
    at->checked = true;
    at->legal = ok;
    at->hash = config_hash(&at->config);
    return ok;
}

/* `at` is its machine as it was loaded */
static bool make_point(struct planning *p, struct point at, const struct sweep_configuration *c, u64 combination,
                       u32 repetition) {
    struct strbuf text = {0};
    bool ok = true;
    at.configuration = c ? c->name : "";
    at.repetition = repetition;
    at.line = c ? c->line : 0;
    for (u32 i = 0; ok && c && i < c->set.n; i++)
        ok = set(p, &at, &text, c->set.at[i].key, c->set.at[i].value, c->set.at[i].line);
    for (u32 k = 0; ok && k < p->x->axes.n; k++) {
        const struct sweep_axis *a = &p->x->axes.at[k];
        ok = set(p, &at, &text, a->key, a->values.v.at[step_of(p->x, combination, k)], a->line);
        at.line = a->line;
    }
    ok = ok && perturb(p, &at, &text, repetition);
    at.settings = text.s ? arena_strdup(&p->x->mem, text.s, text.len) : "";
    strbuf_free(&text);
    VEC_PUSH(&p->points, at);
    return ok;
}

static bool make_points(struct planning *p) {
    u64 combinations = 1, all;
    u32 configurations = MAX(p->x->configurations.n, 1u);
    for (u32 k = 0; k < p->x->axes.n; k++) {
        combinations *= steps(p->x, k);
        if (!diag_limit(p->d, p->x->file, LIMIT_RUNS, combinations)) return false;
    }
    all = combinations * configurations * p->x->machines.v.n * p->x->repetitions;
    if (!diag_limit(p->d, p->x->file, LIMIT_RUNS, all)) return false;
    for (u32 m = 0; m < p->x->machines.v.n; m++) {
        struct point machine = {.machine = p->x->machines.v.at[m], .name = p->x->machine_names.v.at[m]};
        if (!machine_load(&machine.config, machine.machine, p->d)) return false;
        for (u32 c = 0; c < configurations; c++) {
            const struct sweep_configuration *of = p->x->configurations.n ? &p->x->configurations.at[c] : NULL;
            if (!configuration_runs_on(p->x, of, machine.name)) continue;
            for (u64 i = 0; i < combinations; i++)
                for (u32 r = 0; r < p->x->repetitions; r++) {
                    make_point(p, machine, of, i, r);
                    if (diag_full(p->d)) return false;
                }
        }
    }
    return p->d->errors == 0;
}

/* --- runs */

struct facts { /* what a condition may ask of a run */
    const struct planning *p;
    const struct sweep_run *r;
    const struct point *at;
    char text[128];
};

static const char *lookup(void *of, const char *name) {
    struct facts *f = of;
    if (strcmp(name, "program") == 0) return f->p->x->programs.at[f->r->program].name;
    if (strcmp(name, "size") == 0) return plan_size(f->p->plan, f->r);
    if (strcmp(name, "machine") == 0) return f->at->name;
    if (strcmp(name, "configuration") == 0) return f->at->configuration;
    if (strcmp(name, "repetition") == 0) snprintf(f->text, sizeof(f->text), "%u", f->r->repetition);
    else config_get_text(&f->at->config, cfg_key_find(name), f->text, sizeof(f->text));
    return f->text;
}

static bool wanted(const struct planning *p, const struct sweep_run *r, const struct point *at) {
    struct facts f = {.p = p, .r = r, .at = at};
    for (u32 i = 0; i < p->x->rules.n; i++)
        if (condition_holds(p->x->rules.at[i].holds, lookup, &f) != p->x->rules.at[i].only) return false;
    return true;
}

/* --seed of a run; 0: its data as they are */
static u32 seed_of(const struct experiment *x, const struct sweep_run *r) {
    return x->reseed && x->programs.at[r->program].drawn[r->size] ? r->repetition : 0;
}

static u64 add_text(u64 h, const char *text) { return hash_fnv1a64(h, text, strlen(text) + 1); }

static u64 hash_of(const struct planning *p, const struct sweep_run *r) {
    const struct sweep_program *program = &p->x->programs.at[r->program];
    const struct sweep_measure *m = experiment_measure(p->x, program->name);
    u64 h = add_text(FNV1A64_START, program->name);
    h = hash_fnv1a64(h, &program->hash[r->size], sizeof(u64));
    h = add_text(h, plan_size(p->plan, r));
    h = hash_fnv1a64(h, &r->config_hash, sizeof(u64));
    u32 seed = seed_of(p->x, r);
    for (u32 i = 0; i < m->set.n; i++)
        h = add_text(add_text(h, m->set.at[i].key), configuration_option(p->x, r->configuration, &m->set.at[i]));
    if (seed) h = hash_fnv1a64(add_text(h, "seed"), &seed, sizeof(seed));
    return add_text(h, build_commit());
}

static bool add_runs(struct planning *p, u32 program, u32 size) {
    for (u32 i = 0; i < p->points.n; i++) {
        struct point *at = &p->points.at[i];
        struct sweep_run r = {.program = program,
                              .size = size,
                              .repetition = at->repetition,
                              .machine = at->machine,
                              .configuration = at->configuration,
                              .settings = at->settings};
        if (!wanted(p, &r, at)) continue;
        if (!program_look(p->x, &p->x->programs.at[program], size, p->d)) return false;
        if (!check_point(p, at)) {
            if (diag_full(p->d)) return false;
            continue;
        }
        r.config_hash = at->hash;
        r.hash = hash_of(p, &r);
        VEC_PUSH(&p->plan->runs, r);
    }
    return p->d->errors == 0 && diag_limit(p->d, p->x->file, LIMIT_RUNS, p->plan->runs.n);
}

static int by_hash(const void *a, const void *b, void *runs) {
    u32 i = *(const u32 *)a, k = *(const u32 *)b;
    const struct sweep_run *at = runs;
    if (at[i].hash != at[k].hash) return at[i].hash < at[k].hash ? -1 : 1;
    return i < k ? -1 : 1;
}

void plan_find_same(struct plan *p) {
    u32 n = p->runs.n, *order = base_alloc((n + 1) * sizeof(*order));
    for (u32 i = 0; i < n; i++) order[i] = i;
    qsort_r(order, n, sizeof(*order), by_hash, p->runs.at);
    for (u32 i = 0, first = 0; i < n; i++) {
        if (!i || p->runs.at[order[i]].hash != p->runs.at[order[i - 1]].hash) first = order[i];
        p->runs.at[order[i]].same_as = first;
    }
    free(order);
}

bool plan_make(struct plan *plan, struct experiment *x, struct diag *d) {
    struct planning p = {.plan = plan, .x = x, .d = d};
    *plan = (struct plan){.x = x};
    bool ok = make_points(&p);
    for (u32 i = 0; ok && i < x->programs.n; i++) {
        u32 sizes = x->programs.at[i].workload ? x->sizes.v.n : 1;
        for (u32 k = 0; ok && k < sizes; k++) ok = add_runs(&p, i, x->programs.at[i].workload ? x->sizes.v.at[k] : 0);
    }
    free(p.points.at);
    if (ok && !plan->runs.n) {
        diag_error(d, x->file, 0, 0, "no run is left; the conditions exclude all of them");
        ok = false;
    }
    if (ok) plan_find_same(plan);
    return ok && d->errors == 0;
}

void plan_free(struct plan *p) { free(p->runs.at); }

const char *plan_size(const struct plan *p, const struct sweep_run *r) {
    return p->x->programs.at[r->program].workload ? workload_sizes[r->size] : "";
}

/* --- command lines */

struct words {
    VEC(char *) v;
};

static void word(struct words *w, const char *text) { VEC_PUSH(&w->v, strdup(text)); }

static void pair(struct words *w, const char *option, const char *value) {
    word(w, option);
    word(w, value);
}

static void add_settings(struct words *w, const char *settings) {
    for (const char *at = settings; *at; at++) {
        size_t n = strcspn(at, " ");
        char *one = strndup(at, n);
        pair(w, "--set", one);
        free(one);
        at += n;
        if (!*at) return;
    }
}

char **plan_command(const struct plan *p, const struct sweep_run *r, const char *heddle, u32 threads, const char *json) {
    const struct sweep_program *program = &p->x->programs.at[r->program];
    const struct sweep_measure *m = experiment_measure(p->x, program->name);
    struct words w = {0};
    char count[16];
    word(&w, heddle);
    word(&w, "run");
    word(&w, program->workload ? program->name : program->path);
    if (program->manifest) pair(&w, "--manifest", program->manifest);
    if (program->workload) pair(&w, "--size", workload_sizes[r->size]);
    pair(&w, "--machine", r->machine);
    add_settings(&w, r->settings);
    for (u32 i = 0; i < m->set.n; i++) {
        struct strbuf option = {0};
        const char *value = configuration_option(p->x, r->configuration, &m->set.at[i]);
        strbuf_add(&option, "--%s", m->set.at[i].key);
        word(&w, option.s);
        if (*value) word(&w, value);
        strbuf_free(&option);
    }
    snprintf(count, sizeof(count), "%u", seed_of(p->x, r));
    if (seed_of(p->x, r)) pair(&w, "--seed", count);
    snprintf(count, sizeof(count), "%u", threads);
    if (threads > 1) pair(&w, "--threads", count);
    word(&w, "--quiet");
    pair(&w, "--json", json);
    VEC_PUSH(&w.v, NULL);
    return w.v.at;
}

void plan_command_free(char **words) {
    for (u32 i = 0; words && words[i]; i++) free(words[i]);
    free(words);
}

void plan_what(const struct plan *p, const struct sweep_run *r, struct arena *mem, struct result_what *to) {
    const struct sweep_measure *m = experiment_measure(p->x, p->x->programs.at[r->program].name);
    struct strbuf measure = {0};
    for (u32 i = 0; i < m->set.n; i++) {
        const char *value = configuration_option(p->x, r->configuration, &m->set.at[i]);
        strbuf_add(&measure, "%s%s%s%s", i ? " " : "", m->set.at[i].key, *value ? "=" : "", value);
    }
    if (seed_of(p->x, r)) strbuf_add(&measure, "%sseed=%u", measure.len ? " " : "", seed_of(p->x, r));
    *to = (struct result_what){.program = p->x->programs.at[r->program].name,
                               .size = plan_size(p, r),
                               .machine = r->machine,
                               .settings = r->settings,
                               .measure = measure.s ? arena_strdup(mem, measure.s, measure.len) : "",
                               .hash = r->hash,
                               .config_hash = r->config_hash};
    strbuf_free(&measure);
}
