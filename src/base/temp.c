/* Temporary folders: HEDDLE_TEMP (what heddle exec gives to the program's side), else TMPDIR, else /tmp;
 * heddle-PID-XXXXXX.
 *
 * T1 a folder is locked by the process that made it, and goes when that is done with it
 * T2 what a killed process left is removed by the next one that makes a folder there: it is ours by name and
 *    owner, its maker is not alive, and nobody holds its lock */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "heddle-"

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *f) {
    (void)s, (void)kind, (void)f;
    return remove(path);
}

void temp_remove_tree(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

const char *temp_root(void) {
    static const char *const names[] = {"HEDDLE_TEMP", "TMPDIR"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) {
        const char *s = getenv(names[i]);
        if (s && *s) return s;
    }
    return "/tmp";
}

/* The maker's process id in a folder's name; 0 when it is none of ours */
static pid_t maker_of(const char *name) {
    char *end;
    if (strncmp(name, PREFIX, strlen(PREFIX))) return 0;
    const char *digits = name + strlen(PREFIX);
    long pid = strtol(digits, &end, 10);
    return end > digits && *end == '-' && strlen(end) == 7 && pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

static bool is_left_over(const char *path, pid_t maker) {
    struct stat st;
    if (kill(maker, 0) == 0 || errno != ESRCH) return false;
    if (lstat(path, &st) != 0 || st.st_uid != geteuid() || !S_ISDIR(st.st_mode)) return false;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool ours = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0) close(fd);
    return ours;
}

void temp_sweep(void) {
    DIR *d = opendir(temp_root());
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d));) {
        pid_t maker = maker_of(e->d_name);
        struct strbuf path = {0};
        if (!maker || maker == getpid()) continue;
        strbuf_add(&path, "%s/%s", temp_root(), e->d_name);
        if (is_left_over(path.s, maker)) temp_remove_tree(path.s);
        strbuf_free(&path);
    }
    closedir(d);
}

bool temp_make(struct temp *t) {
    struct strbuf s = {0};
    *t = (struct temp){.lock = -1};
    temp_sweep();
    strbuf_add(&s, "%s/" PREFIX "%d-XXXXXX", temp_root(), (int)getpid());
    if (!mkdtemp(s.s)) {
        int error = errno;
        strbuf_free(&s);
        errno = error;
        return false;
    }
    t->dir = s.s;
    t->lock = open(t->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->lock >= 0) flock(t->lock, LOCK_SH);
    return true;
}

void temp_remove(struct temp *t) {
    if (t->dir) temp_remove_tree(t->dir);
    if (t->lock >= 0) close(t->lock);
    free(t->dir);
    *t = (struct temp){.lock = -1};
}
