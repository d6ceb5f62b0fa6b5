/* out = in transposed, one element per work-item: the reads of a warp are contiguous, its writes a row apart,
 * so each store instruction touches as many lines as it has lanes. */
__kernel void transpose_naive(__global const uint *in, __global uint *out, uint n) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
