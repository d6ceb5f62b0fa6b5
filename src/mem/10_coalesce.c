/* coalesce: what the lanes of a warp ask of memory, as cache lines and as passes over the banks of shared
 * memory.
 *
 * Both are pure functions of addresses, called for every memory instruction; the shapes that most
 * instructions have (one address, consecutive addresses, one line) are found first and cost a few operations
 * a lane. Any number of lines or words is handled by the general case. */
#include "mem/mem.h"

#include <string.h>

/* --- lines */

enum { BUCKETS = 64, PIECE_B = 32, WORDS = 32 };

/* Bits of the 32-byte pieces from byte `first` to byte `last` of a line */
static u32 pieces(u32 first, u32 last) { return (2u << last / PIECE_B) - (1u << first / PIECE_B); }

static void start(struct line_access *a, u64 line) { *a = (struct line_access){.line = line, .same = 1}; }

static void count(struct line_access *a, u32 word, u32 lanes) {
    a->count[word] = (u8)(a->count[word] + lanes);
    if (a->count[word] > a->same) a->same = a->count[word];
}

/* The place of a line in out[0..*n), appended when it is not there. Chains of lines with equal hashes:
 * bucket[] and next[] hold index + 1. */
struct finder {
    struct line_access *out;
    u32 n, shift;
    u16 bucket[BUCKETS], next[MAX_LINES];
};

static u32 bucket_of(const struct finder *f, u64 line) { return (u32)((line >> f->shift) * 0x9E3779B97F4A7C15ull >> 58); }

static void chain(struct finder *f, u32 i) {
    u16 *b = &f->bucket[bucket_of(f, f->out[i].line)];
    f->next[i] = *b;
    *b = (u16)(i + 1);
}

static struct line_access *find(struct finder *f, u64 line) {
    for (u32 i = f->bucket[bucket_of(f, line)]; i; i = f->next[i - 1])
        if (f->out[i - 1].line == line) return &f->out[i - 1];
    CHECK(f->n < MAX_LINES);
    start(&f->out[f->n], line);
    chain(f, f->n);
    return &f->out[f->n++];
}

/* The first of the lanes, and those right after it that have its address */
static u32 run_of(const u64 *addr, u32 lanes) {
    u32 run = 0;
    for (u64 first = addr[__builtin_ctz(lanes)]; lanes && addr[__builtin_ctz(lanes)] == first; lanes &= lanes - 1)
        run |= lanes & -lanes;
    return run;
}

static u32 general(const u64 *addr, u32 mask, u32 size_b, u32 line_b, u32 lane0, struct line_access *out, u32 n) {
    struct finder f;
    f.out = out;
    f.n = n;
    f.shift = (u32)__builtin_ctz(line_b);
    memset(f.bucket, 0, sizeof f.bucket);
    for (u32 i = 0; i < n; i++) chain(&f, i);
    struct line_access *a = NULL; /* neighbours mostly share a line */
    for (u32 rest = mask; rest;) {
        u64 first = addr[__builtin_ctz(rest)], last = first + size_b - 1, line = first & ~(u64)(line_b - 1);
        u32 run = run_of(addr, rest);
        rest &= ~run;
        if (!a || a->line != line) a = find(&f, line);
        count(a, (u32)(first - line) / 4, (u32)__builtin_popcount(run));
        for (;;) {
            a->lanes |= (u64)run << lane0;
            a->sectors |= pieces((u32)(MAX(first, line) - line), (u32)(MIN(last, line + line_b - 1) - line));
            if (last - line < line_b) break;
            line += line_b;
            a = find(&f, line);
        }
    }
    return f.n;
}

/* What the addresses of the lanes have in common */
struct shape {
    bool one_address, one_line, consecutive; /* consecutive: all lanes, each size_b after the one before */
    bool words;                              /* a whole word each */
};

static struct shape look(const u64 *addr, u32 mask, u32 size_b, u32 line_b) {
    u32 l0 = (u32)__builtin_ctz(mask);
    u64 first = addr[l0], line = first & ~(u64)(line_b - 1), differ = 0, outside = 0, uneven = 0, low = 0;
    if (mask == UINT32_MAX) {
        for (u32 l = 0; l < 32; l++) {
            differ |= addr[l] ^ first;
            outside |= (addr[l] - line) | (addr[l] + size_b - 1 - line);
            uneven |= addr[l] - first - (u64)l * size_b;
            low |= addr[l];
        }
        return (struct shape){!differ, outside < line_b, !uneven, size_b == 4 && low % 4 == 0};
    }
    for (u32 rest = mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        differ |= addr[l] ^ first;
        outside |= (addr[l] - line) | (addr[l] + size_b - 1 - line);
        low |= addr[l];
    }
    return (struct shape){!differ, outside < line_b, false, size_b == 4 && low % 4 == 0};
}

static void one_line(const u64 *addr, u32 mask, u32 size_b, struct line_access *a) {
    for (u32 rest = mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest), at = (u32)(addr[l] - a->line);
        a->sectors |= pieces(at, at + size_b - 1);
        count(a, at / 4, 1);
    }
}

/* The same where each lane wants one whole word: pieces and the largest count follow from the counts */
static void one_line_words(const u64 *addr, u32 mask, struct line_access *a) {
    if (mask == UINT32_MAX)
        for (u32 l = 0; l < 32; l++) a->count[(addr[l] - a->line) / 4]++;
    else
        for (u32 rest = mask; rest; rest &= rest - 1) a->count[(addr[__builtin_ctz(rest)] - a->line) / 4]++;
    for (u32 i = 0; i < WORDS; i++) a->same = MAX(a->same, a->count[i]);
    for (u32 i = 0; i < WORDS * 4 / PIECE_B; i++) {
        u64 counts;
        memcpy(&counts, a->count + i * 8, sizeof counts);
        a->sectors |= (u32)(counts != 0) << i;
    }
}

/* All 32 lanes, of whole words, one after another */
static u32 consecutive(u64 first, u32 size_b, u32 line_b, u32 lane0, struct line_access *out) {
    u64 end = first + 32ull * size_b, line = first & ~(u64)(line_b - 1);
    u32 n = 0;
    for (; line < end; line += line_b, n++) {
        u64 from = MAX(line, first), to = MIN(line + line_b, end);
        u32 lane = (u32)(from - first) / size_b, last = (u32)(to - 1 - first) / size_b;
        struct line_access *a = &out[n];
        start(a, line);
        a->sectors = pieces((u32)(from - line), (u32)(to - 1 - line));
        a->lanes = ((2ull << last) - (1ull << lane)) << lane0;
        if (first + (u64)lane * size_b < line) lane++; /* it began in the line before */
        if (lane > last) continue;
        u32 word = (u32)(first + (u64)lane * size_b - line) / 4;
        if (size_b == 4) memset(a->count + word, 1, last - lane + 1);
        else
            for (u32 l = lane; l <= last; l++, word += size_b / 4) a->count[word] = 1;
    }
    return n;
}

u32 coalesce_lines(const u64 *addr, u32 mask, u32 size_b, u32 line_b, u32 lane0, struct line_access *out, u32 n) {
    if (!mask) return n;
    if (n) return general(addr, mask, size_b, line_b, lane0, out, n);
    struct shape s = look(addr, mask, size_b, line_b);
    if (s.consecutive && size_b % 4 == 0) return consecutive(addr[0], size_b, line_b, lane0, out);
    if (!s.one_line) return general(addr, mask, size_b, line_b, lane0, out, n);
    u64 first = addr[__builtin_ctz(mask)];
    start(out, first & ~(u64)(line_b - 1));
    out->lanes = (u64)mask << lane0;
    if (s.one_address) {
        u32 at = (u32)(first - out->line);
        out->sectors = pieces(at, at + size_b - 1);
        count(out, at / 4, (u32)__builtin_popcount(mask));
    } else if (s.words) {
        one_line_words(addr, mask, out);
    } else {
        one_line(addr, mask, size_b, out);
    }
    return 1;
}

/* --- shared memory */

enum { MAX_BANKS = 64, MAX_WORDS = 128 };

/* Passes for words that may collide: the longest list of a bank. Lanes that want a word another has listed
 * share it, unless each must be served alone. */
static u32 longest_list(const u64 *word, u32 n, u32 banks, bool alone) {
    u8 head[MAX_BANKS] = {0}, length[MAX_BANKS] = {0}, next[MAX_WORDS], most = 0;
    for (u32 i = 0; i < n; i++) {
        u32 b = (u32)word[i] & (banks - 1), j = alone ? 0 : head[b];
        while (j && word[j - 1] != word[i]) j = next[j - 1];
        if (j) continue;
        next[i] = head[b];
        head[b] = (u8)(i + 1);
        if (++length[b] > most) most = length[b];
    }
    return most;
}

/* Whether each bank is asked for one word only. Every lane writes its word beside its bank, then all look
 * whether theirs is still there; places nobody wrote are not read. */
static bool one_word_a_bank(const u64 *addr, u32 mask, u32 words, u32 banks) {
    u64 wanted[MAX_BANKS], differ = 0;
    if (mask == UINT32_MAX && words == 1) {
        for (u32 l = 0; l < 32; l++) wanted[addr[l] / 4 & (banks - 1)] = addr[l] / 4;
        for (u32 l = 0; l < 32; l++) differ |= wanted[addr[l] / 4 & (banks - 1)] ^ addr[l] / 4;
        return !differ;
    }
    for (u32 pass = 0; pass < 2; pass++)
        for (u32 rest = mask; rest; rest &= rest - 1) {
            u64 first = addr[__builtin_ctz(rest)] / 4;
            for (u64 w = first; w < first + words; w++) {
                if (pass) differ |= wanted[w & (banks - 1)] ^ w;
                else wanted[w & (banks - 1)] = w;
            }
        }
    return !differ;
}

/* Whether no two of the words lie in one bank: what atomics need, where lanes at one word are served one by
 * one */
static bool banks_differ(const u64 *addr, u32 mask, u32 words, u32 banks) {
    u64 seen = 0;
    for (u32 rest = mask; rest; rest &= rest - 1) {
        u64 first = addr[__builtin_ctz(rest)] / 4;
        for (u32 w = 0; w < words; w++) seen |= 1ull << ((first + w) & (banks - 1));
    }
    return (u32)__builtin_popcountll(seen) == words * (u32)__builtin_popcount(mask);
}

static bool one_word_in_all(const u64 *addr, u32 mask) {
    if (mask != UINT32_MAX || addr[0] / 4 != addr[31] / 4 || addr[0] / 4 != addr[15] / 4) return false;
    u64 differ = 0;
    for (u32 l = 0; l < 32; l++) differ |= addr[l] ^ addr[0];
    return differ < 4;
}

static u32 pass_cycles(const u64 *addr, u32 mask, u32 size_b, u32 banks, bool atomic) {
    u32 n = 0, words = (size_b + 3) / 4;
    if (atomic ? banks_differ(addr, mask, words, banks)
               : (words == 1 && one_word_in_all(addr, mask)) || one_word_a_bank(addr, mask, words, banks))
        return 1;
    u64 word[MAX_WORDS];
    for (u32 rest = mask; rest; rest &= rest - 1)
        for (u32 w = 0; w < words; w++) word[n++] = addr[__builtin_ctz(rest)] / 4 + w;
    return longest_list(word, n, banks, atomic);
}

u32 shared_cycles(const u64 *addr, u32 mask, u32 size_b, u32 banks, u32 together, bool atomic) {
    u32 lanes = shared_together(size_b, together), sum = 0;
    for (u32 i = 0; i < 32 / lanes; i++) {
        u32 part = mask & (u32)(((1ull << lanes) - 1) << i * lanes);
        if (part) sum += pass_cycles(addr, part, size_b, banks, atomic);
    }
    return sum;
}
