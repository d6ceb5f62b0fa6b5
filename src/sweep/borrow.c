/* Results of other builds. Runs of two builds are two runs (build.c), so that after a commit a study begins
 * from nothing, though most commits change no counter. Who knows that one did not says so, by naming the
 * builds whose results count: a run that this build has not made is then taken from the first of them that
 * has, found by program, size, machine, settings and measure, which stay the same when keys are added. The
 * page tells how many runs are whose. */
#include "sweep/study.h"

#include <stdlib.h>
#include <string.h>

static const char *const found = "SELECT run_hash FROM runs WHERE build_commit = ? AND program = ? AND size = ? AND machine = ? "
                                 "AND settings = ? AND measure = "
                                 "? AND status = 'done'";

static bool take(sqlite3_stmt *q, const char *build, const struct plan *p, struct sweep_run *r) {
    struct result_what what;
    struct arena mem = {0};
    plan_what(p, r, &mem, &what);
    const char *const words[] = {build, what.program, what.size, what.machine, what.settings, what.measure};
    for (u32 i = 0; i < ARRAY_LEN(words); i++) sqlite3_bind_text(q, (int)i + 1, words[i], -1, SQLITE_TRANSIENT);
    bool there = sqlite3_step(q) == SQLITE_ROW;
    if (there) r->hash = strtoull((const char *)sqlite3_column_text(q, 0), NULL, 16);
    sqlite3_reset(q);
    arena_free(&mem);
    return there;
}

bool borrow_runs(struct plan *p, struct store *s, const struct sweep_words *builds) {
    sqlite3_stmt *q;
    if (!builds->v.n) return true;
    if (!store_prepare(s, found, &q)) return false;
    for (u32 i = 0; i < p->runs.n; i++) {
        struct sweep_run *r = &p->runs.at[i];
        if (store_state(s, r->hash) == STORE_DONE) continue;
        for (u32 b = 0; b < builds->v.n && !take(q, builds->v.at[b], p, r); b++) {}
    }
    sqlite3_finalize(q);
    plan_find_same(p);
    return true;
}

/* A name that is nobody's would quietly run everything again */
bool borrow_check(struct store *s, const struct sweep_words *builds, struct strbuf *why) {
    sqlite3_stmt *q;
    bool ok = store_prepare(s, "SELECT coalesce(sum(build_commit = ?), 0), group_concat(DISTINCT build_commit) FROM runs", &q);
    if (!ok) {
        strbuf_add(why, "%s", store_why(s));
        return false;
    }
    for (u32 i = 0; ok && i < builds->v.n; i++) {
        sqlite3_bind_text(q, 1, builds->v.at[i], -1, SQLITE_STATIC);
        ok = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int(q, 0) > 0;
        const char *all = (const char *)sqlite3_column_text(q, 1);
        if (!ok)
            strbuf_add(why, "the database has no runs of build \"%s\"; it has those of %s", builds->v.at[i], all ? all : "none");
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return ok;
}

void borrow_tell(struct store *s, struct strbuf *to) {
    sqlite3_stmt *q;
    struct strbuf text = {0};
    u32 n = 0;
    bool own = false;
    if (!store_prepare(s,
                       "SELECT r.build_commit, count(*) FROM runs r WHERE r.run_hash IN (SELECT run_hash FROM plan) GROUP BY 1 "
                       "ORDER BY 2 DESC, 1",
                       &q))
        return;
    for (; sqlite3_step(q) == SQLITE_ROW; n++) {
        const char *build = (const char *)sqlite3_column_text(q, 0);
        own = strcmp(build, build_commit()) == 0;
        strbuf_add(&text, "%s%s (%d)", n ? ", " : "", build, sqlite3_column_int(q, 1));
    }
    sqlite3_finalize(q);
    if (n <= 1 && (own || !n)) strbuf_add(to, "heddle %s", build_commit());
    else strbuf_add(to, "runs by heddle %s, page by %s", text.s, build_commit());
    strbuf_free(&text);
}
