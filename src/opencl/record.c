/* Writes down what happened for `heddle exec` (report/record.h). One write per record: processes that share
 * the file do not mix theirs.
 *
 * With HEDDLE_JSON and no heddle exec around the program, the file is one of our own, and at the end of the
 * process it becomes the same JSON. */
#include "opencl/opencl.h"

#include "report/record.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    pthread_once_t once;
    const char *path; /* NULL: nothing is written down */
    struct temp own;  /* holds the file, when it is ours */
    char *own_path;
    pid_t pid; /* whose process it is: a fork of it has nothing to report */
    double started;
} log_file = {.once = PTHREAD_ONCE_INIT};

static void write_json(void) {
    const struct settings *s = settings_get();
    struct record rec;
    if (log_file.pid != getpid()) return;
    struct output out = {0};
    struct strbuf why = {0};
    if (record_read(log_file.own_path, &rec) && output_open(&out, s->json, &why)) {
        struct play play = {0};
        struct manifest m = {0};
        struct report r = {0};
        struct heddle *h = heddle_open(NULL);
        heddle_set_config(h, &s->machine);
        record_report(&rec, h, program_invocation_short_name, &play, &m, &r);
        r.setup_seconds = MAX(0, clock_seconds() - log_file.started - r.wall_seconds);
        report_write_json(report_json(&r), out.f);
        output_commit(&out, &why);
        record_report_free(&play, &m, &r);
        heddle_close(h);
    }
    if (why.s) fprintf(stderr, "heddle: HEDDLE_JSON: %s\n", why.s);
    strbuf_free(&why);
    record_free(&rec);
    temp_remove(&log_file.own);
}

static void open_log(void) {
    const struct settings *s = settings_get();
    log_file.path = s->record;
    log_file.started = clock_seconds();
    if (s->record || !s->json) return;
    struct strbuf path = {0};
    int fd = -1;
    if (temp_make(&log_file.own)) {
        strbuf_add(&path, "%s/record", log_file.own.dir);
        fd = open(path.s, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    }
    if (fd < 0) {
        fprintf(stderr, "heddle: HEDDLE_JSON: cannot write to %s: %s; TMPDIR names another folder\n", temp_root(),
                strerror(errno));
        return;
    }
    close(fd);
    log_file.path = log_file.own_path = path.s;
    log_file.pid = getpid();
    atexit(write_json);
}

const char *record_path(void) {
    pthread_once(&log_file.once, open_log);
    return log_file.path;
}

/* heddle exec takes its folder with it when it ends, however it ends; who still simulates then does it for
 * nobody */
void record_watch(void) {
    const char *s = settings_get()->record;
    if (!s || access(s, F_OK) == 0 || errno != ENOENT) return;
    fprintf(stderr, "heddle: heddle exec has ended; process %d ends, too\n", (int)getpid());
    _exit(128 + SIGTERM);
}

static void append(u32 what, u64 value, const void *body, u32 bytes) {
    const char *path = record_path();
    if (!path) return;
    struct record_header h = {RECORD_MAGIC, what, (u32)getpid(), bytes, value};
    u8 *all = base_alloc(sizeof(h) + bytes);
    memcpy(all, &h, sizeof(h));
    if (bytes) memcpy(all + sizeof(h), body, bytes);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) record_watch();
    ssize_t n = fd >= 0 ? write(fd, all, sizeof(h) + bytes) : -1;
    if (n != (ssize_t)(sizeof(h) + bytes) && what == RECORD_LAUNCH)
        fprintf(stderr, "heddle: cannot write %s: %s: results will be missing\n", path, strerror(n < 0 ? errno : ENOSPC));
    if (fd >= 0) close(fd);
    free(all);
}

void record_event(u32 what, u64 value) { append(what, value, NULL, 0); }
void record_no_build(const char *log) { append(RECORD_NO_BUILD, 0, log, (u32)strnlen(log, RECORD_LOG_B)); }

static void write_pcs(const struct launch_record *r, const struct launch_stats *s) {
    u32 bytes = RECORD_NAME_B + s->npcs * (u32)sizeof(struct record_pc);
    u8 *body = base_alloc(bytes);
    memcpy(body, r->kernel, RECORD_NAME_B);
    for (u32 i = 0; i < s->npcs; i++) {
        const struct inst *in = &s->k->code[i];
        struct record_pc p = {.stats = s->pcs[i], .flags = in->flags, .iclass = in->iclass};
        if (in->src) {
            p.text_line = in->src->text_line;
            p.line = in->src->line;
            snprintf(p.file, sizeof(p.file), "%s", in->src->file ? in->src->file : "");
            snprintf(p.text, sizeof(p.text), "%s", in->src->text ? in->src->text : "");
        }
        memcpy(body + RECORD_NAME_B + i * sizeof(p), &p, sizeof(p));
    }
    append(RECORD_PCS, r->index, body, bytes);
    free(body);
}

void record_source(const char *kernel, const char *text) {
    static char told[256][RECORD_NAME_B];
    static u32 n;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t len = strnlen(text, RECORD_SOURCE_B);
    pthread_mutex_lock(&lock);
    u32 i = 0;
    while (i < n && strcmp(told[i], kernel)) i++;
    bool first = i == n && n < ARRAY_LEN(told);
    if (first) snprintf(told[n++], RECORD_NAME_B, "%s", kernel);
    pthread_mutex_unlock(&lock);
    if (!first) return;
    u8 *body = base_alloc(RECORD_NAME_B + len);
    snprintf((char *)body, RECORD_NAME_B, "%s", kernel);
    memcpy(body + RECORD_NAME_B, text, len);
    append(RECORD_SOURCE, 0, body, (u32)(RECORD_NAME_B + len));
    free(body);
}

/* Of each kernel only launches longer than those before: a file of a thousand launches stays small. Two
 * contexts may launch at once. */
static bool is_longest(const char *kernel, u64 cycles) {
    static struct {
        char name[RECORD_NAME_B];
        u64 cycles;
    } longest[256];
    static u32 n;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    u32 i = 0;
    while (i < n && strcmp(longest[i].name, kernel)) i++;
    bool known = i < ARRAY_LEN(longest); /* further kernels are not shown over time */
    if (known && i == n) snprintf(longest[n++].name, sizeof(longest[i].name), "%s", kernel);
    bool longer = known && cycles > longest[i].cycles;
    if (longer) longest[i].cycles = cycles;
    pthread_mutex_unlock(&lock);
    return longer;
}

static u8 *put(u8 *at, const void *from, size_t bytes) {
    if (bytes) memcpy(at, from, bytes);
    return at + bytes;
}

static void write_time(const struct launch_record *r, const struct launch_stats *s) {
    size_t samples = s->nsamples * sizeof(*s->samples), sms = (size_t)s->nsamples * s->sms * sizeof(*s->sm_samples),
           blocks = s->time.nblocks * sizeof(*s->time.blocks), insts = s->time.ninsts * sizeof(*s->time.insts);
    struct record_time head = {.stats = *s};
    memcpy(head.kernel, r->kernel, sizeof(head.kernel));
    head.stats.index = r->index;
    size_t bytes = sizeof(head) + samples + sms + blocks + insts;
    u8 *body = base_alloc(bytes), *at = put(body, &head, sizeof(head));
    at = put(at, s->samples, samples);
    at = put(at, s->sm_samples, sms);
    at = put(at, s->time.blocks, blocks);
    put(at, s->time.insts, insts);
    append(RECORD_TIME, r->index, body, (u32)bytes);
    free(body);
}

void record_launch(struct launch_record *r, const struct launch_stats *s) {
    if (!record_path()) return;
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
        r->stats.sm_samples = NULL;
        r->stats.time = (struct timeline_lists){0};
        r->stats.npcs = r->stats.nsamples = 0;
    }
    append(RECORD_LAUNCH, r->index, r, sizeof(*r));
    if (s && s->pcs && settings_get()->by_pc) write_pcs(r, s);
    if (s && s->sm_samples && is_longest(r->kernel, s->cycles)) write_time(r, s);
}
