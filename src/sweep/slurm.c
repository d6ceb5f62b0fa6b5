/* Runs of a plan on a cluster, as job arrays of Slurm. This process hands them in, waits, and is the only one
 * that touches the SQLite file; tasks leave one file each on the shared file system (task.c), and this
 * process takes them in (collect.c).
 *
 * A run is *out* while a task for it is in Slurm's queue, pending or running. What is neither in the file nor
 * out has been lost: a node died, a quota was full, somebody cancelled it. It is handed in again, at most
 * `attempts` times, then recorded as failed.
 *
 * 1. A batch is in the file, by name, before Slurm has it: killed at any moment, we know at the next start
 *    what may be out there.
 * 2. When Slurm does not answer nothing is handed in: a controller that restarts has forgotten nothing.
 * 3. Two tasks may have one run (handed in twice); the row is one. */
#include "sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLAIN_EVERY_S 10.0

struct cluster {
    const struct plan *plan;
    struct store *store;
    const struct sweep_options *o;
    struct sweep_counts *counts;
    const char *folder;
    u64 mark;         /* in the names of our jobs: of the database's path */
    VEC(u32) missing; /* runs without a row */
    VEC(u64) out;     /* hashes of runs that are in the queue; sorted */
    u32 pending, running;
    bool answered; /* Slurm did, the last time */
    double began, printed;
};

static bool fail(struct strbuf *why, const struct store *s) {
    strbuf_add(why, "%s", store_why(s));
    return false;
}

/* --- what is out */

static int by_value(const void *a, const void *b) {
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static bool is_out(const struct cluster *c, u64 hash) {
    return c->out.n && bsearch(&hash, c->out.at, c->out.n, sizeof(u64), by_value);
}

static void cancel(const char *job, const char *task) {
    char id[96];
    struct strbuf out = {0}, errors = {0};
    snprintf(id, sizeof(id), "%s_%s", job, task);
    const char *const words[] = {"scancel", id, NULL};
    tool_run(words, &out, &errors);
    strbuf_free(&out);
    strbuf_free(&errors);
}

static void add_out(struct cluster *c, u64 batch, u64 task) {
    sqlite3_stmt *q;
    if (!store_prepare(c->store, "SELECT run_hash FROM tasks WHERE batch = ? AND task = ?", &q)) return;
    sqlite3_bind_int64(q, 1, (i64)batch);
    sqlite3_bind_int64(q, 2, (i64)task);
    if (sqlite3_step(q) == SQLITE_ROW) {
        u64 hash = strtoull((const char *)sqlite3_column_text(q, 0), NULL, 16);
        VEC_PUSH(&c->out, hash);
    }
    sqlite3_finalize(q);
}

/* "heddle-MARK-BATCH|JOB|TASK|STATE|REASON" */
static void take_line(struct cluster *c, char *line) {
    char *field[5] = {line}, *end;
    for (u32 i = 1; i < 5; i++) {
        field[i] = strchr(field[i - 1], '|');
        if (!field[i]) return;
        *field[i]++ = 0;
    }
    char mark[48];
    snprintf(mark, sizeof(mark), "heddle-%016llx-", (unsigned long long)c->mark);
    if (strncmp(field[0], mark, strlen(mark)) != 0) return;
    u64 batch = strtoull(field[0] + strlen(mark), &end, 10), task = strtoull(field[2], NULL, 10);
    if (strstr(field[4], "held") || strstr(field[4], "Held")) { /* it would wait for ever, and we with it */
        cancel(field[1], field[2]);
        return;
    }
    if (strcmp(field[3], "PD") == 0) c->pending++;
    else c->running++;
    add_out(c, batch, task);
}

static void look_at_queue(struct cluster *c) {
    char user[32];
    struct strbuf out = {0}, errors = {0};
    snprintf(user, sizeof(user), "%u", (u32)getuid());
    const char *const words[] = {"squeue", "--noheader", "--array", "--user", user, "--format", "%j|%F|%K|%t|%r", NULL};
    bool ok = tool_run(words, &out, &errors);
    if (!ok && (c->answered || !c->printed))
        fprintf(stderr, "heddle sweep: Slurm does not answer (%.*s); waiting for it\n",
                (int)strcspn(errors.s ? errors.s : "", "\n"), errors.s ? errors.s : "");
    c->answered = ok;
    c->out.n = c->pending = c->running = 0;
    for (char *line = ok ? out.s : NULL; line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        take_line(c, line);
        line = end ? end + 1 : NULL;
    }
    if (c->out.n) qsort(c->out.at, c->out.n, sizeof(u64), by_value);
    strbuf_free(&out);
    strbuf_free(&errors);
}

/* --- handing in */

struct batch {
    u64 number;
    char name[64];
    char *tasks, *script;
    VEC(u32) runs;
    VEC(u32) attempts;
};

static bool write_script(const struct cluster *c, struct batch *b, struct strbuf *why) {
    struct output o;
    char *heddle = realpath("/proc/self/exe", NULL);
    if (!output_open(&o, b->script, why)) return false;
    fprintf(o.f, "#!/bin/sh\n# handed in by heddle sweep; each task makes one run and leaves one file beside this one\n");
    struct strbuf text = {0};
    strbuf_add(&text, "cd ");
    shell_word(&text, c->folder);
    strbuf_add(&text, " || exit 2\nexec ");
    shell_word(&text, heddle ? heddle : "heddle");
    strbuf_add(&text, " sweep --task ");
    shell_word(&text, b->tasks);
    fprintf(o.f, "%s:\"$SLURM_ARRAY_TASK_ID\"\n", text.s);
    strbuf_free(&text);
    free(heddle);
    return output_commit(&o, why);
}

static bool remember_batch(struct cluster *c, struct batch *b, struct strbuf *why) {
    sqlite3_stmt *q;
    if (!store_begin(c->store)) return fail(why, c->store);
    b->number = store_number(c->store, "SELECT coalesce(max(batch), 0) + 1 FROM batches");
    snprintf(b->name, sizeof(b->name), "heddle-%016llx-%llu", (unsigned long long)c->mark, (unsigned long long)b->number);
    if (!store_prepare(c->store, "INSERT INTO batches VALUES(?, ?, datetime('now'))", &q)) return fail(why, c->store);
    sqlite3_bind_int64(q, 1, (i64)b->number);
    sqlite3_bind_text(q, 2, b->name, -1, SQLITE_STATIC);
    if (!store_finish(c->store, q)) return fail(why, c->store);
    for (u32 i = 0; i < b->runs.n; i++) {
        u64 hash = c->plan->runs.at[b->runs.at[i]].hash;
        u32 attempt;
        if (!store_attempt(c->store, hash, &attempt)) return fail(why, c->store);
        VEC_PUSH(&b->attempts, attempt);
        if (!store_prepare(c->store, "INSERT INTO tasks VALUES(?, ?, ?)", &q)) return fail(why, c->store);
        sqlite3_bind_int64(q, 1, (i64)b->number);
        sqlite3_bind_int(q, 2, (int)i);
        store_bind_hash(q, 3, hash);
        if (!store_finish(c->store, q)) return fail(why, c->store);
    }
    return store_commit(c->store) || fail(why, c->store);
}

/* A name as sbatch's patterns write it: their sign twice */
static const char *pattern_text(struct arena *mem, const char *name) {
    struct strbuf s = {0};
    for (; *name; name++) strbuf_add(&s, *name == '%' ? "%%%%" : "%c", *name);
    const char *text = arena_strdup(mem, s.s ? s.s : "", s.len);
    strbuf_free(&s);
    return text;
}

static bool call_sbatch(struct cluster *c, struct batch *b, struct strbuf *why) {
    const struct sweep_slurm *s = &c->plan->x->slurm;
    struct arena mem = {0};
    struct sweep_words w = {0};
    struct strbuf out = {0}, errors = {0};
    VEC_PUSH(&w.v, "sbatch");
    VEC_PUSH(&w.v, "--parsable");
    VEC_PUSH(&w.v, "--requeue");
    VEC_PUSH(&w.v, arena_printf(&mem, "--job-name=%s", b->name));
    VEC_PUSH(&w.v, arena_printf(&mem, "--output=%s/%%A_%%a.out", pattern_text(&mem, c->folder)));
    VEC_PUSH(&w.v, arena_printf(&mem, "--cpus-per-task=%llu", (unsigned long long)s->cpus));
    const char *limit = s->at_once ? arena_printf(&mem, "%%%llu", (unsigned long long)s->at_once) : "";
    VEC_PUSH(&w.v, arena_printf(&mem, "--array=0-%u%s", b->runs.n - 1, limit));
    if (s->partition) VEC_PUSH(&w.v, arena_printf(&mem, "--partition=%s", s->partition));
    if (s->time) VEC_PUSH(&w.v, arena_printf(&mem, "--time=%s", s->time));
    if (s->memory) VEC_PUSH(&w.v, arena_printf(&mem, "--mem=%s", s->memory));
    if (s->account) VEC_PUSH(&w.v, arena_printf(&mem, "--account=%s", s->account));
    if (s->qos) VEC_PUSH(&w.v, arena_printf(&mem, "--qos=%s", s->qos));
    for (u32 i = 0; i < s->options.v.n; i++) VEC_PUSH(&w.v, s->options.v.at[i]);
    VEC_PUSH(&w.v, b->script);
    VEC_PUSH(&w.v, NULL);
    bool ok = tool_run(w.v.at, &out, &errors);
    if (ok && !c->o->quiet)
        fprintf(stderr, "heddle sweep: job %.*s: %u run%s\n", (int)strcspn(out.s ? out.s : "?", ";\n"), out.s ? out.s : "?",
                b->runs.n, b->runs.n == 1 ? "" : "s");
    if (!ok)
        strbuf_add(why, "sbatch: %.*s", (int)strcspn(errors.s ? errors.s : "no answer", "\n"), errors.s ? errors.s : "no answer");
    free(w.v.at);
    strbuf_free(&out);
    strbuf_free(&errors);
    arena_free(&mem);
    return ok;
}

/* Its tasks never were in the queue */
static void forget_batch(struct cluster *c, const struct batch *b) {
    char sql[128];
    snprintf(sql, sizeof(sql), "DELETE FROM tasks WHERE batch = %llu", (unsigned long long)b->number);
    if (store_begin(c->store) && store_do(c->store, sql)) store_commit(c->store);
}

static bool hand_in(struct cluster *c, struct batch *b, struct strbuf *why) {
    struct strbuf tasks = {0}, script = {0};
    u32 threads = (u32)(c->plan->x->threads ? c->plan->x->threads : MIN(c->plan->x->slurm.cpus, SWEEP_MOST_THREADS));
    bool ok = remember_batch(c, b, why);
    strbuf_add(&tasks, "%s/batch-%llu.tasks", c->folder, (unsigned long long)b->number);
    strbuf_add(&script, "%s/batch-%llu.sh", c->folder, (unsigned long long)b->number);
    b->tasks = tasks.s, b->script = script.s;
    ok = ok && task_write(c->plan, b->runs.at, b->attempts.at, b->runs.n, threads, b->tasks, why) && write_script(c, b, why);
    if (ok && !call_sbatch(c, b, why)) {
        forget_batch(c, b);
        ok = false;
    }
    store_rollback(c->store);
    strbuf_free(&tasks);
    strbuf_free(&script);
    return ok;
}

static u64 times_handed_in(struct cluster *c, u64 hash) {
    char sql[128];
    snprintf(sql, sizeof(sql), "SELECT count(*) FROM tasks WHERE run_hash = '%016llx'", (unsigned long long)hash);
    return store_number(c->store, sql);
}

/* After the last attempt: a row that says so */
static bool give_up(struct cluster *c, u32 run, u64 times, struct strbuf *why) {
    struct result r = {.exit_code = -1, .host = "", .commit = build_commit(), .started = (double)time(NULL)};
    char sql[128];
    plan_what(c->plan, &c->plan->runs.at[run], &r.mem, &r.what);
    r.message = arena_printf(&r.mem, "left no result in %llu submissions to Slurm; what its tasks said is in %s/*.out",
                             (unsigned long long)times, c->folder);
    snprintf(sql, sizeof(sql), "SELECT max(attempt) FROM attempts WHERE run_hash = '%016llx'", (unsigned long long)r.what.hash);
    r.attempt = (u32)store_number(c->store, sql);
    fprintf(stderr, "heddle sweep: %s %s on %s: failed: %s\n", r.what.program, r.what.size, r.what.machine, r.message);
    snprintf(sql, sizeof(sql), "DELETE FROM tasks WHERE run_hash = '%016llx'", (unsigned long long)r.what.hash);
    bool ok = (store_put(c->store, &r) && store_do(c->store, sql) && store_commit(c->store)) || fail(why, c->store);
    result_free(&r);
    return ok;
}

/* What is missing and not out goes out, in arrays of at most `array` */
static bool hand_in_lost(struct cluster *c, struct strbuf *why) {
    struct batch b = {0};
    bool ok = true;
    for (u32 i = 0; ok && i <= c->missing.n; i++) {
        bool last = i == c->missing.n;
        if (!last && !is_out(c, c->plan->runs.at[c->missing.at[i]].hash)) {
            u64 times = times_handed_in(c, c->plan->runs.at[c->missing.at[i]].hash);
            if (times >= c->plan->x->slurm.attempts) ok = give_up(c, c->missing.at[i], times, why);
            else VEC_PUSH(&b.runs, c->missing.at[i]);
        }
        if (!ok || !b.runs.n || (!last && b.runs.n < c->plan->x->slurm.array)) continue;
        ok = hand_in(c, &b, why);
        b.runs.n = b.attempts.n = 0;
    }
    free(b.runs.at);
    free(b.attempts.at);
    return ok;
}

/* --- waiting */

static void find_missing(struct cluster *c, bool retry) {
    sweep_count(c->plan, c->store, c->counts);
    c->missing.n = 0;
    for (u32 i = 0; i < c->plan->runs.n; i++) {
        const struct sweep_run *r = &c->plan->runs.at[i];
        enum store_state state = r->same_as == i ? store_state(c->store, r->hash) : STORE_DONE;
        if (state == STORE_ABSENT || (state == STORE_FAILED && retry)) VEC_PUSH(&c->missing, i);
    }
}

/* Rows of failed runs go, so that they are missing like others */
static bool forget_failed(struct cluster *c, struct strbuf *why) {
    bool ok = store_begin(c->store) &&
              store_do(c->store, "DELETE FROM runs WHERE status = 'failed' AND run_hash IN (SELECT run_hash FROM plan)") &&
              store_commit(c->store);
    return ok || fail(why, c->store);
}

static void show_progress(struct cluster *c) {
    double now = clock_seconds();
    char text[32];
    if (c->o->quiet || now - MAX(c->printed, c->began) < PLAIN_EVERY_S) return;
    fprintf(stderr, "%u of %u runs", c->counts->done + c->counts->failed, c->counts->runs);
    if (c->counts->failed) fprintf(stderr, ", %u of them failed", c->counts->failed);
    fprintf(stderr, "; %u running and %u waiting in Slurm, %s so far\n", c->running, c->pending,
            value_seconds_text(text, now - c->began));
    c->printed = now;
}

static void pause_for(const struct cluster *c, double seconds) {
    static const struct timespec moment = {0, 100000000};
    double end = clock_seconds() + seconds;
    while (clock_seconds() < end && !c->o->stop()) nanosleep(&moment, NULL);
}

static int wait_for_all(struct cluster *c, struct strbuf *why) {
    for (;;) {
        look_at_queue(c); /* before the files: a task that ends in between has its file looked for */
        i32 came = collect_all(c->plan, c->store);
        if (came < 0) return -1;
        find_missing(c, false);
        if (!c->missing.n) return 0;
        if (c->o->stop()) return 1;
        if (c->answered && !hand_in_lost(c, why)) return -1;
        find_missing(c, false);
        show_progress(c);
        pause_for(c, came ? MIN(1.0, c->plan->x->slurm.poll) : c->plan->x->slurm.poll);
    }
}

int slurm_run(const struct plan *plan, struct store *s, const struct sweep_options *o, struct sweep_counts *counts) {
    char *where = realpath(plan->x->database, NULL);
    struct cluster c = {.plan = plan, .store = s, .o = o, .counts = counts, .began = clock_seconds(), .answered = true};
    struct strbuf why = {0};
    c.folder = collect_folder(plan->x);
    c.mark = hash_fnv1a64(FNV1A64_START, where ? where : plan->x->database, strlen(where ? where : plan->x->database));
    int status = 0;
    if (mkdir(c.folder, 0777) != 0 && errno != EEXIST) {
        strbuf_add(&why, "%s: cannot write: %s", c.folder, strerror(errno));
        status = -1;
    } else if (o->retry && !forget_failed(&c, &why)) status = -1;
    if (!status) status = wait_for_all(&c, &why);
    if (status > 0) fprintf(stderr, "heddle sweep: what is in Slurm's queue goes on; the same command collects it\n");
    if (status < 0 && why.len) fprintf(stderr, "heddle sweep: error: %s\n", why.s);
    strbuf_free(&why);
    free(c.missing.at);
    free(c.out.at);
    free(where);
    return status;
}
