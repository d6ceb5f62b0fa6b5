/* Mathematical functions that libclc has, and has wrong in places the specification asks for: results and
 * arguments below the normal range of float, not-a-numbers, signs of zero, saturation.
 *
 * A program's calls are given the names used here (src/opencl/mend.c), so that a function can be libclc's own
 * everywhere but in those places. */
#define OVERLOAD __attribute__((overloadable, always_inline))

/* --- vectors: element by element */
#define VECTORS1(T, f)                                                                                                           \
    T##2 OVERLOAD f(T##2 x) { return (T##2)(f(x.x), f(x.y)); }                                                                   \
    T##3 OVERLOAD f(T##3 x) { return (T##3)(f(x.x), f(x.y), f(x.z)); }                                                           \
    T##4 OVERLOAD f(T##4 x) { return (T##4)(f(x.lo), f(x.hi)); }                                                                 \
    T##8 OVERLOAD f(T##8 x) { return (T##8)(f(x.lo), f(x.hi)); }                                                                 \
    T##16 OVERLOAD f(T##16 x) { return (T##16)(f(x.lo), f(x.hi)); }
#define VECTORS2(T, U, f)                                                                                                        \
    T##2 OVERLOAD f(T##2 x, U##2 y) { return (T##2)(f(x.x, y.x), f(x.y, y.y)); }                                                 \
    T##3 OVERLOAD f(T##3 x, U##3 y) { return (T##3)(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z)); }                                    \
    T##4 OVERLOAD f(T##4 x, U##4 y) { return (T##4)(f(x.lo, y.lo), f(x.hi, y.hi)); }                                             \
    T##8 OVERLOAD f(T##8 x, U##8 y) { return (T##8)(f(x.lo, y.lo), f(x.hi, y.hi)); }                                             \
    T##16 OVERLOAD f(T##16 x, U##16 y) { return (T##16)(f(x.lo, y.lo), f(x.hi, y.hi)); }
#define VECTORS3(T, f)                                                                                                           \
    T##2 OVERLOAD f(T##2 x, T##2 y, T##2 z) { return (T##2)(f(x.x, y.x, z.x), f(x.y, y.y, z.y)); }                               \
    T##3 OVERLOAD f(T##3 x, T##3 y, T##3 z) { return (T##3)(f(x.xy, y.xy, z.xy), f(x.z, y.z, z.z)); }                            \
    T##4 OVERLOAD f(T##4 x, T##4 y, T##4 z) { return (T##4)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); }                         \
    T##8 OVERLOAD f(T##8 x, T##8 y, T##8 z) { return (T##8)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); }                         \
    T##16 OVERLOAD f(T##16 x, T##16 y, T##16 z) { return (T##16)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); }
/* with one number for all elements of the first */
#define SPREAD(T, U, f)                                                                                                          \
    T##2 OVERLOAD f(T##2 x, U y) { return f(x, (U##2)(y)); }                                                                     \
    T##3 OVERLOAD f(T##3 x, U y) { return f(x, (U##3)(y)); }                                                                     \
    T##4 OVERLOAD f(T##4 x, U y) { return f(x, (U##4)(y)); }                                                                     \
    T##8 OVERLOAD f(T##8 x, U y) { return f(x, (U##8)(y)); }                                                                     \
    T##16 OVERLOAD f(T##16 x, U y) { return f(x, (U##16)(y)); }

/* --- saturation: libclc has 0 minus the least number as the least, and wraps a long sum where the product
 * overflows by little */
#define SUB_SAT(T, U, MOST)                                                                                                      \
    T OVERLOAD heddle_sub_sat(T x, T y) {                                                                                        \
        T r = (T)((U)x - (U)y);                                                                                                  \
        return ((x ^ y) & (x ^ r)) >= 0 ? r : x < 0 ? -MOST - 1 : MOST;                                                          \
    }                                                                                                                            \
    VECTORS2(T, T, heddle_sub_sat)
SUB_SAT(int, uint, INT_MAX) SUB_SAT(long, ulong, LONG_MAX)

long OVERLOAD heddle_mad_sat(long x, long y, long z) {
    ulong product = (ulong)x * (ulong)y, low = product + (ulong)z;
    long high = mul_hi(x, y) + (z >> 63) + (low < product);
    return high == (long)low >> 63 ? (long)low : high < 0 ? LONG_MIN : LONG_MAX;
}
VECTORS3(long, heddle_mad_sat)

/* --- exp, exp2: libclc gives 0 for results below the normal range. There the argument is moved by 32, which
 * is exact, and the result scaled back, which rounds it once. */
float OVERLOAD heddle_exp(float x) {
    bool deep = x < -86.0f;
    float r = exp(deep ? x + 32.0f : x);
    return deep ? r * 0x1.c8464f7616468p-47f : r;
}
VECTORS1(float, heddle_exp)

float OVERLOAD heddle_exp2(float x) {
    bool deep = x < -125.0f;
    float r = exp2(deep ? x + 32.0f : x);
    return deep ? r * 0x1p-32f : r;
}
VECTORS1(float, heddle_exp2)

/* --- erfc: 0 where the result is below the normal range, too. There it is the asymptotic series; the
 * exponent -x*x is split such that its larger part is exact. */
float OVERLOAD heddle_erfc(float x) {
    if (!(x > 9.0f && x < 11.0f)) return erfc(x);
    float hi = as_float(as_uint(x) & 0xfffff000u), t = 0.5f / (x * x);
    float series = 1.0f - t * (1.0f - 3.0f * t * (1.0f - 5.0f * t * (1.0f - 7.0f * t)));
    float r = exp(32.0f - hi * hi) * exp((hi - x) * (hi + x)) * (series * 0.5641895835f / x);
    return r * 0x1.c8464f7616468p-47f;
}
VECTORS1(float, heddle_erfc)

/* --- double functions that go by a table, whose index a not-a-number throws anywhere */
#define QUIET(f)                                                                                                                 \
    double OVERLOAD heddle_##f(double x) {                                                                                       \
        double r = f(isnan(x) ? 0.0 : x);                                                                                        \
        return isnan(x) ? x : r;                                                                                                 \
    }                                                                                                                            \
    VECTORS1(double, heddle_##f)
QUIET(cosh) QUIET(sinh)

/* --- zeros of the functions of multiples of pi have signs */
#define SIGNS(T)                                                                                                                 \
    T OVERLOAD heddle_cospi(T x) {                                                                                               \
        T r = cospi(x);                                                                                                          \
        return r == 0 ? (T)0 : r;                                                                                                \
    }                                                                                                                            \
    T OVERLOAD heddle_sinpi(T x) {                                                                                               \
        T r = sinpi(x);                                                                                                          \
        return r == 0 ? copysign((T)0, x) : r;                                                                                   \
    }                                                                                                                            \
    T OVERLOAD heddle_tanpi(T x) {                                                                                               \
        T r = tanpi(x), half_ = x * (T)0.5;                                                                                      \
        return r == 0 ? copysign((T)0, trunc(half_) == half_ ? x : -x) : r;                                                      \
    }                                                                                                                            \
    T OVERLOAD heddle_atanpi(T x) { return x == 0 ? x : atanpi(x); }                                                             \
    VECTORS1(T, heddle_cospi) VECTORS1(T, heddle_sinpi) VECTORS1(T, heddle_tanpi) VECTORS1(T, heddle_atanpi)
SIGNS(float)
SIGNS(double)

/* --- tgamma: libclc takes the exponential of lgamma, which loses as many digits as that is long. Near zero
 * it is the reciprocal of the series of 1 / gamma; from 5 on Stirling's formula at 20 or more, and steps down
 * from there; below -5 its reflection. Far below zero it is too small for any number but a zero, negative
 * between an odd integer and the next; there is none at integers. */
#define TINY(T, x) (floor(x) == (x) ? (T)NAN : floor((x) * (T)0.5) * 2 == floor(x) ? (T)0.0 : (T)-0.0)

/* gamma(x) as a product, of which each factor is a number even when gamma is not; x from 5 to 200 */
__attribute__((always_inline)) static double2 stirling(double x) {
    double steps = 1.0, n = x < 20.0 ? ceil(20.0 - x) : 0.0, y = x + n, back = y - x;
    double lost = (x - (y - back)) + (n - back); /* of x in y; gamma's logarithm has the slope log(y) - 1 / 2y */
    for (double at = x; at < y - 0.5; at += 1.0) steps *= at;
    steps *= 1.0 - lost * (log(y) - 0.5 / y);
    x = y;
    double w = 1.0 / (x * x), p = pow(x, 0.5 * x - 0.25);
    double series = 1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188 - w * (691.0 / 360360)))));
    return (double2)(p * (2.5066282746310005 * exp(series / x) / steps), p / exp(x));
}

double OVERLOAD heddle_tgamma(double x) {
    if (x < -185.0) return TINY(double, x);
    if (fabs(x) >= 5.0) {
        double2 g = stirling(fmin(fabs(x), 200.0));
        if (x > 0) return g.x * g.y;
        return floor(x) == x ? NAN : -3.1415926535897932 / (x * sinpi(x)) / g.x / g.y;
    }
    if (!(fabs(x) < 0x1p-8)) return tgamma(x);
    double p = 0.16653861138229149 + x * (-0.042197734555544337 - x * 0.0096219715278769736);
    return 1.0 / (x * (1.0 + x * (0.57721566490153286 + x * (-0.65587807152025388 + x * (-0.042002635034095236 + x * p)))));
}
float OVERLOAD heddle_tgamma(float x) {
    if (x < -43.0f) return TINY(float, x);
    if (fabs(x) >= 5.0f) return (float)heddle_tgamma((double)x);
    if (!(fabs(x) < 0x1p-8f)) return tgamma(x);
    return 1.0f / (x * (1.0f + x * (0.5772156649f + x * (-0.6558780715f - x * 0.0420026350f))));
}
VECTORS1(float, heddle_tgamma)
VECTORS1(double, heddle_tgamma)

/* --- ldexp, rounded once, of numbers below the normal range too */
#define LDEXP(T, U, I, MANTISSA, EXPONENTS, SCALE)                                                                               \
    T OVERLOAD heddle_ldexp(T x, int n) {                                                                                        \
        const I most = EXPONENTS, shift = MANTISSA + 1;                                                                          \
        U sign = as_##U(x) & ((U)1 << (sizeof(U) * 8 - 1)), bits = as_##U(x) ^ sign;                                             \
        I e = (I)(bits >> MANTISSA), by = clamp(n, -4 * EXPONENTS, 4 * EXPONENTS);                                               \
        if (bits == 0 || e == most) return x;                                                                                    \
        if (e == 0) { /* below the normal range: up, where it has an exponent */                                                 \
            bits = as_##U(as_##T(bits) * ((T)((U)1 << shift)));                                                                  \
            e = (I)(bits >> MANTISSA) - shift;                                                                                   \
        }                                                                                                                        \
        U fraction = bits & (((U)1 << MANTISSA) - 1);                                                                            \
        e += by;                                                                                                                 \
        if (e >= most) return as_##T(sign | ((U)most << MANTISSA));                                                              \
        if (e < -MANTISSA) return as_##T(sign) * (T)SCALE;                                                                       \
        if (e > 0) return as_##T(sign | ((U)e << MANTISSA) | fraction);                                                          \
        return as_##T(sign | ((U)(e + 64) << MANTISSA) | fraction) * (T)SCALE;                                                   \
    }                                                                                                                            \
    VECTORS2(T, int, heddle_ldexp)                                                                                               \
    SPREAD(T, int, heddle_ldexp)
LDEXP(float, uint, int, 23, 255, 0x1p-64f)
LDEXP(double, ulong, long, 52, 2047, 0x1p-64)

/* --- rootn: the first root and its reciprocal may lie below the normal range, where libclc has 0 */
float OVERLOAD heddle_rootn(float x, int n) { return n == 1 ? x : n == -1 ? 1.0f / x : rootn(x, n); }
VECTORS2(float, int, heddle_rootn)

/* --- fmod, remainder, remquo: a division by shifting, exact for all numbers */
struct quotient {
    uint rest, quotient; /* of the fractions; the quotient's last 32 bits */
    int exponent;        /* of the rest */
};

/* The fraction with its leading one, and its exponent */
__attribute__((always_inline)) static uint fraction_of(uint bits, int *e) {
    uint fraction = bits & 0x7fffff;
    *e = (int)(bits >> 23);
    if (*e) return fraction | 0x800000;
    int up = (int)clz(fraction) - 8;
    *e = 1 - up;
    return fraction << up;
}

/* |x| divided by |y|: both finite, y not 0, x not below y's exponent */
__attribute__((always_inline)) static struct quotient divide(uint x, int ex, uint y, int ey) {
    struct quotient d = {x >= y ? x - y : x, x >= y, ey};
    for (int left = ex - ey; left > 0;) {
        int now = left < 8 ? left : 8;
        uint wide = d.rest << now;
        d.quotient = d.quotient << now | wide / y;
        d.rest = wide % y;
        left -= now;
    }
    return d;
}

/* A fraction at an exponent: exact, because a remainder has no more digits than the divisor */
__attribute__((always_inline)) static float number_of(uint fraction, int e) { return heddle_ldexp((float)fraction, e - 150); }

/* Where the answer takes no division: true, with the answer */
__attribute__((always_inline)) static bool is_special(float x, float y, float *r) {
    *r = isfinite(x) && !isnan(y) && y != 0 ? x : NAN;
    return isnan(*r) || x == 0 || isinf(y);
}

float OVERLOAD heddle_fmod(float x, float y) {
    float r;
    int ex, ey;
    if (is_special(x, y, &r) || fabs(x) < fabs(y)) return r;
    uint fx = fraction_of(as_uint(fabs(x)), &ex), fy = fraction_of(as_uint(fabs(y)), &ey);
    struct quotient d = divide(fx, ex, fy, ey);
    return copysign(number_of(d.rest, d.exponent), x);
}
VECTORS2(float, float, heddle_fmod)

/* The remainder of the nearest quotient, even where two are as near */
__attribute__((always_inline)) static float nearest(float x, float y, int *quo) {
    float r;
    int ex, ey;
    *quo = 0;
    if (is_special(x, y, &r)) return r;
    uint fx = fraction_of(as_uint(fabs(x)), &ex), fy = fraction_of(as_uint(fabs(y)), &ey);
    if (ex < ey - 1) return x;
    struct quotient d = {fx, 0, ex};
    if (ex >= ey) d = divide(fx, ex, fy, ey);
    uint whole = ex < ey ? 2 * fy : fy; /* the divisor, at the rest's exponent */
    bool up = 2 * d.rest > whole || (2 * d.rest == whole && (d.quotient & 1));
    float size = number_of(up ? whole - d.rest : d.rest, d.exponent);
    int q = (int)((d.quotient + up) & 0x7fffffffu);
    *quo = (as_int(x) ^ as_int(y)) < 0 ? -(q & 127) : q & 127;
    return up ? copysign(size, -x) : copysign(size, x);
}

float OVERLOAD heddle_remainder(float x, float y) {
    int q;
    return nearest(x, y, &q);
}
VECTORS2(float, float, heddle_remainder)

#define REMQUO(SPACE)                                                                                                            \
    float OVERLOAD heddle_remquo(float x, float y, SPACE int *q) {                                                               \
        int quo;                                                                                                                 \
        float r = nearest(x, y, &quo);                                                                                           \
        *q = quo;                                                                                                                \
        return r;                                                                                                                \
    }                                                                                                                            \
    REMQUO_VECTOR(SPACE, 2) REMQUO_VECTOR(SPACE, 3) REMQUO_VECTOR(SPACE, 4) REMQUO_VECTOR(SPACE, 8) REMQUO_VECTOR(SPACE, 16)
#define REMQUO_VECTOR(SPACE, N)                                                                                                  \
    float##N OVERLOAD heddle_remquo(float##N x, float##N y, SPACE int##N *q) {                                                   \
        float##N r = x;                                                                                                          \
        int##N quo = 0;                                                                                                          \
        for (int i = 0; i < N; i++) ((float *)&r)[i] = nearest(((float *)&x)[i], ((float *)&y)[i], &((int *)&quo)[i]);           \
        *q = quo;                                                                                                                \
        return r;                                                                                                                \
    }
REMQUO(__global)
REMQUO(__local)
REMQUO(__private)

/* --- conversions to float and double with a rounding: the machine has them, libclc's go up where the number
 * nearest is above the range of the type it came from, and lose the sign of a zero. clang's own functions for
 * the instructions forget the rounding. */
#define CONVERT1(TO, FROM, way, instruction, to, from)                                                                           \
    TO OVERLOAD convert_##TO##_##way(FROM x) {                                                                                   \
        TO r;                                                                                                                    \
        __asm__(instruction " %0, %1;" : to(r) : from(x));                                                                       \
        return r;                                                                                                                \
    }                                                                                                                            \
    CONVERT2(TO, FROM, convert_##TO, _##way)
#define CONVERT2(TO, FROM, name, way)                                                                                            \
    TO##2 OVERLOAD name##2##way(FROM##2 x) { return (TO##2)(name##way(x.x), name##way(x.y)); }                                   \
    TO##3 OVERLOAD name##3##way(FROM##3 x) { return (TO##3)(name##way(x.x), name##way(x.y), name##way(x.z)); }                   \
    TO##4 OVERLOAD name##4##way(FROM##4 x) { return (TO##4)(name##2##way(x.lo), name##2##way(x.hi)); }                           \
    TO##8 OVERLOAD name##8##way(FROM##8 x) { return (TO##8)(name##4##way(x.lo), name##4##way(x.hi)); }                           \
    TO##16 OVERLOAD name##16##way(FROM##16 x) { return (TO##16)(name##8##way(x.lo), name##8##way(x.hi)); }
#define CONVERT(TO, FROM, types, to, from)                                                                                       \
    CONVERT1(TO, FROM, rtz, "cvt.rz." types, to, from)                                                                           \
    CONVERT1(TO, FROM, rtp, "cvt.rp." types, to, from)                                                                           \
    CONVERT1(TO, FROM, rtn, "cvt.rm." types, to, from)
CONVERT(float, int, "f32.s32", "=f", "r")
CONVERT(float, uint, "f32.u32", "=f", "r")
CONVERT(float, long, "f32.s64", "=f", "l")
CONVERT(float, ulong, "f32.u64", "=f", "l")
CONVERT(float, double, "f32.f64", "=f", "d")
CONVERT(double, long, "f64.s64", "=d", "l")
CONVERT(double, ulong, "f64.u64", "=d", "l")
