/* base: the words every other room uses. Knows nothing of GPUs.
 *
 * Integer names, arenas, growable arrays, diagnostics, nearest-name search and the CHECK that stays on in
 * release. */
#ifndef HEDDLE_BASE_H
#define HEDDLE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

#define NEVER                   UINT64_MAX /* a cycle that does not come */
#define ARRAY_LEN(a)            (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define MIN(a, b)               ((a) < (b) ? (a) : (b))
#define MAX(a, b)               ((a) > (b) ? (a) : (b))

/* A broken promise of ours, never of the user's: prints where and stops. On in every build. */
struct check_teller { /* says on stderr what was going on when a CHECK fails; each host thread sets its own */
    void (*tell)(const void *of);
    const void *of;
};
extern _Thread_local struct check_teller base_check_teller;
#define CHECK(cond) ((cond) ? (void)0 : base_check_failed(__FILE__, __LINE__, #cond))
_Noreturn void base_check_failed(const char *file, int line, const char *what);

/* --- arena: memory that lives and dies together. Never returns NULL; blocks are zeroed and 16-byte
 * aligned. */
struct arena_block;
struct arena {
    struct arena_block *head;
    size_t used_b; /* bytes handed out, for reports */
};
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strdup(struct arena *a, const char *s, size_t len); /* NUL-terminated copy */
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
void arena_free(struct arena *a);
#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* malloc, calloc and realloc that stop with a message when memory is gone */
void *base_alloc(size_t bytes); /* zeroed */
void *base_realloc(void *p, size_t bytes);
/* Aligned to 64 bytes, zeroed; release with free() */
void *base_alloc_aligned(size_t bytes);
void base_heap_huge(void); /* heap.c: a command that simulates asks for huge pages when it starts */

/* A growable array: `struct { T *at; u32 n, cap; }`; memory from malloc */
#define VEC(T)                                                                                                                   \
    struct {                                                                                                                     \
        T *at;                                                                                                                   \
        u32 n, cap;                                                                                                              \
    }
#define VEC_PUSH(v, x)                                                                                                           \
    do {                                                                                                                         \
        if ((v)->n == (v)->cap) {                                                                                                \
            (v)->cap = (v)->cap ? (v)->cap * 2 : 16;                                                                             \
            (v)->at = base_realloc((v)->at, (size_t)(v)->cap * sizeof(*(v)->at));                                                \
        }                                                                                                                        \
        (v)->at[(v)->n++] = (x);                                                                                                 \
    } while (0)

/* --- text */
struct strbuf { /* growable text; `s` is always NUL-terminated once something was added */
    char *s;
    size_t len, cap;
};
void strbuf_add(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vadd(struct strbuf *b, const char *fmt, va_list ap);
void strbuf_free(struct strbuf *b);
/* True when `word` is one of the space-separated words of `list` */
bool text_in_list(const char *list, const char *word);
/* Edit distance, for "did you mean"; neighbours the wrong way round are one mistake. At most `limit` + 1. */
int text_distance(const char *a, const char *b, int limit);
/* The nearest of n names to `name`, or NULL when none is near */
const char *text_nearest(const char *name, const char *const *names, u32 n);
/* Control characters of a name or a message that could speak to a terminal become question marks; lines and
 * tabs stay */
void text_make_safe(char *s);
/* --- demangle.c: "_Z5scalePfi" as "scale(float*, int)"; NULL when it is none of those. Free it. */
char *text_demangle(const char *name, size_t len);
void text_demangle_all(struct strbuf *b); /* every such name in a text */
/* Whole file into malloc'd memory with a NUL after it; NULL and errno on failure: also for what has more than
 * `most` bytes or no end (EFBIG) or is a pipe that nobody writes to (ETIMEDOUT) */
char *text_read_file(const char *path, u64 most, size_t *len);

/* --- limit.c: what an input may have at most, by the table limit.def */
enum limit {
#define LIMIT(id, most, unit, what, remedy) LIMIT_##id,
#include "base/limit.def"
#undef LIMIT
    LIMITS
};
u64 limit_most(enum limit l);
bool limit_holds(enum limit l, u64 n, struct strbuf *why); /* false, with limit and remedy in `why`, when n is more */
/* text_read_file within a limit; NULL with the reason, and the remedy where there is one, in `why` */
char *limit_read_file(const char *path, enum limit l, size_t *len, struct strbuf *why);
void limit_list(FILE *out);

/* --- diag: what is wrong with what the user gave us: place, token, expectation.
 * Format of one message: "FILE:LINE:COL: error: TEXT" (LINE and COL left out when 0). */
struct diag {
    struct strbuf text; /* all messages, one per line */
    u32 errors;
    u32 max_errors; /* parsers stop here; 0 means 20 */
};
void diag_error(struct diag *d, const char *file, u32 line, u32 col, const char *fmt, ...) PRINTF_LIKE(5, 6);
void diag_note(struct diag *d, const char *file, u32 line, u32 col, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* limit_holds with the message as an error of `file` */
bool diag_limit(struct diag *d, const char *file, enum limit l, u64 n);
bool diag_full(const struct diag *d);
void diag_free(struct diag *d);

/* --- data.c: the folder with the bundled files: $HEDDLE_DATA, else share/heddle one above or beside the
 * executable, or one or two above the shared library. `part` is a folder that must be in it. In memory of
 * the caller (free it); NULL when there is none. */
char *data_dir(const char *part);
char *data_executable(void); /* the folder of the program that runs, also where /proc is not mounted; free it, may be NULL */

/* --- env.c: environment variables, by their table env.def. An empty value is none. */
bool env_check(struct diag *d);         /* all that start with HEDDLE_; false with messages */
const char *env_text(const char *name); /* NULL when it is not set */
u64 env_count(const char *name);        /* of a COUNT or FLAG; its default when it is not set or was refused */
void env_list(FILE *out);
const char *env_name(u32 i); /* row by row; NULL after the last */
const char *env_doc(u32 i);

/* --- output.c: every file that is written. "-" is standard output; `why` gets "PATH: error: ..." without a
 * line's end. */
struct output {
    FILE *f;             /* NULL: not open */
    char *path;          /* as it was given */
    char *target, *temp; /* the file meant, and NAME.incomplete beside it; NULL where bytes go straight to the path */
};
bool output_open(struct output *o, const char *path, struct strbuf *why);
bool output_commit(struct output *o, struct strbuf *why); /* all is written: it gets its name. False: it does not, and is gone */
char *output_temp_name(const char *path);                 /* where it is written until it is whole: NAME.incomplete; free it */
void output_abandon(struct output *o);                    /* it shall not be; nothing happens to one that is not open */
bool output_check(const char *path, struct strbuf *why);  /* whether output_open would do */
bool output_stdout_ok(struct strbuf *why);                /* whether all went well with standard output so far */
void output_guard_descriptors(void);                      /* first thing in main: a closed standard output stays one */
void output_remove_all(void); /* for signal handlers that end the process: no NAME.incomplete is left, and none can be made */

/* --- temp.c: folders for a while */
struct temp {
    char *dir;
    int lock; /* held on it; -1: none */
};
bool temp_make(struct temp *t); /* false and errno; sweeps first */
void temp_remove(struct temp *t);
void temp_sweep(void); /* what killed processes left */
void temp_remove_tree(const char *path);
const char *temp_root(void); /* HEDDLE_TEMP, TMPDIR or /tmp */

/* --- hash */
#define FNV1A64_START 0xCBF29CE484222325ull
u64 hash_fnv1a64(u64 h, const void *data, size_t bytes);

/* --- clock */
double clock_seconds(void); /* monotonic */

#endif
