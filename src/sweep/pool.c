/* Runs of a plan on this machine, several at a time.
 *
 * As many processes as fit: processors and memory are shared out, a run counting as much memory as the
 * largest earlier run of its program took, or five times its buffers. Threads of one run (-j) grow when fewer
 * runs than processors are left; results do not depend on them.
 *
 * 1. What has ended is in the file before the next look: a turn of the loop is one transaction.
 * 2. However this process ends, the file is whole; runs that were under way have no row, and run again. */
#include "gpu/gpu.h"
#include "sweep/sweep.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUIET_S       2.0 /* before the first line of progress */
#define PLAIN_EVERY_S 10.0
enum { LOOK_MS = 100, MOST_WORKERS = 1024, RUN_B = 64 << 20 };

struct slot {
    struct job job;
    u32 run; /* index */
    u32 attempt, threads;
    u64 expected_b;
};
struct pool {
    const struct plan *plan;
    struct store *store;
    const struct sweep_options *o;
    struct sweep_counts *counts;
    struct pace pace;
    VEC(u32) queue; /* runs to do */
    u32 next;       /* of the queue */
    struct slot *slots;
    u32 nslots, running;
    u32 processors, used_threads;
    u64 memory_b, used_b;
    double began, printed;
    bool terminal, shown;
};

static const char *command_of(const struct plan *plan) { return plan->x->study ? "study" : "sweep"; }
static const char *name_of(const struct pool *p, const struct sweep_run *r) { return p->plan->x->programs.at[r->program].name; }

/* --- what the machine has */

static u64 number_in(const char *path, const char *after) {
    char line[256];
    unsigned long long n = 0;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, after, strlen(after)) == 0 && sscanf(line + strlen(after), "%llu", &n) == 1) break;
    if (f) fclose(f);
    return n;
}

/* Free now, within what the machine and a container's limit leave */
static u64 free_memory(void) {
    u64 host = number_in("/proc/meminfo", "MemAvailable:") << 10, most = number_in("/sys/fs/cgroup/memory.max", "");
    u64 used = number_in("/sys/fs/cgroup/memory.current", "");
    if (most && most > used) host = MIN(host ? host : UINT64_MAX, most - used);
    return host ? host : 1ull << 30;
}

static u64 expected_memory(const struct pool *p, const struct sweep_run *r) {
    const struct experiment *x = p->plan->x;
    double unused;
    u64 peak;
    store_cost(p->store, name_of(p, r), plan_size(p->plan, r), &unused, &peak);
    if (!peak) peak = RUN_B + 5 * x->programs.at[r->program].bytes[r->size];
    return x->limit_bytes ? MIN(peak, x->limit_bytes) : peak;
}

/* --- progress */

static void clear_line(struct pool *p) {
    if (p->terminal && p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

static double elapsed_of_running(const struct pool *p) {
    double sum = 0, now = clock_seconds();
    for (u32 i = 0; i < p->nslots; i++) {
        if (!p->slots[i].job.pid) continue;
        double so_far = now - p->slots[i].job.started, mean = pace_mean(&p->pace, &p->plan->runs.at[p->slots[i].run]);
        sum += MIN(so_far, mean);
    }
    return sum;
}

static void print_estimate(const struct pool *p) {
    char text[32];
    u32 unknown = 0, left = p->queue.n - p->next + p->running;
    double seconds = pace_left(&p->pace, &unknown) - elapsed_of_running(p);
    double at_once = MIN((double)p->nslots, (double)MAX(left, 1u));
    if (seconds <= 0 && unknown) fprintf(stderr, "; no run has ended yet, so nothing is known of the time left");
    else fprintf(stderr, ", %s %s left", unknown ? "perhaps" : "about", value_seconds_text(text, MAX(seconds, 0) / at_once));
    if (seconds > 0 && unknown) fprintf(stderr, " (%u program%s not timed yet)", unknown, unknown == 1 ? "" : "s");
}

static void show_progress(struct pool *p) {
    double now = clock_seconds();
    char text[32];
    if (p->o->quiet || now - p->began < QUIET_S || now - MAX(p->printed, p->began) < (p->terminal ? 0.2 : PLAIN_EVERY_S)) return;
    const struct sweep_counts *c = p->counts;
    fprintf(stderr, "%s%u of %u runs", p->terminal ? "\r" : "", c->done + c->failed, c->runs);
    if (c->failed) fprintf(stderr, ", %u of them failed", c->failed);
    fprintf(stderr, "; %u running, %s so far", p->running, value_seconds_text(text, now - p->began));
    print_estimate(p);
    fputs(p->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
    p->printed = now;
    p->shown = true;
}

/* --- one run */

static u32 threads_for(const struct pool *p) {
    u32 left = p->queue.n - p->next; /* this one among them */
    if (p->plan->x->threads) return (u32)p->plan->x->threads;
    u32 idle = p->processors > p->used_threads ? p->processors - p->used_threads : 1;
    return MAX(1u, idle / MAX(1u, MIN(left, idle)));
}

static bool fits(const struct pool *p, u64 bytes, u32 threads) {
    if (!p->running) return true;
    if (p->used_b + bytes > p->memory_b) return false;
    return p->plan->x->workers || p->used_threads + threads <= p->processors;
}

/* False when the file could not be written or no process made */
static bool start(struct pool *p, struct slot *s, u32 run, u32 threads, u64 bytes, struct strbuf *why) {
    const struct sweep_run *r = &p->plan->runs.at[run];
    *s = (struct slot){.run = run, .threads = threads, .expected_b = bytes};
    s->job.limit_seconds = p->plan->x->limit_seconds;
    s->job.limit_bytes = p->plan->x->limit_bytes;
    if (!store_attempt(p->store, r->hash, &s->attempt)) {
        strbuf_add(why, "%s", store_why(p->store));
        return false;
    }
    char **command = plan_command(p->plan, r, "heddle", threads, "-");
    bool ok = job_start(&s->job, command, why);
    plan_command_free(command);
    if (!ok) return false;
    p->running++;
    p->used_threads += threads;
    p->used_b += bytes;
    return true;
}

static bool start_some(struct pool *p, struct strbuf *why) {
    for (u32 i = 0; i < p->nslots && p->next < p->queue.n; i++) {
        if (p->slots[i].job.pid) continue;
        u32 run = p->queue.at[p->next], threads = threads_for(p);
        u64 bytes = expected_memory(p, &p->plan->runs.at[run]);
        if (!fits(p, bytes, threads)) return true;
        if (!start(p, &p->slots[i], run, threads, bytes, why)) return false;
        p->next++;
    }
    return true;
}

static void tell_failure(struct pool *p, const struct sweep_run *r, const struct result *got) {
    const char *message = got->message ? got->message : "";
    clear_line(p);
    fprintf(stderr, "heddle %s: %s%s%s on %s%s%s: %s: %.*s\n", command_of(p->plan), name_of(p, r),
            *plan_size(p->plan, r) ? " " : "", plan_size(p->plan, r), r->machine, *r->settings ? " with " : "", r->settings,
            got->done ? "not the expected output" : "failed", (int)strcspn(message, "\n"), message);
}

static bool is_wrong(const struct result *r) {
    const struct result_value *ok = result_value(&r->run, "checksum_ok");
    return r->done && ok && ok->kind == RESULT_INTEGER && !ok->i;
}

static bool end(struct pool *p, struct slot *s, struct strbuf *why) {
    const struct sweep_run *r = &p->plan->runs.at[s->run];
    struct result got = {.attempt = s->attempt, .threads = s->threads};
    plan_what(p->plan, r, &got.mem, &got.what);
    p->running--;
    p->used_threads -= s->threads;
    p->used_b -= s->expected_b;
    job_finish(&s->job, &got);
    bool ok = store_put(p->store, &got);
    if (!ok) strbuf_add(why, "%s", store_why(p->store));
    pace_done(&p->pace, r, got.seconds * s->threads);
    if (got.done) p->counts->done++;
    else p->counts->failed++;
    if (is_wrong(&got)) p->counts->wrong++;
    if (!got.done || is_wrong(&got)) tell_failure(p, r, &got);
    result_free(&got);
    return ok;
}

/* --- all of them */

static void wait_a_moment(const struct pool *p) {
    struct pollfd fds[2 * MOST_WORKERS];
    nfds_t n = 0;
    for (u32 i = 0; i < p->nslots; i++) {
        if (!p->slots[i].job.pid) continue;
        if (p->slots[i].job.out >= 0) fds[n++] = (struct pollfd){.fd = p->slots[i].job.out, .events = POLLIN};
        if (p->slots[i].job.err >= 0) fds[n++] = (struct pollfd){.fd = p->slots[i].job.err, .events = POLLIN};
    }
    poll(fds, n, LOOK_MS);
}

static bool look_at_all(struct pool *p, struct strbuf *why) {
    for (u32 i = 0; i < p->nslots; i++) {
        struct slot *s = &p->slots[i];
        if (!s->job.pid) continue;
        job_look(&s->job);
        if (s->job.ended && !end(p, s, why)) return false;
    }
    return true;
}

static void kill_all(struct pool *p) {
    for (u32 i = 0; i < p->nslots; i++) job_kill(&p->slots[i].job, "stopped");
    for (u32 i = 0; i < p->nslots; i++) {
        struct job *j = &p->slots[i].job;
        while (j->pid && !j->ended) {
            poll(NULL, 0, 1);
            job_look(j);
        }
        strbuf_free(&j->text);
        strbuf_free(&j->errors);
    }
}

static int run_all(struct pool *p, struct strbuf *why) {
    while (p->next < p->queue.n || p->running) {
        if (p->o->stop()) return 1;
        if (!start_some(p, why)) return -1;
        if (!store_commit(p->store)) {
            strbuf_add(why, "%s", store_why(p->store));
            return -1;
        }
        wait_a_moment(p);
        if (!look_at_all(p, why)) return -1;
        show_progress(p);
    }
    if (store_commit(p->store)) return 0;
    strbuf_add(why, "%s", store_why(p->store));
    return -1;
}

static bool is_wrong_in(struct store *s, u64 hash) {
    char sql[128];
    snprintf(sql, sizeof(sql), "SELECT 1 FROM runs WHERE run_hash = '%016llx' AND checksum_ok = 0", (unsigned long long)hash);
    return store_number(s, sql) == 1;
}

/* What is in the file already, and what is left */
static void sort_out(const struct plan *plan, struct store *s, bool retry, struct sweep_counts *c, struct pool *p) {
    *c = (struct sweep_counts){0};
    for (u32 i = 0; i < plan->runs.n; i++) {
        const struct sweep_run *r = &plan->runs.at[i];
        if (r->same_as != i) continue;
        enum store_state state = store_state(s, r->hash);
        c->runs++;
        if (state == STORE_DONE) c->done++;
        if (state == STORE_DONE && is_wrong_in(s, r->hash)) c->wrong++;
        bool again = state == STORE_ABSENT || (state == STORE_FAILED && retry);
        if (state == STORE_FAILED && !again) c->failed++;
        if (!again || !p) continue;
        VEC_PUSH(&p->queue, i);
        pace_more(&p->pace, r);
    }
    c->found = c->done + c->failed;
}

void sweep_count(const struct plan *p, struct store *s, struct sweep_counts *c) { sort_out(p, s, false, c, NULL); }

static void share_out(struct pool *p) {
    const struct experiment *x = p->plan->x;
    p->processors = gpu_processors();
    u32 workers = x->workers ? (u32)x->workers : MAX(1u, p->processors / (u32)MAX(x->threads, 1));
    p->nslots = MIN(workers, (u32)MOST_WORKERS);
    p->slots = base_alloc(p->nslots * sizeof(*p->slots));
    p->memory_b = x->host_bytes ? x->host_bytes : free_memory() / 5 * 4;
}

/* Runs are this command, also when its file is replaced meanwhile; they could then not find what lies beside
 * it */
static void pin_data(void) {
    char *data = data_dir("machines");
    if (data) setenv("HEDDLE_DATA", data, 0);
    free(data);
}

int pool_run(const struct plan *plan, struct store *s, const struct sweep_options *o, struct sweep_counts *c) {
    struct pool p = {.plan = plan, .store = s, .o = o, .counts = c, .began = clock_seconds(), .terminal = isatty(STDERR_FILENO)};
    struct strbuf why = {0};
    pin_data();
    pace_init(&p.pace, plan, s);
    sort_out(plan, s, o->retry, c, &p);
    share_out(&p);
    int status = run_all(&p, &why);
    clear_line(&p);
    kill_all(&p);
    store_rollback(s);
    if (status < 0) fprintf(stderr, "heddle %s: error: %s\n", command_of(plan), why.s);
    strbuf_free(&why);
    pace_free(&p.pace);
    free(p.queue.at);
    free(p.slots);
    return status;
}
