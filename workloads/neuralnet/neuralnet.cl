/* A small convolutional network that reads handwritten digits, a launch per layer: 29 x 29 pixels, 6 maps of
 * 13 x 13, 50 maps of 5 x 5, a fully connected hidden layer, 10 outputs. A work-group is one map of one digit
 * in the first two layers and one neuron of one digit, a single lane, in the last two: warps with one active
 * lane and long dependent sums. */
#define IN    29
#define SIDE1 13
#define MAPS1 6
#define SIDE2 5
#define MAPS2 50
#define TAPS  5

static float squash(float x) { return 1.7159f * tanh(0.66666667f * x); }

/* weight: per map a bias and 25 taps */
__kernel void neuralnet_maps1(__global const float *image, __global const float *weight, __global float *out) {
    uint x = get_local_id(0), y = get_local_id(1), map = get_group_id(0), digit = get_group_id(1);
    __global const float *w = weight + map * (TAPS * TAPS + 1);
    __global const float *from = image + digit * IN * IN + 2 * y * IN + 2 * x;
    float sum = w[0];
    for (uint j = 0; j < TAPS; j++)
        for (uint i = 0; i < TAPS; i++) sum += w[1 + j * TAPS + i] * from[j * IN + i];
    out[((digit * MAPS1 + map) * SIDE1 + y) * SIDE1 + x] = squash(sum);
}

/* weight: per map a bias and 25 taps for each of the 6 maps before */
__kernel void neuralnet_maps2(__global const float *in, __global const float *weight, __global float *out) {
    uint x = get_local_id(0), y = get_local_id(1), map = get_group_id(0), digit = get_group_id(1);
    __global const float *w = weight + map * (MAPS1 * TAPS * TAPS + 1);
    float sum = w[0];
    for (uint m = 0; m < MAPS1; m++) {
        __global const float *from = in + ((digit * MAPS1 + m) * SIDE1 + 2 * y) * SIDE1 + 2 * x;
        for (uint j = 0; j < TAPS; j++)
            for (uint i = 0; i < TAPS; i++) sum += w[1 + (m * TAPS + j) * TAPS + i] * from[j * SIDE1 + i];
    }
    out[((digit * MAPS2 + map) * SIDE2 + y) * SIDE2 + x] = squash(sum);
}

/* weight: per neuron a bias and one for each of the n inputs */
__kernel void neuralnet_full(__global const float *in, __global const float *weight, __global float *out, uint n) {
    uint neuron = get_group_id(0), digit = get_group_id(1);
    __global const float *w = weight + neuron * (n + 1);
    float sum = w[0];
    for (uint i = 0; i < n; i++) sum += w[1 + i] * in[digit * n + i];
    out[digit * get_num_groups(0) + neuron] = squash(sum);
}
