/* Signals of `heddle exec`: SIGINT, SIGTERM, SIGHUP and SIGQUIT are the program's.
 *
 * A terminal sends its signals to us and to the program; what a process sends comes to us alone and is passed
 * on. We stay to report what the program did. When we are killed the kernel kills the program, and a watcher,
 * which waits for nothing else, removes the temporary folder; processes that the program started notice that
 * it is gone and end, too (opencl/record.c). */
#include "cli/forward.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static volatile sig_atomic_t program; /* its process, 0 before and after */
static volatile sig_atomic_t early;   /* a signal that came before there was one */

static void on_signal(int sig, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code > 0 && program) return; /* the kernel's: a terminal's, which the program has got as well */
    if (program) kill((pid_t)program, sig);
    else early = sig;
}

/* nohup's wish is the program's, too. A script ignores Ctrl-C for what it starts in the background; what is
 * sent to us by hand is meant. */
static bool is_ignored(int sig) {
    struct sigaction old;
    return sig == SIGHUP && sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_IGN;
}

void forward_begin(void) {
    struct sigaction now = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    for (u32 i = 0; i < ARRAY_LEN(signals); i++)
        if (!is_ignored(signals[i])) sigaction(signals[i], &now, NULL);
}

static void block(int how, sigset_t *old) {
    sigset_t set;
    sigemptyset(&set);
    for (u32 i = 0; i < ARRAY_LEN(signals); i++) sigaddset(&set, signals[i]);
    sigprocmask(how, &set, old);
}

pid_t forward_fork(void) {
    pid_t us = getpid();
    block(SIG_BLOCK, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != us) _exit(128 + SIGKILL);
        return 0; /* signals stay blocked until forward_leave */
    }
    if (pid > 0) program = pid;
    block(SIG_UNBLOCK, NULL);
    if (pid > 0 && early) kill(pid, early);
    return pid;
}

void forward_leave(void) {
    for (u32 i = 0; i < ARRAY_LEN(signals); i++)
        if (!is_ignored(signals[i])) signal(signals[i], SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    block(SIG_UNBLOCK, NULL);
}

void forward_end(void) { program = 0; }

/* --- the watcher */

/* The program is being killed, and may make a file meanwhile: a second is enough for what is under way */
static void remove_soon(const char *dir) {
    for (u32 i = 0; i < 20 && access(dir, F_OK) == 0; i++) {
        temp_remove_tree(dir);
        usleep(50000);
    }
}

static _Noreturn void watch(int lifeline, const char *dir) {
    char byte;
    ssize_t n;
    int null = open("/dev/null", O_RDWR);
    setsid();                                      /* what is sent to our group does not reach it */
    for (int fd = 0; fd < 3; fd++) dup2(null, fd); /* nobody waits for it at the other end of a pipe */
    for (u32 i = 0; i < ARRAY_LEN(signals); i++) signal(signals[i], SIG_IGN);
    while ((n = read(lifeline, &byte, 1)) < 0 && errno == EINTR) continue;
    if (n == 0) remove_soon(dir);
    _exit(0);
}

void watcher_start(struct watcher *w, const char *dir) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) {
        close(ends[1]);
        watch(ends[0], dir);
    }
    close(ends[0]);
    w->lifeline = ends[1];
    if (w->pid < 0) close(ends[1]), w->pid = 0;
}

void watcher_end(struct watcher *w) {
    if (!w->pid) return;
    ssize_t n = write(w->lifeline, "", 1);
    (void)n;
    close(w->lifeline);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) continue;
    w->pid = 0;
}
