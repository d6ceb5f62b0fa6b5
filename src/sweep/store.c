/* The results of a sweep: an SQLite file (docs/sweep.md has its tables).
 *
 * 1. A run that ended has one row in `runs`, under its hash. A row that says `done` is never written again; a
 *    failed one is replaced when the run is tried again.
 * 2. A row and the rows of its kernels come in one transaction: at every moment the file holds whole runs.
 * 3. user_version is the schema; an older file is migrated step by step when it is opened for writing, a
 *    newer one is refused. Columns of statistics are added when a result first has them.
 * 4. One process writes (lock.c); readers may come at any time. */
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>

/* Schema 1; a new file goes through the migrations, too */
static const char *const schema[] = {
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)",
    "CREATE TABLE plan(position INTEGER PRIMARY KEY, run_hash TEXT NOT NULL, program TEXT, size TEXT, machine TEXT, "
    "configuration TEXT, repetition INTEGER, settings TEXT)",
    "CREATE INDEX plan_by_run ON plan(run_hash)",
    "CREATE TABLE runs(run_hash TEXT PRIMARY KEY, program TEXT, size TEXT, machine TEXT, settings TEXT, measure TEXT, "
    "config_hash TEXT, state_hash TEXT, checksum TEXT, checksum_ok INTEGER, status TEXT NOT NULL, message TEXT, "
    "exit_code INTEGER, build_commit TEXT, version TEXT, mode TEXT, host TEXT, attempt INTEGER, started TEXT, seconds REAL, "
    "cpu_seconds REAL, wall_seconds REAL, setup_seconds REAL)",
    "CREATE TABLE kernels(run_hash TEXT NOT NULL, position INTEGER NOT NULL, name TEXT, PRIMARY KEY(run_hash, position))",
    "CREATE TABLE attempts(run_hash TEXT NOT NULL, attempt INTEGER NOT NULL, host TEXT, started TEXT, seconds REAL, "
    "cpu_seconds REAL, peak_bytes INTEGER, threads INTEGER, exit_code INTEGER, message TEXT, PRIMARY KEY(run_hash, attempt))",
};

/* Step i brings a file of schema i + 1 to schema i + 2 */
static const char *const migrations[] = {
    "CREATE TABLE documents(run_hash TEXT PRIMARY KEY, bytes INTEGER, json BLOB);"
    "CREATE TABLE batches(batch INTEGER PRIMARY KEY, name TEXT, submitted TEXT);"
    "CREATE TABLE tasks(batch INTEGER, task INTEGER, run_hash TEXT, PRIMARY KEY(batch, task));"
    "CREATE INDEX tasks_by_run ON tasks(run_hash);",
};

/* --- statements */

const char *store_why(const struct store *s) { return s->why.s ? s->why.s : ""; }
struct sqlite3 *store_handle(struct store *s) { return s->db; }

bool store_fail(struct store *s) {
    int code = sqlite3_extended_errcode(s->db);
    strbuf_free(&s->why);
    strbuf_add(&s->why, "%s: ", s->path);
    switch (code & 0xff) {
    case SQLITE_FULL: strbuf_add(&s->why, "cannot write: the disk is full; make room and give the same command again"); break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        strbuf_add(&s->why, "cannot write: %s; the file and its folder must be writable", sqlite3_errmsg(s->db));
        break;
    case SQLITE_BUSY: strbuf_add(&s->why, "another program holds it for more than a minute; end that and try again"); break;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: strbuf_add(&s->why, "not a file of results of a sweep, or a damaged one; name another database"); break;
    default: strbuf_add(&s->why, "%s", sqlite3_errmsg(s->db));
    }
    return false;
}

bool store_do(struct store *s, const char *sql) {
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || store_fail(s);
}

u64 store_number(struct store *s, const char *sql) {
    sqlite3_stmt *q;
    u64 n = 0;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        n = (u64)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n;
}

bool store_prepare(struct store *s, const char *sql, sqlite3_stmt **q) {
    return sqlite3_prepare_v2(s->db, sql, -1, q, NULL) == SQLITE_OK || store_fail(s);
}

/* Runs a statement that returns nothing, and frees it */
bool store_finish(struct store *s, sqlite3_stmt *q) {
    bool ok = sqlite3_step(q) == SQLITE_DONE;
    if (!ok) store_fail(s);
    sqlite3_finalize(q);
    return ok;
}

void store_bind_hash(sqlite3_stmt *q, int at, u64 hash) {
    char text[17];
    snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
    sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
}

bool store_begin(struct store *s) {
    if (s->open) return true;
    s->open = store_do(s, "BEGIN IMMEDIATE");
    return s->open;
}

bool store_commit(struct store *s) {
    if (!s->open) return true;
    s->open = false;
    if (store_do(s, "COMMIT")) return true;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

void store_rollback(struct store *s) {
    if (s->open) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->open = false;
}

/* --- questions of others */

void store_quote(struct strbuf *to, const char *text, size_t n, char mark) {
    strbuf_add(to, "%c", mark);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == mark) strbuf_add(to, "%c", mark);
        strbuf_add(to, "%c", text[i]);
    }
    strbuf_add(to, "%c", mark);
}

sqlite3_stmt *store_question(struct store *s, const char *sql, struct strbuf *why) {
    sqlite3_stmt *q = NULL;
    const char *rest = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, &rest) != SQLITE_OK) strbuf_add(why, "%s", sqlite3_errmsg(s->db));
    else if (!q) strbuf_add(why, "the query is empty");
    else if (rest[strspn(rest, " \t\r\n;")]) strbuf_add(why, "more than one statement; ask them one by one");
    else if (!sqlite3_stmt_readonly(q)) strbuf_add(why, "a query only reads; this statement would write");
    else return q;
    sqlite3_finalize(q);
    return NULL;
}

/* --- opening */

static bool refuse(struct store *s, const char *text) {
    strbuf_free(&s->why);
    strbuf_add(&s->why, "%s: %s", s->path, text);
    return false;
}

/* The rows of the experiment as it is now, in its order */
static bool make_view(struct store *s) {
    return store_do(s, "DROP VIEW IF EXISTS results") &&
           store_do(s, "CREATE VIEW results AS SELECT p.position, p.configuration, p.repetition, r.* FROM plan p "
                       "JOIN runs r ON r.run_hash = p.run_hash ORDER BY p.position");
}

static bool create(struct store *s) {
    bool ok = store_begin(s);
    for (u32 i = 0; ok && i < ARRAY_LEN(schema); i++) ok = store_do(s, schema[i]);
    for (u32 i = 0; ok && i < ARRAY_LEN(migrations); i++) ok = store_do(s, migrations[i]);
    char number[96];
    snprintf(number, sizeof(number), "PRAGMA user_version = %d; PRAGMA application_id = %d", STORE_SCHEMA, STORE_APPLICATION);
    ok = ok && make_view(s) && store_do(s, number) && store_commit(s);
    if (!ok) store_rollback(s);
    return ok;
}

static bool migrate(struct store *s, u64 from) {
    bool ok = store_begin(s);
    for (u64 i = from; ok && i < STORE_SCHEMA; i++) ok = store_do(s, migrations[i - 1]);
    char number[48];
    snprintf(number, sizeof(number), "PRAGMA user_version = %d", STORE_SCHEMA);
    ok = ok && make_view(s) && store_do(s, number) && store_commit(s);
    if (!ok) store_rollback(s);
    return ok;
}

static bool check_version(struct store *s, enum store_mode mode) {
    sqlite3_stmt *q;
    if (!store_prepare(s, "PRAGMA schema_version", &q)) return false; /* the first look at the file's contents */
    bool ok = sqlite3_step(q) == SQLITE_ROW || store_fail(s);
    sqlite3_finalize(q);
    if (!ok) return false;
    u64 tables = store_number(s, "SELECT count(*) FROM sqlite_master"), version = store_number(s, "PRAGMA user_version");
    if (!tables && mode == STORE_WRITE) return create(s);
    if (store_number(s, "PRAGMA application_id") != STORE_APPLICATION || !version)
        return refuse(s, "not a file of results of a sweep; name another database");
    if (version > STORE_SCHEMA) {
        char text[160];
        snprintf(text, sizeof(text),
                 "written by a newer heddle (schema %llu, this one knows %d); use that one, or name another database",
                 (unsigned long long)version, STORE_SCHEMA);
        return refuse(s, text);
    }
    if (version == STORE_SCHEMA) return true;
    if (mode == STORE_WRITE) return migrate(s, version);
    return refuse(s, "of an older schema; the next \"heddle sweep\" on it migrates it");
}

struct store *store_open(const char *path, enum store_mode mode, struct strbuf *why) {
    struct store *s = base_alloc(sizeof(*s));
    int flags = SQLITE_OPEN_READWRITE | (mode == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    s->path = strdup(path);
    /* writable for readers too: what a killed writer left half done is taken back by whoever comes next */
    bool ok = sqlite3_open_v2(path, &s->db, flags, NULL) == SQLITE_OK;
    if (!ok && mode == STORE_READ) {
        sqlite3_close(s->db);
        ok = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
    }
    if (!ok && s->db) store_fail(s);
    if (ok) sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
    if (ok) sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0); /* no question reaches another file */
    ok = ok && check_version(s, mode);
    if (ok && mode == STORE_READ) ok = store_do(s, "PRAGMA query_only = 1");
    if (ok) return s;
    strbuf_add(why, "%s", store_why(s));
    store_close(s);
    return NULL;
}

void store_files(const char *path, struct arena *mem, struct sweep_words *to) {
    static const char *const ends[] = {"", ".lock", "-journal", "-wal", "-shm"};
    for (u32 i = 0; i < ARRAY_LEN(ends); i++) VEC_PUSH(&to->v, arena_printf(mem, "%s%s", path, ends[i]));
}

void store_close(struct store *s) {
    if (!s) return;
    store_rollback(s);
    for (u32 t = 0; t < STORE_TABLES; t++) {
        for (u32 i = 0; i < s->columns[t].v.n; i++) free(s->columns[t].v.at[i]);
        free(s->columns[t].v.at);
    }
    sqlite3_close(s->db);
    strbuf_free(&s->why);
    free(s->path);
    free(s);
}

/* --- the plan */

static bool plan_one(struct store *s, const struct plan *p, u32 i, sqlite3_stmt *q) {
    const struct sweep_run *r = &p->runs.at[i];
    sqlite3_reset(q);
    sqlite3_bind_int(q, 1, (int)i);
    store_bind_hash(q, 2, r->hash);
    sqlite3_bind_text(q, 3, p->x->programs.at[r->program].name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 4, plan_size(p, r), -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 5, r->machine, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 6, r->configuration, -1, SQLITE_STATIC);
    sqlite3_bind_int(q, 7, (int)r->repetition);
    sqlite3_bind_text(q, 8, r->settings, -1, SQLITE_STATIC);
    return sqlite3_step(q) == SQLITE_DONE || store_fail(s);
}

static bool put_meta(struct store *s, const char *key, const char *value) {
    sqlite3_stmt *q;
    if (!store_prepare(s, "INSERT OR REPLACE INTO meta VALUES(?, ?)", &q)) return false;
    sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, value, -1, SQLITE_STATIC);
    return store_finish(s, q);
}

bool store_plan(struct store *s, const struct plan *p) {
    sqlite3_stmt *q;
    if (!store_begin(s) || !store_do(s, "DELETE FROM plan") || !put_meta(s, "experiment", p->x->name)) return false;
    if (!store_prepare(s, "INSERT INTO plan VALUES(?, ?, ?, ?, ?, ?, ?, ?)", &q)) return false;
    bool ok = true;
    for (u32 i = 0; ok && i < p->runs.n; i++) ok = plan_one(s, p, i, q);
    sqlite3_finalize(q);
    ok = ok && make_view(s) && store_commit(s);
    if (!ok) store_rollback(s);
    return ok;
}

/* --- looking */

enum store_state store_state(struct store *s, u64 hash) {
    sqlite3_stmt *q;
    enum store_state state = STORE_ABSENT;
    if (!store_prepare(s, "SELECT status FROM runs WHERE run_hash = ?", &q)) return state;
    store_bind_hash(q, 1, hash);
    if (sqlite3_step(q) == SQLITE_ROW)
        state = strcmp((const char *)sqlite3_column_text(q, 0), "done") == 0 ? STORE_DONE : STORE_FAILED;
    sqlite3_finalize(q);
    return state;
}

void store_cost(struct store *s, const char *program, const char *size, double *seconds, u64 *peak_b) {
    sqlite3_stmt *q;
    *seconds = 0, *peak_b = 0;
    if (!store_prepare(s,
                       "SELECT avg(a.seconds), max(a.peak_bytes) FROM runs r JOIN attempts a ON a.run_hash = r.run_hash AND "
                       "a.attempt = r.attempt WHERE r.status = 'done' AND r.program = ? AND r.size = ?",
                       &q))
        return;
    sqlite3_bind_text(q, 1, program, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, size, -1, SQLITE_STATIC);
    if (sqlite3_step(q) == SQLITE_ROW) *seconds = sqlite3_column_double(q, 0), *peak_b = (u64)sqlite3_column_int64(q, 1);
    sqlite3_finalize(q);
}

bool store_attempt(struct store *s, u64 hash, u32 *attempt) {
    sqlite3_stmt *q;
    if (!store_begin(s)) return false;
    if (!store_prepare(s,
                       "INSERT INTO attempts(run_hash, attempt) SELECT ?1, coalesce(max(attempt), 0) + 1 FROM attempts WHERE "
                       "run_hash = ?1 RETURNING attempt",
                       &q))
        return false;
    store_bind_hash(q, 1, hash);
    bool ok = sqlite3_step(q) == SQLITE_ROW || store_fail(s);
    if (ok) *attempt = (u32)sqlite3_column_int(q, 0);
    ok = ok && (sqlite3_step(q) == SQLITE_DONE || store_fail(s));
    sqlite3_finalize(q);
    return ok;
}
