/* heddle list: the names a user may type. */
#include "cli/cli.h"
#include "heddle.h"
#include "manifest/manifest.h"
#include "report/policies.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* All buffers of a workload at this size together, such as "1.2 MB"; "-" when its manifest is not there */
static void print_bytes(const struct workload *w, const char *size, FILE *out) {
    struct diag d = {0};
    char *path = workload_manifest_path(w, size);
    struct manifest *m = path ? manifest_load(path, &d) : NULL;
    double bytes = m ? (double)manifest_bytes(m) : 0;
    if (!m) fprintf(out, "%9s", "-");
    else if (bytes < 1e4) fprintf(out, "%6.1f kB", bytes / 1e3);
    else fprintf(out, bytes < 1e6 ? "%6.0f kB" : "%6.1f MB", bytes < 1e6 ? bytes / 1e3 : bytes / 1e6);
    manifest_free(m);
    diag_free(&d);
    free(path);
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

static const struct {
    const char *name;
    void (*print)(FILE *out);
} lists[] = {
    {"workloads", list_workloads},     {"machines", list_machines}, {"policies", list_policies},     {"keys", list_keys},
    {"stats", list_statistics},        {"classes", list_classes},   {"generators", list_generators}, {"textures", list_textures},
    {"environment", list_environment}, {"limits", list_limits},     {"commands", list_commands},
};

const char *list_name(u32 i) { return i < ARRAY_LEN(lists) ? lists[i].name : NULL; }

static int run_list(const struct cli_line *line) {
    const char *name = line->operands.at[0], *names[ARRAY_LEN(lists)];
    for (u32 i = 0; i < ARRAY_LEN(lists); i++) {
        names[i] = lists[i].name;
        if (strcmp(name, lists[i].name)) continue;
        struct folding f;
        term_begin(&f, stdout, 0);
        lists[i].print(f.out);
        term_end(&f);
        return EXIT_OK;
    }
    const char *near = text_nearest(name, names, ARRAY_LEN(names));
    if (near) return cli_error(line->command, "unknown list \"%s\"; did you mean \"%s\"?", name, near);
    struct strbuf all = {0};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) strbuf_add(&all, "%s%s", i ? ", " : "", names[i]);
    cli_error(line->command, "unknown list \"%s\"; lists are %s", name, all.s);
    strbuf_free(&all);
    return EXIT_USER;
}

static const struct cli_option options[] = {{NULL, NULL, NULL}};
const struct cli_command cli_list = {
    .name = "list",
    .doc = "list workloads, machines, policies, keys, statistics, classes, generators, texture keys, variables, limits, commands",
    .usage = "workloads|machines|policies|keys|stats|classes|generators|textures|environment|limits|commands",
    .example = "heddle list workloads",
    .options = options,
    .operands_from = "lists",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_list,
};
