/* Files that are written: beside their name first, as NAME.incomplete, and renamed when they are whole.
 *
 * O1 under its own name stands only what output_commit has seen written to the last byte, or what was there
 *    before
 * O2 NAME.incomplete is locked while somebody writes it: a second run on the same name is refused, one that
 *    was killed is in nobody's way
 * O3 a signal that ends the process leaves no NAME.incomplete, whichever thread it meets, and whatever that
 *    one or another was just about to do (SIGKILL does)
 * O4 what has a place but no contents of its own (standard output, devices, pipes, /dev and /proc) is written
 *    directly
 *
 * Does not model a host that loses power: nothing is forced to the disk. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_OPEN = 256 }; /* further ones are written as well, and not removed by output_remove_all */

static const char *unfinished[MAX_OPEN]; /* behind the door */

/* One at a time has files made, removed or listed, and takes no signal meanwhile: who ends the process from a
 * handler finds every file that is there in the list, and nobody makes one after him. */
static atomic_flag door = ATOMIC_FLAG_INIT;

static bool at_the_door(void) {
    enum { TRIES = 2000 }; /* of a millisecond: the one inside may have been another thread before a fork */
    static const struct timespec a_while = {.tv_nsec = 1000000};
    for (u32 i = 0; atomic_flag_test_and_set(&door); i++) {
        if (i >= TRIES) return false;
        nanosleep(&a_while, NULL);
    }
    return true;
}

static void enter(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    at_the_door();
}

static void leave(const sigset_t *before) {
    int error = errno;
    atomic_flag_clear(&door);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

/* In the list `now` takes the place of `was`; NULL is an empty row */
static void relist(const char *was, const char *now) {
    for (u32 i = 0; i < MAX_OPEN; i++)
        if (unfinished[i] == was) {
            unfinished[i] = now;
            return;
        }
}

void output_remove_all(void) {
    at_the_door();
    for (u32 i = 0; i < MAX_OPEN; i++)
        if (unfinished[i]) unlink(unfinished[i]);
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

/* Opens NAME.incomplete and puts it on the list, or neither */
static int open_listed(const char *temp) {
    sigset_t before;
    enter(&before);
    int fd = open_beside(temp);
    if (fd >= 0) relist(NULL, temp);
    leave(&before);
    return fd;
}

static void remove_listed(const char *temp) {
    sigset_t before;
    enter(&before);
    unlink(temp);
    relist(temp, NULL);
    leave(&before);
}

/* Gives NAME.incomplete its name and takes it from the list; an error leaves it there */
static int rename_listed(const char *temp, const char *target) {
    sigset_t before;
    enter(&before);
    int error = rename(temp, target) == 0 ? 0 : errno;
    if (!error) relist(temp, NULL);
    leave(&before);
    return error;
}

static bool fail(struct output *o, struct strbuf *why, const char *what) {
    if (why) strbuf_add(why, "%s: error: %s", o->path, what);
    if (o->temp) remove_listed(o->temp); /* while the lock is held: nobody else may be writing there yet */
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
    int fd = open_listed(temp);
    if (fd < 0) {
        int error = errno;
        free(temp);
        if (error == EWOULDBLOCK)
            return fail(o, why, "it is being written by another run, or twice by this one; name another file");
        return fail_errno(o, why, error);
    }
    o->temp = temp;
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
    if (!error && o->temp) error = rename_listed(o->temp, o->target);
    if (error) return fail_errno(o, why, error);
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
