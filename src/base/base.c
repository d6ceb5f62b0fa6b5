/* The whole of base/: small enough to read in one sitting. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Thread_local struct check_teller base_check_teller;

void base_check_failed(const char *file, int line, const char *what) {
    struct check_teller t = base_check_teller;
    fprintf(stderr, "heddle: internal error at %s:%d: %s\n", file, line, what);
    base_check_teller = (struct check_teller){0}; /* one that fails itself is not asked again */
    if (t.tell) t.tell(t.of);
    abort();
}

/* --- memory */

static _Noreturn void out_of_memory(size_t bytes) {
    fprintf(stderr, "heddle: out of memory (asked for %zu bytes)\n", bytes);
    exit(4);
}

void *base_alloc(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) out_of_memory(bytes);
    return p;
}

void *base_realloc(void *p, size_t bytes) {
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q) out_of_memory(bytes);
    return q;
}

void *base_alloc_aligned(size_t bytes) {
    size_t rounded = (bytes + 63) & ~(size_t)63;
    void *p = aligned_alloc(64, rounded ? rounded : 64);
    if (!p) out_of_memory(bytes);
    memset(p, 0, rounded ? rounded : 64);
    return p;
}

struct arena_block {
    struct arena_block *next;
    size_t used_b, size_b;
    _Alignas(16) unsigned char data[];
};

void *arena_alloc(struct arena *a, size_t bytes) {
    size_t need = (bytes + 15) & ~(size_t)15;
    if (!a->head || a->head->size_b - a->head->used_b < need) {
        size_t size = need > 65536 ? need : 65536;
        struct arena_block *b = base_alloc(sizeof(*b) + size);
        b->size_b = size;
        b->next = a->head;
        a->head = b;
    }
    void *p = a->head->data + a->head->used_b;
    a->head->used_b += need;
    a->used_b += need;
    return p;
}

char *arena_strdup(struct arena *a, const char *s, size_t len) {
    char *p = arena_alloc(a, len + 1);
    memcpy(p, s, len);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

void arena_free(struct arena *a) {
    while (a->head) {
        struct arena_block *b = a->head;
        a->head = b->next;
        free(b);
    }
    a->used_b = 0;
}

/* --- text */

void strbuf_vadd(struct strbuf *b, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (b->len + (size_t)n + 1 > b->cap) {
        b->cap = (b->len + (size_t)n + 1) * 2;
        b->s = base_realloc(b->s, b->cap);
    }
    vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
    b->len += (size_t)n;
}

void strbuf_add(struct strbuf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(b, fmt, ap);
    va_end(ap);
}

void strbuf_free(struct strbuf *b) {
    free(b->s);
    *b = (struct strbuf){0};
}

void text_make_safe(char *s) {
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s, next = (unsigned char)s[1];
        if ((c < 32 && c != '\n' && c != '\t') || c == 127 || (c == 0xC2 && next >= 0x80 && next < 0xA0))
            *s = '?'; /* C1 in UTF-8, too */
    }
}

bool text_in_list(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; *p;) {
        const char *end = strchr(p, ' ');
        size_t len = end ? (size_t)(end - p) : strlen(p);
        if (len == n && memcmp(p, word, n) == 0) return true;
        p += len + (end ? 1 : 0);
    }
    return false;
}

int text_distance(const char *a, const char *b, int limit) {
    int la = (int)strlen(a), lb = (int)strlen(b);
    if (la > 63 || lb > 63 || abs(la - lb) > limit) return limit + 1;
    int rows[3][64] = {0}; /* row i in rows[i % 3] */
    for (int j = 0; j <= lb; j++) rows[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            row[j] = MIN(above[j - 1] + (a[i - 1] != b[j - 1]), MIN(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = MIN(row[j], before[j - 2] + 1);
        }
    }
    int d = rows[la % 3][lb];
    return d > limit ? limit + 1 : d;
}

const char *text_nearest(const char *name, const char *const *names, u32 n) {
    int limit = strlen(name) < 5 ? 1 : 3;
    const char *best = NULL;
    int best_d = limit + 1;
    for (u32 i = 0; i < n; i++) {
        int d = text_distance(name, names[i], limit);
        if (d < best_d) {
            best_d = d;
            best = names[i];
        }
    }
    return best;
}

/* A pipe may be slow, and a FIFO may have nobody who writes: PATIENCE_MS without a byte is enough. A device
 * may have no end (/dev/zero). */
enum { PATIENCE_MS = 30000, DEVICE_MAX_B = 16 << 20 };

/* *most: bytes that are read of it at most; of a device they are few */
static int open_text(const char *path, u64 *most) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), error = 0;
    if (fd < 0 || fstat(fd, &st) != 0) return fd;
    if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) *most = MIN(*most, (u64)DEVICE_MAX_B);
    if (S_ISDIR(st.st_mode)) error = EISDIR;
    if (S_ISREG(st.st_mode) && (u64)st.st_size > *most) error = EFBIG;
    if (!error) return fd;
    close(fd);
    errno = error;
    return -1;
}

/* Bytes read, 0 at the end, -1 and errno; a pipe that nobody has opened for writing yet is not at its end */
static ssize_t read_some(int fd, char *to, size_t room) {
    struct pollfd p = {fd, POLLIN, 0};
    for (;;) {
        int ready = poll(&p, 1, PATIENCE_MS);
        if (ready == 0) errno = ETIMEDOUT;
        if (ready <= 0) return -1;
        ssize_t got = read(fd, to, room);
        if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return got;
    }
}

char *text_read_file(const char *path, u64 most, size_t *len) {
    size_t cap = 1 << 16, n = 0;
    int fd = open_text(path, &most);
    if (fd < 0) return NULL;
    char *p = base_alloc(cap);
    ssize_t got;
    while ((got = read_some(fd, p + n, cap - n - 1)) > 0) {
        n += (size_t)got;
        if (n > most) break;
        if (n + 1 >= cap) p = base_realloc(p, cap *= 2);
    }
    int failed = got < 0 ? errno : n > most ? EFBIG : 0;
    close(fd);
    if (failed) {
        free(p);
        errno = failed;
        return NULL;
    }
    p[n] = 0;
    if (len) *len = n;
    return p;
}

/* --- diagnostics */

static void diag_line(struct diag *d, const char *file, u32 line, u32 col, const char *kind, const char *fmt, va_list ap) {
    if (file) strbuf_add(&d->text, "%s:", file);
    if (line) strbuf_add(&d->text, "%u:", line);
    if (line && col) strbuf_add(&d->text, "%u:", col);
    strbuf_add(&d->text, "%s%s: ", file ? " " : "", kind);
    strbuf_vadd(&d->text, fmt, ap);
    text_make_safe(d->text.s);
    strbuf_add(&d->text, "\n");
}

void diag_error(struct diag *d, const char *file, u32 line, u32 col, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    diag_line(d, file, line, col, "error", fmt, ap);
    va_end(ap);
    d->errors++;
}

void diag_note(struct diag *d, const char *file, u32 line, u32 col, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    diag_line(d, file, line, col, "note", fmt, ap);
    va_end(ap);
}

bool diag_full(const struct diag *d) { return d->errors >= (d->max_errors ? d->max_errors : 20); }

void diag_free(struct diag *d) {
    strbuf_free(&d->text);
    d->errors = 0;
}

/* --- hash, clock */

u64 hash_fnv1a64(u64 h, const void *data, size_t bytes) {
    const u8 *p = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 0x100000001B3ull;
    return h;
}

double clock_seconds(void) {
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC,
            &t); /* the host's, whatever the program we live in takes for one (preload/clock.c) */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
