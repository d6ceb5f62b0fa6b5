/* The table of bundled workloads, and where their files lie. */
#include "manifest/workload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKLOAD(id, doc, stresses, documents) workload_reference_fn workload_ref_##id;
#include "workloads/workloads.def"
#undef WORKLOAD

const struct workload workload_table[] = {
#define WORKLOAD(id, doc, stresses, documents) {#id, doc, stresses, documents, workload_ref_##id},
#include "workloads/workloads.def"
#undef WORKLOAD
    {NULL, NULL, NULL, NULL, NULL},
};
const u32 workload_count = ARRAY_LEN(workload_table) - 1;
const char *const workload_sizes[WORKLOAD_SIZES] = {"tiny", "small", "paper", "aurud"};

const struct workload *workload_find(const char *name) {
    for (u32 i = 0; i < workload_count; i++)
        if (strcmp(workload_table[i].name, name) == 0) return &workload_table[i];
    return NULL;
}

struct workload_buffer *workload_buffer_find(const struct workload_buffers *b, const char *name) {
    for (u32 i = 0; i < b->n; i++)
        if (strcmp(b->buf[i].name, name) == 0) return &b->buf[i];
    return NULL;
}

char *workload_manifest_path(const struct workload *w, const char *size) {
    char *data = data_dir("workloads");
    if (!data) return NULL;
    struct strbuf s = {0};
    strbuf_add(&s, "%s/workloads/%s/manifest-%s.json", data, w->name, size ? size : WORKLOAD_SIZE);
    free(data);
    return s.s;
}

bool workload_has_size(const struct workload *w, const char *size, const char *path, struct strbuf *why) {
    if (!size || access(path, F_OK) == 0) return true;
    char *other = workload_manifest_path(w, WORKLOAD_SIZE);
    bool there = other && access(other, F_OK) == 0;
    if (there) strbuf_add(why, "%s has no size \"%s\"; it has", w->name, size);
    for (u32 i = 0, n = 0; there && i < WORKLOAD_SIZES; i++) {
        free(other);
        other = workload_manifest_path(w, workload_sizes[i]);
        if (access(other, F_OK) == 0) strbuf_add(why, "%s %s", n++ ? "," : "", workload_sizes[i]);
    }
    free(other);
    return !there;
}
