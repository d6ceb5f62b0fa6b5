/* heddle explain: what a name means. Each kind of name is one row of a table: where its names are listed, how
 * to explain one. A pattern that matches several names gets a line for each. */
#include "cli/cli.h"
#include "cli/names.h"
#include "core/policies.h"
#include "report/policies.h"
#include "report/report.h"
#include "sweep/study.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct explain_kind {
    const char *what, *kind;                      /* "key" for messages, "keys" of names.h */
    bool (*explain)(const char *name, FILE *out); /* false when there is no such name */
};

/* --- keys */

static void print_value(const char *machine, int wide, const struct config *c, const struct cfg_key *k, FILE *out) {
    char value[64];
    config_get_text(c, k, value, sizeof(value));
    fprintf(out, "    %-*s  %s\n", wide, machine, value);
}

static void print_machines_values(const struct cfg_key *k, FILE *out) {
    struct machine_list all = machine_list();
    int wide = 0;
    for (u32 i = 0; i < all.n; i++) wide = MAX(wide, (int)strlen(all.at[i].name));
    for (u32 i = 0; i < all.n; i++) {
        struct config c;
        struct diag d = {0};
        if (machine_load(&c, all.at[i].name, &d)) print_value(all.at[i].name, wide, &c, k, out);
        diag_free(&d);
    }
    machine_list_free(&all);
}

static bool is_policy_of(const struct policy_row *p, const struct cfg_key *k) {
    return k->type == KEY_TYPE_POLICY && strcmp(p->kind, k->choices) == 0;
}

static void print_policies(const struct cfg_key *k, FILE *out) { /* that the key may name, a line each */
    int wide = 0;
    for (u32 i = 0; i < policy_count(); i++) {
        struct policy_row p = policy_at(i);
        if (is_policy_of(&p, k)) wide = MAX(wide, (int)strlen(p.name));
    }
    for (u32 i = 0; i < policy_count(); i++) {
        struct policy_row p = policy_at(i);
        if (is_policy_of(&p, k)) fprintf(out, "    %-*s  %s\n", wide, p.name, p.doc);
    }
}

static bool explain_key(const char *name, FILE *out) {
    const struct cfg_key *k = cfg_key_find(name);
    if (!k) return false;
    struct strbuf legal = {0};
    cfg_key_legal(k, &legal);
    fprintf(out, "%s: a key of the machine\n  %s\n", k->name, k->doc);
    fprintf(out, "  legal:   %s\n", legal.s);
    print_policies(k, out);
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

/* --- workloads */

static bool explain_workload(const char *name, FILE *out) {
    const struct workload *w = workload_find(name);
    if (!w) return false;
    fprintf(out, "%s: a bundled workload\n  It computes: %s\n  It stresses: %s\n", w->name, w->doc, w->stresses);
    if (w->documents && *w->documents) fprintf(out, "  Measured by: %s\n", w->documents);
    fprintf(out, "  heddle run %s --size ", w->name);
    for (u32 i = 0; i < WORKLOAD_SIZES; i++) {
        struct strbuf why = {0};
        char *path = workload_manifest_path(w, workload_sizes[i]);
        if (!path || workload_has_size(w, workload_sizes[i], path, &why)) fprintf(out, "%s%s", i ? "|" : "", workload_sizes[i]);
        strbuf_free(&why);
        free(path);
    }
    fputc('\n', out);
    return true;
}

/* --- studies */

static bool explain_study(const char *name, FILE *out) {
    struct study_list all = study_list();
    bool found = false;
    for (u32 i = 0; i < all.n; i++) {
        const struct study_row *s = &all.at[i];
        if (strcmp(s->name, name) != 0) continue;
        fprintf(out, "%s: a study\n  %s\n", s->name, *s->title ? s->title : "Its description cannot be read.");
        fprintf(out, "  programs: %u, configurations: %u\n  description: %s\n  heddle study %s\n", s->programs, s->configurations,
                s->path, s->name);
        found = true;
    }
    study_list_free(&all);
    return found;
}

/* --- words of reports that are no statistic's name */

static const struct {
    const char *word, *text;
} words[] = {
    {"ipc", "IPC: warp instructions a cycle, of the whole chip; in reports of heddle it is the formula warp_ipc. sm_ipc is the "
            "same for one SM."},
    {"cpi", "CPI: cycles of a scheduler for each instruction it issued. The CPI stack says what each of those cycles is blamed "
            "on."},
    {"cta", "CTA: a block of threads; OpenCL's work-group."},
    {"mshr", "MSHR: miss status holding register, an outstanding miss of a cache; sm.l1.mshrs says how many an SM has."},
};

const char *explain_word_at(u32 i) { return i < ARRAY_LEN(words) ? words[i].word : NULL; }

static void print_cpi_names(FILE *out) {
    fprintf(out, "  Its parts (heddle explain cpi.%s):\n", cpi_table[CPI_MEMORY_DATA].name);
    for (u32 i = 0; i < CPI_COUNT; i++) fprintf(out, "    %-20s %s\n", cpi_table[i].name, cpi_table[i].doc);
    fprintf(out, "  --cpi chooses how a cycle is blamed:");
    for (u32 i = 0; i < CPI_METHODS; i++) fprintf(out, "%s %s", i ? "," : "", cpi_method_names[i]);
    fputc('\n', out);
}

static bool explain_word(const char *name, FILE *out) {
    for (u32 i = 0; i < ARRAY_LEN(words); i++) {
        if (strcasecmp(name, words[i].word) != 0) continue;
        fprintf(out, "%s\n", words[i].text);
        if (strcmp(words[i].word, "cpi") == 0) print_cpi_names(out);
        return true;
    }
    return false;
}

/* --- the table. A name may be of several kinds: all are explained. Policies and statistics explain
 * themselves. */

static const struct explain_kind kinds[] = {
    {"key", "keys", explain_key},
    {"section", "sections", explain_section},
    {"machine", "machines", explain_machine},
    {"policy", "policies", explain_policy},
    {"statistic", "stats", explain_stat},
    {"workload", "workloads", explain_workload},
    {"study", "studies", explain_study},
    {"word of a report", "words", explain_word},
};

static int unknown(const struct cli_line *line, const char *name) {
    struct names all = {0};
    VEC(const char *) names = {0};
    struct strbuf what = {0}, keys = {0};
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++) {
        names_add(&all, kinds[i].kind);
        strbuf_add(&what, "%s%s", i == 0 ? "" : i + 1 < ARRAY_LEN(kinds) ? ", " : " or ", kinds[i].what);
    }
    for (u32 i = 0; i < all.at.n; i++) VEC_PUSH(&names, all.at.at[i].name);
    cfg_key_suggest(name, &keys);
    const char *near = text_nearest(name, names.at, names.n);
    if (!near) near = metric_nearest(name);
    if (near && !cfg_key_find(near)) cli_error(line->command, "unknown name \"%s\"; did you mean \"%s\"?", name, near);
    else if (keys.s) cli_error(line->command, "unknown name \"%s\"%s", name, keys.s);
    else cli_error(line->command, "unknown name \"%s\"; it is no %s", name, what.s);
    strbuf_free(&keys);
    strbuf_free(&what);
    free(names.at);
    names_free(&all);
    return EXIT_USER;
}

/* --- patterns */

struct match {
    const struct explain_kind *kind;
    struct name_row row;
};

/* Names of one kind may be in several of its tables: "none" is a policy for more than one key */
static bool is_new(const struct match *seen, u32 n, const struct match *m) {
    for (u32 i = 0; i < n; i++)
        if (seen[i].kind == m->kind && strcmp(seen[i].row.name, m->row.name) == 0) return false;
    return true;
}

/* A statistic's prefix may be left out, as in a name without a pattern */
static bool is_like(const char *pattern, const struct explain_kind *kind, const char *name) {
    const char *dot = kind->explain == explain_stat ? strchr(name, '.') : NULL;
    return fnmatch(pattern, name, 0) == 0 || (dot && fnmatch(pattern, dot + 1, 0) == 0);
}

static int explain_pattern(const struct cli_line *line, const char *pattern, FILE *out) {
    struct names all = {0};
    VEC(struct match) found = {0};
    int wide = 0, code = EXIT_OK;
    for (u32 i = 0, from = 0; i < ARRAY_LEN(kinds); i++, from = all.at.n) {
        names_add(&all, kinds[i].kind);
        for (u32 k = from; k < all.at.n; k++) {
            struct match m = {&kinds[i], all.at.at[k]};
            if (is_like(pattern, m.kind, m.row.name) && is_new(found.at, found.n, &m)) VEC_PUSH(&found, m);
        }
    }
    for (u32 i = 0; i < found.n; i++) wide = MAX(wide, (int)strlen(found.at[i].row.name));
    if (!found.n) code = cli_error(line->command, "no name matches \"%s\"; * stands for any characters, ? for one", pattern);
    else if (found.n == 1) found.at[0].kind->explain(found.at[0].row.name, out);
    else
        for (u32 i = 0; i < found.n; i++)
            fprintf(out, "%-*s  %-16s  %s\n", wide, found.at[i].row.name, found.at[i].kind->what, found.at[i].row.doc);
    free(found.at);
    names_free(&all);
    return code;
}

static int explain_one(const struct cli_line *line, const char *name, FILE *out) {
    bool found = false;
    if (strpbrk(name, "*?[")) return explain_pattern(line, name, out);
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++) found |= kinds[i].explain(name, out);
    return found ? EXIT_OK : unknown(line, name);
}

static int run_explain(const struct cli_line *line) {
    struct folding f;
    term_begin(&f, stdout, 0);
    int code = EXIT_OK;
    for (u32 i = 0; i < line->operands.n; i++) {
        if (i) fputc('\n', f.out);
        int one = explain_one(line, line->operands.at[i], f.out);
        code = code ? code : one;
    }
    term_end(&f);
    return code;
}

static const struct cli_option options[] = {{NULL, NULL, NULL}};
const struct cli_command cli_explain = {
    .name = "explain",
    .doc = "tell what names mean: keys, groups of keys, machines, policies, statistics, workloads, studies",
    .usage = "NAME...",
    .example = "heddle explain sm.l1.mshrs\nheddle explain sm.l1\nheddle explain gtx480 gto\nheddle explain 'l1_*'",
    .details = "A key is shown with its unit, what may be written, its default, and its value on each bundled machine.\n"
               "A NAME with * or ? is a pattern: of several names that match, a line each.",
    .options = options,
    .operands_from = "keys sections machines policies stats workloads studies words",
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .run = run_explain,
};
