/* backprop: one training step in double precision. Compared with a tolerance: sums in another order, and
 * exp. */
#include "../ref.h"

#define HIDDEN   16
#define LEARNING 0.3
#define MOMENTUM 0.3

static double squash(double x) { return 1.0 / (1.0 + exp(-x)); }

static void forward(const float *input, const float *weight, u64 inputs, double hidden[HIDDEN]) {
    for (int h = 0; h < HIDDEN; h++) {
        double sum = 0;
        for (u64 i = 0; i < inputs; i++) sum += (double)input[i] * (double)weight[i * HIDDEN + (u64)h];
        hidden[h] = squash(sum);
    }
}

bool workload_ref_backprop(struct workload_buffers *b) {
    u64 inputs = ref_count(b, "input");
    const float *input = ref_f32(b, "input", inputs);
    const float *target = ref_f32(b, "target", 1);
    float *weight = ref_f32(b, "weight", inputs * HIDDEN);
    float *momentum = ref_f32(b, "momentum", inputs * HIDDEN);
    float *weight_out = ref_f32(b, "weight_out", HIDDEN);
    float *output = ref_f32(b, "output", 1);
    if (!input || !target || !weight || !momentum || !weight_out || !output) return false;

    double hidden[HIDDEN], delta[HIDDEN], sum = 0;
    forward(input, weight, inputs, hidden);
    for (int h = 0; h < HIDDEN; h++) sum += hidden[h] * (double)weight_out[h];
    double out = squash(sum), delta_out = out * (1 - out) * ((double)target[0] - out);
    output[0] = (float)out;
    for (int h = 0; h < HIDDEN; h++) {
        delta[h] = hidden[h] * (1 - hidden[h]) * delta_out * (double)weight_out[h];
        weight_out[h] = (float)((double)weight_out[h] + LEARNING * delta_out * hidden[h]);
    }
    for (u64 w = 0; w < inputs * HIDDEN; w++) {
        double change = LEARNING * delta[w % HIDDEN] * (double)input[w / HIDDEN] + MOMENTUM * (double)momentum[w];
        weight[w] = (float)((double)weight[w] + change);
        momentum[w] = (float)change;
    }
    return true;
}
