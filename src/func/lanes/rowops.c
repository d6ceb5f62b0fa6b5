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

const struct rowops LANES_NAME(rowops) = {blend32, blend64, address32, address64, inside, gather, scatter};
