/* 3 x 3 filter of an image with a margin of one pixel, straight from global memory and without a single
 * branch: the grid covers the n x n output exactly. */
__kernel void sfilter(__global const float *in, __global float *out, uint n, float corner, float edge, float centre) {
    uint x = get_global_id(0), y = get_global_id(1), width = n + 2;
    __global const float *north = in + y * width + x, *here = north + width, *south = here + width;
    float sum = centre * here[1];
    sum = fma(edge, (north[1] + south[1]) + (here[0] + here[2]), sum);
    sum = fma(corner, (north[0] + north[2]) + (south[0] + south[2]), sum);
    out[y * n + x] = sum;
}
