/* map: which L2 slice an address lies in and where in it; clock domains as ticks.
 *
 * Memory is cut into chunks of map.interleave_b. Of each group of N consecutive chunks (N: slices of the
 * chip) every slice gets one, so slices fill evenly, and a chunk's place inside its slice is its group's
 * number. Which one: `none`, the chunk's number in the group; `xor`, that number permuted by the group's
 * number folded to as many bits, so that strides of N chunks spread too. The permutation is an exclusive or
 * when N is a power of two, else a rotation; either way it is one to one.
 *
 * With clusters (l2.clusters) each cluster has N slices of its own for all of memory, which lie one behind
 * the other; nothing keeps what they hold the same. */
#include "mem/mem.h"

/* --- clocks */

static u64 gcd(u64 a, u64 b) {
    while (b) {
        u64 r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Frequencies rounded to multiples of `grid` MHz; false when a period would be too long for times to fit in
 * 64 bits */
static bool clocks_on_grid(const struct config *c, u32 grid, struct clocks *k) {
    u64 f[4] = {c->core_mhz, c->noc_mhz, c->l2_mhz, c->dram_mhz}, period[4], common = 1;
    for (int i = 0; i < 4; i++) {
        f[i] = MAX((f[i] + grid / 2) / grid, 1u);
        common = common / gcd(common, f[i]) * f[i];
    }
    for (int i = 0; i < 4; i++) {
        period[i] = common / f[i];
        if (period[i] >= 1u << 24) return false;
    }
    *k = (struct clocks){.core = (u32)period[0], .noc = (u32)period[1], .l2 = (u32)period[2], .dram = (u32)period[3]};
    return true;
}

/* Periods stay below 2^24 ticks, which leaves 2^40 cycles. Frequencies that have too little in common for
 * that are taken to the next 2, 5, 10, ... MHz. */
static struct period period_of(u32 ticks) {
    return (struct period){ticks, ticks > 1 && ticks <= 4096 ? UINT64_MAX / ticks + 1 : 0};
}

struct clocks clocks_of(const struct config *c) {
    static const u32 grids[] = {1, 2, 5, 10, 20, 50, 100, 1000};
    struct clocks k;
    u32 i = 0;
    while (i < ARRAY_LEN(grids) && !clocks_on_grid(c, grids[i], &k)) i++;
    CHECK(i < ARRAY_LEN(grids)); /* at most 20 different multiples of 1000 */
    k.by.core = period_of(k.core), k.by.noc = period_of(k.noc), k.by.l2 = period_of(k.l2), k.by.dram = period_of(k.dram);
    return k;
}

/* --- addresses */

static u32 fold(u64 x, u32 bits) {
    u64 h = 0;
    for (; x; x >>= bits) h ^= x;
    return (u32)(h & ((1u << bits) - 1));
}

static u32 permute(u32 in_group, u64 group, u32 n) {
    if (n == 1) return 0;
    u32 bits = 32 - (u32)__builtin_clz(n - 1);
    u32 h = fold(group, bits);
    if (!(n & (n - 1))) return in_group ^ h;
    return (in_group + h) % n;
}

struct place map_place(const struct config *c, u64 addr) {
    u32 n = c->partitions * c->slices / c->clusters, shift = (u32)__builtin_ctz(c->map_interleave_b);
    u64 chunk = addr >> shift, group = fast_div(chunk, n);
    u32 in_group = (u32)fast_mod(chunk, n);
    return (struct place){
        .inside = group << shift | (addr & (c->map_interleave_b - 1)),
        .slice = c->map_hash == MAP_XOR ? permute(in_group, group, n) : in_group,
    };
}

struct place map_place_of(const struct config *c, u32 sm, u64 addr) {
    struct place p = map_place(c, addr);
    if (c->clusters > 1) p.slice += sm / (u32)fast_div(c->sms, c->clusters) * (u32)fast_div(c->slices, c->clusters);
    return p;
}

u32 map_slice(const struct config *c, u64 addr) { return map_place(c, addr).slice; }
u64 map_inside(const struct config *c, u64 addr) { return map_place(c, addr).inside; }

/* --- what the window may be */

u32 mem_min_latency(const struct config *c) {
    struct clocks k = clocks_of(c);
    u64 way = (u64)c->noc_cy * k.noc / k.core;
    return (u32)MAX(MIN(way, c->credit_cy), 1);
}
