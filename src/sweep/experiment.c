/* An experiment: INI text to struct experiment (docs/sweep.md is its manual). All mistakes are found and
 * named by line before anything runs; what only a plan can see (keys together, files) is plan.c's.
 *
 * 1. A key stands in one of [keys], [list NAME] once; configuration.c has configurations.
 * 2. Words of the arena live as long as the experiment. */
#include "gpu/gpu.h"
#include "heddle.h"
#include "sweep/sweep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct experiment *x;
    struct sweep_place place;
    const struct section *in;
    const char *name;              /* of [kind NAME], "" for none */
    struct sweep_measure *measure; /* the section that is read */
    u32 lists;                     /* [list] sections so far: their groups */
    bool began;                    /* a section, known or not */
};
struct section {
    const char *kind;
    bool named;              /* [kind NAME] */
    bool study;              /* of studies only; study.c reads what it holds */
    const char *const *keys; /* legal names, for messages; NULL: checked by take */
    void (*take)(struct reader *r, const char *key, const char *value);
};

static void error_at(struct reader *r, const char *text, const char *name) {
    diag_error(r->place.d, r->place.file, r->place.line, 0, text, name);
}

/* "FILE:LINE: " */
static bool has_line(const char *from, const char *to) {
    return to - from > 3 && to[-2] == ':' && isdigit((unsigned char)to[-3]);
}

/* What another room found wrong: with a line of its own it is quoted, a mere name goes, for we say which
 * machine it is */
void sweep_blame(const struct sweep_place *p, const struct diag *found) {
    for (const char *at = found->text.s; at && *at;) {
        size_t n = strcspn(at, "\n");
        const char *error = strstr(at, "error: ");
        size_t skip = error && error < at + n && !has_line(at, error) ? (size_t)(error - at) + 7 : 0;
        diag_error(p->d, p->file, p->line, 0, "%.*s", (int)(n - skip), at + skip);
        at += n + (at[n] == '\n');
    }
}

/* --- sections */

static void take_experiment(struct reader *r, const char *key, const char *value) {
    if (strcmp(key, "name") == 0) r->x->name = value;
    else r->x->database = experiment_path(r->x, value);
}

void experiment_sizes(struct experiment *x, const char *value, const struct sweep_place *p) {
    struct sweep_words words = {0};
    value_list(&words, &x->mem, value);
    x->sizes.v.n = 0;
    for (u32 i = 0; i < words.v.n; i++) {
        u32 k = 0;
        while (k < WORKLOAD_SIZES && strcmp(words.v.at[i], workload_sizes[k])) k++;
        if (k == WORKLOAD_SIZES)
            diag_error(p->d, p->file, p->line, 0, "unknown size \"%s\"; sizes are " WORKLOAD_SIZES_TEXT, words.v.at[i]);
        else VEC_PUSH(&x->sizes.v, k);
    }
    free(words.v.at);
}

static void take_programs(struct reader *r, const char *key, const char *value) {
    struct sweep_words words = {0};
    if (strcmp(key, "prefix") == 0) {
        r->x->prefix = value;
        return;
    }
    if (strcmp(key, "size") == 0) {
        experiment_sizes(r->x, value, &r->place);
        return;
    }
    value_list(&words, &r->x->mem, value);
    for (u32 i = 0; i < words.v.n; i++) {
        if (strcmp(key, "if_there") == 0 && program_absent(r->x, words.v.at[i])) VEC_PUSH(&r->x->absent.v, words.v.at[i]);
        else program_add(r->x, words.v.at[i], &r->place);
    }
    free(words.v.at);
}

static void take_machines(struct reader *r, const char *key, const char *value) {
    struct sweep_words words = {0};
    (void)key;
    value_list(&words, &r->x->mem, value);
    for (u32 i = 0; i < words.v.n; i++) {
        const char *name = words.v.at[i];
        struct config c;
        if (strchr(name, '.') || name[0] == '/') name = experiment_path(r->x, name);
        struct diag d = {0};
        if (machine_load(&c, name, &d)) {
            VEC_PUSH(&r->x->machines.v, name);
            VEC_PUSH(&r->x->machine_names.v, words.v.at[i]);
        } else sweep_blame(&r->place, &d);
        diag_free(&d);
    }
    free(words.v.at);
}

static void take_axis(struct reader *r, const char *key, const char *value, u32 group) {
    struct sweep_axis a = {.key = key, .line = r->place.line, .group = group};
    for (u32 i = 0; i < r->x->axes.n; i++) {
        if (strcmp(r->x->axes.at[i].key, key)) continue;
        diag_error(r->place.d, r->place.file, r->place.line, 0, "%s stands in line %u already; write all its values there", key,
                   r->x->axes.at[i].line);
        return;
    }
    value_list(&a.values, &r->x->mem, value);
    bool ok = true;
    for (u32 i = 0; i < a.values.v.n && ok; i++) ok = value_setting(&r->place, key, a.values.v.at[i]);
    VEC_PUSH(&r->x->axes, a);
}

static void take_key(struct reader *r, const char *key, const char *value) { take_axis(r, key, value, 0); }
static void take_list(struct reader *r, const char *key, const char *value) { take_axis(r, key, value, r->lists); }

static void take_part(struct reader *r, const char *key, const char *value) {
    configuration_take(r->x, true, key, value, &r->place);
}
static void take_configuration(struct reader *r, const char *key, const char *value) {
    configuration_take(r->x, false, key, value, &r->place);
}
static void take_product(struct reader *r, const char *key, const char *value) {
    (void)key;
    configuration_product(r->x, value, &r->place);
}

static void take_group(struct reader *r, const char *key, const char *value) {
    struct sweep_group g = {.name = key, .line = r->place.line};
    const struct sweep_group *old = group_find(&r->x->groups, key);
    if (old) {
        diag_error(r->place.d, r->place.file, r->place.line, 0, "the group %s stands in line %u already", key, old->line);
        return;
    }
    value_list(&g.words, &r->x->mem, value);
    VEC_PUSH(&r->x->groups.v, g);
}

static void take_condition(struct reader *r, const char *key, const char *value) {
    struct sweep_rule rule = {condition_parse(&r->x->mem, value, &r->x->groups, &r->place), r->place.line,
                              strcmp(key, "only") == 0};
    if (rule.holds) VEC_PUSH(&r->x->rules, rule);
}

static bool yes_or_no(struct reader *r, const char *key, const char *value) {
    bool yes = strcmp(value, "yes") == 0;
    if (!yes && strcmp(value, "no") != 0)
        diag_error(r->place.d, r->place.file, r->place.line, 0, "%s must be yes or no, not \"%s\"", key, value);
    return yes;
}

static void take_repetitions(struct reader *r, const char *key, const char *value) {
    u64 n = 0;
    r->x->repetitions_line = r->place.line;
    if (strcmp(key, "key") == 0) {
        const struct cfg_key *k = cfg_key_find(value);
        if (strcmp(value, "all") == 0) r->x->perturb = NULL;
        else if (k && k->type == KEY_TYPE_U32) r->x->perturb = value;
        else error_at(r, "\"%s\" is neither all nor a key of a machine that is a number, so repetitions cannot move it", value);
    } else if (strcmp(key, "seed") == 0) {
        r->x->reseed = yes_or_no(r, key, value);
    } else if (strcmp(key, "near") == 0) {
        r->x->near = yes_or_no(r, key, value);
        if (!r->x->study) error_at(r, "%s is of studies, which have a baseline", key);
    } else if (strcmp(key, "step") == 0) {
        if (value_count(&r->place, key, value, 1, 1000000, &n)) r->x->perturb_step = (u32)n;
    } else if (value_count(&r->place, key, value, 1, 10000, &n)) r->x->repetitions = (u32)n;
    if (!r->x->perturb && r->x->perturb_step != 1) error_at(r, "step is of one key; leave out \"%s\" beside key = all", "step");
}

/* Options of heddle run that change what is measured, flags first; those about the host are [host]'s */
static const char *const measure_keys[] = {
    "flush",       "warmup-once", "warmup", "max-cycles", "max-warp-instructions", "sample", "fast-forward", "fast-forward-ctas",
    "exit-cycles", "lock",        NULL};

const struct sweep_measure *experiment_measure(const struct experiment *x, const char *program) {
    for (u32 i = 0; i < x->measures.n; i++)
        if (strcmp(x->measures.at[i].program, program) == 0) return &x->measures.at[i];
    return &x->measure;
}

/* [measure], or [measure PROGRAM] in its place for one of them */
static void begin_measure(struct reader *r) {
    const struct sweep_measure *old = *r->name ? experiment_measure(r->x, r->name) : NULL;
    if (old && old != &r->x->measure) error_at(r, "a second [measure %s]", r->name);
    if (*r->name) VEC_PUSH(&r->x->measures, ((struct sweep_measure){.program = r->name, .line = r->place.line}));
    r->measure = *r->name ? &r->x->measures.at[r->x->measures.n - 1] : &r->x->measure;
}

static void take_measure(struct reader *r, const char *key, const char *value) {
    struct sweep_setting s = {key, value, r->place.line};
    u64 n;
    bool sampled = strcmp(key, "sample") == 0,
         never_none = sampled || strncmp(key, "max-", 4) == 0 || strcmp(key, "exit-cycles") == 0;
    if (strcmp(key, "lock") == 0) {
        VEC_PUSH(&r->measure->set, s);
        return;
    }
    bool flag = strcmp(key, measure_keys[0]) == 0 || strcmp(key, measure_keys[1]) == 0,
         automatic = sampled && strcmp(value, "yes") == 0;
    if (!flag && !automatic && !value_count(&r->place, key, value, never_none, sampled ? 100 : INT64_MAX, &n)) return;
    if (flag && !yes_or_no(r, key, value)) return;
    if (flag || automatic) s.value = "";
    VEC_PUSH(&r->measure->set, s);
}

static void take_limit(struct reader *r, const char *key, const char *value) {
    if (strcmp(key, "time") == 0) value_seconds(&r->place, key, value, &r->x->limit_seconds);
    else value_bytes(&r->place, key, value, &r->x->limit_bytes);
}

static void take_host(struct reader *r, const char *key, const char *value) {
    if (strcmp(value, "auto") == 0) return;
    if (strcmp(key, "memory") == 0) value_bytes(&r->place, key, value, &r->x->host_bytes);
    else if (strcmp(key, "workers") == 0) value_count(&r->place, key, value, 1, 1024, &r->x->workers);
    else value_count(&r->place, key, value, 1, SWEEP_MOST_THREADS, &r->x->threads);
}

/* Texts go to sbatch as they are; it knows its own units */
static void take_slurm(struct reader *r, const char *key, const char *value) {
    struct sweep_slurm *to = &r->x->slurm;
    const struct {
        const char *name, **text;
    } texts[] = {{"partition", &to->partition},
                 {"time", &to->time},
                 {"memory", &to->memory},
                 {"account", &to->account},
                 {"qos", &to->qos}};
    const struct {
        const char *name;
        u64 *count, most;
    } counts[] = {{"cpus", &to->cpus, 1024},
                  {"array", &to->array, 100000},
                  {"at_once", &to->at_once, 100000},
                  {"attempts", &to->attempts, 100}};
    for (u32 i = 0; i < ARRAY_LEN(texts); i++)
        if (strcmp(key, texts[i].name) == 0) *texts[i].text = value;
    for (u32 i = 0; i < ARRAY_LEN(counts); i++)
        if (strcmp(key, counts[i].name) == 0) value_count(&r->place, key, value, 1, counts[i].most, counts[i].count);
    if (strcmp(key, "poll") == 0) value_seconds(&r->place, key, value, &to->poll);
    if (strcmp(key, "option") == 0) VEC_PUSH(&to->options.v, value);
}

static const char *const experiment_keys[] = {"name", "database", NULL};
static const char *const program_keys[] = {"run", "if_there", "size", "prefix", NULL};
static const char *const machine_keys[] = {"run", NULL};
static const char *const product_keys[] = {"product", NULL};
static const char *const condition_keys[] = {"skip", "only", NULL};
static const char *const repetition_keys[] = {"count", "key", "step", "seed", "near", NULL};
static const char *const limit_keys[] = {"time", "memory", NULL};
static const char *const host_keys[] = {"workers", "threads", "memory", NULL};

static const char *const slurm_keys[] = {"partition", "time",    "memory",   "account", "qos",    "cpus",
                                         "array",     "at_once", "attempts", "poll",    "option", NULL};

/* Of studies: kept as they are */
static void take_entry(struct reader *r, const char *key, const char *value) {
    struct sweep_entry e = {r->in->kind, r->name, key, value, r->place.line};
    VEC_PUSH(&r->x->entries, e);
}
static const char *const study_keys[] = {"title", "text", "baseline", "factor", "rows", "takes", NULL};
static const char *const quick_keys[] = {"run", "size", "repetitions", NULL};
static const char *const near_keys[] = {"baselines", "sql", NULL};
static const char *const set_keys[] = {"sql", NULL};
static const char *const later_keys[] = {"configurations", "sql", NULL};
static const char *const figure_keys[] = {"title", "text", "columns", "set", "sql", "show", "bars", "points", "apart", NULL};
static const char *const statement_keys[] = {"text", "document", "half", "above", "below", "show",
                                             "of",   "over",     "set",  "sql",   "why",   NULL};

static const struct section sections[] = {
    {"experiment", false, false, experiment_keys, take_experiment},
    {"programs", false, false, program_keys, take_programs},
    {"machines", false, false, machine_keys, take_machines},
    {"keys", false, false, NULL, take_key},
    {"list", true, false, NULL, take_list},
    {"part", true, false, NULL, take_part},
    {"configuration", true, false, NULL, take_configuration},
    {"configurations", false, false, product_keys, take_product},
    {"groups", false, false, NULL, take_group},
    {"conditions", false, false, condition_keys, take_condition},
    {"repetitions", false, false, repetition_keys, take_repetitions},
    {"measure", false, false, measure_keys, take_measure},
    {"limits", false, false, limit_keys, take_limit},
    {"host", false, false, host_keys, take_host},
    {"slurm", false, false, slurm_keys, take_slurm},
    {"study", false, true, study_keys, take_entry},
    {"quick", false, true, quick_keys, take_entry},
    {"near", false, true, near_keys, take_entry},
    {"set", true, true, set_keys, take_entry},
    {"table", true, true, set_keys, take_entry},
    {"later", true, true, later_keys, take_entry},
    {"figure", true, true, figure_keys, take_entry},
    {"statement", true, true, statement_keys, take_entry},
};

/* --- lines */

static void unknown_section(struct reader *r, const char *kind) {
    const char *names[ARRAY_LEN(sections)];
    struct strbuf all = {0};
    u32 n = 0;
    for (u32 i = 0; i < ARRAY_LEN(sections); i++) {
        if (sections[i].study && !r->x->study) continue;
        strbuf_add(&all, "%s%s", n ? ", " : "", sections[i].kind);
        names[n++] = sections[i].kind;
    }
    const char *near = text_nearest(kind, names, n);
    if (near) diag_error(r->place.d, r->place.file, r->place.line, 0, "unknown section [%s]; did you mean [%s]?", kind, near);
    else diag_error(r->place.d, r->place.file, r->place.line, 0, "unknown section [%s]; sections are %s", kind, all.s);
    strbuf_free(&all);
}

/* "kind" or "kind NAME", without the brackets */
static void enter(struct reader *r, char *text) {
    size_t n = strcspn(text, " \t");
    char *name = text + n + strspn(text + n, " \t");
    const char *kind = arena_strdup(&r->x->mem, text, n);
    r->in = NULL;
    r->name = arena_strdup(&r->x->mem, name, strlen(name));
    for (u32 i = 0; i < ARRAY_LEN(sections) && !r->in; i++)
        if (strcmp(sections[i].kind, kind) == 0 && (r->x->study || !sections[i].study)) r->in = &sections[i];
    if (!r->in) unknown_section(r, kind);
    else if (r->in->named && !*name && !r->in->study && r->in->take != take_list) {
        diag_error(r->place.d, r->place.file, r->place.line, 0, "[%s] needs a name: [%s NAME]", kind, kind);
        r->in = NULL;
    } else if (!r->in->named && *name && r->in->take != take_measure) error_at(r, "[%s] has no name after it", kind);
    if (!r->in) return;
    bool part = r->in->take == take_part;
    if (part || r->in->take == take_configuration) configuration_begin(r->x, part, r->name, &r->place);
    if (r->in->take == take_measure) begin_measure(r);
    if (r->in->take == take_list) r->lists++;
}

static void take_pair(struct reader *r, const char *key, const char *value) {
    u32 n = 0;
    const char *const *legal = r->in->keys;
    while (legal && legal[n] && strcmp(legal[n], key)) n++;
    if (!legal || legal[n]) {
        if (*value) r->in->take(r, key, value);
        else error_at(r, "%s has no value", key);
        return;
    }
    struct strbuf all = {0};
    for (u32 i = 0; i < n; i++) strbuf_add(&all, "%s%s", i ? ", " : "", legal[i]);
    const char *near = text_nearest(key, legal, n);
    diag_error(r->place.d, r->place.file, r->place.line, 0, "[%s] has no \"%s\"%s%s%s", r->in->kind, key,
               near ? "; did you mean \"" : "; it has ", near ? near : all.s, near ? "\"?" : "");
    strbuf_free(&all);
}

static char *trim(char *s) {
    while (isspace((unsigned char)*s)) s++;
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1])) n--;
    s[n] = 0;
    return s;
}

/* A comment is a line of its own, or what follows a semicolon or a number sign after a blank */
static void cut_comment(char *line) {
    if (*line == ';' || *line == '#') *line = 0;
    for (char *at = line; *at; at++)
        if ((*at == ';' || *at == '#') && at > line && isspace((unsigned char)at[-1])) *at = 0;
}

static void take_line(struct reader *r, char *line) {
    line = trim(line);
    cut_comment(line);
    line = trim(line);
    size_t n = strlen(line);
    if (!n) return;
    if (*line == '[') {
        r->in = NULL;
        r->began = true;
        if (line[n - 1] != ']') {
            error_at(r, "\"%s\" is no section; write [name]", line);
            return;
        }
        line[n - 1] = 0;
        enter(r, trim(line + 1));
        return;
    }
    char *equals = strchr(line, '=');
    if (!equals || equals == line) {
        error_at(r, "\"%s\" is not a section \"[name]\", a key \"name = value\" or a comment \"; text\"", line);
        return;
    }
    *equals = 0;
    const char *key = trim(line), *value = trim(equals + 1);
    if (!r->began) error_at(r, "\"%s\" before the first section", key);
    if (r->in) take_pair(r, arena_strdup(&r->x->mem, key, strlen(key)), arena_strdup(&r->x->mem, value, strlen(value)));
}

/* --- the whole */

const char *experiment_path(struct experiment *x, const char *path) {
    if (path[0] == '/') return path;
    char *folder = realpath(*x->folder ? x->folder : ".", NULL);
    const char *whole = arena_printf(&x->mem, "%s/%s", folder ? folder : ".", path);
    free(folder);
    return whole;
}

/* Lists that go in step are as long as each other */
static void check_lists(struct reader *r) {
    for (u32 i = 0; i < r->x->axes.n; i++)
        for (u32 k = 0; k < i; k++) {
            const struct sweep_axis *a = &r->x->axes.at[i], *b = &r->x->axes.at[k];
            if (!a->group || a->group != b->group || a->values.v.n == b->values.v.n) continue;
            diag_error(r->place.d, r->place.file, a->line, 0,
                       "%s has %u values and %s, line %u, has %u; lists of one section go in step", a->key, a->values.v.n, b->key,
                       b->line, b->values.v.n);
            return;
        }
}

static const struct sweep_setting *measured(const struct sweep_measure *m, const char *key) {
    for (u32 i = 0; i < m->set.n; i++)
        if (strcmp(m->set.at[i].key, key) == 0) return &m->set.at[i];
    return NULL;
}

/* What heddle run would refuse, told before a hundred runs do */
static void check_measure(struct reader *r, const struct sweep_measure *m) {
    const struct sweep_setting *once = measured(m, "warmup-once");
    struct gpu_limits given = {
        .max_warp_instructions = measured(m, "max-warp-instructions") != NULL,
        .sample = measured(m, "sample") != NULL,
        .max_cy = measured(m, "max-cycles") != NULL,
        .warmup_cy = measured(m, "warmup") != NULL,
        .fast_forward_ctas = measured(m, "fast-forward-ctas") != NULL,
        .exit = measured(m, "exit-cycles") != NULL,
    };
    struct gpu_bound a, b;
    if (once && !measured(m, "warmup"))
        diag_error(r->place.d, r->x->file, once->line, 0, "warmup-once needs warmup = CYCLES, which says how long");
    if (gpu_limits_clash(&given, &a, &b))
        diag_error(r->place.d, r->x->file, measured(m, b.option)->line, 0,
                   "%s and %s do not go together: both choose what is timed; leave one out", a.option, b.option);
}

static void check_measures(struct reader *r) {
    struct experiment *x = r->x;
    check_measure(r, &x->measure);
    for (u32 i = 0; i < x->measures.n; i++) {
        const char *name = x->measures.at[i].program;
        bool found = false;
        for (u32 k = 0; k < x->programs.n; k++) found |= strcmp(x->programs.at[k].name, name) == 0;
        if (!found && !r->place.d->errors)
            diag_error(r->place.d, x->file, x->measures.at[i].line, 0,
                       "[measure %s]: no program of [programs] has that name; write it as there", name);
        check_measure(r, &x->measures.at[i]);
    }
}

static void complete(struct reader *r) {
    struct experiment *x = r->x;
    const char *slash = strrchr(x->file, '/'), *base = slash ? slash + 1 : x->file, *dot = strrchr(base, '.');
    const char *stem = arena_strdup(&x->mem, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
    if (!x->name) x->name = stem;
    if (!x->database) x->database = experiment_path(x, arena_printf(&x->mem, "%s.db", stem));
    if (!x->programs.n && !r->place.d->errors)
        diag_error(r->place.d, x->file, 0, 0, "nothing to run; add a section [programs] with run = NAME, ...");
    if (!x->machines.v.n) {
        VEC_PUSH(&x->machines.v, HEDDLE_DEFAULT_MACHINE);
        VEC_PUSH(&x->machine_names.v, HEDDLE_DEFAULT_MACHINE);
    }
    u32 small = 1;
    if (!x->sizes.v.n) VEC_PUSH(&x->sizes.v, small);
    check_lists(r);
    check_measures(r);
    configuration_check(x, r->place.d);
    for (u32 i = 0; i < x->rules.n; i++) {
        const struct sweep_place place = {x->file, x->rules.at[i].line, r->place.d};
        condition_check(x->rules.at[i].holds, x, &place);
    }
}

/* Ends a line with 0 and returns where the next begins, or NULL. A backslash at its end joins the one
 * below it, with one blank for all that stand between them. */
static char *end_line(char *line, u32 *count) {
    char *to = line, *from = line;
    for (++*count;; ++*count) {
        size_t n = strcspn(from, "\n");
        bool last = !from[n], joined = n && from[n - 1] == '\\' && !last;
        memmove(to, from, n);
        to += n;
        from += n + !last;
        if (!joined) {
            *to = 0;
            return last ? NULL : from;
        }
        for (to--; to > line && (to[-1] == ' ' || to[-1] == '\t');) to--;
        *to++ = ' ';
        from += strspn(from, " \t");
    }
}

static bool read_text(struct experiment *x, const char *path, bool study, struct diag *d) {
    struct strbuf why = {0};
    size_t len = 0;
    const char *slash = strrchr(path, '/');
    *x = (struct experiment){.study = study, .repetitions = 1, .perturb = "gpu.cta_launch_cy", .perturb_step = 1, .prefix = ""};
    x->slurm = (struct sweep_slurm){.cpus = 1, .array = 1000, .attempts = 3, .poll = 5};
    x->file = arena_strdup(&x->mem, path, strlen(path));
    x->folder = arena_strdup(&x->mem, path, slash ? (size_t)(slash - path) + 1 : 0);
    char *text = limit_read_file(path, LIMIT_EXPERIMENT, &len, &why);
    if (!text || memchr(text, 0, len)) {
        diag_error(d, path, 0, 0, "cannot read the experiment: %s", text ? "not a text file" : why.s);
        strbuf_free(&why);
        free(text);
        return false;
    }
    struct reader r = {.x = x, .place = {x->file, 0, d}};
    for (char *line = text; line && !diag_full(d);) {
        bool first = r.place.line == 0;
        char *next = end_line(line, &r.place.line);
        take_line(&r, first && strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? line + 3 : line);
        line = next;
    }
    free(text);
    complete(&r);
    return d->errors == 0;
}

bool experiment_read(struct experiment *x, const char *path, struct diag *d) { return read_text(x, path, false, d); }
bool experiment_read_study(struct experiment *x, const char *path, struct diag *d) { return read_text(x, path, true, d); }

void experiment_free(struct experiment *x) {
    for (u32 i = 0; i < x->axes.n; i++) free(x->axes.at[i].values.v.at);
    free(x->axes.at);
    configuration_free(x);
    free(x->programs.at);
    free(x->sizes.v.at);
    free(x->machines.v.at);
    free(x->machine_names.v.at);
    free(x->absent.v.at);
    for (u32 i = 0; i < x->groups.v.n; i++) free(x->groups.v.at[i].words.v.at);
    free(x->groups.v.at);
    free(x->rules.at);
    for (u32 i = 0; i < x->measures.n; i++) free(x->measures.at[i].set.at);
    free(x->measures.at);
    free(x->measure.set.at);
    free(x->entries.at);
    free(x->slurm.options.v.at);
    arena_free(&x->mem);
}
