/* btree: binary search in the sorted keys. Bit-exact. */
#include "../ref.h"

/* How many keys are less than `limit` */
static u64 keys_below(const u32 *keys, u64 n, u64 limit) {
    u64 low = 0, high = n;
    while (low < high) {
        u64 mid = low + (high - low) / 2;
        if (keys[mid] < limit) low = mid + 1;
        else high = mid;
    }
    return low;
}

bool workload_ref_btree(struct workload_buffers *b) {
    u64 n = ref_count(b, "keys"), queries = ref_count(b, "query");
    const u32 *keys = ref_u32(b, "keys", n), *values = ref_u32(b, "values", n), *query = ref_u32(b, "query", queries);
    u64 width = ref_param(b, "width");
    u32 *found = ref_u32(b, "found", queries), *count = ref_u32(b, "count", queries);
    if (!n || !keys || !values || !query || !found || !count) return false;
    for (u64 i = 0; i < queries; i++) {
        u64 at = keys_below(keys, n, query[i]);
        found[i] = at < n && keys[at] == query[i] ? values[at] : 0xFFFFFFFFu;
        count[i] = (u32)(keys_below(keys, n, query[i] + width + 1) - at);
    }
    return true;
}
