/* blackscholes: the formula in double precision with the library's erfc. Compared with a tolerance. */
#include "../ref.h"

#define RATE 0.02

static double normal_cdf(double d) { return 0.5 * erfc(-d * sqrt(0.5)); }

bool workload_ref_blackscholes(struct workload_buffers *b) {
    u64 n = ref_count(b, "price");
    const float *price = ref_f32(b, "price", n);
    const float *strike = ref_f32(b, "strike", n);
    const float *years = ref_f32(b, "years", n);
    const float *volatility = ref_f32(b, "volatility", n);
    float *call = ref_f32(b, "call", n);
    float *put = ref_f32(b, "put", n);
    if (!price || !strike || !years || !volatility || !call || !put) return false;
    for (u64 i = 0; i < n; i++) {
        double s = (double)price[i], t = (double)years[i], v = (double)volatility[i];
        double pay = (double)strike[i] * exp(-RATE * t);
        double d1 = (log(s / pay) + 0.5 * v * v * t) / (v * sqrt(t));
        double d2 = d1 - v * sqrt(t);
        double value = s * normal_cdf(d1) - pay * normal_cdf(d2);
        call[i] = (float)value;
        put[i] = (float)(value + pay - s); /* put-call parity */
    }
    return true;
}
