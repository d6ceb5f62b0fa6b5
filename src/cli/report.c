/* heddle report: results that were written earlier (--json of run, exec and compare) as one page. */
#include "cli/runner.h"
#include "report/report_page.h"

#include <stdlib.h>

struct reporting {
    const struct cli_line *line;
    VEC(json_t *) docs;
    struct cli_outputs outputs;
};

static bool read_documents(struct reporting *r) {
    for (u32 i = 0; i < r->line->operands.n; i++) {
        json_t *doc = document_read(r->line->command, r->line->operands.at[i], report_page_takes);
        if (!doc) return false;
        VEC_PUSH(&r->docs, doc);
    }
    return true;
}

static int write_page(struct reporting *r) {
    static const char *const names[] = {"out"};
    struct strbuf why = {0};
    if (!cli_has(r->line, "out"))
        return cli_error(r->line->command, "where to? -o page.html names the page, -o - is standard output");
    if (!outputs_open(&r->outputs, r->line, names, 1, r->line->operands.at, r->line->operands.n)) return EXIT_USER;
    if (!read_documents(r)) return EXIT_USER;
    bool ok = report_page_write(cli_value(r->line, "title"), r->docs.at, r->docs.n, outputs_file(&r->outputs, "out"), &why);
    if (!ok) cli_error(r->line->command, "%s", why.s);
    strbuf_free(&why);
    return ok && outputs_commit(&r->outputs, "out") ? EXIT_OK : EXIT_USER;
}

static int report_run(const struct cli_line *line) {
    struct reporting r = {.line = line};
    int code = write_page(&r);
    for (u32 i = 0; i < r.docs.n; i++) json_decref(r.docs.at[i]);
    free(r.docs.at);
    outputs_close(&r.outputs);
    return code;
}

static const struct cli_option options[] = {
    {"out", "FILE", "the page; - for standard output", 'o'},
    {"title", "TEXT", "what stands above it (default: the names of the programs)"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_report = {
    .name = "report",
    .doc = "make one HTML page of results: charts, source with heat, time, comparison",
    .usage = "RUN.json... -o PAGE.html [OPTIONS]",
    .details =
        "RUN.json is what --json of heddle run, exec or compare wrote; with --timeline a result also has what the page shows\n"
        "over time, and with --by-pc what it shows beside the source. The page is one file that needs no network. Several\n"
        "results are also compared with each other.",
    .example = "heddle run bfs --json bfs.json --timeline --by-pc\nheddle report bfs.json -o bfs.html\n"
               "heddle report lrr.json gto.json -o schedulers.html --title \"Schedulers on bfs\"",
    .options = options,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .run = report_run,
};
