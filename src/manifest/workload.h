/* Bundled workloads: the contract between the command and workloads/.
 *
 * A workload is a folder workloads/NAME with
 *     NAME.cl             kernels in OpenCL C, compiled to NAME.ptx when heddle is built
 *     manifest-SIZE.json  for each size: tiny (tests: under a second with timing), small (the default) and
 *                         paper (about what the documents ran); docs/manifest.md is the format,
 *                         tools/manifests.py writes them
 *     ref.c               bool workload_ref_NAME(struct workload_buffers *b), an independent CPU reference
 * and one row in workloads/workloads.def:
 *     WORKLOAD(NAME, "one-line doc", "what it stresses", "which document measured the like")
 *
 * The build installs DATA/workloads/NAME/{NAME.ptx,manifest*.json}; data_dir() of base/ finds DATA. A
 * manifest with "expect": {"mode": "reference", "tolerance": T} is compared with what the reference leaves in
 * the buffers marked "check": every bit when T is 0, else floats may differ by T * max(|a|, |b|, 1) per
 * element (integers never). */
#ifndef HEDDLE_WORKLOAD_H
#define HEDDLE_WORKLOAD_H

#include "base/base.h"

struct workload_buffer {
    const char *name; /* as in the manifest */
    const char *type; /* u8 s8 u16 s16 u32 s32 u64 s64 f32 f64 */
    u64 count, bytes; /* elements, and their size together */
    void *data;       /* initial contents on entry, expected final contents on return; 64-byte aligned */
};
struct workload_buffers {
    u32 n; /* all buffers of the manifest, in its order */
    struct workload_buffer *buf;
};

/* Plays all launches of the manifest on the CPU, in place. False when the buffers are not the ones it knows
 * (names, types, counts). */
typedef bool workload_reference_fn(struct workload_buffers *b);

struct workload {
    const char *name, *doc, *stresses, *documents;
    workload_reference_fn *reference;
};
extern const struct workload workload_table[];
extern const u32 workload_count;

/* All workloads have the first three; "aurud" have those that Aurud's table 6.2 lists with a size that none
 * of these is. */
#define WORKLOAD_SIZES      4
#define WORKLOAD_SIZES_TEXT "tiny, small, paper and aurud"
#define WORKLOAD_SIZE       "small" /* when none is named */
extern const char *const workload_sizes[WORKLOAD_SIZES];

/* --- workload.c */
const struct workload *workload_find(const char *name); /* NULL when there is none */
/* The buffer called `name`, or NULL: what a reference starts with */
struct workload_buffer *workload_buffer_find(const struct workload_buffers *b, const char *name);
/* DATA/workloads/NAME/manifest-SIZE.json, `size` NULL for WORKLOAD_SIZE (free it); NULL when there is no data
 * directory */
char *workload_manifest_path(const struct workload *w, const char *size);
/* False, with what to do instead, when `path` of the function above is not there although others are */
bool workload_has_size(const struct workload *w, const char *size, const char *path, struct strbuf *why);

#endif
