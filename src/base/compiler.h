/* compiler: other programs that heddle runs to compile for it, and what they made, kept for the next time. */
#ifndef HEDDLE_COMPILER_H
#define HEDDLE_COMPILER_H

#include "base/base.h"

/* --- compiler.c: running a compiler, within HEDDLE_COMPILE_SECONDS and HEDDLE_COMPILE_MEMORY */
struct compiler {
    char *const *argv; /* argv[0] is looked for in PATH */
    const char *log;   /* file of its messages */
    const char *what;  /* "compiling", for people */
    size_t input_b;    /* bytes of text it is given */
    bool progress;     /* a line on standard error while it takes long */
};
bool compiler_run(const struct compiler *t,
                  struct strbuf *why);                    /* true when it ended with 0; `why` when it did not get that far */
bool compiler_find(const char *name, struct strbuf *out); /* where PATH finds it; false when nowhere */

/* --- cache.c: results of the compiler by content, in XDG_CACHE_HOME/heddle */
struct cache_key {
    u64 a, b;
};
void cache_key_add(struct cache_key *k, const void *data, size_t bytes);
char *cache_get(const struct cache_key *k, const char *ending, size_t *len); /* NULL when it is not there */
void cache_put(const struct cache_key *k, const char *ending, const char *text, size_t len);

#endif
