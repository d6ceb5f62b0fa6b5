/* neuralnet: every layer in double precision with one function for both kinds of maps. tanh() and roundings
 * differ, hence a tolerance. */
#include <stdlib.h>

#include "../ref.h"

#define PIXELS (29 * 29)
#define LAYER1 (6 * 13 * 13)
#define LAYER2 (50 * 5 * 5)

struct maps {
    u32 before, side_before, after, side_after;
};

static double squash(double x) { return 1.7159 * tanh(2.0 / 3 * x); }

static void convolve(const struct maps *m, const double *in, const float *weight, double *out) {
    u32 taps = 25 * m->before;
    for (u32 o = 0; o < m->after * m->side_after * m->side_after; o++) {
        u32 map = o / (m->side_after * m->side_after), at = o % (m->side_after * m->side_after);
        const float *w = weight + map * (taps + 1);
        double sum = w[0];
        for (u32 t = 0; t < taps; t++) {
            u32 row = 2 * (at / m->side_after) + t % 25 / 5, column = 2 * (at % m->side_after) + t % 5;
            sum += w[t + 1] * in[(t / 25 * m->side_before + row) * m->side_before + column];
        }
        out[o] = squash(sum);
    }
}

static void connect(const double *in, u64 n_in, const float *weight, double *out, u64 n_out) {
    for (u64 o = 0; o < n_out; o++, weight += n_in + 1) {
        double sum = 0;
        for (u64 i = n_in; i > 0; i--) sum += in[i - 1] * weight[i];
        out[o] = squash(sum + weight[0]);
    }
}

bool workload_ref_neuralnet(struct workload_buffers *b) {
    static const struct maps first = {1, 29, 6, 13}, second = {6, 13, 50, 5};
    u64 digits = ref_count(b, "image") / PIXELS, hidden = ref_count(b, "weight3") / (LAYER2 + 1);
    const float *image = ref_f32(b, "image", digits * PIXELS);
    const float *weight1 = ref_f32(b, "weight1", 6 * 26), *weight2 = ref_f32(b, "weight2", 50 * 151);
    const float *weight3 = ref_f32(b, "weight3", hidden * (LAYER2 + 1)), *weight4 = ref_f32(b, "weight4", 10 * (hidden + 1));
    float *output = ref_f32(b, "output", 10 * digits);
    if (!image || !weight1 || !weight2 || !weight3 || !weight4 || !output) return false;
    double *layer3 = base_alloc((hidden + 1) * sizeof *layer3);
    for (u64 d = 0; d < digits; d++) {
        double pixels[PIXELS], layer1[LAYER1], layer2[LAYER2], layer4[10];
        for (u32 i = 0; i < PIXELS; i++) pixels[i] = image[d * PIXELS + i];
        convolve(&first, pixels, weight1, layer1);
        convolve(&second, layer1, weight2, layer2);
        connect(layer2, LAYER2, weight3, layer3, hidden);
        connect(layer3, hidden, weight4, layer4, 10);
        for (u32 k = 0; k < 10; k++) output[10 * d + k] = (float)layer4[k];
    }
    free(layer3);
    return true;
}
