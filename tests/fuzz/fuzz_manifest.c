/* libFuzzer target: any bytes as a manifest. Reading must end in a manifest or in at least one error, and the
 * contents of a small manifest's buffers must be makeable. Build with clang
 * -fsanitize=fuzzer,address,undefined. */
#include "manifest/manifest.h"

#include <stdlib.h>

#define SMALL_B 65536

static void fill_all(const struct manifest *m) {
    struct diag d = {0};
    for (u32 i = 0; i < m->nbuffers; i++) {
        const struct manifest_buffer *b = &m->buffers[i];
        if (!b->generator || b->bytes > SMALL_B) continue;
        void *data = base_alloc(b->bytes);
        manifest_fill(m, i, data, &d);
        free(data);
    }
    diag_free(&d);
}

static void compare_all(const struct manifest *m) {
    struct outcome o;
    if (manifest_bytes(m) > SMALL_B || m->nbuffers > 64) return;
    void *data[64];
    for (u32 i = 0; i < m->nbuffers; i++) data[i] = base_alloc(m->buffers[i].bytes);
    manifest_compare(m, data, data, &o);
    for (u32 i = 0; i < m->nbuffers; i++) free(data[i]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size) {
    struct diag d = {0};
    struct manifest *m = manifest_parse("fuzz.json", (const char *)data, size, &d);
    CHECK((m == NULL) == (d.errors > 0) && (!m || size <= limit_most(LIMIT_MANIFEST)));
    if (m) {
        fill_all(m);
        compare_all(m);
    }
    manifest_free(m);
    diag_free(&d);
    return 0;
}
