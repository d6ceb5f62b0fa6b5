/* A result that was written earlier (--json of run, exec and compare), read again. */
#include "cli/runner.h"

#include <stdlib.h>

json_t *document_read(const struct cli_command *of, const char *file, bool (*takes)(const json_t *doc, struct strbuf *why)) {
    struct strbuf why = {0};
    json_error_t e = {0};
    size_t len;
    char *text = limit_read_file(file, LIMIT_OTHER, &len, &why);
    json_t *doc = text ? json_loadb(text, len, 0, &e) : NULL;
    if (text && !doc) strbuf_add(&why, "line %d, column %d: this is no JSON: %s", e.line, e.column, e.text);
    if (doc && !takes(doc, &why)) {
        json_decref(doc);
        doc = NULL;
    }
    if (!doc) cli_error(of, "%s: %s", file, why.s);
    strbuf_free(&why);
    free(text);
    return doc;
}
