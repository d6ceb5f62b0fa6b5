/* scan: exclusive prefix sum modulo 2^32, and the total. Bit-exact. */
#include "../ref.h"

bool workload_ref_scan(struct workload_buffers *b) {
    u64 n = ref_count(b, "in");
    const u32 *in = ref_u32(b, "in", n);
    u32 *out = ref_u32(b, "out", n);
    u32 *total = ref_u32(b, "total", 1);
    if (!in || !out || !total) return false;
    u32 sum = 0;
    for (u64 i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i];
    }
    total[0] = sum;
    return true;
}
