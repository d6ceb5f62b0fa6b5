/* transpose: out[j][i] = in[i][j]. Bit-exact. */
#include "../ref.h"

bool workload_ref_transpose(struct workload_buffers *b) {
    u32 n = ref_side(b, "in");
    const u32 *in = ref_u32(b, "in", (u64)n * n);
    u32 *out = ref_u32(b, "out", (u64)n * n);
    if (!in || !out) return false;
    for (u32 i = 0; i < n; i++)
        for (u32 j = 0; j < n; j++) out[(u64)j * n + i] = in[(u64)i * n + j];
    return true;
}
