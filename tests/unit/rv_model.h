/* rv_model: what RISC-V's arithmetic gives, found another way than the simulator's: it shares no code with
 * src/.
 *
 * A float result is looked for, not computed: the exact result is compared (in whole numbers of 1,024
 * bits, as multiples of 2^-400) with one float after the other, by halving, until the two neighbours are
 * known; the rounding mode and the middle between them decide. A quotient is compared by multiplying back,
 * a root by squaring. Flags follow from the same comparisons. */
#ifndef RV_MODEL_H
#define RV_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { M_RNE, M_RTZ, M_RDN, M_RUP, M_RMM };
enum { M_NX = 1, M_UF = 2, M_OF = 4, M_DZ = 8, M_NV = 16 };
enum { M_WORDS = 32, M_ONE = 400 }; /* 32-bit words; the bit that stands for 1 */

struct big { /* magnitude */
    uint32_t w[M_WORDS];
};

static int big_cmp(const struct big *a, const struct big *b) {
    for (int i = M_WORDS; i-- > 0;)
        if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
    return 0;
}
static void big_put(struct big *x, uint64_t v, int bit) { /* x |= v << bit, where x has zeros */
    for (int i = 0; i < 64; i++)
        if (v >> i & 1) x->w[(bit + i) / 32] |= 1u << (bit + i) % 32;
}
static struct big big_add(const struct big *a, const struct big *b) {
    struct big r;
    uint64_t c = 0;
    for (int i = 0; i < M_WORDS; i++) c += (uint64_t)a->w[i] + b->w[i], r.w[i] = (uint32_t)c, c >>= 32;
    return r;
}
static struct big big_sub(const struct big *a, const struct big *b) { /* a >= b */
    struct big r;
    int64_t c = 0;
    for (int i = 0; i < M_WORDS; i++) c += (int64_t)a->w[i] - b->w[i], r.w[i] = (uint32_t)c, c >>= 32;
    return r;
}

static bool m_nan(uint32_t x) { return (x & 0x7FFFFFFF) > 0x7F800000; }
static bool m_snan(uint32_t x) { return m_nan(x) && !(x >> 22 & 1); }
static bool m_inf(uint32_t x) { return (x & 0x7FFFFFFF) == 0x7F800000; }
static bool m_zero(uint32_t x) { return (x & 0x7FFFFFFF) == 0; }
static uint32_t m_frac(uint32_t x) { return (x & 0x7FFFFF) | (x & 0x7F800000 ? 0x800000 : 0); }
static int m_exp(uint32_t x) { return (int)(x >> 23 & 255) - ((x >> 23 & 255) != 0) - 149; } /* of the last bit */

/* |a| (times |b| when given); infinite counts as 2^128, which is what a result rounds to */
static struct big m_big(uint32_t a) {
    struct big r = {{0}};
    if (m_inf(a)) big_put(&r, 1, M_ONE + 128);
    else big_put(&r, m_frac(a), M_ONE + m_exp(a));
    return r;
}
static struct big m_product(uint32_t a, uint32_t b) {
    struct big r = {{0}};
    uint64_t x = m_inf(a) ? 1 : m_frac(a), y = m_inf(b) ? 1 : m_frac(b);
    big_put(&r, x * y, M_ONE + (m_inf(a) ? 128 : m_exp(a)) + (m_inf(b) ? 128 : m_exp(b)));
    return r;
}
static struct big m_double(struct big x) { return big_add(&x, &x); }

/* The exact result, as something floats can be compared with */
struct exact {
    enum { M_VALUE, M_QUOTIENT, M_ROOT } kind;
    bool sign;
    struct big value; /* M_VALUE; M_QUOTIENT: |a|; M_ROOT: a */
    uint32_t by;      /* M_QUOTIENT: b */
};

/* |exact| against the float c (its bits, no sign); doubled: against the middle between c and the next
 * float */
static int m_against(const struct exact *x, uint32_t c, bool middle) {
    struct big want = x->value, have;
    if (x->kind == M_ROOT) { /* (2r)^2 against (c + next)^2, or r^2 against c^2 */
        if (!middle) have = m_product(c, c);
        else {
            struct big a = m_product(c, c), b = m_product(c + 1, c + 1), ab = m_product(c, c + 1);
            ab = m_double(ab), have = big_add(&a, &b), have = big_add(&have, &ab);
            want = m_double(want), want = m_double(want);
        }
    } else if (middle) {
        struct big a = x->kind == M_QUOTIENT ? m_product(c, x->by) : m_big(c),
                   b = x->kind == M_QUOTIENT ? m_product(c + 1, x->by) : m_big(c + 1);
        have = big_add(&a, &b), want = m_double(want);
    } else have = x->kind == M_QUOTIENT ? m_product(c, x->by) : m_big(c);
    return big_cmp(&want, &have);
}

static bool m_up(int mode, bool sign, bool odd, int middle) { /* of an inexact result: away from zero? */
    switch (mode) {
    case M_RNE: return middle > 0 || (middle == 0 && odd);
    case M_RTZ: return false;
    case M_RDN: return sign;
    case M_RUP: return !sign;
    default: return middle >= 0;
    }
}

/* Less than the least normal number once rounded to 24 bits with any exponent: the last 24-bit number
 * below it is 2^-126 - 2^-150, and the middle is 2^-126 - 2^-151 */
static bool m_tiny(const struct exact *x, int mode) {
    struct exact y = *x;
    if (m_against(x, 0x800000, false) >= 0) return false;
    /* scaled by two, the same numbers are normal and lie a full last place apart */
    if (x->kind == M_ROOT) y.value = m_double(m_double(y.value));
    else y.value = m_double(y.value);
    if (m_against(&y, 0x00FFFFFF, false) <= 0) return true;
    return !m_up(mode, x->sign, true, m_against(&y, 0x00FFFFFF, true));
}

static uint32_t m_round(const struct exact *x, int mode, uint32_t *flags) {
    uint32_t low = 0, high = 0x7F800000; /* the largest float that is not above it */
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (m_against(x, mid, false) >= 0) low = mid;
        else high = mid;
    }
    if (m_against(x, 0x7F800000, false) >= 0) low = 0x7F7FFFFF;
    uint32_t s = x->sign ? 0x80000000 : 0;
    if (m_against(x, low, false) == 0) return s | low;
    *flags |= M_NX;
    bool up = m_up(mode, x->sign, low & 1, m_against(x, low, true));
    bool beyond = m_against(x, 0x7F800000, false) >= 0;
    if (beyond || (up && low == 0x7F7FFFFF)) *flags |= M_OF;
    if (beyond) { /* as far out as one likes: to nearest it is infinite */
        up = mode == M_RNE || mode == M_RMM || (mode == M_RUP && !x->sign) || (mode == M_RDN && x->sign);
    }
    if (m_tiny(x, mode)) *flags |= M_UF;
    return s | (low + up);
}

#define M_CANONICAL 0x7FC00000u
static uint32_t m_invalid(uint32_t *flags) { return *flags |= M_NV, M_CANONICAL; }

/* a * b + c, b being 1.0 for sums; sums of nothing have their own sign */
static uint32_t m_fma(uint32_t a, uint32_t b, uint32_t c, int mode, uint32_t *flags) {
    bool wrong = (m_inf(a) && m_zero(b)) || (m_zero(a) && m_inf(b)), ps = (a ^ b) >> 31, cs = c >> 31;
    if (m_snan(a) || m_snan(b) || m_snan(c) || wrong) *flags |= M_NV;
    if (m_nan(a) || m_nan(b) || m_nan(c) || wrong) return M_CANONICAL;
    if (m_inf(a) || m_inf(b)) return m_inf(c) && cs != ps ? m_invalid(flags) : (uint32_t)ps << 31 | 0x7F800000;
    if (m_inf(c)) return c;
    struct big p = m_product(a, b), q = m_big(c);
    struct exact x = {.sign = ps};
    if (ps == cs) x.value = big_add(&p, &q);
    else if (big_cmp(&p, &q) >= 0) x.value = big_sub(&p, &q);
    else x.value = big_sub(&q, &p), x.sign = cs;
    struct big nothing = {{0}};
    if (big_cmp(&x.value, &nothing) == 0 && ps != cs) x.sign = mode == M_RDN;
    return m_round(&x, mode, flags);
}
static uint32_t m_add(uint32_t a, uint32_t b, int mode, uint32_t *flags) { return m_fma(a, 0x3F800000, b, mode, flags); }
static uint32_t m_mul(uint32_t a, uint32_t b, int mode, uint32_t *flags) {
    return m_fma(a, b, (a ^ b) & 0x80000000, mode, flags); /* a zero of the product's sign changes nothing */
}
static uint32_t m_div(uint32_t a, uint32_t b, int mode, uint32_t *flags) {
    uint32_t s = (a ^ b) & 0x80000000;
    if (m_snan(a) || m_snan(b)) *flags |= M_NV;
    if (m_nan(a) || m_nan(b)) return M_CANONICAL;
    if ((m_inf(a) && m_inf(b)) || (m_zero(a) && m_zero(b))) return m_invalid(flags);
    if (m_inf(a)) return s | 0x7F800000;
    if (m_zero(b)) return *flags |= M_DZ, s | 0x7F800000;
    if (m_inf(b) || m_zero(a)) return s;
    struct exact x = {.kind = M_QUOTIENT, .sign = s != 0, .value = m_big(a), .by = b};
    return m_round(&x, mode, flags);
}
static uint32_t m_sqrt(uint32_t a, int mode, uint32_t *flags) {
    if (m_snan(a)) *flags |= M_NV;
    if (m_nan(a)) return M_CANONICAL;
    if (m_zero(a) || a == 0x7F800000) return a;
    if (a >> 31) return m_invalid(flags);
    struct exact x = {.kind = M_ROOT, .value = m_big(a)};
    return m_round(&x, mode, flags);
}
static uint32_t m_of_int(int64_t v, int mode, uint32_t *flags) {
    struct exact x = {.sign = v < 0};
    big_put(&x.value, (uint64_t)(v < 0 ? -v : v), M_ONE);
    return m_round(&x, mode, flags);
}
/* Counted: the integer not above |x|, found in the bits of the exact value */
static uint32_t m_to_int(uint32_t a, bool is_signed, int mode, uint32_t *flags) {
    uint32_t most = is_signed ? 0x7FFFFFFF : 0xFFFFFFFF, least = is_signed ? 0x80000000 : 0;
    if (m_nan(a)) return *flags |= M_NV, most;
    struct big v = m_big(a), below = {{0}}, half = {{0}}, nothing = {{0}};
    uint64_t whole = 0;
    bool huge = false, s = a >> 31;
    for (int i = 0; i < 32 * M_WORDS; i++) {
        bool bit = v.w[i / 32] >> i % 32 & 1;
        if (i < M_ONE) below.w[i / 32] |= (uint32_t)bit << i % 32;
        else if (i < M_ONE + 40) whole |= (uint64_t)bit << (i - M_ONE);
        else huge = huge || bit;
    }
    big_put(&half, 1, M_ONE - 1);
    bool inexact = big_cmp(&below, &nothing) != 0;
    if (inexact && m_up(mode, s, whole & 1, big_cmp(&below, &half))) whole++;
    if (huge || (s ? whole > (is_signed ? 0x80000000ull : 0) : whole > most)) return *flags |= M_NV, s ? least : most;
    if (inexact) *flags |= M_NX;
    return s ? (uint32_t)(0 - whole) : (uint32_t)whole;
}

/* Comparisons by the exact values */
static int m_order(uint32_t a, uint32_t b) {
    struct big x = m_big(a), y = m_big(b);
    if (m_zero(a) && m_zero(b)) return 0;
    if (a >> 31 != b >> 31) return a >> 31 ? -1 : 1;
    int c = big_cmp(&x, &y);
    return a >> 31 ? -c : c;
}
static uint32_t m_compare(int which, uint32_t a, uint32_t b, uint32_t *flags) { /* 0 fle, 1 flt, 2 feq */
    if (which == 2 ? m_snan(a) || m_snan(b) : m_nan(a) || m_nan(b)) *flags |= M_NV;
    if (m_nan(a) || m_nan(b)) return 0;
    int c = m_order(a, b);
    return which == 2 ? c == 0 : which == 1 ? c < 0 : c <= 0;
}
static uint32_t m_minmax(bool max, uint32_t a, uint32_t b, uint32_t *flags) {
    if (m_snan(a) || m_snan(b)) *flags |= M_NV;
    if (m_nan(a) && m_nan(b)) return M_CANONICAL;
    if (m_nan(a) || m_nan(b)) return m_nan(a) ? b : a;
    int c = m_order(a, b);
    if (c == 0) c = (a >> 31 ? -1 : 0) - (b >> 31 ? -1 : 0);
    return (c < 0) == max ? b : a;
}
static uint32_t m_class(uint32_t a) {
    bool s = a >> 31;
    if (m_nan(a)) return m_snan(a) ? 256 : 512;
    if (m_inf(a)) return s ? 1 : 128;
    if (m_zero(a)) return s ? 8 : 16;
    if (!(a & 0x7F800000)) return s ? 4 : 32;
    return s ? 2 : 64;
}

/* --- integers, in 64 bits and more */
static uint32_t m_int(const char *op, uint32_t a, uint32_t b) {
    int64_t x = (int32_t)a, y = (int32_t)b;
    uint64_t ux = a, uy = b;
#define IS(s) (strcmp(op, s) == 0)
    if (IS("add")) return (uint32_t)(x + y);
    if (IS("sub")) return (uint32_t)(x - y);
    if (IS("sll")) return (uint32_t)(ux << (b % 32));
    if (IS("srl")) return (uint32_t)(ux >> (b % 32));
    if (IS("sra")) return (uint32_t)(x >> (b % 32));
    if (IS("slt")) return x < y;
    if (IS("sltu")) return ux < uy;
    if (IS("xor")) return (a | b) - (a & b);
    if (IS("or")) return (a & b) + (a & ~b) + (b & ~a);
    if (IS("and")) return ~(~a | ~b);
    if (IS("mul")) return (uint32_t)(ux * uy);
    if (IS("mulh")) return (uint32_t)((uint64_t)(x * y) >> 32);
    if (IS("mulhu")) return (uint32_t)(ux * uy >> 32);
    if (IS("mulhsu")) return (uint32_t)((uint64_t)(x * (int64_t)uy) >> 32);
    if (IS("div")) return b ? (uint32_t)(x / y) : 0xFFFFFFFF;
    if (IS("divu")) return b ? (uint32_t)(ux / uy) : 0xFFFFFFFF;
    if (IS("rem")) return b ? (uint32_t)(x % y) : a;
    return b ? (uint32_t)(ux % uy) : a; /* remu */
#undef IS
}

#endif
