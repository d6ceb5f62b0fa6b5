/* Traces: files that the first context of the process writes, complete when it goes or when the process ends.
 * Until then, and for ever when the process is killed, they are called NAME.incomplete. */
#include "opencl/opencl.h"

#include "report/record.h"

#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    bool taken;   /* there was a first context */
    cl_context c; /* it, while it lives; NULL when there is nothing to write */
    struct output files[TRACES];
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef int (*begin_fn)(struct heddle *, FILE *, const struct heddle_window *);
static const begin_fn begins[TRACES] = {
    [TRACE_KONATA] = heddle_trace_konata, [TRACE_PERFETTO] = heddle_trace_perfetto, [TRACE_REPLAYS] = heddle_trace_replay};

/* Under both locks */
static void finish(void) {
    heddle_trace_end(trace.c->h); /* what it finds of write errors is found again, with a name */
    for (u32 i = 0; i < TRACES; i++) {
        struct strbuf why = {0};
        if (!output_commit(&trace.files[i], &why)) {
            fprintf(stderr, "heddle: %s\n", why.s);
            record_event(RECORD_LOST, 0);
        }
        strbuf_free(&why);
    }
    trace.c = NULL;
}

/* Most programs never release their context. A launch that still runs in another thread keeps its trace: it
 * is cut off. */
static void at_exit(void) {
    if (pthread_mutex_trylock(&trace.lock)) return;
    if (trace.c && pthread_mutex_trylock(&trace.c->sim_lock) == 0) finish();
    pthread_mutex_unlock(&trace.lock);
}

static int open_all(cl_context c) {
    const struct settings *s = settings_get();
    int rc = HEDDLE_OK;
    for (u32 i = 0; i < TRACES && !rc; i++) {
        if (!s->traces[i]) continue;
        struct strbuf why = {0};
        if (!output_open(&trace.files[i], s->traces[i], &why)) {
            fprintf(stderr, "heddle: %s\n", why.s);
            strbuf_free(&why);
            record_event(RECORD_LOST, 0);
            continue;
        }
        if (!trace.c) atexit(at_exit);
        trace.c = c;
        rc = begins[i](c->h, trace.files[i].f, &s->window);
    }
    return rc;
}

int trace_begin(cl_context c) {
    pthread_mutex_lock(&trace.lock);
    int rc = trace.taken ? HEDDLE_OK : open_all(c);
    trace.taken = true;
    pthread_mutex_unlock(&trace.lock);
    return rc;
}

void trace_end(cl_context c) {
    pthread_mutex_lock(&trace.lock);
    if (trace.c == c) finish();
    pthread_mutex_unlock(&trace.lock);
}
