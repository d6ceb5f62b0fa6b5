/* Solves a x = b by Gaussian elimination without pivoting. For every pivot one launch computes the
 * multipliers of the rows below it and one subtracts the pivot row from them; a last launch of one group
 * substitutes back. Many small launches; the active part shrinks with every pivot. */
__kernel void gaussian_multipliers(__global const float *a, __global float *multiplier, uint n, uint pivot) {
    uint row = get_global_id(0) + pivot + 1;
    if (row < n) multiplier[row] = a[row * n + pivot] / a[pivot * n + pivot];
}

__kernel void gaussian_subtract(__global float *a, __global float *b, __global const float *multiplier, uint n, uint pivot) {
    uint column = get_global_id(0) + pivot, row = get_global_id(1) + pivot + 1;
    if (row >= n || column >= n) return;
    a[row * n + column] = fma(-multiplier[row], a[pivot * n + column], a[row * n + column]);
    if (column == pivot) b[row] = fma(-multiplier[row], b[pivot], b[row]);
}

/* One work-item per row: row i knows x[i] once the rows below have been subtracted. */
__kernel void gaussian_back(__global const float *a, __global const float *b, __global float *x, uint n) {
    uint row = get_local_id(0);
    float rest = row < n ? b[row] : 0.0f;
    for (int i = (int)n - 1; i >= 0; i--) {
        if ((int)row == i) x[i] = rest / a[row * n + row];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if ((int)row < i) rest = fma(-a[row * n + i], x[i], rest);
    }
}
