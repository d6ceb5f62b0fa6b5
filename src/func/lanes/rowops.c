/* The loops of rowops.h. All run over 32 lanes with a constant trip count, so that both compilers vectorise
 * them. */
#include "func/rowops.h"

#include "func/lanes.h"

#include <string.h>
#ifdef LANES_AVX2
#include <immintrin.h>
#endif

#ifdef LANES_AVX2
static void blend32(u32 *d, const u32 *s, u32 m) {
    if (m == 0xFFFFFFFFu) { /* what was there need not be waited for */
        memcpy(d, s, SLAB_LANES * sizeof(*d));
        return;
    }
    const __m256i bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    for (u32 l = 0; l < SLAB_LANES; l += 8, m >>= 8) {
        __m256i *to = (__m256i *)(void *)(d + l);
        __m256i take = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((i32)m), bit), bit);
        _mm256_storeu_si256(
            to, _mm256_blendv_epi8(_mm256_loadu_si256(to), _mm256_loadu_si256((const __m256i *)(const void *)(s + l)), take));
    }
}

static void blend64(u64 *d, const u64 *s, u32 m) {
    if (m == 0xFFFFFFFFu) {
        memcpy(d, s, SLAB_LANES * sizeof(*d));
        return;
    }
    const __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
    for (u32 l = 0; l < SLAB_LANES; l += 4, m >>= 4) {
        __m256i *to = (__m256i *)(void *)(d + l);
        __m256i take = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((i64)m), bit), bit);
        _mm256_storeu_si256(
            to, _mm256_blendv_epi8(_mm256_loadu_si256(to), _mm256_loadu_si256((const __m256i *)(const void *)(s + l)), take));
    }
}
#else
static void blend32(u32 *d, const u32 *s, u32 m) {
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u32 keep = (m >> l & 1) - 1;
        d[l] = (d[l] & keep) | (s[l] & ~keep);
    }
}

static void blend64(u64 *d, const u64 *s, u32 m) {
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u64 keep = ((u64)m >> l & 1) - 1;
        d[l] = (d[l] & keep) | (s[l] & ~keep);
    }
}
#endif

/* Lanes outside m get the address of the first lane inside, so that all 32 can be treated alike. */
static void repeat_first(u64 *addr, u32 m) {
    if (m == 0xFFFFFFFFu) return;
    _Alignas(64) u64 first[SLAB_LANES];
    u64 value = addr[__builtin_ctz(m)];
    for (u32 l = 0; l < SLAB_LANES; l++) first[l] = value;
    blend64(addr, first, ~m);
}

static void address32(u64 *addr, const u32 *row, u64 off, u32 m) {
    for (u32 rest = lanes_few(m) ? m : 0; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        addr[l] = (u32)(row[l] + (u32)off);
    }
    if (lanes_few(m)) return;
    for (u32 l = 0; l < SLAB_LANES; l++) addr[l] = (u32)(row[l] + (u32)off);
    repeat_first(addr, m);
}

static void address64(u64 *addr, const u64 *row, u64 off, u32 m) {
    for (u32 rest = lanes_few(m) ? m : 0; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        addr[l] = row[l] + off;
    }
    if (lanes_few(m)) return;
    for (u32 l = 0; l < SLAB_LANES; l++) addr[l] = row[l] + off;
    repeat_first(addr, m);
}

static bool few_inside(const u64 *addr, u64 base, u64 span, u64 low, u32 m) {
    u64 bad = 0, odd = 0;
    for (u32 rest = m; rest; rest &= rest - 1) {
        u64 a = addr[__builtin_ctz(rest)];
        bad |= a - base > span;
        odd |= a;
    }
    return !bad && !(odd & low);
}

/* span < 2^63, so x <= span exactly when neither x nor span - x has its top bit set. */
static bool inside(const u64 *addr, u64 base, u64 span, u64 low, u32 m) {
    if (lanes_few(m)) return few_inside(addr, base, span, low, m);
    u64 bad = 0, odd = 0;
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u64 x = addr[l] - base;
        bad |= x | (span - x);
        odd |= addr[l];
    }
    return !(bad >> 63) && !(odd & low);
}

/* 0: no pattern, 1: all lanes at one address, 2: lane after lane */
static int pattern(const u64 *addr, u32 size) {
    u64 same = 0, ramp = 0;
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u64 d = addr[l] - addr[0];
        same |= d;
        ramp |= d ^ (u64)l * size;
    }
    return !same ? 1 : !ramp ? 2 : 0;
}

struct pair { /* 16 bytes as one move */
    u64 lo, hi;
};
struct quad { /* 32 bytes */
    struct pair lo, hi;
};

#define GATHER(T)                                                                                                                \
    do {                                                                                                                         \
        T *o = out;                                                                                                              \
        if (p == 1) {                                                                                                            \
            T v;                                                                                                                 \
            memcpy(&v, host + (addr[0] - base), sizeof(T));                                                                      \
            for (u32 l = 0; l < SLAB_LANES; l++) o[l] = v;                                                                       \
        } else                                                                                                                   \
            for (u32 l = 0; l < SLAB_LANES; l++) memcpy(&o[l], host + (addr[l] - base), sizeof(T));                              \
    } while (0)

/* Lane by lane, those of m */
#define MOVE_EACH(to, from, T)                                                                                                   \
    for (u32 rest = m; rest; rest &= rest - 1) {                                                                                 \
        u32 l = (u32)__builtin_ctz(rest);                                                                                        \
        memcpy(to, from, sizeof(T));                                                                                             \
    }                                                                                                                            \
    break
#define GATHER_EACH(T)  MOVE_EACH((T *)out + l, host + (addr[l] - base), T)
#define SCATTER_EACH(T) MOVE_EACH(host + (addr[l] - base), (const T *)in + l, T)

static void few_gather(void *out, const u8 *host, u64 base, const u64 *addr, u32 size, u32 m) {
    switch (size) {
    case 1: GATHER_EACH(u8);
    case 2: GATHER_EACH(u16);
    case 4: GATHER_EACH(u32);
    case 8: GATHER_EACH(u64);
    case 16: GATHER_EACH(struct pair);
    default: GATHER_EACH(struct quad);
    }
}

static void gather(void *out, const u8 *host, u64 base, const u64 *addr, u32 size, u32 m) {
    if (lanes_few(m)) {
        few_gather(out, host, base, addr, size, m);
        return;
    }
    int p = pattern(addr, size);
    if (p == 2) {
        memcpy(out, host + (addr[0] - base), (size_t)size * SLAB_LANES);
        return;
    }
    switch (size) {
    case 1: GATHER(u8); break;
    case 2: GATHER(u16); break;
    case 4: GATHER(u32); break;
    case 8: GATHER(u64); break;
    default:
        for (u32 l = 0; l < SLAB_LANES; l++) memcpy((u8 *)out + l * size, host + (addr[l] - base), size);
    }
}

static void scatter(u8 *host, u64 base, const u64 *addr, const void *in, u32 size, u32 m) {
    if (m == 0xFFFFFFFFu && pattern(addr, size) == 2) {
        memcpy(host + (addr[0] - base), in, (size_t)size * SLAB_LANES);
        return;
    }
    switch (size) {
    case 1: SCATTER_EACH(u8);
    case 2: SCATTER_EACH(u16);
    case 4: SCATTER_EACH(u32);
    case 8: SCATTER_EACH(u64);
    case 16: SCATTER_EACH(struct pair);
    default: SCATTER_EACH(struct quad);
    }
}

/* One pass over the addresses answers it all: inside and aligned, all the same, one after the other. */
struct shape {
    _Alignas(64) u64 addr[SLAB_LANES]; /* from the window's start; lanes outside the mask repeat the first lane inside */
    bool ok, same, ramp;
};

#ifdef LANES_AVX2
static inline void shape_judge(struct shape *x, u64 size_b, u32 size) {
    const __m256i first = _mm256_set1_epi64x((i64)x->addr[0]), span = _mm256_set1_epi64x((i64)(size_b - size));
    const __m256i wrong = _mm256_set1_epi64x((i64)(1ull << 63 | (size - 1)));
    __m256i step = _mm256_set_epi64x(3 * (i64)size, 2 * (i64)size, size, 0), bad = _mm256_setzero_si256(), same = bad, ramp = bad;
    for (u32 l = 0; l < SLAB_LANES; l += 4) {
        __m256i a = _mm256_load_si256((const __m256i *)(const void *)(x->addr + l)), d = _mm256_sub_epi64(a, first);
        __m256i top = _mm256_and_si256(_mm256_sub_epi64(span, a), _mm256_set1_epi64x((i64)(1ull << 63)));
        bad = _mm256_or_si256(bad, _mm256_or_si256(a, top));
        same = _mm256_or_si256(same, d);
        ramp = _mm256_or_si256(ramp, _mm256_xor_si256(d, step));
        step = _mm256_add_epi64(step, _mm256_set1_epi64x(4 * (i64)size));
    }
    x->same = _mm256_testz_si256(same, same);
    x->ramp = _mm256_testz_si256(ramp, ramp);
    x->ok = size_b >= size && _mm256_testz_si256(bad, wrong);
}
#else
static inline void shape_judge(struct shape *x, u64 size_b, u32 size) {
    u64 bad = 0, odd = 0, same = 0, ramp = 0, span = size_b - size, first = x->addr[0];
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u64 a = x->addr[l], d = a - first;
        bad |= a | (span - a);
        odd |= a;
        same |= d;
        ramp |= d ^ (u64)l * size;
    }
    x->same = !same;
    x->ramp = !ramp;
    x->ok = size_b >= size && !(bad >> 63) &&
            !(odd & (size - 1)); /* windows start at multiples of 256: offsets are aligned as addresses are */
}
#endif

static inline void shape_wide(struct shape *x, const struct row_access *r) {
    const u64 *row = r->row;
    u64 off = r->off - r->base;
    for (u32 l = 0; l < SLAB_LANES; l++) x->addr[l] = row[l] + off;
    repeat_first(x->addr, r->mask);
    shape_judge(x, r->size_b, r->size);
}

/* A constant size in each loop: one load and one store a lane */
#define GATHER_AS(T)                                                                                                             \
    for (u32 l = 0; l < SLAB_LANES; l++) {                                                                                       \
        T v;                                                                                                                     \
        memcpy(&v, host + addr[l], sizeof(T));                                                                                   \
        ((T *)out)[l] = v;                                                                                                       \
    }                                                                                                                            \
    break

static inline void gather_bytes(void *out, const u8 *host, const u64 *addr, u32 size) {
    switch (size) {
    case 1: GATHER_AS(u8);
    case 2: GATHER_AS(u16);
    case 4: GATHER_AS(u32);
    case 8: GATHER_AS(u64);
    default: GATHER_AS(struct pair);
    }
}

static void repeat_word(u32 *out, const u8 *from) {
    u32 v;
    memcpy(&v, from, 4);
    for (u32 l = 0; l < SLAB_LANES; l++) out[l] = v;
}

static bool fetch_wide(void *out, const struct row_access *r) {
    struct shape x;
    shape_wide(&x, r);
    if (!x.ok) return false;
    if (x.ramp) memcpy(out, r->host + x.addr[0], (size_t)r->size * SLAB_LANES);
    else if (x.same && r->size == 4) repeat_word(out, r->host + x.addr[0]);
    else gather_bytes(out, r->host, x.addr, r->size);
    return true;
}

/* Addresses of 32 bits, in windows of less than 2 GiB that end where these addresses do, or before: the same
 * in half the width */
struct narrow {
    _Alignas(64) u32 addr[SLAB_LANES];
    bool ok, same, ramp;
};

#ifdef LANES_AVX2
static inline void narrow_judge(struct narrow *x, u64 size_b, u32 span, u32 size) {
    const __m256i first = _mm256_set1_epi32((i32)x->addr[0]), vspan = _mm256_set1_epi32((i32)span),
                  vsize = _mm256_set1_epi32((i32)size);
    const __m256i wrong = _mm256_set1_epi32((i32)(1u << 31 | (size - 1))), top_bit = _mm256_set1_epi32((i32)(1u << 31));
    __m256i step = _mm256_mullo_epi32(vsize, _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)), bad = _mm256_setzero_si256(), same = bad,
            ramp = bad;
    for (u32 l = 0; l < SLAB_LANES; l += 8) {
        __m256i a = _mm256_load_si256((const __m256i *)(const void *)(x->addr + l)), d = _mm256_sub_epi32(a, first);
        bad = _mm256_or_si256(bad, _mm256_or_si256(a, _mm256_and_si256(_mm256_sub_epi32(vspan, a), top_bit)));
        same = _mm256_or_si256(same, d);
        ramp = _mm256_or_si256(ramp, _mm256_xor_si256(d, step));
        step = _mm256_add_epi32(step, _mm256_slli_epi32(vsize, 3));
    }
    x->same = _mm256_testz_si256(same, same);
    x->ramp = _mm256_testz_si256(ramp, ramp);
    x->ok = size_b >= size && _mm256_testz_si256(bad, wrong);
}
#else
static inline void narrow_judge(struct narrow *x, u64 size_b, u32 span, u32 size) {
    u32 bad = 0, odd = 0, same = 0, ramp = 0, first = x->addr[0];
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u32 a = x->addr[l], d = a - first;
        bad |= a | (span - a);
        odd |= a;
        same |= d;
        ramp |= d ^ l * size;
    }
    x->same = !same;
    x->ramp = !ramp;
    x->ok = size_b >= size && !(bad >> 31) && !(odd & (size - 1));
}
#endif

static inline void shape_narrow(struct narrow *x, const struct row_access *r) {
    const u32 *row = r->row;
    u32 off = (u32)r->off - (u32)r->base, size = r->size, span = (u32)r->size_b - size;
    for (u32 l = 0; l < SLAB_LANES; l++) x->addr[l] = row[l] + off;
    if (r->mask != 0xFFFFFFFFu) {
        _Alignas(64) u32 first[SLAB_LANES];
        u32 value = x->addr[__builtin_ctz(r->mask)];
        for (u32 l = 0; l < SLAB_LANES; l++) first[l] = value;
        blend32(x->addr, first, ~r->mask);
    }
    narrow_judge(x, r->size_b, span, size);
}

/* Two words a store */
static void gather_words(u32 *out, const u8 *host, const u32 *addr) {
#pragma GCC unroll 16
    for (u32 l = 0; l < SLAB_LANES; l += 2) {
        u32 lo, hi;
        memcpy(&lo, host + addr[l], 4);
        memcpy(&hi, host + addr[l + 1], 4);
        u64 both = lo | (u64)hi << 32;
        memcpy(out + l, &both, 8);
    }
}

static bool fetch_narrow(void *out, const struct row_access *r) {
    struct narrow x;
    u64 wide[SLAB_LANES];
    shape_narrow(&x, r);
    if (!x.ok) return false;
    if (x.ramp) memcpy(out, r->host + x.addr[0], (size_t)r->size * SLAB_LANES);
    else if (x.same && r->size == 4) repeat_word(out, r->host + x.addr[0]);
    else if (r->size == 4) gather_words(out, r->host, x.addr);
    else {
        for (u32 l = 0; l < SLAB_LANES; l++) wide[l] = x.addr[l];
        gather_bytes(out, r->host, wide, r->size);
    }
    return true;
}

static bool fetch(void *out, const struct row_access *r) {
    if (r->wide) return fetch_wide(out, r);
    return r->size_b < 0x80000000u && r->base + r->size_b <= 1ull << 32 && fetch_narrow(out, r);
}

static bool put(const struct row_access *r, const void *in) {
    struct shape x;
    if (r->wide) shape_wide(&x, r);
    else {
        const u32 *row = r->row;
        for (u32 l = 0; l < SLAB_LANES; l++) x.addr[l] = (u32)(row[l] + (u32)r->off) - r->base;
        repeat_first(x.addr, r->mask);
        shape_judge(&x, r->size_b, r->size);
    }
    if (!x.ok) return false;
    if (x.ramp && r->mask == 0xFFFFFFFFu) memcpy(r->host + x.addr[0], in, (size_t)r->size * SLAB_LANES);
    else scatter(r->host, 0, x.addr, in, r->size, r->mask);
    return true;
}

/* PTX ISA, shfl: c packs the clamp value (bits 0-4) and the segment mask (bits 8-12). */
static u32 shuffle(u32 *out, const u32 *a, const u32 *b, const u32 *c, enum shuffle_mode mode) {
    u32 valid = 0;
    i32 from[SLAB_LANES];
    for (i32 l = 0; l < SLAB_LANES; l++) {
        i32 bval = (i32)(b[l] & 31), cval = (i32)(c[l] & 31), seg = (i32)(c[l] >> 8 & 31), max = (l & seg) | (cval & ~seg),
            min = l & seg;
        i32 j = mode == SHUFFLE_UP     ? l - bval
                : mode == SHUFFLE_DOWN ? l + bval
                : mode == SHUFFLE_BFLY ? l ^ bval
                                       : min | (bval & ~seg);
        bool ok = mode == SHUFFLE_UP ? j >= max : j <= max;
        from[l] = ok ? j : l;
        valid |= (u32)ok << l;
    }
    for (u32 l = 0; l < SLAB_LANES; l++) out[l] = a[from[l] & 31];
    return valid;
}

#define WIDEN(T)                                                                                                                 \
    for (u32 l = 0; l < SLAB_LANES; l++) out[l] = (u32)((const T *)packed)[l] & keep

static void widen(u32 *out, const void *packed, u32 size, bool sign, u32 bits) {
    const u32 keep = bits == 16 ? 0xFFFF : 0xFFFFFFFFu;
    if (size == 1 && sign) WIDEN(i8);
    else if (size == 1) WIDEN(u8);
    else if (sign) WIDEN(i16);
    else WIDEN(u16);
}

static void unzip(u32 *const *rows, const u32 *packed, u32 n) {
    for (u32 e = 0; e < n; e++) {
        u32 *r = rows[e];
        for (u32 l = 0; l < SLAB_LANES; l++) r[l] = packed[l * n + e];
    }
}

static void zip(u32 *packed, const u32 *const *rows, u32 n) {
    for (u32 e = 0; e < n; e++) {
        const u32 *r = rows[e];
        for (u32 l = 0; l < SLAB_LANES; l++) packed[l * n + e] = r[l];
    }
}

const struct rowops LANES_NAME(rowops) = {blend32, blend64, address32, address64, inside,  fetch,  put,
                                          widen,   unzip,   zip,       gather,    scatter, shuffle};
