/* heddle list: the names a user may type, as text or as JSON. */
#include "cli/cli.h"
#include "cli/names.h"
#include "core/policies.h"
#include "heddle.h"
#include "manifest/manifest.h"
#include "report/policies.h"
#include "report/report.h"
#include "sweep/study.h"

#include <stdlib.h>
#include <string.h>

/* All buffers of a workload at this size together; false when its manifest is not there */
static bool workload_bytes(const struct workload *w, const char *size, u64 *bytes) {
    struct diag d = {0};
    char *path = workload_manifest_path(w, size);
    struct manifest *m = path ? manifest_load(path, &d) : NULL;
    bool there = m != NULL;
    if (there) *bytes = manifest_bytes(m);
    manifest_free(m);
    diag_free(&d);
    free(path);
    return there;
}

static void print_bytes(const struct workload *w, const char *size, FILE *out) { /* such as "1.2 MB" */
    u64 n = 0;
    bool there = workload_bytes(w, size, &n);
    double bytes = (double)n;
    if (!there) fprintf(out, "%9s", "-");
    else if (bytes < 1e4) fprintf(out, "%6.1f kB", bytes / 1e3);
    else fprintf(out, bytes < 1e6 ? "%6.0f kB" : "%6.1f MB", bytes < 1e6 ? bytes / 1e3 : bytes / 1e6);
}

static void list_workloads(FILE *out) {
    int name = 4, doc = 3, stresses = 8;
    for (const struct workload *w = workload_table; w->name; w++) {
        name = MAX(name, (int)strlen(w->name));
        doc = MAX(doc, (int)strlen(w->doc));
        stresses = MAX(stresses, (int)strlen(w->stresses));
    }
    fprintf(out, "%-*s", name, "name");
    for (u32 i = 0; i < WORKLOAD_SIZES; i++) fprintf(out, "%9s", workload_sizes[i]);
    fprintf(out, "  %-*s  %-*s  measured by\n", doc, "what it computes", stresses, "stresses");
    for (const struct workload *w = workload_table; w->name; w++) {
        fprintf(out, "%-*s", name, w->name);
        for (u32 i = 0; i < WORKLOAD_SIZES; i++) print_bytes(w, workload_sizes[i], out);
        fprintf(out, "  %-*s  %-*s  %s\n", doc, w->doc, stresses, w->stresses, w->documents);
    }
}

static void list_classes(FILE *out) {
    for (u32 i = 0; i < heddle_classes(); i++) fprintf(out, "%-12s %s\n", heddle_class_name(i), heddle_class_doc(i));
}

static void list_generators(FILE *out) {
    for (u32 i = 0; i < generator_count; i++) fprintf(out, "%-10s %s\n", generator_table[i].name, generator_table[i].doc);
}

static void list_textures(FILE *out) {
    for (u32 i = 0; i < heddle_texture_keys(); i++)
        fprintf(out, "%-10s %s\n", heddle_texture_key_name(i), heddle_texture_key_doc(i));
}

static void list_machines(FILE *out) {
    struct machine_list all = machine_list();
    int w = 0;
    for (u32 i = 0; i < all.n; i++) w = MAX(w, (int)strlen(all.at[i].name));
    for (u32 i = 0; i < all.n; i++) fprintf(out, "%-*s  %s\n", w, all.at[i].name, all.at[i].doc);
    machine_list_free(&all);
}

static void list_keys(FILE *out) {
    int w = 0;
    for (u32 i = 0; i < cfg_key_count; i++) w = MAX(w, (int)strlen(cfg_keys[i].name));
    fprintf(out, "%-*s  %-12s  meaning\n", w, "key", "default");
    for (u32 i = 0; i < cfg_key_count; i++)
        fprintf(out, "%-*s  %-12s  %s\n", w, cfg_keys[i].name, cfg_keys[i].default_text, cfg_keys[i].doc);
}

static void list_statistics(FILE *out) { list_stats(out); }
static void list_environment(FILE *out) { env_list(out); }
static void list_limits(FILE *out) { limit_list(out); }
static void list_policies(FILE *out) { report_list_policies(out); }

static void list_commands(FILE *out) {
    for (u32 i = 0; cli_commands[i]; i++) fprintf(out, "%-10s %s\n", cli_commands[i]->name, cli_commands[i]->doc);
}

static void print_time(double seconds, FILE *out) { /* in eight places */
    if (seconds <= 0) fprintf(out, "%8s", "-");
    else if (seconds < 100 * 60) fprintf(out, "%4.0f min", seconds / 60);
    else fprintf(out, "%6.1f h", seconds / 3600);
}

static void list_studies(FILE *out) {
    struct study_list all = study_list();
    int w = 4;
    for (u32 i = 0; i < all.n; i++) w = MAX(w, (int)strlen(all.at[i].name));
    fprintf(out, "%-*s  programs  configurations  processor  what it is\n", w, "name");
    for (u32 i = 0; i < all.n; i++) {
        const struct study_row *s = &all.at[i];
        fprintf(out, "%-*s  %8u  %14u   ", w, s->name, s->programs, s->configurations);
        print_time(s->seconds, out);
        fprintf(out, "  %s\n", *s->title ? s->title : "cannot be read");
    }
    study_list_free(&all);
}

/* --- what JSON has beside name and doc, of all rows of a list, which are in the order of names.c */

static void more_of_workloads(json_t *rows) {
    for (u32 i = 0; i < workload_count; i++) {
        const struct workload *w = &workload_table[i];
        json_t *bytes = json_object(), *row = json_array_get(rows, i);
        u64 n;
        for (u32 k = 0; k < WORKLOAD_SIZES; k++)
            if (workload_bytes(w, workload_sizes[k], &n)) json_object_set_new(bytes, workload_sizes[k], json_integer((i64)n));
        json_object_set_new(row, "bytes", bytes);
        json_object_set_new(row, "stresses", json_string(w->stresses));
        json_object_set_new(row, "documents", json_string(w->documents));
    }
}

static void more_of_policies(json_t *rows) {
    for (u32 i = 0; i < policy_count(); i++) {
        json_object_set_new(json_array_get(rows, i), "kind", json_string(policy_at(i).kind));
        json_object_set_new(json_array_get(rows, i), "paper", json_string(policy_at(i).paper));
    }
}

static void more_of_keys(json_t *rows) {
    for (u32 i = 0; i < cfg_key_count; i++) {
        json_object_set_new(json_array_get(rows, i), "default", json_string(cfg_keys[i].default_text));
        json_object_set_new(json_array_get(rows, i), "unit", json_string(cfg_keys[i].unit));
    }
}

static void more_of_stats(json_t *rows) {
    for (u32 i = 0; i < metric_count(); i++) json_object_set_new(json_array_get(rows, i), "unit", json_string(metric_at(i).unit));
}

static void more_of_limits(json_t *rows) {
    static const char *const units[] = {
#define LIMIT(id, most, unit, what, remedy) unit,
#include "base/limit.def"
#undef LIMIT
    };
    for (u32 i = 0; i < LIMITS; i++) {
        json_object_set_new(json_array_get(rows, i), "most", json_integer((i64)limit_most(i)));
        json_object_set_new(json_array_get(rows, i), "unit", json_string(units[i]));
    }
}

static void more_of_studies(json_t *rows) {
    struct study_list all = study_list();
    for (u32 i = 0; i < all.n; i++) {
        const struct study_row *s = &all.at[i];
        json_t *row = json_array_get(rows, i);
        json_object_set_new(row, "programs", json_integer(s->programs));
        json_object_set_new(row, "configurations", json_integer(s->configurations));
        json_object_set_new(row, "processor_seconds", s->seconds > 0 ? json_real(s->seconds) : json_null());
        json_object_set_new(row, "file", json_string(s->path));
    }
    study_list_free(&all);
}

static const struct list {
    const char *name; /* a kind of names.c, too */
    void (*print)(FILE *out);
    void (*more)(json_t *rows); /* NULL: nothing */
} lists[] = {
    {"workloads", list_workloads, more_of_workloads},
    {"studies", list_studies, more_of_studies},
    {"machines", list_machines, NULL},
    {"policies", list_policies, more_of_policies},
    {"keys", list_keys, more_of_keys},
    {"stats", list_statistics, more_of_stats},
    {"classes", list_classes, NULL},
    {"generators", list_generators, NULL},
    {"textures", list_textures, NULL},
    {"environment", list_environment, NULL},
    {"limits", list_limits, more_of_limits},
    {"commands", list_commands, NULL},
};

const char *list_name(u32 i) { return i < ARRAY_LEN(lists) ? lists[i].name : NULL; }

/* An array, an object a row */
static json_t *rows_of(const struct list *l) {
    struct names n = {0};
    json_t *rows = json_array();
    CHECK(names_add(&n, l->name));
    for (u32 i = 0; i < n.at.n; i++)
        json_array_append_new(rows, json_pack("{s:s, s:s}", "name", n.at.at[i].name, "doc", n.at.at[i].doc));
    if (l->more) l->more(rows);
    names_free(&n);
    return rows;
}

static int print_list(const struct list *l, const struct cli_line *line) {
    static const char *const names[] = {"json"};
    struct cli_outputs outputs = {0};
    struct folding f;
    bool ok = outputs_open(&outputs, line, names, ARRAY_LEN(names), NULL, 0);
    if (ok && cli_has(line, "json")) report_write_json(rows_of(l), outputs_file(&outputs, "json"));
    if (ok && !outputs.stdout_taken) {
        term_begin(&f, stdout, 0);
        l->print(f.out);
        term_end(&f);
    }
    ok = ok && outputs_commit(&outputs, "json");
    outputs_close(&outputs);
    return ok ? EXIT_OK : EXIT_USER;
}

static int run_list(const struct cli_line *line) {
    const char *name = line->operands.at[0], *names[ARRAY_LEN(lists)];
    for (u32 i = 0; i < ARRAY_LEN(lists); i++) {
        names[i] = lists[i].name;
        if (strcmp(name, lists[i].name) == 0) return print_list(&lists[i], line);
    }
    const char *near = text_nearest(name, names, ARRAY_LEN(names));
    if (near) return cli_error(line->command, "unknown list \"%s\"; did you mean \"%s\"?", name, near);
    struct strbuf all = {0};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) strbuf_add(&all, "%s%s", i ? ", " : "", names[i]);
    cli_error(line->command, "unknown list \"%s\"; lists are %s", name, all.s);
    strbuf_free(&all);
    return EXIT_USER;
}

static const struct cli_option options[] = {
    {"json", "FILE", "write the list as JSON, an object a row; - for standard output"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_list = {
    .name = "list",
    .doc = "list workloads, studies, machines, policies, keys, statistics, classes, generators, texture keys, variables, limits, "
           "commands",
    .usage =
        "workloads|studies|machines|policies|keys|stats|classes|generators|textures|environment|limits|commands [--json FILE]",
    .example = "heddle list workloads\nheddle list studies\nheddle list keys --json -",
    .options = options,
    .operands_from = "lists",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_list,
};
