/* Iterations until z = z^2 + c leaves the circle of radius 2, at most LIMIT, over the square with corners -2
 * - 1.5i and 1 + 1.5i. Work-items of a warp leave the loop at different times. */
#pragma OPENCL FP_CONTRACT OFF
#define LIMIT 96

__kernel void mandelbrot(__global uint *iterations, uint n) {
    uint px = get_global_id(0), py = get_global_id(1);
    if (px >= n || py >= n) return;
    float step = 3.0f / (float)n;
    float cx = fma((float)px, step, -2.0f), cy = fma((float)py, step, -1.5f);
    float x = 0.0f, y = 0.0f;
    uint i = 0;
    while (i < LIMIT) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        y = fma(2.0f * x, y, cy);
        x = xx - yy + cx;
        i++;
    }
    iterations[py * n + px] = i;
}
