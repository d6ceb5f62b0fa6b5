/* Rows of the file of results. A statistic's column is added when a result first has it, so a build with
 * another counter needs no migration; in older rows it is NULL. */
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <zlib.h>

static const char *const table_names[STORE_TABLES] = {"runs", "kernels"};

static bool look_columns(struct store *s, enum store_table t) {
    char sql[64];
    sqlite3_stmt *q;
    if (s->columns[t].v.n) return true;
    snprintf(sql, sizeof(sql), "PRAGMA table_info(%s)", table_names[t]);
    if (!store_prepare(s, sql, &q)) return false;
    while (sqlite3_step(q) == SQLITE_ROW) VEC_PUSH(&s->columns[t].v, strdup((const char *)sqlite3_column_text(q, 1)));
    sqlite3_finalize(q);
    return true;
}

static bool has_column(const struct store *s, enum store_table t, const char *name) {
    for (u32 i = 0; i < s->columns[t].v.n; i++)
        if (strcasecmp(s->columns[t].v.at[i], name) == 0) return true;
    return false;
}

/* Names of statistics are letters, digits and underscores (result.c takes no others) */
static bool add_columns(struct store *s, enum store_table t, const struct result_row *row) {
    if (!look_columns(s, t)) return false;
    for (u32 i = 0; i < row->at.n; i++) {
        const char *name = row->at.at[i].name;
        struct strbuf sql = {0};
        if (has_column(s, t, name)) continue;
        strbuf_add(&sql, "ALTER TABLE %s ADD COLUMN \"%s\"", table_names[t], name);
        bool ok = store_do(s, sql.s);
        strbuf_free(&sql);
        if (!ok) return false;
        VEC_PUSH(&s->columns[t].v, strdup(name));
    }
    return true;
}

static void bind_value(sqlite3_stmt *q, int at, const struct result_value *v) {
    if (v->kind == RESULT_INTEGER) sqlite3_bind_int64(q, at, v->i);
    else if (v->kind == RESULT_REAL) sqlite3_bind_double(q, at, v->x);
    else if (v->kind == RESULT_TEXT) sqlite3_bind_text(q, at, v->text, -1, SQLITE_STATIC);
    else sqlite3_bind_null(q, at);
}

static bool insert_row(struct store *s, enum store_table t, const struct result_row *row) {
    struct strbuf sql = {0};
    sqlite3_stmt *q;
    strbuf_add(&sql, "INSERT OR REPLACE INTO %s(", table_names[t]);
    for (u32 i = 0; i < row->at.n; i++) strbuf_add(&sql, "%s\"%s\"", i ? ", " : "", row->at.at[i].name);
    strbuf_add(&sql, ") VALUES(");
    for (u32 i = 0; i < row->at.n; i++) strbuf_add(&sql, "%s?", i ? ", " : "");
    strbuf_add(&sql, ")");
    bool ok = store_prepare(s, sql.s, &q);
    strbuf_free(&sql);
    if (!ok) return false;
    for (u32 i = 0; i < row->at.n; i++) bind_value(q, (int)i + 1, &row->at.at[i]);
    return store_finish(s, q);
}

/* --- what stands beside the statistics */

static void put_text(struct result_row *to, const char *name, const char *text) {
    struct result_value v = {.name = name, .kind = text ? RESULT_TEXT : RESULT_NULL, .text = text};
    VEC_PUSH(&to->at, v);
}
static void put_integer(struct result_row *to, const char *name, i64 i) {
    struct result_value v = {.name = name, .kind = RESULT_INTEGER, .i = i};
    VEC_PUSH(&to->at, v);
}
static void put_real(struct result_row *to, const char *name, double x) {
    struct result_value v = {.name = name, .kind = RESULT_REAL, .x = x};
    VEC_PUSH(&to->at, v);
}

static const char *hex(char to[17], u64 x) {
    snprintf(to, 17, "%016llx", (unsigned long long)x);
    return to;
}

static const char *when(char to[32], double seconds) {
    time_t t = (time_t)seconds;
    struct tm tm;
    strftime(to, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &tm));
    return to;
}

/* What stands in `to` already is not a file's to say */
static void copy_row(struct result_row *to, const struct result_row *from) {
    for (u32 i = 0; i < from->at.n; i++)
        if (!result_value(to, from->at.at[i].name)) VEC_PUSH(&to->at, from->at.at[i]);
}

static bool put_run(struct store *s, const struct result *r) {
    char hash[17], config[17], started[32];
    struct result_row row = {0};
    put_text(&row, "run_hash", hex(hash, r->what.hash));
    put_text(&row, "program", r->what.program);
    put_text(&row, "size", r->what.size);
    put_text(&row, "machine", r->what.machine);
    put_text(&row, "settings", r->what.settings);
    put_text(&row, "measure", r->what.measure);
    put_text(&row, "config_hash", hex(config, r->what.config_hash));
    put_text(&row, "status", r->done ? "done" : "failed");
    put_text(&row, "message", r->message && *r->message ? r->message : NULL);
    put_integer(&row, "exit_code", r->exit_code);
    put_text(&row, "build_commit", r->commit);
    put_text(&row, "host", r->host);
    put_integer(&row, "attempt", r->attempt);
    put_text(&row, "started", when(started, r->started));
    put_real(&row, "seconds", r->seconds);
    put_real(&row, "cpu_seconds", r->cpu_seconds);
    if (r->done) copy_row(&row, &r->run);
    bool ok = add_columns(s, STORE_RUNS, &row) && insert_row(s, STORE_RUNS, &row);
    free(row.at.at);
    return ok;
}

static bool put_kernels(struct store *s, const struct result *r) {
    char hash[17];
    bool ok = true;
    for (u32 i = 0; ok && r->done && i < r->kernels.n; i++) {
        struct result_row row = {0};
        put_text(&row, "run_hash", hex(hash, r->what.hash));
        put_integer(&row, "position", i);
        copy_row(&row, &r->kernels.at[i]);
        ok = add_columns(s, STORE_KERNELS, &row) && insert_row(s, STORE_KERNELS, &row);
        free(row.at.at);
    }
    return ok;
}

static bool put_attempt(struct store *s, const struct result *r) {
    sqlite3_stmt *q;
    char started[32];
    if (!store_prepare(s, "INSERT OR REPLACE INTO attempts VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &q)) return false;
    store_bind_hash(q, 1, r->what.hash);
    sqlite3_bind_int(q, 2, (int)r->attempt);
    sqlite3_bind_text(q, 3, r->host, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 4, when(started, r->started), -1, SQLITE_STATIC);
    sqlite3_bind_double(q, 5, r->seconds);
    sqlite3_bind_double(q, 6, r->cpu_seconds);
    sqlite3_bind_int64(q, 7, (i64)r->peak_b);
    sqlite3_bind_int(q, 8, (int)r->threads);
    sqlite3_bind_int(q, 9, r->exit_code);
    sqlite3_bind_text(q, 10, r->message, -1, SQLITE_STATIC);
    return store_finish(s, q);
}

/* What heddle run wrote, for pages and for what has no column */
static bool put_document(struct store *s, const struct result *r) {
    sqlite3_stmt *q;
    char *text = r->done && r->document ? json_dumps(r->document, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    if (!text) return true;
    uLongf n = compressBound(strlen(text));
    Bytef *packed = base_alloc(n);
    bool ok = compress2(packed, &n, (const Bytef *)text, strlen(text), 6) == Z_OK;
    if (ok && (ok = store_prepare(s, "INSERT OR REPLACE INTO documents VALUES(?, ?, ?)", &q))) {
        store_bind_hash(q, 1, r->what.hash);
        sqlite3_bind_int64(q, 2, (i64)strlen(text));
        sqlite3_bind_blob(q, 3, packed, (int)n, SQLITE_STATIC);
        ok = store_finish(s, q);
    }
    free(packed);
    free(text);
    return ok;
}

json_t *store_document(struct store *s, u64 hash) {
    sqlite3_stmt *q;
    json_t *document = NULL;
    if (!store_prepare(s, "SELECT bytes, json FROM documents WHERE run_hash = ?", &q)) return NULL;
    store_bind_hash(q, 1, hash);
    if (sqlite3_step(q) == SQLITE_ROW) {
        uLongf n = (uLongf)sqlite3_column_int64(q, 0);
        char *text = base_alloc(n + 1);
        if (uncompress((Bytef *)text, &n, sqlite3_column_blob(q, 1), (uLong)sqlite3_column_bytes(q, 1)) == Z_OK)
            document = json_loadb(text, n, 0, NULL);
        free(text);
    }
    sqlite3_finalize(q);
    return document;
}

bool store_put(struct store *s, const struct result *r) {
    if (!store_begin(s)) return false;
    bool keep = store_state(s, r->what.hash) == STORE_DONE;
    return put_attempt(s, r) && (keep || (put_run(s, r) && put_kernels(s, r) && put_document(s, r)));
}
