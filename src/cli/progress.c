/* Progress of long runs: after two seconds a line that is rewritten in place on a terminal, or a plain line
 * every ten seconds elsewhere. Also where a signal is noticed (stop.c): the launch is told to stop, and the
 * run goes on from there. */
#include "cli/cli.h"
#include "heddle.h"
#include "report/report.h"

#include <unistd.h>

#define QUIET_S       2.0
#define PLAIN_EVERY_S 10.0

void progress_start(struct progress *p) {
    p->started = clock_seconds();
    p->terminal = isatty(STDERR_FILENO);
    stop_watch(true);
}

static bool due(const struct progress *p, double now) {
    if (now - p->started < QUIET_S) return false;
    if (p->terminal) return true;
    return now - MAX(p->printed, p->started) >= PLAIN_EVERY_S;
}

void progress_end(struct progress *p) {
    stop_watch(false);
    if (p->terminal && p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

static void print_state(const struct progress *p, const struct heddle_progress *now) {
    char cycles[32], total[32], rate[32];
    if (p->label) fprintf(stderr, "%s: ", p->label);
    fprintf(stderr, "%s: %llu of %llu blocks, ", now->kernel, (unsigned long long)now->ctas_done,
            (unsigned long long)now->ctas_total);
    if (now->cycles) fprintf(stderr, "%s cycles, ", report_count(cycles, (double)now->cycles));
    fprintf(stderr, "%s warp instructions, %s a second", report_count(total, (double)(p->before + now->warp_instructions)),
            report_count(rate, now->seconds > 0 ? (double)now->warp_instructions / now->seconds : 0));
}

void progress_update(void *user, const struct heddle_progress *now) {
    struct progress *p = user;
    double t = clock_seconds();
    if (stop_asked() && p->stops) heddle_stop(p->stops);
    if (p->silent || !due(p, t)) return;
    fputs(p->terminal ? "\r" : "", stderr);
    print_state(p, now);
    fputs(p->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
    p->printed = t;
    p->shown = true;
}
