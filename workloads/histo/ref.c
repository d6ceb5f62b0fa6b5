/* histo: counts one value after the other. Bit-exact. */
#include "../ref.h"

bool workload_ref_histo(struct workload_buffers *b) {
    u64 n = ref_count(b, "input"), bins = ref_count(b, "result");
    const u32 *input = ref_u32(b, "input", n);
    u32 *table = ref_u32(b, "table", bins);
    u8 *result = ref_u8(b, "result", bins);
    if (!n || !bins || !input || !table || !result) return false;
    memset(result, 0, bins);
    for (u64 i = 0; i < n; i++) {
        if (input[i] >= bins) return false;
        table[input[i]]++;
        if (result[input[i]] < 255) result[input[i]]++;
    }
    return true;
}
