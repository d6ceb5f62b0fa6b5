/* Speckle-reducing anisotropic diffusion of a square image of side n. A round is three launches:
 * srad_coefficient (the diffusion coefficient of every pixel from its four differences), srad_update, and
 * srad_decay (the speckle scale shrinks from round to round). At the edges a pixel is its own neighbour.
 * Divisions, and many streams at once. */
#pragma OPENCL FP_CONTRACT OFF
#define LAMBDA 0.5f
#define DECAY  0.9f

/* delta holds four planes of n * n: north, south, west, east */
__kernel void srad_coefficient(__global const float *image, __global float *delta, __global float *coefficient,
                               __global const float *speckle, uint n) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    uint i = y * n + x, plane = n * n;
    float here = image[i];
    float north = image[y > 0 ? i - n : i] - here, south = image[y < n - 1 ? i + n : i] - here;
    float west = image[x > 0 ? i - 1 : i] - here, east = image[x < n - 1 ? i + 1 : i] - here;

    float squares = fma(north, north, fma(south, south, fma(west, west, east * east)));
    float gradient = squares / (here * here);
    float laplacian = ((north + south) + (west + east)) / here;
    float scale = fma(0.25f, laplacian, 1.0f);
    float q = fma(0.5f, gradient, -0.0625f * (laplacian * laplacian)) / (scale * scale);
    float q0 = speckle[0];
    float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));

    delta[i] = north;
    delta[plane + i] = south;
    delta[2 * plane + i] = west;
    delta[3 * plane + i] = east;
    coefficient[i] = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

__kernel void srad_update(__global float *image, __global const float *delta, __global const float *coefficient, uint n) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    uint i = y * n + x, plane = n * n;
    float here = coefficient[i];
    float south = coefficient[y < n - 1 ? i + n : i], east = coefficient[x < n - 1 ? i + 1 : i];
    float divergence =
        fma(here, delta[i], fma(south, delta[plane + i], fma(here, delta[2 * plane + i], east * delta[3 * plane + i])));
    image[i] = fma(0.25f * LAMBDA, divergence, image[i]);
}

__kernel void srad_decay(__global float *speckle) {
    if (get_global_id(0) == 0) speckle[0] *= DECAY;
}
