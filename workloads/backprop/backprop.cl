/* One training step of a network with n inputs (a multiple of 16), 16 hidden units and one output. Four
 * launches: backprop_forward (products of inputs and weights, summed over 16 inputs by a tree in local
 * memory), backprop_hidden (the rest of the sums), backprop_output (error and deltas, one group),
 * backprop_adjust (all first-layer weights). */
#define HIDDEN   16
#define LEARNING 0.3f
#define MOMENTUM 0.3f

static float squash(float x) { return 1.0f / (1.0f + exp(-x)); }

/* weight[input][hidden]; partial[group][hidden] */
__kernel __attribute__((reqd_work_group_size(HIDDEN, HIDDEN, 1))) void
backprop_forward(__global const float *input, __global const float *weight, __global float *partial) {
    __local float product[HIDDEN][HIDDEN];
    uint hidden = get_local_id(0), row = get_local_id(1);
    uint i = get_group_id(0) * HIDDEN + row;
    product[row][hidden] = input[i] * weight[i * HIDDEN + hidden];
    for (uint step = 1; step < HIDDEN; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row % (2 * step) == 0) product[row][hidden] += product[row + step][hidden];
    }
    if (row == 0) partial[get_group_id(0) * HIDDEN + hidden] = product[0][hidden];
}

__kernel __attribute__((reqd_work_group_size(HIDDEN, 1, 1))) void backprop_hidden(__global const float *partial,
                                                                                  __global float *hidden_out, uint groups) {
    uint hidden = get_local_id(0);
    float sum = 0.0f;
    for (uint g = 0; g < groups; g++) sum += partial[g * HIDDEN + hidden];
    hidden_out[hidden] = squash(sum);
}

__kernel __attribute__((reqd_work_group_size(HIDDEN, 1, 1))) void backprop_output(__global const float *hidden_out,
                                                                                  __global float *weight_out,
                                                                                  __global const float *target,
                                                                                  __global float *output, __global float *delta) {
    __local float product[HIDDEN];
    uint hidden = get_local_id(0);
    float mine = hidden_out[hidden], weight = weight_out[hidden];
    product[hidden] = mine * weight;
    for (uint half_size = HIDDEN / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (hidden < half_size) product[hidden] += product[hidden + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float out = squash(product[0]);
    float delta_out = out * (1.0f - out) * (target[0] - out);
    delta[hidden] = mine * (1.0f - mine) * delta_out * weight;
    weight_out[hidden] = weight + LEARNING * delta_out * mine;
    if (hidden == 0) output[0] = out;
}

__kernel __attribute__((reqd_work_group_size(HIDDEN, HIDDEN, 1))) void
backprop_adjust(__global const float *input, __global const float *delta, __global float *weight, __global float *momentum) {
    uint hidden = get_local_id(0), i = get_group_id(0) * HIDDEN + get_local_id(1);
    uint w = i * HIDDEN + hidden;
    float change = LEARNING * delta[hidden] * input[i] + MOMENTUM * momentum[w];
    weight[w] += change;
    momentum[w] = change;
}
