/* bitonic: the library's sort. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

static int by_value(const void *pa, const void *pb) {
    u32 a = *(const u32 *)pa, b = *(const u32 *)pb;
    return (a > b) - (a < b);
}

bool workload_ref_bitonic(struct workload_buffers *b) {
    u64 n = ref_count(b, "data");
    u32 *data = ref_u32(b, "data", n);
    if (!data) return false;
    qsort(data, n, sizeof *data, by_value);
    return true;
}
