/* similarity: scores row by row, the best kept while going. Bit-exact: sums run over the words in order, with
 * one rounding per product. */
#include "../ref.h"

static float product(const float *a, const float *b, u64 length) {
    float sum = 0.0f;
    for (u64 w = 0; w < length; w++) sum = fmaf(a[w], b[w], sum);
    return sum;
}

static float alike(const float *a, const float *b, u64 length) {
    float squares = product(a, a, length) * product(b, b, length);
    return squares > 0.0f ? product(a, b, length) / sqrtf(squares) : 0.0f;
}

bool workload_ref_similarity(struct workload_buffers *b) {
    u64 rows = ref_count(b, "best"), documents = rows ? ref_count(b, "score") / rows : 0;
    u64 length = documents ? ref_count(b, "words") / documents : 0;
    const float *words = ref_f32(b, "words", documents * length);
    float *score = ref_f32(b, "score", rows * documents);
    u32 *best = ref_u32(b, "best", rows);
    if (!length || rows > documents || !words || !score || !best) return false;
    for (u64 row = 0; row < rows; row++) {
        float most = -1.0f;
        for (u64 i = 0; i < documents; i++) {
            float s = alike(words + row * length, words + i * length, length);
            score[row * documents + i] = s;
            if (i == row || s <= most) continue;
            most = s;
            best[row] = (u32)i;
        }
    }
    return true;
}
