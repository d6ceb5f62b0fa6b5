/* Monte Carlo of the LIBOR market model, a path per work-item: forward rates for `maturities` quarters evolve
 * over `steps` of them, driven by one random number a step; then a portfolio of swaptions is priced on the
 * path. The rates of a path are an array in private memory, read and written from front to back over and
 * over: local memory traffic, exponentials, divisions. */
#define MAX_MATURITIES 80
#define OPTIONS        15
#define DELTA          0.25f
#define LAMBDA         0.2f
#define FIRST_RATE     0.05f

/* The quarters an option runs, and its strike, come from its number */
static float strike(uint option) { return 0.045f + 0.005f * (option % 3); }
static uint quarters(uint option, uint left) { return 1 + (option + 1) * (left - 1) / OPTIONS; }

/* normal: `steps` planes of `paths` */
__kernel void libor(__global const float *normal, __global float *value, uint paths, uint maturities, uint steps) {
    uint path = get_global_id(0);
    if (path >= paths) return;
    float rate[MAX_MATURITIES];
    for (uint i = 0; i < maturities; i++) rate[i] = FIRST_RATE;

    for (uint step = 0; step < steps; step++) {
        float shock = LAMBDA * sqrt(DELTA) * normal[step * paths + path] - 0.5f * DELTA * LAMBDA * LAMBDA, drift = 0.0f;
        for (uint i = step + 1; i < maturities; i++) {
            drift += DELTA * LAMBDA * rate[i] / (1.0f + DELTA * rate[i]);
            rate[i] *= exp(LAMBDA * drift + shock);
        }
    }

    float total = 0.0f;
    for (uint option = 0; option < OPTIONS; option++) {
        uint end = quarters(option, maturities - steps);
        float discount = 1.0f, annuity = 0.0f;
        for (uint i = steps; i < steps + end; i++) {
            discount /= 1.0f + DELTA * rate[i];
            annuity += DELTA * discount;
        }
        total += fmax(0.0f, 1.0f - discount - strike(option) * annuity);
    }
    for (uint i = 0; i < steps; i++) total /= 1.0f + DELTA * rate[i];
    value[path] = 100.0f * total;
}
