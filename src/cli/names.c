/* Every kind of name, from the tables: a row a kind. */
#include "cli/names.h"
#include "cli/cli.h"
#include "cli/lab.h"
#include "core/policies.h"
#include "heddle.h"
#include "report/report.h"
#include "sweep/study.h"

#include <stdlib.h>
#include <string.h>

static void add(struct names *n, const char *name, const char *doc) {
    VEC_PUSH(&n->at, ((struct name_row){name, doc ? doc : ""}));
}

static void add_copy(struct names *n, const char *name, size_t len, const char *doc) {
    add(n, arena_strdup(&n->mem, name, len), doc ? arena_strdup(&n->mem, doc, strlen(doc)) : "");
}

/* "a|b|c" */
static void add_words(struct names *n, const char *words) {
    for (const char *at = words; *at;) {
        size_t len = strcspn(at, "|");
        add_copy(n, at, len, NULL);
        at += len + (at[len] == '|');
    }
}

static void commands(struct names *n) {
    for (u32 i = 0; cli_commands[i]; i++) add(n, cli_commands[i]->name, cli_commands[i]->doc);
}

static void keys(struct names *n) {
    for (u32 i = 0; i < cfg_key_count; i++) add(n, cfg_keys[i].name, cfg_keys[i].doc);
}

static void sections(struct names *n) {
    for (u32 i = 0, last = 0; i < cfg_key_count; last = i++) {
        size_t len = cfg_key_section(&cfg_keys[i]);
        if (i && len == cfg_key_section(&cfg_keys[last]) && strncmp(cfg_keys[i].name, cfg_keys[last].name, len) == 0) continue;
        add_copy(n, cfg_keys[i].name, len, "keys of the machine");
    }
}

static void machines(struct names *n) {
    struct machine_list all = machine_list();
    for (u32 i = 0; i < all.n; i++) add_copy(n, all.at[i].name, strlen(all.at[i].name), all.at[i].doc);
    machine_list_free(&all);
}

static void policies(struct names *n) {
    for (u32 i = 0; i < policy_count(); i++) add(n, policy_at(i).name, policy_at(i).doc);
}

/* With its prefix, which may be left out when typing */
static void stats(struct names *n) {
    for (u32 i = 0; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        if (*m.prefix) add(n, arena_printf(&n->mem, "%s%s", m.prefix, m.name), m.doc);
        else add(n, m.name, m.doc);
    }
}

static void workloads(struct names *n) {
    for (u32 i = 0; i < workload_count; i++) add(n, workload_table[i].name, workload_table[i].doc);
}

static void sizes(struct names *n) {
    for (u32 i = 0; i < WORKLOAD_SIZES; i++) add(n, workload_sizes[i], NULL);
}

static void methods(struct names *n) {
    for (u32 i = 0; i < CPI_METHODS; i++) add(n, cpi_method_names[i], NULL);
}

static void lists(struct names *n) {
    for (u32 i = 0; list_name(i); i++) add(n, list_name(i), NULL);
}

static void studies(struct names *n) {
    struct study_list all = study_list();
    for (u32 i = 0; i < all.n; i++) add_copy(n, all.at[i].name, strlen(all.at[i].name), all.at[i].title);
    study_list_free(&all);
}

static void classes(struct names *n) {
    for (u32 i = 0; i < heddle_classes(); i++) add(n, heddle_class_name(i), heddle_class_doc(i));
}

static void generators(struct names *n) {
    for (u32 i = 0; i < generator_count; i++) add(n, generator_table[i].name, generator_table[i].doc);
}

static void textures(struct names *n) {
    for (u32 i = 0; i < heddle_texture_keys(); i++) add(n, heddle_texture_key_name(i), heddle_texture_key_doc(i));
}

static void environment(struct names *n) {
    for (u32 i = 0; env_name(i); i++) add(n, env_name(i), env_doc(i));
}

static void limits(struct names *n) {
#define LIMIT(id, most, unit, what, remedy) add(n, what, remedy);
#include "base/limit.def"
#undef LIMIT
}

static void words(struct names *n) {
    for (u32 i = 0; explain_word_at(i); i++) add(n, explain_word_at(i), NULL);
}

static void shells(struct names *n) {
    for (u32 i = 0; complete_shell(i); i++) add(n, complete_shell(i), NULL);
}

static void laboratory(struct names *n) {
    for (u32 i = 0; lab_verb(i); i++) add(n, lab_verb(i), NULL);
    for (u32 i = 0; lab_machines[i]; i++) add(n, lab_machines[i]->name, lab_machines[i]->doc);
    for (u32 i = 0; lab_exercises[i].id; i++) add(n, lab_exercises[i].id, lab_exercises[i].title);
    const char *programs[LAB_PROGRAMS];
    int count = lab_programs(programs, LAB_PROGRAMS, &n->mem);
    for (int i = 0; i < count; i++) add(n, programs[i], "a bundled program");
}

static const struct {
    const char *kind;
    void (*add)(struct names *n);
} kinds[] = {
    {"commands", commands},     {"keys", keys},         {"sections", sections},
    {"machines", machines},     {"policies", policies}, {"stats", stats},
    {"workloads", workloads},   {"sizes", sizes},       {"methods", methods},
    {"lists", lists},           {"words", words},       {"shells", shells},
    {"laboratory", laboratory}, {"studies", studies},   {"classes", classes},
    {"generators", generators}, {"textures", textures}, {"environment", environment},
    {"limits", limits},
};

bool names_add(struct names *n, const char *kind) {
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(kinds[i].kind, kind)) continue;
        kinds[i].add(n);
        return true;
    }
    return false;
}

bool names_add_values(struct names *n, const char *key) {
    const struct cfg_key *k = cfg_key_find(key);
    if (!k) return false;
    if (k->type == KEY_TYPE_BOOL) add_words(n, "true|false");
    if (k->type == KEY_TYPE_CHOICE) add_words(n, k->choices);
    for (u32 i = 0; i < policy_count() && k->type == KEY_TYPE_POLICY; i++)
        if (strcmp(policy_at(i).kind, k->choices) == 0) add(n, policy_at(i).name, policy_at(i).doc);
    return true;
}

void names_free(struct names *n) {
    arena_free(&n->mem);
    free(n->at.at);
}
