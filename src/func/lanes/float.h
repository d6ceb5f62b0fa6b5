/* float.h: what the floating-point lane files share: bit casts, the loop over lanes, and exact conversions
 * between formats.
 *
 * Everything here is branch-free on data so that a loop over 32 lanes becomes vector code. Values wider than
 * their format are never rounded twice: narrowing from double is done on the bits, once. Assumes a host in
 * round-to-nearest with subnormals on. */
#ifndef HEDDLE_LANES_FLOAT_H
#define HEDDLE_LANES_FLOAT_H

#include "func/lanes.h"

#include <string.h>

/* Lanes never depend on each other: d is a source row itself or apart from it. clang must not unroll first:
 * it would not vectorise then. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* instrumented builds do not vectorise, and need not */
#define LANES(i, n) _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (int i = 0; i < (n); i++)
#else
#define LANES(i, n) _Pragma("GCC ivdep") for (int i = 0; i < (n); i++)
#endif

#define LANE_FN(name) static void name(void *dv, const void *av, const void *bv, const void *cv, u32 *q, u32 aux)
#define INLINE        static inline __attribute__((always_inline, unused))
#define NOINLINE      __attribute__((noinline, unused))

/* The two halves of each lane of a packed row, seen as 64 independent elements */
typedef u16 __attribute__((may_alias)) half_elem;

enum round_mode { ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ }; /* as MXCSR counts them */

INLINE enum round_mode round_of(const struct opkey *k) {
    if (key_has(k, MOD_rz) || key_has(k, MOD_rzi)) return ROUND_RZ;
    if (key_has(k, MOD_rm) || key_has(k, MOD_rmi)) return ROUND_RM;
    if (key_has(k, MOD_rp) || key_has(k, MOD_rpi)) return ROUND_RP;
    return ROUND_RN;
}

#define F32_NAN   0x7fffffffu /* the one NaN that f32, f16 and bf16 arithmetic produce */
#define F16_NAN   0x7fffu
#define F32_SIGN  0x80000000u
#define F32_LEAST 0x00800000u /* least normal number */
#define F64_SIGN  0x8000000000000000ull
#define F64_QUIET 0x0008000000000000ull
#define F64_NAN   0xfff8000000000000ull /* made by an invalid f64 operation; NaN operands keep their payload */

INLINE float f32_of(u32 x) {
    float f;
    memcpy(&f, &x, 4);
    return f;
}
INLINE u32 f32_bits(float f) {
    u32 x;
    memcpy(&x, &f, 4);
    return x;
}
INLINE double f64_of(u64 x) {
    double f;
    memcpy(&f, &x, 8);
    return f;
}
INLINE u64 f64_bits(double f) {
    u64 x;
    memcpy(&x, &f, 8);
    return x;
}

INLINE u32 f32_flush(u32 x) { return (x & 0x7f800000u) ? x : x & F32_SIGN; }
INLINE u32 f16_flush(u32 x) { return (x & 0x7c00u) ? x : x & 0x8000u; }
INLINE bool f32_isnan(u32 x) { return f32_of(x) != f32_of(x); }
INLINE bool f64_isnan(u64 x) { return f64_of(x) != f64_of(x); }

/* --- half formats */
INLINE float f32_of_bf16(u32 h) { return f32_of(h << 16); }
INLINE float f32_of_f16(u32 h) {
    u32 mag = (h & 0x7fffu) << 13, exp = mag & (31u << 23);
    u32 normal = mag + (112u << 23);
    u32 infnan = mag + (224u << 23);
    u32 small = f32_bits(f32_of(mag + (113u << 23)) - f32_of(113u << 23)); /* subnormal: let the subtraction normalise */
    u32 r = exp == 0 ? small : exp == 31u << 23 ? infnan : normal;
    return f32_of(r | (h & 0x8000u) << 16);
}

/* Nearest f16, ties to even; NaN becomes the canonical one */
INLINE u32 f16_of_f32(float f) {
    u32 bits = f32_bits(f), mag = bits & 0x7fffffffu;
    u32 normal = (mag + 0xfffu + (mag >> 13 & 1u) - (112u << 23)) >> 13;
    u32 small = f32_bits(f32_of(mag) + 0.5f) - 0x3f000000u; /* the addition rounds at 2^-24 */
    u32 r = mag < 0x38800000u ? small : mag >= 0x47800000u ? 0x7c00u : normal;
    r |= bits >> 16 & 0x8000u;
    return mag > 0x7f800000u ? F16_NAN : r;
}
INLINE u32 bf16_of_f32(float f) {
    u32 bits = f32_bits(f);
    u32 r = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (bits & 0x7fffffffu) > 0x7f800000u ? F16_NAN : r;
}

/* Nearest value with `mant` fraction bits and least normal exponent `emin`, ties to even, from a double:
 * sign, exponent and fraction as one word of 16 bits. The largest exponent code is infinity and NaN, as in
 * IEEE formats. */
INLINE u32 half_of_f64(double f, int mant, int emin) {
    const int sh = 52 - mant;
    const u64 bias = (u64)(1023 + emin - 1) << 52, least = (u64)(1023 + emin) << 52;
    const u64 inf = (u64)(0x7fff & ~((1 << mant) - 1)), limit = (u64)(1023 - emin + 2) << 52; /* 2^(emax + 1) */
    const u64 grid = (u64)(1023 + 52 + emin - mant) << 52; /* adding it rounds at the subnormal spacing */
    u64 bits = f64_bits(f), mag = bits & ~F64_SIGN;
    u64 normal = (mag + ((1ull << (sh - 1)) - 1) + (mag >> sh & 1) - bias) >> sh;
    u64 small = f64_bits(f64_of(mag) + f64_of(grid)) - grid;
    u64 r = (i64)mag < (i64)least ? small : (i64)mag >= (i64)limit ? inf : normal;
    r |= bits >> 48 & 0x8000u;
    return (i64)mag > 0x7ff0000000000000ll ? F16_NAN : (u32)r;
}

/* s is the nearest double to a sum and err what is missing: the sum rounded to odd, which a later rounding
 * cannot tell from the sum */
INLINE double f64_round_odd(double s, double err) {
    u64 bits = f64_bits(s), toward = (f64_bits(err) ^ bits) >> 63;
    return f64_of(err != 0 ? (bits - toward) | 1 : bits);
}
/* a + b and its rounding error, exactly (Knuth); infinities make the error NaN, which the caller must not
 * use */
INLINE double f64_add_odd(double a, double b) {
    double s = a + b, bb = s - a;
    double err = (a - (s - bb)) + (b - bb);
    err = err == err ? err : 0;
    return f64_round_odd(s, err);
}

#endif
