/* ref.h: what the CPU references share: their prototypes, and finding their buffers.
 *
 * A reference gets every buffer of the manifest with its initial contents and leaves in it what the launches
 * should leave. Sizes come from the element counts, so one reference serves every manifest of a workload. A
 * manifest whose buffers do not fit together makes the reference return false; it never reads or writes
 * outside a buffer. */
#ifndef HEDDLE_WORKLOADS_REF_H
#define HEDDLE_WORKLOADS_REF_H

#include <math.h>
#include <string.h>

#include "manifest/workload.h"

#define WORKLOAD(name, doc, stresses, documents) workload_reference_fn workload_ref_##name;
#include "workloads.def"
#undef WORKLOAD

/* Element count of the buffer `name`; 0 when there is none */
static inline u64 ref_count(const struct workload_buffers *b, const char *name) {
    const struct workload_buffer *found = workload_buffer_find(b, name);
    return found ? found->count : 0;
}

/* The side of a square matrix stored in `name`; 0 when there is none or the count is no square */
static inline u32 ref_side(const struct workload_buffers *b, const char *name) {
    u64 count = ref_count(b, name);
    u64 side = (u64)llround(sqrt((double)count));
    return side * side == count && side < 0xFFFFFFFFu ? (u32)side : 0;
}

/* The buffer `name`, which must hold `count` elements of `type`; else NULL */
static inline void *ref_find(const struct workload_buffers *b, const char *name, const char *type, u64 count) {
    const struct workload_buffer *found = workload_buffer_find(b, name);
    return found && found->count == count && !strcmp(found->type, type) ? found->data : NULL;
}

static inline float *ref_f32(const struct workload_buffers *b, const char *name, u64 count) {
    return ref_find(b, name, "f32", count);
}

static inline u32 *ref_u32(const struct workload_buffers *b, const char *name, u64 count) {
    return ref_find(b, name, "u32", count);
}

static inline i32 *ref_s32(const struct workload_buffers *b, const char *name, u64 count) {
    return ref_find(b, name, "s32", count);
}

static inline u8 *ref_u8(const struct workload_buffers *b, const char *name, u64 count) { return ref_find(b, name, "u8", count); }

/* The number in the buffer `name` of one u32 element; 0 when there is none */
static inline u32 ref_param(const struct workload_buffers *b, const char *name) {
    const u32 *value = ref_u32(b, name, 1);
    return value ? *value : 0;
}

#endif
