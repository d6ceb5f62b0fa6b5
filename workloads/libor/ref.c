/* libor: path by path in double precision. exp() and roundings differ, hence a tolerance. */
#include "../ref.h"

#define MAX_MATURITIES 80
#define OPTIONS        15

struct market {
    u64 maturities, steps;
    double rate[MAX_MATURITIES];
};

static const double quarter = 0.25, volatility = 0.2;

static void evolve(struct market *m, u64 step, double normal) {
    double drift = 0;
    for (double *rate = m->rate + step + 1; rate < m->rate + m->maturities; rate++) {
        drift += quarter * *rate / (1 + quarter * *rate) * volatility;
        *rate *= exp(volatility * (drift + sqrt(quarter) * normal - 0.5 * quarter * volatility));
    }
}

static double payoff(const struct market *m, u64 option) {
    u64 end = 1 + (option + 1) * (m->maturities - m->steps - 1) / OPTIONS;
    double bond = 1, coupons = 0, strike = 0.045 + 0.005 * (double)(option % 3);
    for (u64 i = 0; i < end; i++) {
        bond /= 1 + quarter * m->rate[m->steps + i];
        coupons += quarter * strike * bond;
    }
    return bond + coupons < 1 ? 1 - bond - coupons : 0;
}

bool workload_ref_libor(struct workload_buffers *b) {
    u64 maturities = ref_param(b, "maturities"), steps = ref_param(b, "steps"), paths = ref_count(b, "value");
    if (maturities > MAX_MATURITIES || steps >= maturities) return false;
    const float *normal = ref_f32(b, "normal", steps * paths);
    float *value = ref_f32(b, "value", paths);
    if (!normal || !value) return false;
    for (u64 path = 0; path < paths; path++) {
        struct market m = {.maturities = maturities, .steps = steps};
        double total = 0, deflator = 1;
        for (u64 i = 0; i < m.maturities; i++) m.rate[i] = (double)0.05f;
        for (u64 step = 0; step < m.steps; step++) evolve(&m, step, normal[step * paths + path]);
        for (u64 option = 0; option < OPTIONS; option++) total += payoff(&m, option);
        for (u64 i = 0; i < m.steps; i++) deflator *= 1 + quarter * m.rate[i];
        value[path] = (float)(100 * total / deflator);
    }
    return true;
}
