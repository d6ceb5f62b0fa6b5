/* Files of results, one a run, into the SQLite file: what tasks of a cluster and the commands of
 * --print-commands leave. They have come by a rename and are whole; one that cannot be read is set aside
 * under the name FILE.bad and said. A file goes when its row is written; one whose row is there already (we
 * were killed between the two) just goes. */
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AT_ONCE = 100 }; /* files of one transaction */

const char *collect_folder(struct experiment *x) {
    size_t n = strlen(x->database);
    bool db = n > 3 && strcmp(x->database + n - 3, ".db") == 0;
    const char *path = x->database[0] == '/' ? x->database : NULL;
    if (!path) {
        char *here = realpath(".", NULL);
        path = arena_printf(&x->mem, "%s/%s", here ? here : ".", x->database);
        n = strlen(path);
        free(here);
    }
    return arena_printf(&x->mem, "%.*s.tasks", (int)(db ? n - 3 : n), path);
}

char *collect_file(struct experiment *x, u64 hash) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s/%016llx.json", collect_folder(x), (unsigned long long)hash);
    return s.s;
}

/* "0123456789abcdef.json" */
static bool hash_of_name(const char *name, u64 *hash) {
    char *end;
    *hash = strtoull(name, &end, 16);
    return end == name + 16 && strcmp(end, ".json") == 0;
}

static const struct sweep_run *run_of(const struct plan *p, u64 hash) {
    for (u32 i = 0; i < p->runs.n; i++)
        if (p->runs.at[i].hash == hash) return &p->runs.at[i];
    return NULL;
}

/* What a plain result of heddle run does not say */
static bool complete(const struct plan *p, struct store *s, struct result *r, u64 hash, const struct stat *st,
                     struct strbuf *why) {
    const struct sweep_run *run = run_of(p, hash);
    const struct result_value *v;
    if (r->what.hash == hash) return true;
    if (!run) {
        strbuf_add(why, "of no run of this experiment");
        return false;
    }
    plan_what(p, run, &r->mem, &r->what);
    r->commit = build_commit();
    r->host = "";
    r->started = (double)st->st_mtime;
    if ((v = result_value(&r->run, "wall_seconds")) && v->kind == RESULT_REAL) r->seconds = v->x;
    if (store_attempt(s, hash, &r->attempt)) return true;
    strbuf_add(why, "%s", store_why(s));
    return false;
}

static void set_aside(const char *path, const char *why) {
    struct strbuf bad = {0};
    strbuf_add(&bad, "%s.bad", path);
    rename(path, bad.s);
    fprintf(stderr, "heddle sweep: %s: %s; it is called %s.bad now, and its run is made again\n", path, why, path);
    strbuf_free(&bad);
}

/* False when the database cannot be written; *taken says whether the file may go */
static bool take(const struct plan *p, struct store *s, const char *path, u64 hash, bool *taken) {
    struct result r = {0};
    struct strbuf why = {0};
    struct stat st = {0};
    bool ok = true;
    *taken = stat(path, &st) == 0 && result_read(&r, path, &why) && complete(p, s, &r, hash, &st, &why);
    if (*taken) ok = store_put(s, &r);
    else if (errno != ENOENT) set_aside(path, why.len ? why.s : "cannot be read");
    if (!ok) fprintf(stderr, "heddle sweep: error: %s\n", store_why(s));
    strbuf_free(&why);
    result_free(&r);
    return ok;
}

static bool commit_and_remove(struct store *s, struct sweep_words *done) {
    bool ok = store_commit(s);
    if (!ok) fprintf(stderr, "heddle sweep: error: %s\n", store_why(s));
    for (u32 i = 0; i < done->v.n; i++) {
        if (ok) unlink(done->v.at[i]);
        free((char *)(uintptr_t)done->v.at[i]);
    }
    done->v.n = 0;
    return ok;
}

i32 collect_all(const struct plan *p, struct store *s) {
    const char *folder = collect_folder(p->x);
    DIR *d = opendir(folder);
    struct sweep_words done = {0};
    i32 n = 0;
    bool ok = true;
    for (struct dirent *e; d && ok && (e = readdir(d));) {
        struct strbuf path = {0};
        u64 hash;
        bool taken = false;
        if (!hash_of_name(e->d_name, &hash)) continue;
        strbuf_add(&path, "%s/%s", folder, e->d_name);
        errno = 0;
        ok = take(p, s, path.s, hash, &taken);
        if (taken) {
            VEC_PUSH(&done.v, path.s);
            n++;
        } else strbuf_free(&path);
        if (done.v.n >= AT_ONCE) ok = commit_and_remove(s, &done) && ok;
    }
    if (d) closedir(d);
    if (!ok) store_rollback(s);
    ok = commit_and_remove(s, &done) && ok;
    free(done.v.at);
    return ok ? n : -1;
}
