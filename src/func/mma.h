/* mma.h: the arithmetic of mma.sync, apart from how a warp gets its registers. */
#ifndef HEDDLE_MMA_H
#define HEDDLE_MMA_H

#include "isa/isa.h"

/* D = A * B + C of m x n x k; nd .. nc are registers per lane, each one row (u64[32] for f64, else
 * u32[32]) */
struct mma_shape {
    u16 m, n, k;
    u8 nd, na, nb, nc;
};

/* False when this machine has no such mma; else the shape, where asked for */
bool mma_shape_of(const struct opkey *key, struct mma_shape *shape);
static inline bool mma_supported(const struct opkey *key) { return mma_shape_of(key, NULL); }

/* All 32 lanes; rows of d may be rows of c. The key is a supported one. */
void mma_run(const struct opkey *key, void *const *d, const void *const *a, const void *const *b, const void *const *c);

/* --- mma_quad.c: m8n8k4 on f16, a product for each pair of quads */
enum { MMA_QUAD_PAIRS = 4 };
void mma_run_quads(const struct opkey *key, void *const *d, const void *const *a, const void *const *b, const void *const *c);

#endif
