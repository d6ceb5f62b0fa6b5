/* The compiler's results by content: XDG_CACHE_HOME/heddle, or .cache/heddle of the home folder. A cache that
 * cannot be used is not an error.
 *
 * C1 an entry is whole or not there: it is written under another name, and ends with a mark
 * C2 all entries together stay below HEDDLE_CACHE_SIZE: what was not used for longest goes, and what a killed
 *    process began, too. Looking at all of them takes long when there are thousands, so a process looks at
 *    its first entry and then whenever it has written a sixteenth of the room it saw: sixteen processes that
 *    write at once cannot pass the bound */
#include "base/compiler.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
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
    char *text = path_of(k, ending, &path) ? text_read_file(path.s, limit_most(LIMIT_OTHER), &n) : NULL;
    if (text && n >= mark && memcmp(text + n - mark, END_MARK, mark) == 0) {
        utimensat(AT_FDCWD, path.s, NULL, 0); /* used now */
        strbuf_free(&path);
        text[n - mark] = 0;
        if (len) *len = n - mark;
        return text;
    }
    strbuf_free(&path);
    free(text);
    return NULL;
}

/* --- bounds */

struct entry {
    char name[NAME_MAX + 1];
    struct timespec used;
    off_t bytes;
};

static int oldest_first(const void *a, const void *b) {
    const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* 32 hex digits and an ending: nothing else in the folder is ours to remove */
static bool is_entry(const char *name) { return strspn(name, "0123456789abcdef") == 32 && name[32] == '.'; }

/* Since this process has looked: what it wrote, and what it may write before it looks again */
static _Atomic u64 written_b, unseen_b;

/* When there is too much, an eighth more goes than must: else every entry after it would find no room */
static void trim(const char *dir) {
    VEC(struct entry) all = {0};
    u64 sum = 0, limit = env_count("HEDDLE_CACHE_SIZE");
    DIR *d = opendir(dir);
    for (const struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        struct entry x;
        if (!is_entry(e->d_name) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        snprintf(x.name, sizeof(x.name), "%s", e->d_name);
        x.used = st.st_mtim;
        x.bytes = st.st_size;
        sum += (u64)st.st_size;
        VEC_PUSH(&all, x);
    }
    u64 most = sum > limit ? limit - limit / 8 : limit;
    if (sum > most) qsort(all.at, all.n, sizeof(*all.at), oldest_first);
    for (u32 i = 0; i + 1 < all.n && sum > most; i++) {
        if (unlinkat(dirfd(d), all.at[i].name, 0) == 0) sum -= (u64)all.at[i].bytes;
    }
    atomic_store(&written_b, 0);
    atomic_store(&unseen_b, (limit - (sum < limit ? sum : limit)) / 16);
    if (d) closedir(d);
    free(all.at);
}

/* Under another name first, so that nobody reads half of it */
void cache_put(const struct cache_key *k, const char *ending, const char *text, size_t len) {
    struct strbuf path = {0}, temp = {0};
    if (len + strlen(END_MARK) <= env_count("HEDDLE_CACHE_SIZE") && path_of(k, ending, &path)) {
        strbuf_add(&temp, "%s.XXXXXX", path.s);
        int fd = mkstemp(temp.s);
        FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
        bool ok = f && fwrite(text, 1, len, f) == len && fputs(END_MARK, f) != EOF;
        if (f) ok = fclose(f) == 0 && ok;
        if (f && (!ok || rename(temp.s, path.s) != 0)) unlink(temp.s);
        *strrchr(path.s, '/') = 0;
        if (atomic_fetch_add(&written_b, len) + len > atomic_load(&unseen_b)) trim(path.s);
    }
    strbuf_free(&path);
    strbuf_free(&temp);
}
