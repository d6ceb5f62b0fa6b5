/* y = A x for a sparse matrix in compressed rows, one row per work-item: rows of unequal length make the
 * lanes of a warp wait for the longest, and neighbouring lanes read addresses a row apart. */
__kernel void spmv(__global const uint *row_start, __global const uint *column, __global const float *value,
                   __global const float *x, __global float *y, uint rows) {
    uint row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0.0f;
    for (uint i = row_start[row], end = row_start[row + 1]; i < end; i++) sum = fma(value[i], x[column[i]], sum);
    y[row] = sum;
}
