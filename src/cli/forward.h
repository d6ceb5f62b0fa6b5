/* What `heddle exec` does with signals, and who cleans up when it is killed (forward.c). */
#ifndef HEDDLE_FORWARD_H
#define HEDDLE_FORWARD_H

#include "base/base.h"

#include <sys/types.h>

void forward_begin(void); /* from here on signals are the program's */
pid_t forward_fork(void); /* as fork; the child dies with us */
void forward_leave(void); /* in the child: signals as a program expects them */
void forward_end(void);   /* the program has ended */

struct watcher {
    pid_t pid; /* 0: none */
    int lifeline;
};
void watcher_start(struct watcher *w, const char *dir); /* removes `dir` should we be killed */
void watcher_end(struct watcher *w);

#endif
