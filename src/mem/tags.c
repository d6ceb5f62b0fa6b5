/* tags: the tag array of every cache.
 *
 * Models presence only: which sectors of which lines are here, on their way, or changed. Data are elsewhere
 * (func/), ports and latencies are the cache's.
 *
 * Invariants, walked by tags_check:
 *  1. An invalid line has no valid, dirty or pending sector.
 *  2. Dirty sectors are valid.
 *  3. A line stands in the set its address chooses, and in one way only.
 *  4. No stamp is younger than the clock.
 *  5. An invalid line has stamp 0, any other a larger one.
 * A line that is neither invalid nor has a valid or pending sector cannot come to be: lines arrive with
 * sectors and lose all at once. */
#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>

void tags_init(struct tags *t, u32 sets, u32 ways, u32 line_b, u32 sector_b, bool fifo) {
    CHECK(sets && !(sets & (sets - 1)) && ways);
    CHECK(line_b && !(line_b & (line_b - 1)) && sector_b && line_b / MIN(sector_b, line_b) <= 8);
    size_t n = (size_t)sets * ways;
    *t = (struct tags){.sets = sets, .ways = ways, .line_b = line_b, .sector_b = MIN(sector_b, line_b), .fifo = fifo};
    t->line_shift = (u32)__builtin_ctz(line_b);
    t->tag = base_alloc_aligned(n * sizeof(*t->tag));
    t->stamp = base_alloc_aligned(n * sizeof(*t->stamp));
    t->valid = base_alloc(n);
    t->dirty = base_alloc(n);
    t->pending = base_alloc(n);
}

void tags_free(struct tags *t) {
    free(t->tag);
    free(t->stamp);
    free(t->valid);
    free(t->dirty);
    free(t->pending);
    *t = (struct tags){0};
}

void tags_copy(struct tags *to, const struct tags *from) {
    size_t n = (size_t)from->sets * from->ways;
    CHECK(to->sets == from->sets && to->ways == from->ways);
    memcpy(to->tag, from->tag, n * sizeof(*to->tag));
    memcpy(to->stamp, from->stamp, n * sizeof(*to->stamp));
    memcpy(to->valid, from->valid, n);
    memcpy(to->dirty, from->dirty, n);
    memcpy(to->pending, from->pending, n);
    to->clock = from->clock;
}

void tags_clear(struct tags *t) {
    size_t n = (size_t)t->sets * t->ways;
    memset(t->tag, 0, n * sizeof(*t->tag));
    memset(t->stamp, 0, n * sizeof(*t->stamp));
    memset(t->valid, 0, n);
    memset(t->dirty, 0, n);
    memset(t->pending, 0, n);
    t->clock = 0;
}

/* Bits 13, 14, 15, 17 and 19 of an address, which Fermi's L1 folds into the lowest five of a set's number
 * (Nugteren, van den Braak, Corporaal and Bal, HPCA 2014) */
static u32 fermi_bits(u64 address) {
    return (u32)(address >> 13 & 7) | (u32)(address >> 17 & 1) << 3 | (u32)(address >> 19 & 1) << 4;
}

u32 tags_set(const struct tags *t, u64 line) {
    u32 set = (u32)(line >> t->line_shift);
    return (t->fermi ? set ^ fermi_bits(line) : set) & (t->sets - 1);
}

static u64 tag_of(const struct tags *t, u64 line) { return (line >> t->line_shift << t->line_shift) + 1; }

/* Index of the line, or -1 */
static i64 find(const struct tags *t, u64 line) {
    u64 want = tag_of(t, line);
    size_t first = (size_t)tags_set(t, line) * t->ways;
    const u64 *tag = t->tag + first;
    for (u32 way = 0; way < t->ways; way++)
        if (tag[way] == want) return (i64)(first + way);
    return -1;
}

enum tag_result tags_look(const struct tags *t, u64 line, u32 sectors, u32 *at) {
    i64 i = find(t, line);
    if (i < 0) return TAG_MISS;
    *at = (u32)i;
    u32 missing = sectors & ~(u32)t->valid[i];
    if (!missing) return TAG_HIT;
    return missing & ~(u32)t->pending[i] ? TAG_SECTOR_MISS : TAG_HIT_RESERVED;
}

void tags_touch(struct tags *t, u32 at) {
    if (!t->fifo) t->stamp[at] = ++t->clock;
}

/* The way that would make room in the set of `line`: the one with the oldest stamp among those with nothing
 * pending, the first among equals, which puts invalid ones first (5); -1 when there is none. Written without
 * branches to guess. */
static i64 choose(const struct tags *t, u64 line) {
    size_t first = (size_t)tags_set(t, line) * t->ways;
    const u64 *stamp = t->stamp + first;
    const u8 *pending = t->pending + first;
    u64 best = UINT64_MAX;
    u32 who = 0;
    for (u32 way = 0; way < t->ways; way++) {
        u64 age = pending[way] ? UINT64_MAX : stamp[way];
        bool older = age < best;
        best = older ? age : best;
        who = older ? way : who;
    }
    return best == UINT64_MAX ? -1 : (i64)(first + who);
}

static struct victim victim_at(const struct tags *t, i64 i) {
    if (!t->tag[i]) return (struct victim){0};
    return (struct victim){.had = true, .line = t->tag[i] - 1, .dirty = t->dirty[i]};
}

bool tags_peek(const struct tags *t, u64 line, u32 *at, struct victim *v) {
    i64 i = choose(t, line);
    if (i < 0) return false;
    *at = (u32)i;
    *v = victim_at(t, i);
    return true;
}

void tags_take(struct tags *t, u64 line, u32 at) {
    t->tag[at] = tag_of(t, line);
    t->valid[at] = t->dirty[at] = t->pending[at] = 0;
    t->stamp[at] = ++t->clock;
}

/* The line's place: where it is, or a way emptied for it */
static bool place(struct tags *t, u64 line, u32 *at, struct victim *v) {
    i64 i = find(t, line);
    *v = (struct victim){0};
    if (i < 0) {
        if (!tags_peek(t, line, at, v)) return false;
        tags_take(t, line, *at);
        return true;
    }
    tags_touch(t, (u32)i);
    *at = (u32)i;
    return true;
}

bool tags_reserve(struct tags *t, u64 line, u32 sectors, u32 *at, struct victim *v) {
    if (!place(t, line, at, v)) return false;
    t->pending[*at] |= (u8)(sectors & ~(u32)t->valid[*at]);
    return true;
}

bool tags_insert(struct tags *t, u64 line, u32 sectors, u32 *at, struct victim *v) {
    if (!place(t, line, at, v)) return false;
    t->valid[*at] |= (u8)sectors;
    return true;
}

u32 tags_fill(struct tags *t, u64 line, u32 sectors) {
    i64 i = find(t, line);
    if (i < 0) return UINT32_MAX;
    if (t->fifo && !t->valid[i]) t->stamp[i] = ++t->clock;
    t->valid[i] |= (u8)sectors;
    t->pending[i] &= (u8)~sectors;
    return (u32)i;
}

void tags_invalidate(struct tags *t, u64 line) {
    i64 i = find(t, line);
    if (i < 0 || t->pending[i]) return;
    t->tag[i] = t->stamp[i] = 0;
    t->valid[i] = t->dirty[i] = 0;
}

void tags_check(const struct tags *t) {
    for (u32 set = 0; set < t->sets; set++) {
        for (u32 way = 0; way < t->ways; way++) {
            size_t i = (size_t)set * t->ways + way;
            CHECK(t->tag[i] || !(t->valid[i] | t->dirty[i] | t->pending[i])); /* 1 */
            CHECK(!(t->dirty[i] & ~t->valid[i]));                             /* 2 */
            CHECK(!t->tag[i] == !t->stamp[i]);                                /* 5 */
            if (!t->tag[i]) continue;
            CHECK(tags_set(t, t->tag[i] - 1) == set); /* 3 */
            CHECK(find(t, t->tag[i] - 1) == (i64)i);
            CHECK(t->stamp[i] <= t->clock); /* 4 */
        }
    }
}
