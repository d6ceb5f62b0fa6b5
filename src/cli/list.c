/* heddle list: the names a user may type. */
#include "cli/cli.h"
#include "heddle.h"
#include "manifest/manifest.h"

#include <string.h>

static void list_workloads(void) {
    int w = 4, d = 3;
    for (u32 i = 0; i < workload_count; i++) {
        w = MAX(w, (int)strlen(workload_table[i].name));
        d = MAX(d, (int)strlen(workload_table[i].doc));
    }
    printf("%-*s  %-*s  stresses\n", w, "name", d, "what it computes");
    for (u32 i = 0; i < workload_count; i++)
        printf("%-*s  %-*s  %s\n", w, workload_table[i].name, d, workload_table[i].doc, workload_table[i].stresses);
}

static void list_classes(void) {
    for (u32 i = 0; i < heddle_classes(); i++) printf("%-12s %s\n", heddle_class_name(i), heddle_class_doc(i));
}

static void list_generators(void) {
    for (u32 i = 0; i < generator_count; i++) printf("%-10s %s\n", generator_table[i].name, generator_table[i].doc);
}

static const struct {
    const char *name;
    void (*print)(void);
} lists[] = {
    {"workloads", list_workloads},
    {"classes", list_classes},
    {"generators", list_generators},
};

static int run_list(const struct cli_line *line) {
    const char *name = line->operands.at[0], *names[ARRAY_LEN(lists)];
    for (u32 i = 0; i < ARRAY_LEN(lists); i++) {
        names[i] = lists[i].name;
        if (strcmp(name, lists[i].name)) continue;
        lists[i].print();
        return EXIT_OK;
    }
    const char *near = text_nearest(name, names, ARRAY_LEN(names));
    if (near) return cli_error(line->command, "unknown list \"%s\"; did you mean \"%s\"?", name, near);
    return cli_error(line->command, "unknown list \"%s\"; lists are workloads, classes, generators", name);
}

static const struct cli_option options[] = {{NULL, NULL, NULL}};
const struct cli_command cli_list = {
    .name = "list",
    .doc = "list bundled workloads, instruction classes or buffer generators",
    .usage = "workloads|classes|generators",
    .example = "heddle list workloads",
    .options = options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_list,
};
