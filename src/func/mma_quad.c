/* mma_quad.c: mma.sync.m8n8k4 on f16: four products at once, each of a pair of quads: lanes 4 q .. 4 q + 3
 * and 4 q + 16 .. 4 q + 19.
 *
 * Fragments, for lane l = 0 .. 7 of its pair: A by rows: row l, all of k; A by columns: k = l mod 4, the four
 * rows from 4 (l / 4). B the same with columns for rows, and .col for .row. C and D in f16: row l; in f32:
 * squares of two, see sum_place.
 *
 * Only Volta's tensor core had these. On Hopper the driver makes the instruction of ordinary f32 arithmetic,
 * so every step rounds to nearest, unlike the sums of mma.c. With f32 results: fused multiply-adds from zero
 * in order of k, then C. With f16 results: k = 0, 1 and k = 2, 3 apart, both added to C one after the other,
 * and that rounded to f16. */
#include "func/mma.h"

#include "func/lanes/float.h"

#include <math.h>

enum { M = 8, N = 8, K = 4 };

struct product { /* of one pair */
    float a[M][K], b[N][K], c[M][N];
};

static u32 lane_of(u32 pair, u32 l) { return 4 * pair + l % 4 + 16 * (l / 4); }
static u32 word_at(const void *const *rows, u32 i, u32 lane) { return ((const u32 *)rows[i])[lane]; }
static float half_at(const void *const *rows, u32 i, u32 lane) {
    return f32_of_f16(word_at(rows, i / 2, lane) >> 16 * (i & 1) & 0xffffu);
}

/* A or B; `across`: a lane holds one of k for four rows (columns), not one row (column) */
static void load_factor(float x[][K], const void *const *rows, u32 pair, bool across) {
    for (u32 l = 0; l < 8; l++)
        for (u32 i = 0; i < K; i++) {
            float *at = across ? &x[l / 4 * 4 + i][l % 4] : &x[l][i];
            *at = half_at(rows, i, lane_of(pair, l));
        }
}

static float *sum_place(struct product *p, u32 l, u32 i, bool half) {
    if (half) return &p->c[l][i];
    return &p->c[l / 4 * 4 + (l & 1) + (i & 2)][(i & 4) + (l & 2) + (i & 1)];
}

static void load_sums(struct product *p, const void *const *c, u32 pair, bool half) {
    for (u32 l = 0; l < 8; l++)
        for (u32 i = 0; i < N; i++) {
            u32 lane = lane_of(pair, l);
            *sum_place(p, l, i, half) = half ? half_at(c, i, lane) : f32_of(word_at(c, i, lane));
        }
}

static void store_sums(struct product *p, void *const *d, u32 pair, bool half) {
    for (u32 l = 0; l < 8; l++)
        for (u32 i = 0; i < N; i++) {
            float v = *sum_place(p, l, i, half);
            u32 *at = (u32 *)d[half ? i / 2 : i] + lane_of(pair, l);
            if (!half) *at = f32_isnan(f32_bits(v)) ? F32_NAN : f32_bits(v);
            else *at = i & 1 ? (*at & 0xffffu) | f16_of_f32(v) << 16 : f16_of_f32(v);
        }
}

static float dot(const float *a, const float *b, float c, bool half) {
    if (half) return (c + fmaf(a[1], b[1], a[0] * b[0])) + fmaf(a[3], b[3], a[2] * b[2]);
    float sum = 0;
    for (u32 k = 0; k < K; k++) sum = fmaf(a[k], b[k], sum);
    return sum + c;
}

void mma_run_quads(const struct opkey *key, void *const *d, const void *const *a, const void *const *b, const void *const *c) {
    bool half = key->type[0] == TYPE_f16, a_by_col = (key->layouts & 3) == 2, b_by_row = key->layouts >> 2 == 1;
    for (u32 pair = 0; pair < MMA_QUAD_PAIRS; pair++) {
        struct product p;
        load_factor(p.a, a, pair, a_by_col);
        load_factor(p.b, b, pair, b_by_row);
        load_sums(&p, c, pair, key->type[3] == TYPE_f16);
        for (u32 m = 0; m < M; m++)
            for (u32 n = 0; n < N; n++) p.c[m][n] = dot(p.a[m], p.b[n], p.c[m][n], half);
        store_sums(&p, d, pair, half);
    }
}
