/* y = A x for a sparse matrix whose rows are sorted by length and stored entry by entry: the first entries of
 * all rows, then the second ones, and so on. Neighbouring lanes read neighbouring values and column numbers,
 * and rows of one warp are of about one length; only x is gathered, from near the diagonal. order says which
 * row of the result a sorted row is. */
__kernel void spmv_sorted(__global const uint *length, __global const uint *order, __global const uint *column,
                          __global const float *value, __global const float *x, __global float *y, uint rows) {
    uint row = get_global_id(0);
    if (row >= rows) return;
    float sum = 0.0f;
    for (uint k = 0, end = length[row]; k < end; k++) sum = fma(value[k * rows + row], x[column[k * rows + row]], sum);
    y[order[row]] = sum;
}
