/* Progress of long runs: after two seconds a line that is rewritten in place on a terminal, or a plain line every ten seconds elsewhere.
 * Also where Ctrl-C is noticed: the signal only sets a flag, the next progress call acts on it. */
#include "cli/cli.h"
#include "heddle.h"
#include "report/report.h"

#include <signal.h>
#include <unistd.h>

#define QUIET_S       2.0
#define PLAIN_EVERY_S 10.0

static volatile sig_atomic_t interrupt_seen;

static void on_interrupt(int sig) {
    (void)sig;
    interrupt_seen = 1;
    signal(SIGINT, SIG_DFL); /* a second Ctrl-C ends at once */
}

void progress_start(struct progress *p) {
    p->started = clock_seconds();
    p->terminal = isatty(STDERR_FILENO);
    if (p->interrupted) signal(SIGINT, on_interrupt);
}

static bool due(const struct progress *p, double now) {
    if (now - p->started < QUIET_S) return false;
    if (p->terminal) return true;
    return now - MAX(p->printed, p->started) >= PLAIN_EVERY_S;
}

void progress_update(void *user, const struct heddle_progress *now) {
    struct progress *p = user;
    double t = clock_seconds();
    if (interrupt_seen && p->interrupted) {
        progress_clear(p);
        p->interrupted(p->user, now);
    }
    if (!due(p, t)) return;
    char total[32], rate[32];
    fprintf(stderr, "%s%s: %llu of %llu blocks, %s warp instructions, %s a second%s", p->terminal ? "\r" : "", now->kernel,
            (unsigned long long)now->ctas_done, (unsigned long long)now->ctas_total,
            report_count(total, (double)(p->before + now->warp_instructions)),
            report_count(rate, now->seconds > 0 ? (double)now->warp_instructions / now->seconds : 0),
            p->terminal ? "\033[K" : "\n");
    fflush(stderr);
    p->printed = t;
    p->shown = true;
}

void progress_clear(struct progress *p) {
    if (p->terminal && p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}
