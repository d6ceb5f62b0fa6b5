/* psort: qsort. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

static int by_value(const void *a, const void *b) {
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return (x > y) - (x < y);
}

bool workload_ref_psort(struct workload_buffers *b) {
    u64 n = ref_count(b, "in");
    const u32 *in = ref_u32(b, "in", n);
    u32 *out = ref_u32(b, "out", n);
    if (!in || !out) return false;
    memcpy(out, in, n * sizeof *out);
    qsort(out, n, sizeof *out, by_value);
    return true;
}
