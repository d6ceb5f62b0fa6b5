/* Signals that ask the command to end: Ctrl-C, and what `timeout`, batch systems and closing terminals send.
 *
 * While launches run somebody looks (progress.c), so a signal only sets a flag and what is known is still
 * printed and written. At all other times, and when it comes a second time, it ends the command at once;
 * files that are not whole go with it. A closed pipe is no signal but an error of writing, noticed like every
 * other. */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>

enum { SIGNAL_EXIT = 128 };

static volatile sig_atomic_t watched, seen;

static void on_signal(int sig) {
    if (watched && !seen) {
        seen = sig;
        return;
    }
    output_remove_all();
    signal(sig, SIG_DFL);
    raise(sig); /* delivered when this handler returns */
}

void stop_install(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGPIPE, SIG_IGN);
    for (u32 i = 0; i < ARRAY_LEN(signals); i++) {
        struct sigaction old, now = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigfillset(&now.sa_mask); /* one ends the command; a second one finds it ended */
        if (signals[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue; /* nohup */
        sigaction(signals[i], &now, NULL);
    }
}

void stop_watch(bool on) { watched = on; }
bool stop_asked(void) { return seen != 0; }
int stop_exit_code(void) { return SIGNAL_EXIT + (seen ? (int)seen : SIGINT); }
const char *stop_name(void) { return seen == SIGTERM ? "ended by SIGTERM" : seen == SIGHUP ? "ended by SIGHUP" : "interrupted"; }
