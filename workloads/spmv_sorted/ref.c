/* spmv_sorted: entry by entry over all rows, as the matrix is stored, in the result's own order. Bit-exact:
 * each row is summed from its first entry on, with one rounding per product. */
#include "../ref.h"

bool workload_ref_spmv_sorted(struct workload_buffers *b) {
    u64 rows = ref_count(b, "y"), columns = ref_count(b, "x"), stored = ref_count(b, "value");
    const u32 *length = ref_u32(b, "length", rows), *order = ref_u32(b, "order", rows), *column = ref_u32(b, "column", stored);
    const float *value = ref_f32(b, "value", stored), *x = ref_f32(b, "x", columns);
    float *y = ref_f32(b, "y", rows);
    if (!rows || stored % rows || !length || !order || !column || !value || !x || !y) return false;
    for (u64 row = 0; row < rows; row++) {
        if (order[row] >= rows || length[row] > stored / rows) return false;
        y[order[row]] = 0.0f;
    }
    for (u64 i = 0; i < stored; i++) {
        u64 row = i % rows;
        if (i / rows >= length[row]) continue;
        if (column[i] >= columns) return false;
        y[order[row]] = fmaf(value[i], x[column[i]], y[order[row]]);
    }
    return true;
}
