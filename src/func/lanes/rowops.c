/* The loops of rowops.h. All run over 32 lanes with a constant trip count, so that both compilers vectorise them. */
#include "func/rowops.h"

#include "func/lanes.h"

#include <string.h>

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

static void repeat_first(u64 *addr, u32 m) {
    if (m == 0xFFFFFFFFu) return;
    u64 first = addr[__builtin_ctz(m)];
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u64 keep = ((u64)m >> l & 1) - 1;
        addr[l] = (addr[l] & ~keep) | (first & keep);
    }
}

static void address32(u64 *addr, const u32 *row, u64 off, u32 m) {
    for (u32 l = 0; l < SLAB_LANES; l++) addr[l] = (u32)(row[l] + (u32)off);
    repeat_first(addr, m);
}

static void address64(u64 *addr, const u64 *row, u64 off, u32 m) {
    for (u32 l = 0; l < SLAB_LANES; l++) addr[l] = row[l] + off;
    repeat_first(addr, m);
}

/* span < 2^63, so x <= span exactly when neither x nor span - x has its top bit set. */
static bool inside(const u64 *addr, u64 base, u64 span, u64 low) {
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

static void gather(void *out, const u8 *host, u64 base, const u64 *addr, u32 size) {
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

#define SCATTER(T)                                                                                                               \
    for (u32 rest = m; rest; rest &= rest - 1) {                                                                                 \
        u32 l = (u32)__builtin_ctz(rest);                                                                                        \
        memcpy(host + (addr[l] - base), (const T *)in + l, sizeof(T));                                                           \
    }                                                                                                                            \
    break

static void scatter(u8 *host, u64 base, const u64 *addr, const void *in, u32 size, u32 m) {
    if (m == 0xFFFFFFFFu && pattern(addr, size) == 2) {
        memcpy(host + (addr[0] - base), in, (size_t)size * SLAB_LANES);
        return;
    }
    switch (size) {
    case 1: SCATTER(u8);
    case 2: SCATTER(u16);
    case 4: SCATTER(u32);
    case 8: SCATTER(u64);
    default:
        for (u32 rest = m; rest; rest &= rest - 1) {
            u32 l = (u32)__builtin_ctz(rest);
            memcpy(host + (addr[l] - base), (const u8 *)in + l * size, size);
        }
    }
}

/* One pass over the addresses answers it all: inside and aligned, all the same, one after the other. */
struct shape {
    u64 addr[SLAB_LANES]; /* from the window's start */
    bool same, ramp;
};

static inline bool shape_of(struct shape *x, u64 base, u64 size_b, const void *row, bool wide, u64 off, u32 size) {
    u64 bad = 0, odd = 0, same = 0, ramp = 0, span = size_b - size;
    if (size_b < size) return false;
    if (wide) {
        const u64 *r = row;
        off -= base;
        for (u32 l = 0; l < SLAB_LANES; l++) x->addr[l] = r[l] + off;
    } else {
        const u32 *r = row;
        for (u32 l = 0; l < SLAB_LANES; l++) x->addr[l] = (u32)(r[l] + (u32)off) - base;
    }
    u64 first = x->addr[0];
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u64 a = x->addr[l], d = a - first;
        bad |= a | (span - a);
        odd |= a;
        same |= d;
        ramp |= d ^ (u64)l * size;
    }
    x->same = !same;
    x->ramp = !ramp;
    return !(bad >> 63) && !(odd & (size - 1)); /* windows start at multiples of 256, so offsets are aligned as addresses are */
}

#define FETCH(T)                                                                                                                 \
    do {                                                                                                                         \
        T *o = out;                                                                                                              \
        for (u32 l = 0; l < SLAB_LANES; l++) memcpy(&o[l], host + x.addr[l], sizeof(T));                                         \
    } while (0)

static bool fetch(void *out, const u8 *host, u64 base, u64 size_b, const void *row, bool wide, u64 off, u32 size) {
    struct shape x;
    if (!shape_of(&x, base, size_b, row, wide, off, size)) return false;
    if (x.ramp)
        memcpy(out, host + x.addr[0], (size_t)size * SLAB_LANES);
    else if (x.same && size == 4) {
        u32 v;
        memcpy(&v, host + x.addr[0], 4);
        for (u32 l = 0; l < SLAB_LANES; l++) ((u32 *)out)[l] = v;
    } else if (size == 4)
        FETCH(u32);
    else if (size == 8)
        FETCH(u64);
    else
        for (u32 l = 0; l < SLAB_LANES; l++) memcpy((u8 *)out + (size_t)l * 16, host + x.addr[l], 16);
    return true;
}

static bool put(u8 *host, u64 base, u64 size_b, const void *row, bool wide, u64 off, const void *in, u32 size) {
    struct shape x;
    if (!shape_of(&x, base, size_b, row, wide, off, size)) return false;
    if (x.ramp)
        memcpy(host + x.addr[0], in, (size_t)size * SLAB_LANES);
    else if (size == 4)
        for (u32 l = 0; l < SLAB_LANES; l++) memcpy(host + x.addr[l], (const u32 *)in + l, 4);
    else if (size == 8)
        for (u32 l = 0; l < SLAB_LANES; l++) memcpy(host + x.addr[l], (const u64 *)in + l, 8);
    else
        for (u32 l = 0; l < SLAB_LANES; l++) memcpy(host + x.addr[l], (const u8 *)in + (size_t)l * 16, 16);
    return true;
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

const struct rowops LANES_NAME(rowops) = {blend32, blend64, address32, address64, inside, fetch, put, unzip, zip, gather, scatter};
