/* The insides of the file of results: store.c (schema, plan, looking) and store_put.c (rows). */
#ifndef HEDDLE_SWEEP_STORE_H
#define HEDDLE_SWEEP_STORE_H

#include "sweep/sweep.h"

#include <sqlite3.h>

enum { STORE_BUSY_MS = 60000 }; /* how long a reader may hold the file */
enum store_table { STORE_RUNS, STORE_KERNELS, STORE_TABLES };

struct store {
    struct sqlite3 *db;
    char *path;
    struct strbuf why; /* the last error, with the path */
    bool open;         /* a transaction is */
    struct {
        VEC(char *) v;
    } columns[STORE_TABLES]; /* names; empty: not looked yet */
};

/* --- store.c */
bool store_fail(struct store *s); /* fills why from SQLite; false always */
bool store_do(struct store *s, const char *sql);
bool store_prepare(struct store *s, const char *sql, sqlite3_stmt **q);
bool store_finish(struct store *s, sqlite3_stmt *q);
/* One statement that only reads, or NULL with the reason. Texts of studies and queries are asked so alone. */
sqlite3_stmt *store_question(struct store *s, const char *sql, struct strbuf *why);
/* n bytes as a text ('\'') or a name ('"') of SQL */
void store_quote(struct strbuf *to, const char *text, size_t n, char mark);
void store_bind_hash(sqlite3_stmt *q, int at, u64 hash);

#endif
