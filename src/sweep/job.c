/* One run as a process: `heddle run ... --json -`, its results through a pipe, its messages through another.
 *
 * 1. It dies with us: no run goes on that nobody waits for.
 * 2. It is in a process group of its own, so that Ctrl-C reaches us alone and we decide.
 * 3. Over its limit of time or memory it is killed, and that is its message. Memory is looked at ten times a
 *    second, so a run may go over for a moment.
 *
 * Nothing is written to disk: a run that is killed leaves nothing behind. */
#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_B = 1 << 16, MESSAGE_B = 4000 }; /* of standard error: its end is kept, its errors are the message */

static _Noreturn void become(char *const *command, int out, int err, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); /* it died before it could be heard of */
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out, 1);
    dup2(err, 2);
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); /* should memory end, a run goes and not the sweep */
    if (score >= 0 && write(score, "500", 3) < 0) close(score);
    execv("/proc/self/exe", command);
    execv(command[0], command);
    fprintf(stderr, "error: cannot start %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

static double since_1970(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static u64 resident_b(pid_t pid) {
    char path[64];
    unsigned long long size, pages = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%llu %llu", &size, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (u64)pages * (u64)sysconf(_SC_PAGESIZE);
}

bool job_start(struct job *j, char *const *command, struct strbuf *why) {
    int out[2], err[2] = {-1, -1};
    pid_t parent = getpid();
    if (pipe2(out, O_CLOEXEC) != 0 || (pipe2(err, O_CLOEXEC) != 0 && (close(out[0]), close(out[1]), true))) {
        strbuf_add(why, "cannot start a run: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become(command, out[1], err[1], parent);
    close(out[1]);
    close(err[1]);
    if (pid < 0) {
        strbuf_add(why, "cannot start a run: %s", strerror(errno));
        close(out[0]);
        close(err[0]);
        return false;
    }
    setpgid(pid, pid);
    j->ours_b = resident_b(parent); /* a process begins with its parent's pages, which count as its own */
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    j->pid = pid, j->out = out[0], j->err = err[0];
    j->started = clock_seconds();
    j->started_at = since_1970();
    return true;
}

/* False when the other end is closed */
static bool take(int *fd, struct strbuf *to) {
    char piece[KEPT_B];
    for (;;) {
        ssize_t n = *fd < 0 ? 0 : read(*fd, piece, sizeof(piece));
        if (n > 0) strbuf_add(to, "%.*s", (int)n, piece);
        if (n > 0 || (n < 0 && errno == EINTR)) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        if (*fd >= 0) close(*fd);
        *fd = -1;
        return false;
    }
}

static void keep_end(struct strbuf *s) {
    if (s->len <= 2 * KEPT_B) return;
    memmove(s->s, s->s + s->len - KEPT_B, KEPT_B + 1);
    s->len = KEPT_B;
}

void job_kill(struct job *j, const char *why) {
    if (!j->pid || j->ended) return;
    if (!j->killed) j->killed = why;
    kill(-j->pid, SIGKILL);
    kill(j->pid, SIGKILL);
}

static double processor_seconds(const struct rusage *u) {
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) + (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

void job_look(struct job *j) {
    bool open = take(&j->out, &j->text);
    open = take(&j->err, &j->errors) || open;
    keep_end(&j->errors);
    if (j->limit_seconds > 0 && clock_seconds() - j->started > j->limit_seconds) job_kill(j, "time");
    if (j->limit_bytes && resident_b(j->pid) > j->limit_bytes) job_kill(j, "memory");
    struct rusage used;
    if (open && !j->killed) return;
    pid_t got = wait4(j->pid, &j->status, open ? WNOHANG : 0, &used);
    if (got != j->pid) return;
    take(&j->out, &j->text);
    take(&j->err, &j->errors);
    if (j->out >= 0) close(j->out);
    if (j->err >= 0) close(j->err);
    j->ended = true;
    j->peak_b = (u64)used.ru_maxrss * 1024;
    if (!j->killed && j->limit_bytes > j->ours_b && j->peak_b > j->limit_bytes) j->killed = "memory"; /* between two looks */
    j->cpu_seconds = processor_seconds(&used);
}

/* --- what it gave */

/* From the first line that says what is wrong; all when none does. Progress goes. */
static const char *message_of(struct arena *mem, const struct strbuf *errors) {
    const char *text = errors->s ? errors->s : "", *from = NULL;
    static const char *const signs[] = {"error:", "fault:", "CHECK", "ERROR:", "deadlock"};
    for (const char *line = text; *line && !from;) {
        size_t n = strcspn(line, "\n");
        for (u32 i = 0; i < ARRAY_LEN(signs) && !from; i++) {
            const char *hit = strstr(line, signs[i]);
            if (hit && hit < line + n) from = line;
        }
        line += n + (line[n] == '\n');
    }
    if (!from) from = text;
    size_t n = MIN(strlen(from), (size_t)MESSAGE_B);
    while (n && (from[n - 1] == '\n' || from[n - 1] == ' ')) n--;
    char *message = arena_strdup(mem, from, n);
    text_make_safe(message);
    return message;
}

static const char *failure_of(const struct job *j, struct result *r) {
    char time[32];
    if (j->killed && strcmp(j->killed, "time") == 0)
        return arena_printf(&r->mem, "over its limit of time, %s", value_seconds_text(time, j->limit_seconds));
    if (j->killed && strcmp(j->killed, "memory") == 0)
        return arena_printf(&r->mem, "over its limit of memory, %llu MiB", (unsigned long long)(j->limit_bytes >> 20));
    if (WIFSIGNALED(j->status)) {
        const char *said = message_of(&r->mem, &j->errors);
        return arena_printf(&r->mem, "ended by signal %d (%s)%s%s", WTERMSIG(j->status), strsignal(WTERMSIG(j->status)),
                            *said ? ": " : "", said);
    }
    const char *said = message_of(&r->mem, &j->errors);
    return *said ? said : arena_printf(&r->mem, "ended with exit code %d and no message", WEXITSTATUS(j->status));
}

/* 0: as expected, 1: not the expected output, which is a result too */
static bool gave_result(const struct job *j) { return !j->killed && WIFEXITED(j->status) && WEXITSTATUS(j->status) <= 1; }

void job_finish(struct job *j, struct result *r) {
    char host[128] = "";
    struct strbuf why = {0};
    gethostname(host, sizeof(host) - 1);
    r->host = arena_strdup(&r->mem, host, strlen(host));
    r->commit = build_commit();
    r->started = j->started_at;
    r->seconds = clock_seconds() - j->started;
    r->cpu_seconds = j->cpu_seconds;
    r->peak_b = j->peak_b;
    r->exit_code = WIFSIGNALED(j->status) ? 128 + WTERMSIG(j->status) : WEXITSTATUS(j->status);
    json_t *result = gave_result(j) && j->text.s ? json_loadb(j->text.s, j->text.len, 0, NULL) : NULL;
    r->done = result && result_take(r, result, &why);
    if (!r->done) r->message = why.len ? arena_printf(&r->mem, "%s", why.s) : failure_of(j, r);
    else if (r->exit_code) r->message = message_of(&r->mem, &j->errors);
    json_decref(result);
    strbuf_free(&why);
    strbuf_free(&j->text);
    strbuf_free(&j->errors);
    *j = (struct job){0};
}
