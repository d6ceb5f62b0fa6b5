/* Choosing from sets of several words (set.h). */
#include "base/set.h"

int set_first_many(const u64 *s, u32 n) {
    for (u32 k = 0; k < n; k++)
        if (s[k]) return (int)(k * 64) + __builtin_ctzll(s[k]);
    return -1;
}

int set_after_many(const u64 *s, u32 n, u32 last) {
    u32 at = last / 64;
    if (at >= n) return set_first_many(s, n);
    u64 behind = s[at] & ~1ull << last % 64;
    while (!behind && ++at < n) behind = s[at];
    return behind ? (int)(at * 64) + __builtin_ctzll(behind) : set_first_many(s, n);
}

int set_oldest_many(const u64 *s, u32 n, const u64 *age) {
    int best = -1;
    SET_EACH (i, s, n)
        if (best < 0 || age[i] < age[best]) best = (int)i;
    return best;
}
