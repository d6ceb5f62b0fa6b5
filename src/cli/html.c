/* --html of the commands that run something: their results as a page, written when all has run. */
#include "cli/runner.h"
#include "report/report_page.h"
#include "sweep/sweep.h"

#include <stdlib.h>

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

/* "key=value key=value" and what else sets a run apart */
static json_t *keys_of(const struct plan *p, const struct sweep_run *r) {
    json_t *keys = json_object();
    if (*plan_size(p, r)) json_object_set_new(keys, "size", json_string(plan_size(p, r)));
    json_object_set_new(keys, "machine", json_string(r->machine));
    if (*r->configuration) json_object_set_new(keys, "configuration", json_string(r->configuration));
    for (const char *at = r->settings; *at;) {
        size_t n = strcspn(at, " "), k = strcspn(at, "=");
        char *key = strndup(at, k);
        bool moved = r->repetition && plan_moves(p->x, key); /* repetitions are one configuration */
        if (!moved) json_object_set_new(keys, key, json_stringn(at + k + 1, n - k - 1));
        free(key);
        at += n + (at[n] == ' ');
    }
    return keys;
}

bool html_write_runs(const struct cli_outputs *o, const struct cli_line *line, const struct plan *p, struct store *s,
                     json_t *study) {
    VEC(json_t *) docs = {0};
    if (!outputs_file(o, "html")) return true;
    if (study) VEC_PUSH(&docs, json_incref(study));
    u32 before = docs.n;
    for (u32 i = 0; i < p->runs.n && docs.n <= before + REPORT_PAGE_RUNS; i++) {
        json_t *doc = store_document(s, p->runs.at[i].hash);
        if (!doc) continue;
        json_object_set_new(doc, "keys", keys_of(p, &p->runs.at[i]));
        VEC_PUSH(&docs, doc);
    }
    bool ok = docs.n > before || (cli_error(line->command, "--html: no run is done yet"), false);
    ok = ok && html_write(o, line, docs.at, docs.n);
    for (u32 i = 0; i < docs.n; i++) json_decref(docs.at[i]);
    free(docs.at);
    return ok;
}
