/* One sweep at a time on one file of results: a lock on FILE.lock, which goes with the process that holds it,
 * however it ends. The file says who that is, and stays. */
#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static int open_lock(const char *database, char **path, int flags) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s.lock", database);
    *path = s.s;
    return open(s.s, flags | O_CLOEXEC, 0666);
}

/* What the holder wrote: "process 123 on host since ..." */
static void read_holder(int fd, struct strbuf *who) {
    char text[256];
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    if (n <= 0) {
        strbuf_add(who, "another process");
        return;
    }
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    text_make_safe(text);
    strbuf_add(who, "%s", text);
}

static void write_holder(int fd) {
    char host[128] = "", since[64] = "", text[256];
    time_t now = time(NULL);
    struct tm tm;
    gethostname(host, sizeof(host) - 1);
    strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
    int n = snprintf(text, sizeof(text), "process %d on %s since %s\n", (int)getpid(), host, since);
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0) return; /* only for messages: nothing depends on it */
}

static bool wait_for(int fd, bool (*stop)(void)) {
    static const struct timespec pause = {0, 200000000};
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        if (stop && stop()) return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

bool lock_take(struct sweep_lock *l, const char *database, bool wait, bool (*stop)(void), struct strbuf *why) {
    l->fd = open_lock(database, &l->path, O_RDWR | O_CREAT);
    if (l->fd < 0) {
        strbuf_add(why, "%s: cannot write: %s", l->path, strerror(errno));
        return false;
    }
    if (flock(l->fd, LOCK_EX | LOCK_NB) != 0) {
        bool taken = errno == EWOULDBLOCK;
        struct strbuf who = {0};
        if (taken) read_holder(l->fd, &who);
        if (taken && wait) {
            fprintf(stderr, "heddle: waiting for %s to finish with %s\n", who.s, database);
            if (wait_for(l->fd, stop)) taken = false;
        } else if (!taken) strbuf_add(why, "%s: cannot lock: %s", l->path, strerror(errno));
        if (taken)
            strbuf_add(why, "%s is being filled by another sweep: %s; wait for it (--wait), or name another database", database,
                       who.s);
        strbuf_free(&who);
        if (taken || why->len) {
            close(l->fd);
            l->fd = -1;
            return false;
        }
    }
    write_holder(l->fd);
    return true;
}

void lock_release(struct sweep_lock *l) {
    if (l->path && l->fd >= 0) close(l->fd);
    free(l->path);
    *l = (struct sweep_lock){.fd = -1};
}

bool lock_holder(const char *database, struct strbuf *who) {
    char *path;
    int fd = open_lock(database, &path, O_RDWR);
    free(path);
    if (fd < 0) return false;
    bool held = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (held) read_holder(fd, who);
    close(fd);
    return held;
}
