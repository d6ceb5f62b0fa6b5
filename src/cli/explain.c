/* heddle explain: what a name means. Each kind of name is one row of a table: how to list its names, how to
 * explain one. */
#include "cli/cli.h"
#include "core/policies.h"
#include "report/policies.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct names { /* of one kind; text in `mem` or static */
    struct arena mem;
    VEC(const char *) at;
};

struct explain_kind {
    const char *what; /* "key", for messages */
    void (*list)(struct names *out);
    bool (*explain)(const char *name, FILE *out); /* false when there is no such name */
};

/* --- keys */

static void list_keys(struct names *out) {
    for (u32 i = 0; i < cfg_key_count; i++) VEC_PUSH(&out->at, cfg_keys[i].name);
}

static void print_value(const char *machine, const struct config *c, const struct cfg_key *k, FILE *out) {
    char value[64];
    config_get_text(c, k, value, sizeof(value));
    fprintf(out, "    %-12s %s\n", machine, value);
}

static void print_machines_values(const struct cfg_key *k, FILE *out) {
    struct machine_list all = machine_list();
    for (u32 i = 0; i < all.n; i++) {
        struct config c;
        struct diag d = {0};
        if (machine_load(&c, all.at[i].name, &d)) print_value(all.at[i].name, &c, k, out);
        diag_free(&d);
    }
    machine_list_free(&all);
}

static bool explain_key(const char *name, FILE *out) {
    const struct cfg_key *k = cfg_key_find(name);
    if (!k) return false;
    struct strbuf legal = {0};
    cfg_key_legal(k, &legal);
    fprintf(out, "%s: a key of the machine\n  %s\n", k->name, k->doc);
    fprintf(out, "  legal:   %s\n", legal.s);
    if (*k->unit) fprintf(out, "  unit:    %s\n", k->unit);
    fprintf(out, "  default: %s\n  on the bundled machines:\n", k->default_text);
    strbuf_free(&legal);
    print_machines_values(k, out);
    return true;
}

/* --- sections: all keys that start so */

static bool in_section(const struct cfg_key *k, const char *section) {
    size_t n = strlen(section);
    return n && strncmp(k->name, section, n) == 0 && k->name[n] == '.';
}

static void list_sections(struct names *out) {
    for (u32 i = 0; i < cfg_key_count; i++)
        VEC_PUSH(&out->at, arena_strdup(&out->mem, cfg_keys[i].name, cfg_key_section(&cfg_keys[i])));
}

static bool explain_section(const char *name, FILE *out) {
    bool found = false;
    for (u32 i = 0; i < cfg_key_count; i++) {
        if (!in_section(&cfg_keys[i], name)) continue;
        if (!found) fprintf(out, "%s: keys of the machine\n", name);
        found = true;
        fprintf(out, "  %-28s %s\n", cfg_keys[i].name, cfg_keys[i].doc);
    }
    return found;
}

/* --- machines */

static void list_machines(struct names *out) {
    struct machine_list all = machine_list();
    for (u32 i = 0; i < all.n; i++) VEC_PUSH(&out->at, arena_strdup(&out->mem, all.at[i].name, strlen(all.at[i].name)));
    machine_list_free(&all);
}

static void print_comment_block(const char *path, FILE *out) { /* the comment lines a machine file opens with, the first apart */
    char *text = text_read_file(path, limit_most(LIMIT_MACHINE), NULL);
    for (const char *at = text, *line = at; at && *line == ';'; line = at) {
        at = line + strcspn(line, "\n");
        if (line != text) fprintf(out, "  %.*s\n", (int)(at - line) - (line[1] == ' ' ? 2 : 1), line + (line[1] == ' ' ? 2 : 1));
        at += *at == '\n';
    }
    free(text);
}

static void print_machine(const struct machine_row *row, FILE *out) {
    struct config c;
    struct diag d = {0};
    fprintf(out, "%s: a machine\n  %s\n", row->name, row->doc);
    print_comment_block(row->path, out);
    if (machine_load(&c, row->name, &d))
        fprintf(out, "  config_hash: %016llx\n  file:        %s\n", (unsigned long long)config_hash(&c), row->path);
    else fputs(d.text.s, out);
    diag_free(&d);
}

static bool explain_machine(const char *name, FILE *out) {
    struct machine_list all = machine_list();
    bool found = false;
    for (u32 i = 0; i < all.n; i++) {
        if (strcmp(all.at[i].name, name) != 0) continue;
        print_machine(&all.at[i], out);
        found = true;
    }
    machine_list_free(&all);
    return found;
}

/* --- policies and statistics explain themselves */

static void list_policies(struct names *out) {
    for (u32 i = 0; i < policy_count(); i++) VEC_PUSH(&out->at, policy_at(i).name);
}

static void list_statistics(struct names *out) {
    for (u32 i = 0; i < metric_count(); i++) VEC_PUSH(&out->at, metric_at(i).name);
}

/* --- workloads */

static void list_workloads(struct names *out) {
    for (u32 i = 0; i < workload_count; i++) VEC_PUSH(&out->at, workload_table[i].name);
}

static bool explain_workload(const char *name, FILE *out) {
    const struct workload *w = workload_find(name);
    if (!w) return false;
    fprintf(out, "%s: a bundled workload\n  It computes: %s\n  It stresses: %s\n", w->name, w->doc, w->stresses);
    if (w->documents && *w->documents) fprintf(out, "  Measured by: %s\n", w->documents);
    fprintf(out, "  heddle run %s --size tiny|small|paper\n", w->name);
    return true;
}

/* --- words of reports that are no statistic's name */

static const struct {
    const char *word, *text;
} words[] = {
    {"ipc", "IPC: warp instructions a cycle, of the whole chip; in reports of heddle it is the formula warp_ipc. sm_ipc is the "
            "same for one SM."},
    {"cpi",
     "CPI: cycles of a scheduler for each instruction it issued. The CPI stack says what each of those cycles is blamed on; its "
     "parts\n"
     "  are base, no_warp, sync_control, empty_ibuffer, memory_data, memory_structural, compute_data, compute_structural and\n"
     "  missed_schedule (heddle explain cpi.memory_data). --cpi chooses how a cycle is blamed: proportional, selected or gsi."},
    {"cta", "CTA: a block of threads; OpenCL's work-group."},
    {"mshr", "MSHR: miss status holding register, an outstanding miss of a cache; sm.l1.mshrs says how many an SM has."},
};

static void list_words(struct names *out) {
    for (u32 i = 0; i < ARRAY_LEN(words); i++) VEC_PUSH(&out->at, words[i].word);
}

static bool explain_word(const char *name, FILE *out) {
    for (u32 i = 0; i < ARRAY_LEN(words); i++)
        if (strcasecmp(name, words[i].word) == 0) return fprintf(out, "%s\n", words[i].text) > 0;
    return false;
}

/* --- the table. A name may be of several kinds: all are explained. */

static const struct explain_kind kinds[] = {
    {"key", list_keys, explain_key},
    {"section", list_sections, explain_section},
    {"machine", list_machines, explain_machine},
    {"policy", list_policies, explain_policy},
    {"statistic", list_statistics, explain_stat},
    {"workload", list_workloads, explain_workload},
    {"word of a report", list_words, explain_word},
};

static int unknown(const struct cli_line *line, const char *name) {
    struct names all = {0};
    struct strbuf what = {0};
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++) {
        kinds[i].list(&all);
        strbuf_add(&what, "%s%s", i == 0 ? "" : i + 1 < ARRAY_LEN(kinds) ? ", " : " or ", kinds[i].what);
    }
    struct strbuf keys = {0};
    cfg_key_suggest(name, &keys);
    const char *near = text_nearest(name, all.at.at, all.at.n);
    if (near && !cfg_key_find(near)) cli_error(line->command, "unknown name \"%s\"; did you mean \"%s\"?", name, near);
    else if (keys.s) cli_error(line->command, "unknown name \"%s\"%s", name, keys.s);
    else cli_error(line->command, "unknown name \"%s\"; it is no %s", name, what.s);
    strbuf_free(&keys);
    strbuf_free(&what);
    arena_free(&all.mem);
    free(all.at.at);
    return EXIT_USER;
}

static int run_explain(const struct cli_line *line) {
    const char *name = line->operands.at[0];
    bool found = false;
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++) found |= kinds[i].explain(name, stdout);
    return found ? EXIT_OK : unknown(line, name);
}

static const struct cli_option options[] = {{NULL, NULL, NULL}};
const struct cli_command cli_explain = {
    .name = "explain",
    .doc = "tell what a name means: a key, a group of keys, a machine, a policy, a statistic, a workload",
    .usage = "NAME",
    .example = "heddle explain sm.l1.mshrs\nheddle explain sm.l1\nheddle explain gtx480",
    .details = "A key is shown with its unit, what may be written, its default, and its value on each bundled machine.",
    .options = options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_explain,
};
