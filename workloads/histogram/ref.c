/* histogram: how often each byte value occurs. Bit-exact, for integer additions commute. */
#include "../ref.h"

bool workload_ref_histogram(struct workload_buffers *b) {
    u64 n = ref_count(b, "bytes");
    const u8 *bytes = ref_u8(b, "bytes", n);
    u32 *bins = ref_u32(b, "bins", 256);
    if (!bytes || !bins) return false;
    for (u64 i = 0; i < n; i++) bins[bytes[i]]++;
    return true;
}
