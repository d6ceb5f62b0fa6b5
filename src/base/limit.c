/* The limits of inputs, from their table limit.def. A limit speaks before memory is taken for what passes
 * it. */
#include "base/base.h"

#include <errno.h>
#include <string.h>

struct limit_row {
    u64 most;
    const char *unit, *what, *remedy;
};
static const struct limit_row rows[LIMITS] = {
#define LIMIT(id, most, unit, what, remedy) [LIMIT_##id] = {most, unit, what, remedy},
#include "base/limit.def"
#undef LIMIT
};

u64 limit_most(enum limit l) { return rows[l].most; }

static void add_words(enum limit l, struct strbuf *why) {
    const struct limit_row *r = &rows[l];
    strbuf_add(why, "%s may have at most %llu %s; %s", r->what, (unsigned long long)r->most, r->unit, r->remedy);
}

bool limit_holds(enum limit l, u64 n, struct strbuf *why) {
    if (n <= rows[l].most) return true;
    strbuf_add(why, "%llu %s are too many: ", (unsigned long long)n, rows[l].unit);
    add_words(l, why);
    return false;
}

bool diag_limit(struct diag *d, const char *file, enum limit l, u64 n) {
    struct strbuf why = {0};
    bool ok = limit_holds(l, n, &why);
    if (!ok) diag_error(d, file, 0, 0, "%s", why.s);
    strbuf_free(&why);
    return ok;
}

char *limit_read_file(const char *path, enum limit l, size_t *len, struct strbuf *why) {
    char *text = text_read_file(path, rows[l].most, len);
    if (text) return text;
    bool too_large = errno == EFBIG;
    strbuf_add(why, "%s%s", strerror(errno), too_large ? ": " : "");
    if (too_large) add_words(l, why);
    return NULL;
}

void limit_list(FILE *out) {
    for (u32 i = 0; i < LIMITS; i++)
        fprintf(out, "%12llu %-9s %-37s %s\n", (unsigned long long)rows[i].most, rows[i].unit, rows[i].what, rows[i].remedy);
}
