/* Files that are written: beside their name first, as NAME.incomplete, and renamed when they are whole.
 *
 * O1 under its own name stands only what output_commit has seen written to the last byte, or what was there
 *    before
 * O2 NAME.incomplete is locked while somebody writes it: a second run on the same name is refused, one that
 *    was killed is in nobody's way
 * O3 what has a place but no contents of its own (standard output, devices, pipes, /dev and /proc) is written
 *    directly
 *
 * Does not model a host that loses power: nothing is forced to the disk. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OPEN = 256 }; /* further ones are written as well, and not removed by output_remove_all */

static _Atomic(char *) unfinished[MAX_OPEN];

static void enlist(char *temp) {
    for (u32 i = 0; i < MAX_OPEN; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&unfinished[i], &none, temp)) return;
    }
}

static void strike_out(char *temp) {
    for (u32 i = 0; i < MAX_OPEN; i++) {
        char *mine = temp;
        if (atomic_compare_exchange_strong(&unfinished[i], &mine, NULL)) return;
    }
}

void output_remove_all(void) {
    for (u32 i = 0; i < MAX_OPEN; i++) {
        const char *temp = atomic_load(&unfinished[i]);
        if (temp) unlink(temp);
    }
}

static bool starts_with(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* Whether bytes go to where the path leads, not into a file of that name */
static bool written_in_place(const char *path, const struct stat *st, bool exists) {
    return starts_with(path, "/dev/") || starts_with(path, "/proc/") || (exists && !S_ISREG(st->st_mode));
}

/* Opens NAME.incomplete and locks it; -1 with errno, EWOULDBLOCK when somebody else is writing it */
static int open_beside(const char *temp) {
    enum { TRIES = 100 }; /* more than others can be at the door */
    for (u32 i = 0; i < TRIES; i++) {
        struct stat opened, named;
        int fd = open(temp, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0) return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(fd);
            errno = EWOULDBLOCK;
            return -1;
        }
        /* its writer may have renamed or removed it while we were at the door */
        bool ours = fstat(fd, &opened) == 0 && lstat(temp, &named) == 0 && opened.st_ino == named.st_ino;
        if (ours && S_ISREG(opened.st_mode) && ftruncate(fd, 0) == 0) return fd;
        int error = errno;
        close(fd);
        errno = ours && S_ISREG(opened.st_mode) ? error : EEXIST;
        if (ours) return -1;
    }
    errno = EBUSY;
    return -1;
}

static bool fail(struct output *o, struct strbuf *why, const char *what) {
    if (why) strbuf_add(why, "%s: error: %s", o->path, what);
    if (o->temp) { /* while the lock is held: nobody else may be writing there yet */
        strike_out(o->temp);
        unlink(o->temp);
    }
    if (o->f && o->f != stdout) fclose(o->f);
    free(o->path);
    free(o->target);
    free(o->temp);
    *o = (struct output){0};
    return false;
}

static bool fail_errno(struct output *o, struct strbuf *why, int error) {
    char text[256];
    snprintf(text, sizeof(text), "cannot write: %s", strerror(error));
    return fail(o, why, text);
}

static bool open_in_place(struct output *o, struct strbuf *why) {
    o->f = fopen(o->path, "w");
    return o->f ? true : fail_errno(o, why, errno);
}

char *output_temp_name(const char *target) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s.incomplete", target);
    return s.s;
}

bool output_open(struct output *o, const char *path, struct strbuf *why) {
    struct stat st;
    *o = (struct output){.path = strdup(path)};
    if (strcmp(path, "-") == 0) {
        o->f = stdout;
        return true;
    }
    if (!*path) return fail(o, why, "the name of a file is empty");
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return fail_errno(o, why, EISDIR);
    if (written_in_place(path, &st, exists)) return open_in_place(o, why);
    if (exists && access(path, W_OK) != 0) return fail_errno(o, why, errno);
    o->target = exists ? realpath(path, NULL) : strdup(path); /* through a link: what it points to is replaced, not the link */
    if (!o->target) return fail_errno(o, why, errno);
    char *temp = output_temp_name(o->target);
    int fd = open_beside(temp);
    if (fd < 0) {
        free(temp);
        if (errno == EWOULDBLOCK)
            return fail(o, why, "it is being written by another run, or twice by this one; name another file");
        return fail_errno(o, why, errno);
    }
    o->temp = temp;
    enlist(o->temp);
    if (exists) fchmod(fd, st.st_mode & 0777); /* as an editor would leave it */
    o->f = fdopen(fd, "w");
    return o->f ? true : fail_errno(o, why, errno);
}

/* What stdio could not write is gone, and errno with it: the next write usually says why again; where nothing
 * is left to write, a pipe without a reader can be told from a full disk */
static int error_of(FILE *f) {
    bool failed = ferror(f);
    errno = 0;
    if (fflush(f) != 0) return errno ? errno : EIO;
    if (!failed) return 0;
    struct pollfd end = {.fd = fileno(f), .events = POLLOUT};
    return poll(&end, 1, 0) > 0 && (end.revents & POLLERR) ? EPIPE : ENOSPC;
}

bool output_commit(struct output *o, struct strbuf *why) {
    if (!o->f) return true;
    int error = error_of(o->f);
    if (o->f == stdout) {
        if (error) { /* said here: output_stdout_ok shall not say it again */
            __fpurge(stdout);
            clearerr(stdout);
            return fail_errno(o, why, error);
        }
        free(o->path);
        *o = (struct output){0};
        return true;
    }
    /* renamed before it is closed, so that the lock is held until it has its name */
    if (!error && o->temp && rename(o->temp, o->target) != 0) error = errno;
    if (error) return fail_errno(o, why, error);
    if (o->temp) strike_out(o->temp);
    free(o->temp);
    o->temp = NULL;
    bool closed = fclose(o->f) == 0;
    o->f = NULL;
    if (!closed) { /* a network's file system says so only now; its name must not stand for half of it */
        error = errno;
        if (o->target) unlink(o->target);
        return fail_errno(o, why, error);
    }
    free(o->path);
    free(o->target);
    *o = (struct output){0};
    return true;
}

void output_abandon(struct output *o) {
    if (o->path) fail(o, NULL, "");
}

bool output_check(const char *path, struct strbuf *why) {
    struct output o;
    struct stat st;
    if (strcmp(path, "-") == 0) return true;
    if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) { /* opening one would keep its reader waiting, or us */
        if (access(path, W_OK) == 0) return true;
        strbuf_add(why, "%s: error: cannot write: %s", path, strerror(errno));
        return false;
    }
    bool ok = output_open(&o, path, why);
    if (ok) output_abandon(&o);
    return ok;
}

bool output_stdout_ok(struct strbuf *why) {
    int error = error_of(stdout);
    if (error) strbuf_add(why, "standard output: error: cannot write: %s", strerror(error));
    return !error;
}

/* A closed descriptor would be given to the next file that is opened, and what is meant for standard output
 * would land there. One that is open for the wrong direction fails as a closed one does. */
void output_guard_descriptors(void) {
    static const int ways[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) (void)!open("/dev/null", ways[fd]);
}
