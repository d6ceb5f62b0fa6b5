/* One run on a node of a cluster. A batch is a text with a line for each task: which run, its command line,
 * its limits. A task makes its run, and leaves one file: NAME of the run's hash, whole or not there
 * (base/output.c).
 *
 * 1. A task whose file is there already does nothing: it was requeued after it had ended, or handed in twice.
 * 2. A task that is killed leaves nothing; whoever waits for it hands the run in again.
 * 3. Where the file cannot be written (a full quota) it is tried again for a while, then the task fails. */
#include "sweep/sweep.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITE_TRIES = 5, WRITE_PAUSE_MS = 2000, LOOK_MS = 100 };

/* --- batches */

static json_t *task_json(const struct plan *p, const struct sweep_run *r, u32 attempt, u32 threads) {
    struct result about = {.attempt = attempt, .threads = threads};
    plan_what(p, r, &about.mem, &about.what);
    json_t *o = result_json(&about), *words = json_array();
    char **command = plan_command(p, r, "heddle", threads, "-"), *file = collect_file(p->x, r->hash);
    for (u32 i = 0; command[i]; i++) json_array_append_new(words, json_string(command[i]));
    json_object_set_new(o, "command", words);
    json_object_set_new(o, "file", json_string(file));
    json_object_set_new(o, "limit_seconds", json_real(p->x->limit_seconds));
    json_object_set_new(o, "limit_bytes", json_integer((json_int_t)p->x->limit_bytes));
    plan_command_free(command);
    free(file);
    result_free(&about);
    return o;
}

bool task_write(const struct plan *p, const u32 *runs, const u32 *attempts, u32 n, u32 threads, const char *path,
                struct strbuf *why) {
    struct output o;
    if (!output_open(&o, path, why)) return false;
    for (u32 i = 0; i < n; i++) {
        json_t *task = task_json(p, &p->runs.at[runs[i]], attempts[i], threads);
        json_dumpf(task, o.f, JSON_COMPACT | JSON_PRESERVE_ORDER);
        fputc('\n', o.f);
        json_decref(task);
    }
    return output_commit(&o, why);
}

/* --- one task */

static json_t *read_task(const char *path, u64 index) {
    struct strbuf why = {0};
    size_t len = 0;
    char *text = limit_read_file(path, LIMIT_OTHER, &len, &why), *line = text;
    for (u64 i = 0; line && i < index; i++) {
        line = strchr(line, '\n');
        if (line) line++;
    }
    json_t *task = line && *line ? json_loadb(line, strcspn(line, "\n"), 0, NULL) : NULL;
    if (!task)
        fprintf(stderr, "heddle sweep: %s: task %llu: %s\n", path, (unsigned long long)index, why.len ? why.s : "there is none");
    strbuf_free(&why);
    free(text);
    return task;
}

static bool leave_file(const struct result *r, const char *path) {
    for (u32 i = 0; i < WRITE_TRIES; i++) {
        struct output o;
        struct strbuf why = {0};
        json_t *j = result_json(r);
        bool ok = output_open(&o, path, &why);
        if (ok) json_dumpf(j, o.f, JSON_COMPACT | JSON_PRESERVE_ORDER);
        ok = ok && fflush(o.f) == 0 && fsync(fileno(o.f)) == 0;
        if (ok) ok = output_commit(&o, &why);
        else if (o.path) {
            strbuf_add(&why, "%s: cannot write: %s", path, strerror(errno));
            output_abandon(&o);
        }
        json_decref(j);
        if (!ok) fprintf(stderr, "heddle sweep: %s%s\n", why.s, i + 1 < WRITE_TRIES ? "; trying again" : "");
        strbuf_free(&why);
        if (ok) return true;
        poll(NULL, 0, WRITE_PAUSE_MS);
    }
    return false;
}

static bool make_run(const json_t *task, struct result *r) {
    struct job j = {.limit_seconds = json_number_value(json_object_get(task, "limit_seconds")),
                    .limit_bytes = (u64)json_integer_value(json_object_get(task, "limit_bytes"))};
    const json_t *words = json_object_get(task, "command");
    size_t n = json_array_size(words);
    for (size_t i = 0; i < n; i++)
        if (!json_is_string(json_array_get(words, i))) n = 0;
    char **command = base_alloc((n + 1) * sizeof(*command));
    struct strbuf why = {0};
    for (size_t i = 0; i < n; i++) command[i] = strdup(json_string_value(json_array_get(words, i)));
    bool ok = n && job_start(&j, command, &why);
    plan_command_free(command);
    while (ok && !j.ended) {
        struct pollfd fds[2] = {{.fd = j.out, .events = POLLIN}, {.fd = j.err, .events = POLLIN}};
        poll(fds, 2, LOOK_MS);
        job_look(&j);
    }
    if (ok) job_finish(&j, r);
    else fprintf(stderr, "heddle sweep: %s\n", why.s ? why.s : "the task has no command: a list of words");
    strbuf_free(&why);
    return ok;
}

int task_run(const char *path, u64 index) {
    json_t *task = read_task(path, index);
    const char *file = json_string_value(json_object_get(task, "file"));
    struct result r = {.attempt = (u32)json_integer_value(json_object_get(task, "attempt")),
                       .threads = (u32)json_integer_value(json_object_get(task, "threads"))};
    bool ok = file != NULL;
    if (ok && access(file, F_OK) != 0) {
        result_what_of(&r, task);
        ok = make_run(task, &r) && leave_file(&r, file);
        result_free(&r);
    }
    json_decref(task);
    return ok ? 0 : 2;
}
