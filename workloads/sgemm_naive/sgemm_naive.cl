/* C = A B for square row-major matrices, one element of C per work-item straight from global memory: every
 * operand is read n times, so the caches carry the kernel. */
__kernel void sgemm_naive(__global const float *a, __global const float *b, __global float *c, uint n) {
    uint col = get_global_id(0), row = get_global_id(1);
    if (row >= n || col >= n) return;
    float sum = 0.0f;
    for (uint k = 0; k < n; k++) sum = fma(a[row * n + k], b[k * n + col], sum);
    c[row * n + col] = sum;
}
