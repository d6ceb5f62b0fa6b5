/* One step of a five-point stencil on a square grid of side n: out = 0.5 centre + 0.125 (north + south + west
 * + east); the border is copied. No local memory: the reuse between neighbours is the cache's to find. */
__kernel void stencil(__global const float *in, __global float *out, uint n) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    uint i = y * n + x;
    float centre = in[i];
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        float around = (in[i - n] + in[i + n]) + (in[i - 1] + in[i + 1]);
        centre = fma(0.125f, around, 0.5f * centre);
    }
    out[i] = centre;
}
