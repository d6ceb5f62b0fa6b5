/* What clang calls of its own accord: 64-bit division, which RV32 has no instruction for, and moves of
 * memory.
 *
 * Division takes one bit a step, always 64 of them, so that the lanes of a warp stay together. The pass that
 * places split and join goes over this file, too. */
#ifdef __riscv /* the host's compilers see nothing of this file */
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long i64;

u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);
i64 __divdi3(i64 n, i64 d);
i64 __moddi3(i64 n, i64 d);
float __floatundisf(u64 x);
float __floatdisf(i64 x);
u64 __fixunssfdi(float x);
i64 __fixsfdi(float x);
void *memcpy(void *to, const void *from, u32 n);
void *memmove(void *to, const void *from, u32 n);
void *memset(void *to, int byte, u32 n);

static u64 divide(u64 n, u64 d, u64 *rest) {
    u32 r_low = 0, r_high = 0, d_low = (u32)d, d_high = (u32)(d >> 32);
    u64 q = 0;
#pragma clang loop unroll(disable)
    for (int i = 0; i < 64; i++) {
        u32 carry = r_high >> 31;
        r_high = r_high << 1 | r_low >> 31;
        r_low = r_low << 1 | (u32)(n >> 63);
        n <<= 1;
        u32 less = (r_high < d_high) | ((r_high == d_high) & (r_low < d_low)), fits = -(carry | (less ^ 1));
        u32 borrow = r_low < (d_low & fits);
        r_low -= d_low & fits;
        r_high -= (d_high & fits) + borrow;
        q = q << 1 | (fits & 1);
    }
    *rest = (u64)r_high << 32 | r_low;
    return q;
}

u64 __udivdi3(u64 n, u64 d) {
    u64 r;
    return divide(n, d, &r);
}
u64 __umoddi3(u64 n, u64 d) {
    u64 r;
    divide(n, d, &r);
    return r;
}
i64 __divdi3(i64 n, i64 d) {
    u64 r, sn = (u64)(n >> 63), sd = (u64)(d >> 63), q = divide(((u64)n ^ sn) - sn, ((u64)d ^ sd) - sd, &r), s = sn ^ sd;
    return (i64)((q ^ s) - s);
}
i64 __moddi3(i64 n, i64 d) {
    u64 r, sn = (u64)(n >> 63), sd = (u64)(d >> 63);
    divide(((u64)n ^ sn) - sn, ((u64)d ^ sd) - sd, &r);
    return (i64)((r ^ sn) - sn);
}

/* Rounded once: the 32 highest bits, the last of which is set when a lower one is */
float __floatundisf(u64 x) {
    u32 high = (u32)(x >> 32), low = (u32)x, m = high, zeros;
    m |= m >> 1, m |= m >> 2, m |= m >> 4, m |= m >> 8, m |= m >> 16;
    m = ~m;
    m -= m >> 1 & 0x55555555;
    m = (m & 0x33333333) + (m >> 2 & 0x33333333);
    zeros = ((m + (m >> 4)) & 0x0F0F0F0F) * 0x01010101u >> 24; /* before the first bit of the high word */
    u32 top = high << (zeros & 31) | low >> 1 >> (31 - (zeros & 31)), rest = low << (zeros & 31) != 0;
    union {
        u32 bits;
        float f;
    } scale = {(127 + 32 - zeros) << 23};
    return high ? (float)(top | rest) * scale.f : (float)low;
}
float __floatdisf(i64 x) {
    u64 s = (u64)(x >> 63);
    float f = __floatundisf(((u64)x ^ s) - s);
    return x < 0 ? -f : f;
}
u64 __fixunssfdi(float x) {
    u32 high = (u32)(x * 2.3283064365386963e-10f);
    return (u64)high << 32 | (u32)(x - (float)high * 4294967296.0f);
}
i64 __fixsfdi(float x) {
    u64 a = __fixunssfdi(x < 0.0f ? -x : x);
    return x < 0.0f ? -(i64)a : (i64)a;
}

void *memcpy(void *to, const void *from, u32 n) {
    char *t = to;
    for (const char *f = from; n--;) *t++ = *f++;
    return to;
}
void *memmove(void *to, const void *from, u32 n) {
    u32 up = (u32)to - (u32)from >= n; /* the whole does not overlap, or from below */
    for (u32 i = 0; i < n; i++) {
        u32 at = up ? i : n - 1 - i;
        ((char *)to)[at] = ((const char *)from)[at];
    }
    return to;
}
void *memset(void *to, int byte, u32 n) {
    for (char *t = to; n--;) *t++ = (char)byte;
    return to;
}

#endif
