/* Running the compiler: a process that dies with the thread that waits for it, within limits, and with a line
 * on standard error while it takes long.
 *
 *   HEDDLE_COMPILE_SECONDS   processor time of one run of the compiler; default 3600
 *   HEDDLE_COMPILE_MEMORY    bytes of memory of one run of the compiler; default 32 GiB
 *
 * A kernel of some hundred lines takes tenths of a second; one of 24 MB of IR takes minutes and some GiB. */
#include "base/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET_S       2.0
#define PLAIN_EVERY_S 10.0

struct bounds { /* of one run */
    u64 seconds, bytes;
};

/* In the child, after fork: nothing but system calls */
static _Noreturn void become(char *const *argv, const char *path, const char *log, const struct bounds *b, pid_t parent) {
    const struct rlimit seconds = {b->seconds, b->seconds + 5}, bytes = {b->bytes, b->bytes};
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    int in = open("/dev/null", O_RDWR), err = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in < 0 || err < 0 || dup2(in, 0) < 0 || dup2(in, 1) < 0 || dup2(err, 2) < 0) _exit(126);
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &bytes);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    execv(path, argv);
    _exit(127);
}

/* Seconds since it began; the line is rewritten on a terminal, and comes every ten seconds elsewhere */
static void tell(const struct compiler *t, double seconds, double *told) {
    bool terminal = isatty(STDERR_FILENO);
    if (!t->progress || seconds < QUIET_S || (!terminal && seconds - *told < PLAIN_EVERY_S)) return;
    fprintf(stderr, "%sheddle: %s, %.1f MB of text, for %.0f s%s", terminal ? "\r" : "", t->what, (double)t->input_b / 1e6,
            seconds, terminal ? "\033[K" : "\n");
    fflush(stderr);
    *told = seconds;
}

static void tell_end(const struct compiler *t, double seconds, double told, const struct rusage *ru) {
    if (told <= 0) return;
    fprintf(stderr, "%sheddle: %s took %.0f s and %.1f GiB of memory\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", t->what,
            seconds, (double)ru->ru_maxrss / (1 << 20));
}

/* Waits; false when the program's own handler took the process from us: the output file will tell */
static bool wait_for(const struct compiler *t, pid_t pid, int *status) {
    double start = clock_seconds(), told = 0;
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd p = {fd, POLLIN, 0};
    struct rusage ru = {0};
    pid_t got;
    while ((got = wait4(pid, status, WNOHANG, &ru)) == 0 || (got < 0 && errno == EINTR)) {
        if (fd >= 0) poll(&p, 1, 200);
        else usleep(10000);
        tell(t, clock_seconds() - start, &told);
    }
    if (fd >= 0) close(fd);
    tell_end(t, clock_seconds() - start, told, &ru);
    return got == pid;
}

static void say_signal(int sig, const struct bounds *b, struct strbuf *why) {
    if (sig == SIGXCPU || sig == SIGKILL)
        strbuf_add(why,
                   "error: the compiler was stopped: it may take %llu s of processor time (HEDDLE_COMPILE_SECONDS) and the "
                   "memory of the host\n",
                   (unsigned long long)b->seconds);
    else
        strbuf_add(why, "error: the compiler was ended by signal %d; it may take %.1f GiB of memory (HEDDLE_COMPILE_MEMORY)\n",
                   sig, (double)b->bytes / (1u << 30));
}

bool compiler_find(const char *name, struct strbuf *out) {
    const char *path = getenv("PATH");
    if (strchr(name, '/')) {
        strbuf_add(out, "%s", name);
        return access(name, X_OK) == 0;
    }
    for (path = path ? path : "/usr/bin:/bin"; *path;) {
        size_t n = strcspn(path, ":");
        strbuf_free(out);
        *out = (struct strbuf){0};
        strbuf_add(out, "%.*s/%s", (int)n, path, name);
        if (access(out->s, X_OK) == 0) return true;
        path += n + (path[n] == ':');
    }
    return false;
}

bool compiler_run(const struct compiler *t, struct strbuf *why) {
    const struct bounds b = {env_count("HEDDLE_COMPILE_SECONDS"), env_count("HEDDLE_COMPILE_MEMORY")};
    struct strbuf path = {0};
    int status = 0;
    if (!compiler_find(t->argv[0], &path)) {
        strbuf_free(&path);
        strbuf_add(why, "error: there is no program %s in PATH\n", t->argv[0]);
        return false;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) become(t->argv, path.s, t->log, &b, parent);
    strbuf_free(&path);
    if (pid < 0) {
        strbuf_add(why, "error: cannot start %s: %s\n", t->argv[0], strerror(errno));
        return false;
    }
    if (!wait_for(t, pid, &status)) return true;
    if (WIFSIGNALED(status)) say_signal(WTERMSIG(status), &b, why);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
