/* Another program's answer: Slurm's commands. No shell is between, so names need no quotes. */
#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const char *const *words, int out, int err) {
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out, 1);
    dup2(err, 2);
    execvp(words[0], (char *const *)(uintptr_t)words);
    fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* Both pipes to their ends */
static void drain(int fds[2], struct strbuf *to[2]) {
    char piece[4096];
    for (u32 open = 2; open;) {
        struct pollfd at[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
        if (poll(at, 2, -1) < 0 && errno != EINTR) break;
        for (u32 i = 0; i < 2; i++) {
            if (fds[i] < 0 || !(at[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
            ssize_t n = read(fds[i], piece, sizeof(piece));
            if (n > 0) strbuf_add(to[i], "%.*s", (int)n, piece);
            if (n > 0 || (n < 0 && errno == EINTR)) continue;
            close(fds[i]);
            fds[i] = -1;
            open--;
        }
    }
}

bool tool_run(const char *const *words, struct strbuf *out, struct strbuf *errors) {
    int o[2], e[2], status = 0;
    if (pipe2(o, O_CLOEXEC) != 0) return false;
    if (pipe2(e, O_CLOEXEC) != 0) {
        close(o[0]);
        close(o[1]);
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become(words, o[1], e[1]);
    close(o[1]);
    close(e[1]);
    int fds[2] = {o[0], e[0]};
    struct strbuf *to[2] = {out, errors};
    drain(fds, to);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
