/* transpose_naive: out[j][i] = in[i][j]. Bit-exact. */
#include "../ref.h"

bool workload_ref_transpose_naive(struct workload_buffers *b) {
    u32 n = ref_side(b, "in");
    const u32 *in = ref_u32(b, "in", (u64)n * n);
    u32 *out = ref_u32(b, "out", (u64)n * n);
    if (!in || !out) return false;
    for (u64 i = 0; i < (u64)n * n; i++) out[i % n * n + i / n] = in[i];
    return true;
}
