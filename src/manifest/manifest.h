/* manifest: a program run written down: which program, which buffers with which contents, which launches, and
 * what must come out.
 *
 * The text is JSON; docs/manifest.md is its manual. Reading touches no file but the manifest itself and needs
 * no simulator; play.c is the bridge to libheddle. Mistakes are collected in a struct diag: syntax with
 * FILE:LINE:COL, meaning with the JSON path of the culprit. */
#ifndef HEDDLE_MANIFEST_H
#define HEDDLE_MANIFEST_H

#include "base/base.h"
#include "heddle.h"
#include "manifest/workload.h"

enum type_kind { TYPE_UNSIGNED, TYPE_SIGNED, TYPE_FLOAT };
struct manifest_type {
    const char *name;
    u32 size_b;
    enum type_kind kind;
};
extern const struct manifest_type manifest_types[];
extern const u32 manifest_type_count;

struct generator;
struct manifest_buffer {
    const char *name;
    const struct manifest_type *type;
    u64 count, bytes;
    const struct generator *generator; /* NULL when the contents come from `file` */
    const char *file;                  /* relative to the manifest, or NULL */
    u64 seed;
    double p0, p1;
    bool has_init_hash;
    u64 init_hash;    /* FNV-1a of the initial contents */
    bool check;       /* part of the output that is compared */
    u64 at;           /* address it is to have; 0: any */
    const u8 *values; /* its contents, written down; or NULL */
};

struct manifest_texture {
    const char *name;
    u32 kind;                   /* enum heddle_texture_kind */
    const char *ref;            /* the module's reference that it is bound to, or NULL */
    i32 buffer;                 /* index in buffers; -1 for a sampler */
    u64 offset_b;               /* of the first texel in the buffer */
    struct heddle_texture desc; /* its address is filled in when played */
};

#define MANIFEST_MAX_ARG_B 32764
struct manifest_arg {
    i32 buffer;  /* index in buffers, or -1 */
    i32 texture; /* index in textures, or -1; a scalar is neither */
    u32 size_b;
    const u8 *bytes; /* of a scalar, little-endian */
};

struct manifest_launch {
    const char *kernel;
    u32 grid[3], block[3];
    u32 dynamic_shared_b;
    u32 registers;         /* per thread; 0: as the allocator finds */
    bool local_free;       /* "local": "free": the size of its groups may be another */
    bool uniform_barriers; /* "barriers": "uniform" */
    u32 nargs;
    struct manifest_arg *args;
};

enum expect_mode { EXPECT_NONE, EXPECT_BITS, EXPECT_TOLERANCE, EXPECT_REFERENCE };
struct manifest_expect {
    enum expect_mode mode;
    double tolerance;
    u64 hash;            /* EXPECT_BITS */
    double sum, abs_sum; /* EXPECT_TOLERANCE */
    const char *origin;  /* "silicon" or "reference": whose figures these are */
};

struct manifest {
    struct arena arena;      /* owns everything below */
    const char *file;        /* as the user named it */
    const char *dir;         /* its folder with a slash at the end, "" for none */
    const char *name;        /* "name", else the file's name without folder and ending */
    const char *program;     /* as written, or NULL */
    const char *program_key; /* under which it was found */
    char *image;             /* the program itself, where it was compiled for this run (owned); or NULL */
    size_t image_b;
    const char *image_name; /* what it was compiled of */
    u32 nbuffers, ntextures, nlaunches;
    struct manifest_buffer *buffers;
    struct manifest_texture *textures;
    struct manifest_launch *launches;
    struct manifest_expect expect;
};

/* --- manifest.c. NULL with errors in `d` on failure. */
struct manifest *manifest_load(const char *path, struct diag *d);
struct manifest *manifest_parse(const char *file, const char *text, size_t len, struct diag *d);
/* That of a program that runs as it is: one launch, on so many cores of so many threads */
struct manifest *manifest_of_program(const char *program, const char *kernel, u32 cores, u32 threads);
void manifest_free(struct manifest *m);
/* Where the program lies: relative to the manifest's folder, else to the folder above it. NULL with an error;
 * free it. */
char *manifest_program_path(const struct manifest *m, struct diag *d);
/* `path`, which is relative to the manifest's folder unless absolute; free it */
char *manifest_path(const struct manifest *m, const char *path);
/* Index of the buffer with this name or id; -1 with an error that lists the legal ones, its place given by
 * `file` and `what` */
i32 manifest_find_buffer(const struct manifest *m, const char *name, const char *what, struct diag *d);
u64 manifest_bytes(const struct manifest *m); /* of all buffers */

/* --- generate.c: initial contents */
struct gen_value { /* what a generator makes of one index; a buffer takes the member of its type */
    u64 u;
    double f;
};
struct gen_state {
    const struct manifest_buffer *b;
    u64 running; /* of generators that sum; 0 at the start */
};
struct generator {
    const char *name;
    const char *types; /* legal buffer types, space-separated */
    const char *doc;
    struct gen_value (*element)(struct gen_state *s, u64 i);   /* called with i rising from 0 */
    const char *(*objection)(const struct manifest_buffer *b); /* to p0, p1, count; NULL when fine */
    bool drawn; /* --seed draws it again. Row pointers stay: what they point into is as long as their rows together */
};
extern const struct generator generator_table[];
extern const u32 generator_count;
u64 generator_hash(u64 seed, u64 i);
void generator_fill(const struct manifest_buffer *b, void *data);
/* The n-th other data of the same kind: all generators' seeds move alike, except those of row pointers.
 * False with an error when nothing would change, or the expected output is recorded */
bool manifest_drawn(const struct manifest *m); /* whether there is such data */
bool manifest_reseed(struct manifest *m, u64 n, struct diag *d);
/* Initial contents of buffer i from its generator or file, checked against init_fnv1a64; false with an
 * error */
bool manifest_fill(const struct manifest *m, u32 i, void *data, struct diag *d);

/* --- compare.c: final contents */
enum verdict { VERDICT_NONE, VERDICT_OK, VERDICT_DIFFERS };
struct outcome {
    enum verdict verdict;
    u64 hash;            /* FNV-1a of the checked buffers, in order */
    double sum, abs_sum; /* of their elements, for EXPECT_TOLERANCE; else 0 */
    char text[256];      /* what differs or agrees, in words */
};
double manifest_element(const struct manifest_type *t, const void *data, u64 i);
/* data[i] holds buffer i's final contents; want[i] the reference's (EXPECT_REFERENCE only, else NULL) */
void manifest_compare(const struct manifest *m, void *const *data, void *const *want, struct outcome *o);

/* --- play.c: a manifest on a simulated GPU. Functions return an enum heddle_status; message says what was
 * wrong. */
struct play_launch {
    struct heddle_kernel *kernel;
    struct heddle_result result;
    bool done;
};
struct play {
    const struct manifest *m;
    struct heddle *h;
    struct heddle_module *module;
    char *program_path;
    u64 *addr;   /* of each buffer on the device */
    u64 *handle; /* of each texture; 0 when it is bound to a reference */
    void **init; /* initial contents of each buffer */
    struct play_launch *launches;
    u32 registers; /* override for all launches, 0 for none */
    struct diag diag;
};
/* Loads the program (`path` when not NULL, else the manifest's), checks kernels and arguments, allocates and
 * fills the buffers */
int play_open(struct play *p, const struct manifest *m, const char *path, const struct heddle_options *opt,
              const struct config *machine); /* NULL: without time */
int play_reset(struct play *p);              /* initial contents again */
int play_launch(struct play *p, u32 i);
int play_read(struct play *p, u32 buffer, void *data);
/* `reference` may be NULL unless the manifest's mode is "reference" */
int play_compare(struct play *p, workload_reference_fn *reference, struct outcome *o);
void play_close(struct play *p);

#endif
