/* mummer: a suffix array of the genome and binary search in it. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

#define READ 32

struct genome {
    const u8 *letter;
    u64 n;
};

/* Letters the suffix at `at` has in common with text[0..len) */
static u64 common(const struct genome *g, u64 at, const u8 *text, u64 len) {
    u64 k = 0;
    while (k < len && at + k < g->n && g->letter[at + k] == text[k]) k++;
    return k;
}

static int compare_suffixes(const void *a, const void *b, void *user) {
    const struct genome *g = user;
    u64 x = *(const u32 *)a, y = *(const u32 *)b;
    u64 shorter = g->n - MAX(x, y);
    int order = memcmp(g->letter + x, g->letter + y, shorter < READ ? shorter : READ); /* further letters never matter */
    if (order) return order;
    return (x < y) - (x > y); /* the end of the genome goes before every letter */
}

/* How many suffixes are less than text[0..len) */
static u64 rank(const struct genome *g, const u32 *suffix, const u8 *text, u64 len) {
    u64 low = 0, high = g->n;
    while (low < high) {
        u64 mid = low + (high - low) / 2, k = common(g, suffix[mid], text, len);
        bool less = k < len && (suffix[mid] + k == g->n || g->letter[suffix[mid] + k] < text[k]);
        if (less) low = mid + 1;
        else high = mid;
    }
    return low;
}

static void longest(const struct genome *g, const u32 *suffix, const u8 *text, u64 len, u32 least, u32 *length, u32 *where) {
    u64 at = rank(g, suffix, text, len);
    u64 above = at < g->n ? common(g, suffix[at], text, len) : 0, below = at > 0 ? common(g, suffix[at - 1], text, len) : 0;
    u64 best = MAX(above, below);
    *length = best >= least ? (u32)best : 0;
    *where = 0xFFFFFFFFu;
    if (best < least) return;
    for (u64 i = at; i < g->n && common(g, suffix[i], text, len) == best; i++)
        if (suffix[i] < *where) *where = suffix[i];
    for (u64 i = at; i > 0 && common(g, suffix[i - 1], text, len) == best; i--)
        if (suffix[i - 1] < *where) *where = suffix[i - 1];
}

bool workload_ref_mummer(struct workload_buffers *b) {
    struct genome g = {.n = ref_count(b, "genome")};
    u64 reads = ref_count(b, "start"), buckets = ref_count(b, "bucket");
    g.letter = ref_u8(b, "genome", g.n);
    const u32 *start = ref_u32(b, "start", reads);
    const u8 *noise = ref_u8(b, "noise", reads * READ);
    u8 *text = ref_u8(b, "reads", reads * READ);
    u32 k = 0;
    while (((u64)1 << 2 * k) < buckets) k++;
    u64 starts = READ - k + 1;
    u32 *length = ref_u32(b, "length", starts * reads), *where = ref_u32(b, "where", starts * reads);
    if (!g.letter || !start || !noise || !text || !length || !where || k < 1 || k > 12) return false;
    for (u64 i = 0; i < reads * READ; i++) {
        u32 letter = g.letter[((u64)start[i / READ] + i % READ) % g.n];
        text[i] = (u8)(noise[i] < 3 ? (letter + 1) % 4 : letter);
    }
    u32 *suffix = base_alloc(g.n * sizeof *suffix);
    for (u32 i = 0; i < g.n; i++) suffix[i] = i;
    qsort_r(suffix, g.n, sizeof *suffix, compare_suffixes, &g);
    for (u64 r = 0; r < reads; r++)
        for (u64 s = 0; s < starts; s++)
            longest(&g, suffix, text + r * READ + s, READ - s, k, &length[s * reads + r], &where[s * reads + r]);
    free(suffix);
    return true;
}
