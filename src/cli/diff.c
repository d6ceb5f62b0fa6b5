/* heddle diff: two results, what changed between them and why. */
#include "report/diff.h"
#include "cli/runner.h"
#include "report/report.h"

#include <stdlib.h>

enum { ROWS = 12 };

/* What a file says is shown on a terminal: its strings lose their control characters */
static void make_safe(json_t *v) {
    const char *key;
    json_t *x;
    size_t i;
    json_object_foreach(v, key, x) make_safe(x);
    json_array_foreach(v, i, x) make_safe(x);
    if (!json_is_string(v) || !*json_string_value(v)) return;
    struct strbuf s = {0};
    strbuf_add(&s, "%s", json_string_value(v));
    text_make_safe(s.s);
    for (char *c = s.s; *c; c++)
        if (*c == '\n' || *c == '\t') *c = '?'; /* a value is part of a line */
    json_string_set_nocheck(v, s.s);
    strbuf_free(&s);
}

static json_t *read_result(const struct cli_line *line, const char *file) {
    json_t *doc = document_read(line->command, file, diff_takes);
    if (doc) make_safe(doc);
    return doc;
}

static int run_diff(const struct cli_line *line) {
    json_t *a = read_result(line, line->operands.at[0]), *b = a ? read_result(line, line->operands.at[1]) : NULL;
    int code = EXIT_USER;
    if (a && b) {
        struct folding f;
        term_begin(&f, stdout, 0);
        code = diff_print(a, b, cli_has(line, "all") ? UINT32_MAX : ROWS, f.out) ? EXIT_DIFFERS : EXIT_OK;
        term_end(&f);
    }
    json_decref(a);
    json_decref(b);
    return code;
}

static const struct cli_option options[] = {
    {"all", NULL, "every statistic that differs, not only those that differ most", 'a'},
    {NULL, NULL, NULL},
};
const struct cli_command cli_diff = {
    .name = "diff",
    .doc = "say what changed between two results, and where the cycles went or came from",
    .usage = "A.json B.json [--all]",
    .details = "A.json and B.json are what --json of heddle run or exec wrote: of two machines, keys, programs or versions.\n"
               "Told are the keys that differ, whether the results are the same, cycles, the parts of the CPI stack that the\n"
               "difference is made of, kernels, and statistics. Exit code 1 when results or counters differ.",
    .example = "heddle run bfs --json lrr.json\nheddle run bfs --set sm.sched=gto --json gto.json\nheddle diff lrr.json gto.json",
    .options = options,
    .operands_from = "files",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_diff,
};
