/* spmv: y = A x, each row summed from left to right with one rounding per product. Bit-exact. */
#include "../ref.h"

bool workload_ref_spmv(struct workload_buffers *b) {
    u64 rows = ref_count(b, "y"), columns = ref_count(b, "x"), nonzeros = ref_count(b, "value");
    const u32 *row_start = ref_u32(b, "row_start", rows + 1);
    const u32 *column = ref_u32(b, "column", nonzeros);
    const float *value = ref_f32(b, "value", nonzeros);
    const float *x = ref_f32(b, "x", columns);
    float *y = ref_f32(b, "y", rows);
    if (!row_start || !column || !value || !x || !y) return false;
    for (u64 row = 0; row < rows; row++) {
        float sum = 0.0f;
        for (u64 i = row_start[row]; i < row_start[row + 1]; i++) {
            if (i >= nonzeros || column[i] >= columns) return false;
            sum = fmaf(value[i], x[column[i]], sum);
        }
        y[row] = sum;
    }
    return true;
}
