/* Environment variables, checked as options are: an unknown name or a value out of range is an error with the
 * remedy, not a default. */
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "HEDDLE_"

enum env_kind { FLAG, COUNT, TEXT, FOLDER };
struct env_row {
    const char *name;
    enum env_kind kind;
    u64 low, high, otherwise;
    const char *doc;
};
static const struct env_row rows[] = {
#define ENV(id, kind, low, high, otherwise, doc) {PREFIX #id, kind, low, high, otherwise, doc},
#include "base/env.def"
#undef ENV
};

static const struct env_row *find(const char *name) {
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

static bool read_count(const char *text, u64 low, u64 high, u64 *out) {
    char *end;
    errno = 0;
    u64 x = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end || errno || x < low || x > high) return false;
    *out = x;
    return true;
}

static void check_value(const struct env_row *r, const char *text, struct diag *d) {
    struct stat st;
    u64 x;
    if (!*text) return; /* as if it were not set */
    if (!diag_limit(d, r->name, LIMIT_ENVIRONMENT, strlen(text))) return;
    if (r->kind == FLAG && strcmp(text, "0") && strcmp(text, "1"))
        diag_error(d, r->name, 0, 0, "must be 0 or 1, not \"%s\"", text);
    if (r->kind == COUNT && !read_count(text, r->low, r->high, &x))
        diag_error(d, r->name, 0, 0, "must be an integer from %llu to %llu, not \"%s\"", (unsigned long long)r->low,
                   (unsigned long long)r->high, text);
    if (r->kind == FOLDER && (stat(text, &st) != 0 || !S_ISDIR(st.st_mode)))
        diag_error(d, r->name, 0, 0, "there is no folder %s", text);
}

static void unknown(const char *name, struct diag *d) {
    const char *names[ARRAY_LEN(rows)];
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) names[i] = rows[i].name;
    const char *near = text_nearest(name, names, ARRAY_LEN(rows));
    if (near) diag_error(d, name, 0, 0, "no such environment variable; did you mean %s?", near);
    else diag_error(d, name, 0, 0, "no such environment variable; \"heddle list environment\" names them");
}

bool env_check(struct diag *d) {
    u32 before = d->errors;
    for (char *const *at = environ; at && *at; at++) {
        const char *equals = strchr(*at, '=');
        if (!equals || strncmp(*at, PREFIX, strlen(PREFIX))) continue;
        char *name = strndup(*at, (size_t)(equals - *at));
        const struct env_row *r = find(name);
        if (r) check_value(r, equals + 1, d);
        else unknown(name, d);
        free(name);
    }
    return d->errors == before;
}

const char *env_text(const char *name) {
    CHECK(find(name));
    const char *s = getenv(name);
    return s && *s ? s : NULL;
}

u64 env_count(const char *name) {
    const char *s = env_text(name);
    const struct env_row *r = find(name);
    u64 x = r->otherwise;
    if (s) read_count(s, r->low, r->high, &x);
    return x;
}

const char *env_name(u32 i) { return i < ARRAY_LEN(rows) ? rows[i].name : NULL; }
const char *env_doc(u32 i) { return rows[i].doc; }

void env_list(FILE *out) {
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) fprintf(out, "%-24s %s\n", rows[i].name, rows[i].doc);
}
