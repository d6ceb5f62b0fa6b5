/* y = alpha x + y in place, a grid-stride loop. alpha is read from memory: every work-item loads the same
 * address. */
__kernel void saxpy(__global const float *alpha, __global const float *x, __global float *y, uint n) {
    float a = alpha[0];
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = fma(a, x[i], y[i]);
}
