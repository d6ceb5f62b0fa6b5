/* The compiler's results by content: XDG_CACHE_HOME/heddle, or .cache/heddle of the home folder. A cache that cannot be used is not an error. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define END_MARK "// heddle end\n" /* an entry without it was cut off */

void cache_key_add(struct cache_key *k, const void *data, size_t bytes) {
    u64 n = bytes;
    if (!k->a) *k = (struct cache_key){FNV1A64_START, ~FNV1A64_START};
    k->a = hash_fnv1a64(hash_fnv1a64(k->a, &n, sizeof(n)), data, bytes);
    k->b = hash_fnv1a64(k->b ^ (k->a << 1), data, bytes);
}

static bool folder(struct strbuf *out) {
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/') strbuf_add(out, "%s", xdg);
    else if (home && home[0] == '/') strbuf_add(out, "%s/.cache", home);
    else return false;
    mkdir(out->s, 0700);
    strbuf_add(out, "/heddle");
    mkdir(out->s, 0700);
    return access(out->s, W_OK | X_OK) == 0;
}

static bool path_of(const struct cache_key *k, const char *ending, struct strbuf *out) {
    if (!folder(out)) return false;
    strbuf_add(out, "/%016llx%016llx.%s", (unsigned long long)k->a, (unsigned long long)k->b, ending);
    return true;
}

char *cache_get(const struct cache_key *k, const char *ending, size_t *len) {
    struct strbuf path = {0};
    size_t n = 0, mark = strlen(END_MARK);
    char *text = path_of(k, ending, &path) ? text_read_file(path.s, &n) : NULL;
    strbuf_free(&path);
    if (text && n >= mark && memcmp(text + n - mark, END_MARK, mark) == 0) {
        text[n - mark] = 0;
        if (len) *len = n - mark;
        return text;
    }
    free(text);
    return NULL;
}

/* Under another name first, so that nobody reads half of it */
void cache_put(const struct cache_key *k, const char *ending, const char *text, size_t len) {
    struct strbuf path = {0}, temp = {0};
    if (path_of(k, ending, &path)) {
        strbuf_add(&temp, "%s.XXXXXX", path.s);
        int fd = mkstemp(temp.s);
        FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
        bool ok = f && fwrite(text, 1, len, f) == len && fputs(END_MARK, f) != EOF;
        if (f) ok = fclose(f) == 0 && ok;
        if (f && (!ok || rename(temp.s, path.s) != 0)) unlink(temp.s);
    }
    strbuf_free(&path);
    strbuf_free(&temp);
}
