/* European call and put prices by the Black-Scholes formula, one option per work-item. The exponential and
 * the logarithm are the special function unit's approximations. */
#define RATE   0.02f
#define LOG2_E 1.44269504f
#define LN_2   0.69314718f

#ifdef __NVPTX__
static float fast_exp2(float x) {
    float y;
    __asm__("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static float fast_log2(float x) {
    float y;
    __asm__("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define fast_exp2 exp2
#define fast_log2 log2
#endif

/* The normal distribution function: Abramowitz and Stegun 26.2.17, error below 7.5e-8 */
static float normal_cdf(float d) {
    float k = 1.0f / fma(0.2316419f, fabs(d), 1.0f);
    float poly = fma(k, 1.330274429f, -1.821255978f);
    poly = fma(k, poly, 1.781477937f);
    poly = fma(k, poly, -0.356563782f);
    poly = fma(k, poly, 0.319381530f);
    float tail = 0.39894228f * fast_exp2(-0.5f * LOG2_E * d * d) * k * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

__kernel void blackscholes(__global const float *price, __global const float *strike, __global const float *years,
                           __global const float *volatility, __global float *call, __global float *put, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    float s = price[i], x = strike[i], t = years[i], v = volatility[i];
    float spread = v * sqrt(t);
    float d1 = (fast_log2(s / x) * LN_2 + fma(0.5f * v, v, RATE) * t) / spread;
    float d2 = d1 - spread;
    float discounted = x * fast_exp2(-RATE * LOG2_E * t);
    float cdf1 = normal_cdf(d1), cdf2 = normal_cdf(d2);
    call[i] = s * cdf1 - discounted * cdf2;
    put[i] = discounted * (1.0f - cdf2) - s * (1.0f - cdf1);
}
