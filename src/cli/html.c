/* --html of the commands that run something: their results as a page, written when all has run. */
#include "cli/runner.h"
#include "report/report_page.h"

bool html_ready(const struct cli_line *line) {
    struct strbuf why = {0};
    if (!cli_has(line, "html") || report_page_ready(&why)) return true;
    cli_error(line->command, "--html: %s", why.s);
    strbuf_free(&why);
    return false;
}

bool html_write(const struct cli_outputs *o, const struct cli_line *line, json_t *const *docs, u32 n) {
    FILE *f = outputs_file(o, "html");
    struct strbuf why = {0};
    bool ok = !f || report_page_write(NULL, docs, n, f, &why);
    if (!ok) cli_error(line->command, "--html: %s", why.s);
    strbuf_free(&why);
    return ok;
}
