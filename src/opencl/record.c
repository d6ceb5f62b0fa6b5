/* Writes down what happened for `heddle exec` (report/record.h). One write per record: processes that share the file do not mix theirs. */
#include "opencl/opencl.h"

#include "report/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void append(u32 what, u64 value, const void *body, u32 bytes) {
    const char *path = settings_get()->record;
    if (!path) return;
    struct record_header h = {RECORD_MAGIC, what, (u32)getpid(), bytes, value};
    u8 *all = base_alloc(sizeof(h) + bytes);
    memcpy(all, &h, sizeof(h));
    if (bytes) memcpy(all + sizeof(h), body, bytes);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    ssize_t n = fd >= 0 ? write(fd, all, sizeof(h) + bytes) : -1;
    if (n < 0 && what == RECORD_LAUNCH) fprintf(stderr, "heddle: cannot write %s: results will be missing\n", path);
    if (fd >= 0) close(fd);
    free(all);
}

void record_event(u32 what, u64 value) { append(what, value, NULL, 0); }

void record_launch(struct launch_record *r, const struct launch_stats *s) {
    if (!settings_get()->record) return;
    if (s) {
        r->measured = true;
        r->hash = gpu_counters_hash(s);
        r->stats = *s;
        if (s->occupancy.limiter) snprintf(r->limiter, sizeof(r->limiter), "%s", s->occupancy.limiter);
        r->stats.occupancy.limiter = NULL;
        r->stats.per_sm = NULL;
        r->stats.per_partition = NULL;
        r->stats.k = NULL;
        r->stats.pcs = NULL;
        r->stats.samples = NULL;
        r->stats.npcs = r->stats.nsamples = 0;
    }
    append(RECORD_LAUNCH, r->index, r, sizeof(*r));
}
