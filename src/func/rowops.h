/* rowops: the loops over 32 lanes that are not arithmetic: merging results under a mask, forming addresses,
 * moving data between rows and memory. Compiled twice like the lane functions; rowops_host() gives the build
 * the host can run. */
#ifndef HEDDLE_ROWOPS_H
#define HEDDLE_ROWOPS_H

#include "isa/isa.h"

/* Lanes so few that going from one to the next is shorter than treating all 32 alike: those of narrow warps,
 * and of wide ones where most lanes are elsewhere. A row of addresses under a mask of few lanes holds
 * anything in the lanes outside of it; under any other mask these repeat the first lane inside. */
enum { FEW_LANES = 8 };
static inline bool lanes_few(u32 mask) { return __builtin_popcount(mask) <= FEW_LANES; }

/* An access of one slab to one window of host memory: lane l of mask at row[l] + off, inside [base, base +
 * size_b), aligned to size */
struct row_access {
    u8 *host;
    u64 base, size_b;
    const void *row; /* u64[32] when wide, else u32[32] */
    bool wide;
    u64 off;
    u32 size; /* bytes a lane: 1, 2, 4, 8 or 16 */
    u32 mask; /* not 0 */
};
static inline u64 row_address(const struct row_access *r, u32 lane) {
    return r->wide ? ((const u64 *)r->row)[lane] + r->off : (u32)(((const u32 *)r->row)[lane] + (u32)r->off);
}
enum shuffle_mode { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };

struct rowops {
    /* d[l] = s[l] for the lanes of m; rows of 4 or 8 bytes a lane */
    void (*blend32)(u32 *d, const u32 *s, u32 m);
    void (*blend64)(u64 *d, const u64 *s, u32 m);
    /* addr[l] = row[l] + off, in the width of the row; a row of addresses under m (m != 0) */
    void (*address32)(u64 *addr, const u32 *row, u64 off, u32 m);
    void (*address64)(u64 *addr, const u64 *row, u64 off, u32 m);
    /* True when every addr[l] - base <= span and no addr[l] has a bit of `low`, of the addresses under m */
    bool (*inside)(const u64 *addr, u64 base, u64 span, u64 low, u32 m);
    /* Check and move in one pass: false, and nothing done, when a lane is outside or misaligned. fetch writes
     * all lanes of out (those outside the mask get anything), size bytes a lane. */
    bool (*fetch)(void *out, const struct row_access *r);
    bool (*put)(const struct row_access *r, const void *in);
    /* Bytes or halves (size 1 or 2), packed, to a row of words of `bits` bits (16 or 32), by sign or with
     * zeros */
    void (*widen)(u32 *out, const void *packed, u32 size, bool sign, u32 bits);
    /* n rows of u32 from packed records of n words a lane, and back */
    void (*unzip)(u32 *const *rows, const u32 *packed, u32 n);
    void (*zip)(u32 *packed, const u32 *const *rows, u32 n);
    /* Moves size bytes (1, 2, 4, 8, 16, 32) per lane between host + (addr[l] - base) and the packed array, by
     * the addresses under m; gather may write all lanes of out */
    void (*gather)(void *out, const u8 *host, u64 base, const u64 *addr, u32 size, u32 m);
    void (*scatter)(u8 *host, u64 base, const u64 *addr, const void *in, u32 size, u32 m);
    /* shfl on rows; returns the lanes whose source was in range */
    u32 (*shuffle)(u32 *out, const u32 *a, const u32 *b, const u32 *c, enum shuffle_mode mode);
};
extern const struct rowops rowops_plain, rowops_avx2;
const struct rowops *rowops_host(void);

#endif
