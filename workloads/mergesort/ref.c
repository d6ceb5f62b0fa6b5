/* mergesort: qsort by key, then by place. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

struct item {
    u32 key, place;
};

static int before(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

bool workload_ref_mergesort(struct workload_buffers *b) {
    u64 n = ref_count(b, "keys");
    const u32 *keys = ref_u32(b, "keys", n), *values = ref_u32(b, "values", n);
    u32 *sorted_keys = ref_u32(b, "sorted_keys", n), *sorted_values = ref_u32(b, "sorted_values", n);
    if (!keys || !values || !sorted_keys || !sorted_values) return false;
    struct item *all = base_alloc(n * sizeof *all);
    for (u32 i = 0; i < n; i++) all[i] = (struct item){keys[i], i};
    qsort(all, n, sizeof *all, before);
    for (u64 i = 0; i < n; i++) {
        sorted_keys[i] = all[i].key;
        sorted_values[i] = values[all[i].place];
    }
    free(all);
    return true;
}
