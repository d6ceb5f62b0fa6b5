/* The page of result documents: markup around the packed data, the library and our scripts. See
 * report_page.h. Everything a document says reaches the page inside the packed data, but for the title, which
 * is escaped. */
#include "report/page.h"
#include "report/report.h"
#include "report/report_page.h"

#include <stdlib.h>

enum {
    MAX_LAUNCHES = 2000,      /* of a run */
    MAX_INSTRUCTIONS = 20000, /* of a kernel */
    DETAILED_RUNS = 64,       /* with more runs than these, what is of one run alone is left out */
};

/* --- what can be shown */

static bool is_run(const json_t *doc) {
    return json_is_string(json_object_get(doc, "name")) && json_is_array(json_object_get(doc, "kernels"));
}

static bool is_comparison(const json_t *doc) { return json_is_array(json_object_get(doc, "programs")); }

bool report_page_takes(const json_t *doc, struct strbuf *why) {
    size_t i;
    json_t *program;
    if (is_run(doc)) return true;
    if (!is_comparison(doc)) {
        strbuf_add(why, "this is no result of heddle run, exec or compare (--json): it has neither \"kernels\" nor \"programs\"");
        return false;
    }
    json_array_foreach(json_object_get(doc, "programs"), i, program) {
        if (json_is_string(json_object_get(program, "name")) && json_is_array(json_object_get(program, "configurations")))
            continue;
        strbuf_add(why, "programs[%zu] has no \"name\" or no \"configurations\"", i);
        return false;
    }
    return true;
}

/* --- runs, cut to what a page can carry */

struct runs {
    json_t *list, *notes;
    const json_t *study; /* a study's answers, or NULL */
    u32 offered;         /* runs there were */
};

static void PRINTF_LIKE(2, 3) note(struct runs *r, const char *fmt, ...) {
    va_list ap;
    struct strbuf s = {0};
    va_start(ap, fmt);
    strbuf_vadd(&s, fmt, ap);
    va_end(ap);
    json_array_append_new(r->notes, json_string(s.s));
    strbuf_free(&s);
}

/* `run`, with the list under `key` at most `most` long */
static void cut_list(struct runs *r, json_t *of, const char *key, size_t most, const char *what, const char *name) {
    json_t *list = json_object_get(of, key), *cut;
    size_t n = json_array_size(list);
    if (n <= most) return;
    cut = json_array();
    for (size_t i = 0; i < most; i++) json_array_append(cut, json_array_get(list, i));
    json_object_set_new(of, key, cut);
    note(r, "%s: the first %zu of %zu %s are here.", name, most, n, what);
}

/* A copy whose lists may be shortened; what is inside of them is shared */
static json_t *cut_run(struct runs *r, const json_t *doc) {
    json_t *run = json_copy((json_t *)(uintptr_t)doc), *kernels = json_array(), *kernel;
    const char *name = json_string_value(json_object_get(doc, "name"));
    size_t i;
    cut_list(r, run, "launches", MAX_LAUNCHES, "launches", name);
    json_array_foreach(json_object_get(doc, "kernels"), i, kernel) {
        json_t *k = json_copy(kernel);
        cut_list(r, k, "by_pc", MAX_INSTRUCTIONS, "instructions", name);
        json_array_append_new(kernels, k);
    }
    json_object_set_new(run, "kernels", kernels);
    return run;
}

/* With many runs, each is a row: no launches, nothing per instruction or SM, no time */
static void strip_run(json_t *run) {
    static const char *const only_one[] = {"launches", "per_sm", "per_partition"};
    static const char *const of_kernel[] = {"by_pc", "time", "pipeline"};
    json_t *kernel;
    size_t i;
    for (u32 k = 0; k < ARRAY_LEN(only_one); k++) json_object_del(run, only_one[k]);
    json_array_foreach(json_object_get(run, "kernels"), i, kernel) {
        for (u32 k = 0; k < ARRAY_LEN(of_kernel); k++) json_object_del(kernel, of_kernel[k]);
    }
}

static void add_run(struct runs *r, json_t *run) {
    if (++r->offered <= REPORT_PAGE_RUNS) json_array_append(r->list, run);
    json_decref(run);
}

/* A configuration of a comparison as a run */
static json_t *configuration(const json_t *program, const json_t *row) {
    json_t *run = json_copy((json_t *)(uintptr_t)row), *machine = json_object_get(program, "machine");
    json_object_set(run, "name", json_object_get(program, "name"));
    if (machine) json_object_set(run, "machine", machine);
    json_object_set_new(run, "kernels", json_array());
    return run;
}

static void add_document(struct runs *r, const json_t *doc) {
    size_t i, k;
    json_t *program, *row;
    if (json_is_object(json_object_get(doc, "study"))) {
        r->study = json_object_get(doc, "study");
        return;
    }
    if (is_run(doc)) {
        add_run(r, cut_run(r, doc));
        return;
    }
    json_array_foreach(json_object_get(doc, "programs"), i, program) {
        json_array_foreach(json_object_get(program, "configurations"), k, row) { add_run(r, configuration(program, row)); }
    }
}

static struct runs gather(json_t *const *docs, u32 n) {
    struct runs r = {.list = json_array(), .notes = json_array()};
    size_t i;
    json_t *run;
    for (u32 k = 0; k < n; k++) add_document(&r, docs[k]);
    if (r.offered > REPORT_PAGE_RUNS) note(&r, "The first %u of %u runs are here.", REPORT_PAGE_RUNS, r.offered);
    if (r.offered <= DETAILED_RUNS) return r;
    json_array_foreach(r.list, i, run) { strip_run(run); }
    note(&r, "There are more than %d runs: launches, instructions, SMs and time of each are left out.", DETAILED_RUNS);
    return r;
}

/* --- the library */

struct library {
    char *script, *licence;
};

static char *read_shared(const char *dir, const char *name, struct strbuf *why) {
    struct strbuf path = {0}, reason = {0};
    size_t len;
    strbuf_add(&path, "%s/%s", dir, name);
    char *text = limit_read_file(path.s, LIMIT_OTHER, &len, &reason);
    if (!text) strbuf_add(why, "%s: error: %s", path.s, reason.s);
    strbuf_free(&path);
    strbuf_free(&reason);
    return text;
}

static void library_free(struct library *l) {
    free(l->script);
    free(l->licence);
}

static bool library_read(struct library *l, struct strbuf *why) {
    char *data = data_dir("page");
    *l = (struct library){0};
    if (!data) {
        strbuf_add(why, "share/heddle/page: error: the page's library, D3, is not there: install it (tools/setup.sh build, or "
                        "Debian's node-d3) and run make again, or set HEDDLE_DATA to a share/heddle that has it");
        return false;
    }
    struct strbuf dir = {0};
    strbuf_add(&dir, "%s/page", data);
    l->script = read_shared(dir.s, "d3.min.js", why);
    if (l->script) l->licence = read_shared(dir.s, "d3.licence.txt", why);
    strbuf_free(&dir);
    free(data);
    if (l->licence) return true;
    library_free(l);
    return false;
}

bool report_page_ready(struct strbuf *why) {
    struct library l;
    bool ok = library_read(&l, why);
    if (ok) library_free(&l);
    return ok;
}

/* --- markup */

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:\">\n<meta name=\"generator\" content=\"heddle\">\n<title>";

/* Bytes that are no UTF-8 become question marks: JSON and browsers take nothing else */
static void make_utf8(char *s) {
    json_t *j = json_string(s);
    for (char *at = s; !j && *at; at++)
        if ((u8)*at > 126) *at = '?';
    json_decref(j);
}

static char *title_of(const char *title, const struct runs *r) {
    struct strbuf s = {0};
    const char *last = NULL;
    size_t i;
    json_t *run;
    if (!title) title = json_string_value(json_object_get(r->study, "title"));
    if (title) strbuf_add(&s, "%s", title);
    else json_array_foreach(r->list, i, run) {
            const char *name = json_string_value(json_object_get(run, "name"));
            if (!name || (last && strcmp(last, name) == 0)) continue;
            if (s.len > 60) {
                strbuf_add(&s, ", ...");
                break;
            }
            strbuf_add(&s, "%s%s", last ? ", " : "", name);
            last = name;
        }
    if (!s.len) strbuf_add(&s, "heddle");
    make_utf8(s.s);
    return s.s;
}

static void put_data(FILE *out, const struct runs *r, const char *title) {
    json_t *root = json_pack("{s:s, s:s, s:O, s:O, s:o}", "title", title, "version", heddle_version(), "notes", r->notes, "runs",
                             r->list, "tables", page_tables());
    if (r->study) json_object_set(root, "study", (json_t *)(uintptr_t)r->study);
    char *text = json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER);
    CHECK(text);
    char *packed = page_pack(text, strlen(text));
    fprintf(out, "<script type=\"application/octet-stream\" id=\"data\">%s</script>\n", packed);
    free(packed);
    free(text);
    json_decref(root);
}

static void put_page(FILE *out, const struct library *l, const struct runs *r, const char *title) {
    fputs(head, out);
    page_escape(out, title, strlen(title));
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body class=\"report\">\n<main id=\"page\">\n", page_file_style);
    fputs("<noscript><p>This page draws its charts with JavaScript, which is switched off here. The same numbers are in the "
          "results that it was made of (heddle run --json).</p></noscript>\n</main>\n<details id=\"licence\"><summary>Licence of "
          "D3, which draws this page</summary><pre>",
          out);
    page_escape(out, l->licence, strlen(l->licence));
    fputs("</pre></details>\n", out);
    put_data(out, r, title);
    fprintf(out, "<script>\n%s</script>\n<script>\n", l->script);
    for (u32 i = 0; page_scripts[i]; i++) fputs(page_scripts[i], out);
    fputs("</script>\n</body>\n</html>\n", out);
}

bool report_page_write(const char *title, json_t *const *docs, u32 n, FILE *out, struct strbuf *why) {
    struct library l;
    if (!library_read(&l, why)) return false;
    struct runs r = gather(docs, n);
    char *name = title_of(title, &r);
    put_page(out, &l, &r, name);
    free(name);
    json_decref(r.list);
    json_decref(r.notes);
    library_free(&l);
    return true;
}
