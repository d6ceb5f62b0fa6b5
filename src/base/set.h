/* set: sets of small numbers.
 *
 * A set is an array of words, 64 members each; how many words (at least one) is an argument. With one word
 * every function here is the operation on that word. Words beyond those in use are neither read nor written,
 * so a set of SET_WORDS on the stack costs what is used of it.
 *
 * SET_EACH (i, s, n) visits the members in rising order; who leaves the set on the way does not disturb it.
 * `break` leaves only the word. */
#ifndef HEDDLE_SET_H
#define HEDDLE_SET_H

#include "base/base.h"

enum { SET_WORDS = 64 }; /* of the largest set */

#define SET_EACH(i, s, n)                                                                                                        \
    for (u32 i##_w = 0, i = 0; i##_w < (n); i##_w++)                                                                             \
        for (u64 i##_m = (s)[i##_w]; i##_m && ((i) = i##_w * 64 + (u32)__builtin_ctzll(i##_m), true); i##_m &= i##_m - 1)

static inline u32 set_words(u32 members) { return (members + 63) / 64; }
static inline u64 set_bit(u32 i) { return 1ull << i % 64; }
static inline bool set_has(const u64 *s, u32 i) { return s[i / 64] >> i % 64 & 1; }
static inline void set_add(u64 *s, u32 i) { s[i / 64] |= set_bit(i); }
static inline void set_drop(u64 *s, u32 i) { s[i / 64] &= ~set_bit(i); }
static inline void set_put(u64 *s, u32 i, bool in) { s[i / 64] = (s[i / 64] & ~set_bit(i)) | (u64)in << i % 64; }

static inline void set_clear(u64 *s, u32 n) {
    s[0] = 0;
    for (u32 k = 1; k < n; k++) s[k] = 0;
}
static inline void set_copy(u64 *s, const u64 *a, u32 n) {
    s[0] = a[0];
    for (u32 k = 1; k < n; k++) s[k] = a[k];
}
static inline void set_and(u64 *s, const u64 *a, const u64 *b, u32 n) {
    s[0] = a[0] & b[0];
    for (u32 k = 1; k < n; k++) s[k] = a[k] & b[k];
}
static inline void set_or(u64 *s, const u64 *a, const u64 *b, u32 n) {
    s[0] = a[0] | b[0];
    for (u32 k = 1; k < n; k++) s[k] = a[k] | b[k];
}
static inline void set_without(u64 *s, const u64 *a, const u64 *b, u32 n) { /* those of a that are not in b */
    s[0] = a[0] & ~b[0];
    for (u32 k = 1; k < n; k++) s[k] = a[k] & ~b[k];
}
static inline bool set_any(const u64 *s, u32 n) {
    u64 any = s[0];
    for (u32 k = 1; k < n; k++) any |= s[k];
    return any;
}
static inline bool set_meet(const u64 *a, const u64 *b, u32 n) { /* they have a member in common */
    u64 any = a[0] & b[0];
    for (u32 k = 1; k < n; k++) any |= a[k] & b[k];
    return any;
}
static inline bool set_same(const u64 *a, const u64 *b, u32 n) {
    u64 other = a[0] ^ b[0];
    for (u32 k = 1; k < n; k++) other |= a[k] ^ b[k];
    return !other;
}
static inline u32 set_count(const u64 *s, u32 n) {
    u32 count = (u32)__builtin_popcountll(s[0]);
    for (u32 k = 1; k < n; k++) count += (u32)__builtin_popcountll(s[k]);
    return count;
}

/* --- choosing one. -1 (elsewhere called NONE) from an empty set. Sets of several words: set.c. */
int set_first_many(const u64 *s, u32 n);
int set_after_many(const u64 *s, u32 n, u32 last);
int set_oldest_many(const u64 *s, u32 n, const u64 *age);

static inline int set_first(const u64 *s, u32 n) {
    if (n > 1) return set_first_many(s, n);
    return s[0] ? __builtin_ctzll(s[0]) : -1;
}
/* The first behind `last`, which may lie beyond the set, going round */
static inline int set_after(const u64 *s, u32 n, u32 last) {
    if (n > 1) return set_after_many(s, n, last);
    u64 behind = last < 64 ? s[0] & ~1ull << last : 0, from = behind ? behind : s[0];
    return from ? __builtin_ctzll(from) : -1;
}
static inline int set_oldest(const u64 *s, u32 n, const u64 *age) { /* the lowest age; the lowest of equals */
    if (n > 1) return set_oldest_many(s, n, age);
    int best = set_first(s, 1);
    for (u64 rest = s[0] & (s[0] - 1); rest; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);
        if (age[i] < age[best]) best = i;
    }
    return best;
}

#endif
