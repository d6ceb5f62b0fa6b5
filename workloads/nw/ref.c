/* nw: the scoring matrix row by row. Bit-exact. */
#include "../ref.h"

#define LETTERS 16
#define GAP     3
#define BIAS    4

bool workload_ref_nw(struct workload_buffers *b) {
    u64 n = ref_count(b, "across"), width = n + 1;
    const u32 *across = ref_u32(b, "across", n);
    const u32 *down = ref_u32(b, "down", n);
    const i32 *similarity = ref_s32(b, "similarity", LETTERS * LETTERS);
    i32 *score = ref_s32(b, "score", width * width);
    if (!across || !down || !similarity || !score) return false;
    for (u64 j = 0; j <= n; j++) score[j] = -GAP * (i32)j;
    for (u64 i = 1; i <= n; i++) {
        i32 *row = score + i * width;
        const i32 *above = row - width;
        row[0] = -GAP * (i32)i;
        for (u64 j = 1; j <= n; j++) {
            i32 best = above[j - 1] + similarity[down[i - 1] % LETTERS * LETTERS + across[j - 1] % LETTERS] - BIAS;
            best = MAX(best, above[j] - GAP);
            row[j] = MAX(best, row[j - 1] - GAP);
        }
    }
    return true;
}
